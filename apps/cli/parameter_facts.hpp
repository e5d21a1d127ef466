// SPDX-License-Identifier: Apache-2.0
// What is said about a parameter group wherever one is named.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "apps/cli/output.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/scheme/sizes.hpp"

namespace fhe::cli {

// "scheme", "slots" or "benchmark".
std::string purpose(const ParameterSet& group);

// The estimated security: "58 bits" or "unknown"; as JSON a number or null.
std::string security_text(const ParameterSet& group);
Json security_json(const ParameterSet& group);

// The sizes of a group of bits, as sizes_of(), or of one of numbers in slots: there a new
// ciphertext, without what a file has beside it, and 0 for what there is not.
std::optional<KeySizes> sizes_of_any(const ParameterSet& group);

// A compressed ciphertext, rounded up to bytes; "-" where there are none.
std::string compressed_text(const std::optional<KeySizes>& sizes);

// What each slot takes of a ciphertext; "-" where there are none.
std::string size_per_slot_text(const std::optional<KeySizes>& sizes);

// One of the sizes of a group: "2.25 GB", of 10^9 bytes, or "-" for what there is not; as JSON the
// bytes or null.
std::string size_text(const std::optional<KeySizes>& sizes, std::uint64_t KeySizes::*size);
Json size_json(const std::optional<KeySizes>& sizes, std::uint64_t KeySizes::*size);

// All of them, as fields that are added to an object.
void add_sizes(Json& json, const std::optional<KeySizes>& sizes);

}  // namespace fhe::cli
