// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/complement.hpp"

#include "libfhe/arith/backend.hpp"

namespace fhe {

Integer complement_of(const Integer& modulus) {
  return power_of_two(bit_length(modulus)) - modulus;
}

bool ComplementReducer::suits(const Integer& modulus) {
  return 2 * bit_length(complement_of(modulus)) <= bit_length(modulus);
}

ComplementReducer::ComplementReducer(const Integer& modulus)
    : modulus_(modulus), modulus_bits_(bit_length(modulus)), complement_(complement_of(modulus)) {}

Integer ComplementReducer::reduce(const Integer& x, const Backend& backend) const {
  if (x < 0) {
    const Integer positive = reduce(-x, backend);
    return positive == 0 ? positive : Integer(modulus_ - positive);
  }
  const std::size_t n = modulus_bits_;
  Integer rest = x;
  while (bit_length(rest) > n) {
    // n bits at a time from the top, so that no product is longer than 2n bits.
    const std::size_t bits = bit_length(rest);
    const std::size_t at = bits > 2 * n ? bits - 2 * n : 0;
    const Integer high = rest >> (at + n);
    mpz_fdiv_r_2exp(rest.get_mpz_t(), rest.get_mpz_t(), at + n);
    rest += backend.multiply(high, complement_) << at;
  }
  if (rest >= modulus_) rest -= modulus_;
  return rest;
}

}  // namespace fhe
