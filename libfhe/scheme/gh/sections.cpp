// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/gh/sections.hpp"

#include <fmt/format.h>

namespace fhe::gh {

std::optional<std::string> determinant_flaw(const Parameters& parameters, const Integer& d) {
  if (d < 1 || mpz_even_p(d.get_mpz_t()) != 0) return "the determinant d is even";
  const std::size_t bytes = bytes_for_bits(bit_length(d));
  const std::size_t least = bytes_for_bits(parameters.min_determinant_bits());
  const std::size_t most = bytes_for_bits(parameters.max_determinant_bits());
  if (bytes >= least && bytes <= most) return std::nullopt;
  return fmt::format("the determinant d has {} bytes, its parameters allow {} to {}", bytes, least,
                     most);
}

Integer read_determinant(const Parameters& parameters, ContainerReader& in) {
  in.open_section("d", bytes_for_bits(parameters.min_determinant_bits()),
                  bytes_for_bits(parameters.max_determinant_bits()));
  const std::uint64_t bytes = in.section_bytes();
  Integer d = in.read_integer(8 * bytes);
  in.close_section();
  if (const auto flaw = determinant_flaw(parameters, d)) throw in.malformed(*flaw);
  if (bytes_for_bits(bit_length(d)) != bytes) {
    throw in.malformed("the determinant d is written with leading zeros");
  }
  return d;
}

void write_determinant(const Integer& d, SectionWriter& out) {
  out.begin_section("d");
  out.write_integer(d, bit_length(d));
}

}  // namespace fhe::gh
