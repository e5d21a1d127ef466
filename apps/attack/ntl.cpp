// SPDX-License-Identifier: Apache-2.0
#include "apps/attack/ntl.hpp"

#include <cstddef>
#include <vector>

namespace fhe::attack {

NTL::ZZ to_ntl(const Integer& x) {
  std::vector<unsigned char> bytes(bytes_for_bits(bit_length(x)));
  to_bytes(x, std::as_writable_bytes(std::span(bytes)));
  const NTL::ZZ magnitude = NTL::ZZFromBytes(bytes.data(), static_cast<long>(bytes.size()));
  return x < 0 ? -magnitude : magnitude;
}

Integer from_ntl(const NTL::ZZ& x) {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(NTL::NumBytes(x)));
  NTL::BytesFromZZ(bytes.data(), x, static_cast<long>(bytes.size()));
  const Integer magnitude = from_bytes(std::as_bytes(std::span(bytes)));
  return NTL::sign(x) < 0 ? Integer(-magnitude) : magnitude;
}

}  // namespace fhe::attack
