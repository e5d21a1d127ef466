#include "libfhe/scheme/gh/sections.hpp"

namespace fhe::gh {

Integer read_determinant(const Parameters& parameters, ContainerReader& in) {
  in.open_section("d", bytes_for_bits(parameters.min_determinant_bits()),
                  bytes_for_bits(parameters.max_determinant_bits()));
  const std::uint64_t bytes = in.section_bytes();
  Integer d = in.read_integer(8 * bytes);
  in.close_section();
  if (mpz_even_p(d.get_mpz_t()) != 0) throw in.malformed("the determinant d is even");
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
