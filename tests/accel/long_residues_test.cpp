// SPDX-License-Identifier: Apache-2.0
// Residues modulo long numbers equal those of plain divisions.
#include "accel/cpu/long_residues.hpp"

#include "libfhe/arith/stream_kernels.hpp"
#include "libfhe/random/public_stream.hpp"
#include "libfhe/random/secret_random.hpp"
#include "tests/catch.hpp"
#include "tests/support/backends.hpp"

namespace fhe::test {

TEST_CASE("residues modulo long numbers equal plain ones", "[residues]") {
  TestRandom random("long residues");
  const BackendPtr backend = open_backend();
  for (const std::size_t bits : {std::size_t{17}, std::size_t{1000}, std::size_t{20000}}) {
    for (const std::size_t element_bits : {bits / 2, bits, 2 * bits - 2, 7 * bits + 11}) {
      CAPTURE(bits, element_bits);
      const PublicStream stream({}, StreamPurpose::public_elements, 0, 5, element_bits);
      const Integer modulus = uniform_bits(random, bits - 1) + power_of_two(bits - 1);
      const auto expected = stream_residues(stream, modulus, *backend, {});
      CHECK(cpu::long_residues(stream, modulus, *backend, {}) == expected);
      CHECK(backend->residues(stream, modulus, {}) == expected);
    }
  }
  CHECK(cpu::is_long_modulus(power_of_two(20000)));
  CHECK_FALSE(cpu::is_long_modulus(power_of_two(1000)));
}

}  // namespace fhe::test
