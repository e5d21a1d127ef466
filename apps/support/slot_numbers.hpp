// SPDX-License-Identifier: Apache-2.0
// What the applications share where they compute on numbers in slots.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "apps/support/application.hpp"
#include "libfhe/scheme/she/compressed_slots.hpp"
#include "libfhe/scheme/she/slots.hpp"

namespace fhe::apps {

// Whether the group of a setting encrypts numbers in slots, and not bits.
[[nodiscard]] bool has_slot_numbers(const Setting& setting);

// The bytes of what is sent: of the corrections, and of the integers.
[[nodiscard]] std::uint64_t bytes_of(const she::CompressedSlots& sent);
[[nodiscard]] std::uint64_t bytes_of(const std::vector<she::Slots>& sent);

// What the server computed, what the parties sent each other, in bytes, and what of the server's
// everybody can compute who sees both messages, such as "its list".
struct SlotCosts {
  std::uint64_t products = 0;
  std::uint64_t query = 0;
  std::uint64_t answer = 0;
  std::string_view shown = {};
};

// A number of [0, Q) as the one of (-Q/2, Q/2] that is equal to it modulo Q.
[[nodiscard]] std::int64_t centred(std::uint64_t number, std::uint64_t modulus);

}  // namespace fhe::apps
