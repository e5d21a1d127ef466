// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/gh/noise_polynomial.hpp"

namespace fhe::gh {

NoisePolynomial NoisePolynomial::draw(SecretRandom& random, std::size_t n, std::size_t h) {
  const SecretIndices exponents = distinct_positions(random, h, static_cast<std::uint32_t>(n));
  SecretVector<Term> terms;
  terms.reserve(h);
  for (const std::uint32_t exponent : exponents) {
    terms.push_back({exponent, uniform_index(random, 2) != 0});
  }
  return NoisePolynomial(std::move(terms));
}

NoisePolynomial NoisePolynomial::part(std::uint32_t parity) const {
  SecretVector<Term> terms;
  terms.reserve(terms_.size());
  for (const Term& term : terms_) {
    if (term.exponent % 2 == parity) terms.push_back({term.exponent / 2, term.negative});
  }
  return NoisePolynomial(std::move(terms));
}

}  // namespace fhe::gh
