// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/barrett.hpp"

#include <algorithm>
#include <utility>

#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/integer_functions.hpp"

namespace fhe {

BarrettReducer::BarrettReducer(const Integer& modulus)
    : BarrettReducer(modulus, power_of_two(2 * bit_length(modulus)) / modulus) {}

BarrettReducer::BarrettReducer(const Integer& modulus, Integer reciprocal)
    : modulus_(modulus), modulus_bits_(bit_length(modulus)), reciprocal_(std::move(reciprocal)) {}

Integer BarrettReducer::reduce(const Integer& x, const Backend& backend) const {
  if (x < 0) {
    const Integer positive = reduce(-x, backend);
    return positive == 0 ? positive : Integer(modulus_ - positive);
  }
  const std::size_t bits = bit_length(x);
  if (bits <= 2 * modulus_bits_) return reduce_double(x, backend);

  const std::size_t chunks = (bits + modulus_bits_ - 1) / modulus_bits_;
  Integer result;
  for (std::size_t i = chunks; i-- > 0;) {
    const Integer chunk = bits_at(x, i * modulus_bits_, modulus_bits_);
    result = reduce_double((result << modulus_bits_) + chunk, backend);
  }
  return result;
}

Integer BarrettReducer::reduce_double(const Integer& x, const Backend& backend) const {
  if (x < modulus_) return x;
  const std::size_t n = modulus_bits_;
  const std::size_t excess = bit_length(x) - n;
  const std::size_t mu_shift = n >= excess + 2 ? n - excess - 2 : 0;
  const Integer quotient =
      backend.multiply(x >> (n - 2), reciprocal_ >> mu_shift) >> (n + 2 - mu_shift);
  Integer remainder = x - backend.multiply(quotient, modulus_);
  while (remainder >= modulus_) remainder -= modulus_;
  return remainder;
}

}  // namespace fhe
