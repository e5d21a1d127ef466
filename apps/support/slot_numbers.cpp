// SPDX-License-Identifier: Apache-2.0
#include "apps/support/slot_numbers.hpp"

#include "libfhe/arith/integer.hpp"

namespace fhe::apps {

namespace {

std::uint64_t whole_bytes(const Integer& x) {
  return bytes_for_bits(bit_length(x));
}

}  // namespace

bool has_slot_numbers(const Setting& setting) {
  return setting.parameters.purpose() == GroupPurpose::slots;
}

std::uint64_t bytes_of(const she::CompressedSlots& sent) {
  std::uint64_t bytes = sent.seed().size();
  for (const Integer& correction : sent.corrections()) bytes += whole_bytes(correction);
  return bytes;
}

std::uint64_t bytes_of(const std::vector<she::Slots>& sent) {
  std::uint64_t bytes = 0;
  for (const she::Slots& x : sent) bytes += whole_bytes(x.value()) + whole_bytes(x.noise());
  return bytes;
}

std::int64_t centred(std::uint64_t number, std::uint64_t modulus) {
  const auto value = static_cast<std::int64_t>(number);
  return 2 * number > modulus ? value - static_cast<std::int64_t>(modulus) : value;
}

}  // namespace fhe::apps
