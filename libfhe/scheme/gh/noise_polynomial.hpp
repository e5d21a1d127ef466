// SPDX-License-Identifier: Apache-2.0
// The sparse polynomial that hides the bit of a GH encryption. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "libfhe/random/secret_random.hpp"
#include "libfhe/secret/vector.hpp"

namespace fhe::gh {

// u = sum_i +-x^(e_i). SECRET: whoever knows it reads the bit of c = b + 2 u(r). Overwritten when
// it goes; move-only.
class NoisePolynomial {
 public:
  struct Term {
    std::uint32_t exponent;
    bool negative;
  };

  // Terms by increasing, distinct exponents.
  explicit NoisePolynomial(SecretVector<Term> terms) : terms_(std::move(terms)) {}

  // Exactly h terms with exponents in [0, n): every set of exponents and every sign equally likely.
  // An independent draw of each coefficient would now and then leave none, and show the bit.
  static NoisePolynomial draw(SecretRandom& random, std::size_t n, std::size_t h);

  NoisePolynomial(NoisePolynomial&&) noexcept = default;
  NoisePolynomial& operator=(NoisePolynomial&&) = delete;

  [[nodiscard]] std::span<const Term> terms() const { return terms_; }

  // e and o of u(x) = e(x^2) + x o(x^2).
  [[nodiscard]] NoisePolynomial even_part() const { return part(0); }
  [[nodiscard]] NoisePolynomial odd_part() const { return part(1); }

 private:
  [[nodiscard]] NoisePolynomial part(std::uint32_t parity) const;

  SecretVector<Term> terms_;
};

}  // namespace fhe::gh
