// SPDX-License-Identifier: Apache-2.0
// Residues modulo a secret number against GMP's, by reduction and by forms of every shape.
#include "libfhe/scheme/dghv/secret_divisor.hpp"

#include <cstddef>
#include <memory>
#include <vector>

#include "apps/conformance/operands.hpp"
#include "libfhe/arith/registry.hpp"
#include "tests/catch.hpp"
#include "tests/support/plain_chunk_form.hpp"

namespace fhe::dghv {

namespace {

using conformance::Operands;

std::vector<Integer> dividends(Operands& operands, const Integer& p, std::size_t bits) {
  const Integer all_ones = power_of_two(bits) - 1;
  std::vector<Integer> xs{0, 1, power_of_two(bits - 1), all_ones, all_ones - all_ones % p};
  for (const Integer& near : {Integer(p - 1), p, Integer(p + 1), Integer(2 * p), Integer(p / 2)}) {
    if (near <= all_ones) xs.push_back(near);
  }
  for (int i = 0; i < 5; ++i) {
    xs.push_back(operands.bits(bits));
    xs.push_back(operands.runs(bits));
  }
  return xs;
}

void check_residues(const SecretDivisor& divisor, const Integer& p,
                    const std::vector<Integer>& dividends) {
  for (const Integer& x : dividends) {
    const Integer expected = x % p;
    REQUIRE(divisor.residue(x).to_integer().value() == expected);
    const CenteredResidue centered = divisor.centered_residue(x);
    const bool negative = 2 * expected > p;
    REQUIRE((centered.negative != 0) == negative);
    REQUIRE(centered.magnitude.to_integer().value() ==
            (negative ? Integer(p - expected) : expected));
  }
}

Integer odd(Operands& operands, std::size_t bits) {
  const Integer p = operands.exactly(bits);
  return mpz_odd_p(p.get_mpz_t()) != 0 ? p : Integer(p + 1);
}

// Longest, shortest and random numbers of so many bits.
std::vector<Integer> divisors(Operands& operands, std::size_t bits) {
  return {power_of_two(bits) - 1, power_of_two(bits - 1) + 1, odd(operands, bits)};
}

}  // namespace

TEST_CASE("secret residues are right for every length", "[dghv]") {
  Operands operands(31);
  for (const std::size_t bits : {2U, 3U, 63U, 64U, 65U, 128U, 988U}) {
    for (const Integer& p : divisors(operands, bits)) {
      for (const std::size_t limbs : {1U, 2U, 3U, 16U, 17U, 100U}) {
        check_residues(SecretDivisor(p, limbs), p, dividends(operands, p, limbs * kLimbBits));
      }
    }
  }
}

TEST_CASE("secret residues by a form are right for every shape", "[dghv]") {
  Operands operands(32);
  for (const std::size_t bits : {2U, 64U, 65U, 500U}) {
    const std::size_t least = limbs_for_bits(bits);
    for (const Integer& p : divisors(operands, bits)) {
      for (const std::size_t slices : {1U, 2U, 8U}) {
        for (const std::size_t chunks : {1U, 2U, 5U}) {
          for (const std::size_t chunk_limbs : {least, least + 1, 3 * least}) {
            const std::size_t limbs = slices * chunks * chunk_limbs;
            const SecretDivisor divisor(
                p, limbs, std::make_unique<test::PlainChunkForm>(slices, chunks, chunk_limbs));
            check_residues(divisor, p, dividends(operands, p, limbs * kLimbBits));
          }
        }
      }
    }
  }
}

TEST_CASE("secret residues are right where the slices add up to a limb more", "[dghv]") {
  // Two chunks of n limbs, with the weights 1 and B^n mod p: a sum is below B^n p < B^(2 n), and
  // those of many slices times their places are above B^(3 n).
  Operands operands(34);
  constexpr std::size_t kSlices = 32;
  for (const std::size_t n : {1U, 2U, 8U}) {
    const std::size_t limbs = kSlices * 2 * n;
    for (int i = 0; i < 5; ++i) {
      const std::size_t bits = n * kLimbBits;
      const Integer p = power_of_two(bits - 1) + (operands.bits(bits - 2) | 1);
      const ChunkForm::Shape shape{kSlices, 2, n, 2 * n};
      const SecretDivisor divisor(p, limbs, std::make_unique<test::PlainChunkForm>(shape));
      check_residues(divisor, p, dividends(operands, p, limbs * kLimbBits));
    }
  }
}

TEST_CASE("secret residues by the engine's form are right", "[dghv]") {
  Operands operands(33);
  const BackendPtr backend = open_backend("solinas");
  for (const std::size_t p_bits : {64U, 988U, 1558U, 2128U, 2698U}) {
    for (const std::size_t bits :
         {p_bits, 8 * p_bits + 1, std::size_t{147'456}, std::size_t{999'999}}) {
      auto form = backend->chunk_form(bits, p_bits);
      if (form == nullptr) {
        WARN("no form on this processor: the other tests stand for it");
        return;
      }
      const Integer p = odd(operands, p_bits);
      check_residues(SecretDivisor(p, limbs_for_bits(bits), std::move(form)), p,
                     dividends(operands, p, bits));
    }
  }
}

}  // namespace fhe::dghv
