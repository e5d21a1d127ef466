// SPDX-License-Identifier: Apache-2.0
// What is said about a parameter group wherever one is named.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "apps/cli/output.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/scheme/security.hpp"
#include "libfhe/scheme/sizes.hpp"

namespace fhe::cli {

// Bytes in the largest unit, of a power of 1000, that leaves at least 1: "2.25 GB".
std::string bytes_text(double bytes);

// "scheme", "slots" or "benchmark".
std::string purpose(const ParameterSet& group);

// The estimate of a group (libfhe/scheme/security.hpp) in words: "58 bits, weak: orthogonal lattice
// at block size 2, ...", and on a quantum computer "119", or "-" where that opens everything. Both
// are "-" for a group that makes no keys. As fields that are added to an object: numbers and words
// or null, and the core cost of each attack that suffices and of each bound.
std::string security_text(const std::optional<security::Estimate>& estimate);
std::string quantum_text(const std::optional<security::Estimate>& estimate);
void add_security(Json& json, const std::optional<security::Estimate>& estimate);

// The sizes of a group of bits, as sizes_of(), or of one of numbers in slots: there a new
// ciphertext, without what a file has beside it, and 0 for what there is not.
std::optional<KeySizes> sizes_of_any(const ParameterSet& group);

// A compressed ciphertext, rounded up to bytes; "-" where there are none.
std::string compressed_text(const std::optional<KeySizes>& sizes);

// What each slot takes of a ciphertext; "-" where there are none.
std::string size_per_slot_text(const std::optional<KeySizes>& sizes);

// One of the sizes of a group: as bytes_text, or "-" for what there is not; as JSON the bytes or
// null.
std::string size_text(const std::optional<KeySizes>& sizes, std::uint64_t KeySizes::*size);
Json size_json(const std::optional<KeySizes>& sizes, std::uint64_t KeySizes::*size);

// All of them, as fields that are added to an object.
void add_sizes(Json& json, const std::optional<KeySizes>& sizes);

}  // namespace fhe::cli
