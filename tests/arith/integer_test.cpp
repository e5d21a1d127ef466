// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/integer.hpp"

#include <vector>

#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

TEST_CASE("limbs and bytes that hold a number of bits", "[integer]") {
  CHECK(limbs_for_bits(0) == 0);
  CHECK(limbs_for_bits(1) == 1);
  CHECK(limbs_for_bits(64) == 1);
  CHECK(limbs_for_bits(65) == 2);
  CHECK(bytes_for_bits(0) == 0);
  CHECK(bytes_for_bits(1) == 1);
  CHECK(bytes_for_bits(8) == 1);
  CHECK(bytes_for_bits(9) == 2);
}

TEST_CASE("bit length of zero, powers of two and their neighbours", "[integer]") {
  CHECK(bit_length(0) == 0);
  CHECK(bit_length(1) == 1);
  CHECK(bit_length(-1) == 1);
  for (std::size_t exponent = 1; exponent < 300; ++exponent) {
    const Integer power = power_of_two(exponent);
    CHECK(power == Integer(1) << exponent);
    CHECK(bit_length(power - 1) == exponent);
    CHECK(bit_length(power) == exponent + 1);
    CHECK(bit_length(-power) == exponent + 1);
  }
}

TEST_CASE("limbs of an integer and back", "[integer]") {
  CHECK(limbs_of(0).empty());
  CHECK(from_limbs({}) == 0);
  CHECK(from_limbs(std::vector<Limb>{0, 0, 0}) == 0);
  CHECK(from_limbs(std::vector<Limb>{5, 0, 0}) == 5);
  CHECK(from_limbs(std::vector<Limb>{0, 1}) == power_of_two(64));

  Operands operands(1);
  for (std::size_t bits = 1; bits < 400; ++bits) {
    const Integer x = operands.exactly(bits);
    REQUIRE(limbs_of(x).size() == limbs_for_bits(bits));
    CHECK(from_limbs(limbs_of(x)) == x);
    const Integer negative = -x;
    CHECK(from_limbs(limbs_of(negative)) == x);
  }
}

TEST_CASE("bytes of an integer and back", "[integer]") {
  CHECK(from_bytes({}) == 0);
  CHECK_NOTHROW(to_bytes(0, {}));

  const std::vector<std::byte> known{std::byte{0x34}, std::byte{0x12}, std::byte{0}};
  CHECK(from_bytes(known) == 0x1234);

  Operands operands(2);
  for (std::size_t bits = 0; bits < 300; ++bits) {
    const Integer x = bits == 0 ? Integer(0) : operands.exactly(bits);
    // Exact room, and more of it than needed: what is not written must be cleared.
    for (const std::size_t room : {bytes_for_bits(bits), bytes_for_bits(bits) + 9}) {
      std::vector<std::byte> bytes(room, std::byte{0xaa});
      to_bytes(x, bytes);
      CHECK(from_bytes(bytes) == x);
      const Integer negative = -x;
      to_bytes(negative, bytes);
      CHECK(from_bytes(bytes) == x);
    }
  }
}

TEST_CASE("low bits are never negative", "[integer]") {
  CHECK(low_bits(0, 10) == 0);
  CHECK(low_bits(5, 0) == 0);
  CHECK(low_bits(-1, 0) == 0);
  CHECK(low_bits(-1, 100) == all_ones(100));
  CHECK(low_bits(-power_of_two(100), 100) == 0);
  for (int x = -300; x <= 300; ++x) {
    for (std::size_t bits = 1; bits < 11; ++bits) {
      const int modulus = 1 << bits;
      CHECK(low_bits(x, bits) == ((x % modulus) + modulus) % modulus);
    }
  }
}

TEST_CASE("adding limbs into limbs carries to the top", "[integer]") {
  std::vector<Limb> sum{1, 2};
  add_into(sum, {});
  CHECK(sum == std::vector<Limb>{1, 2});

  sum = {~Limb{0}, ~Limb{0}, ~Limb{0}, 0};
  add_into(sum, std::vector<Limb>{1});
  CHECK(sum == std::vector<Limb>{0, 0, 0, 1});

  Operands operands(3);
  for (std::size_t sum_limbs = 1; sum_limbs < 20; ++sum_limbs) {
    for (std::size_t addend_limbs = 0; addend_limbs <= sum_limbs; ++addend_limbs) {
      const Integer x = operands.runs(sum_limbs * kLimbBits - 1);
      const Integer y = operands.runs(std::max<std::size_t>(addend_limbs * kLimbBits, 1) - 1);
      std::vector<Limb> total(sum_limbs);
      std::vector<Limb> addend(addend_limbs);
      to_bytes(x, std::as_writable_bytes(std::span(total)));
      to_bytes(y, std::as_writable_bytes(std::span(addend)));
      add_into(total, addend);
      CHECK(from_limbs(total) == x + y);
    }
  }
}

}  // namespace fhe::test
