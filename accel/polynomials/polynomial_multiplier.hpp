// SPDX-License-Identifier: Apache-2.0
// Products of polynomials modulo an integer q: what the hardware of this folder computes, and its
// peer in software.
//
// A polynomial is the list of its coefficients, the constant one first, all in [0, q).
// Threads: a multiplier is immutable; any number of threads may use it at once.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/export.hpp"

namespace fhe {

// A polynomial by its coefficients.
using Polynomial = std::vector<Integer>;

// Multiplies polynomials modulo one q, in software or on hardware.
class FHE_EXPORT PolynomialMultiplier {
 public:
  // The two factors of a product.
  struct Operands {
    Polynomial a;  // the first
    Polynomial b;  // the second
  };

  // Requires modulus >= 2; throws Error(invalid_argument) otherwise.
  explicit PolynomialMultiplier(Integer modulus);
  virtual ~PolynomialMultiplier() = default;
  PolynomialMultiplier(const PolynomialMultiplier&) = delete;
  PolynomialMultiplier& operator=(const PolynomialMultiplier&) = delete;

  // q.
  [[nodiscard]] const Integer& modulus() const { return modulus_; }

  // The product of a and b: a.size() + b.size() - 1 coefficients in [0, q). The operands may be the
  // same object. Throws Error(invalid_argument) for an empty operand and for a coefficient outside
  // [0, q), and what the implementation throws for one that is too long.
  [[nodiscard]] Polynomial multiply(const Polynomial& a, const Polynomial& b) const;

  // The products of a batch, in its order; a device computes them as one stream. Throws as above,
  // before anything is computed.
  [[nodiscard]] std::vector<Polynomial> multiply_all(std::span<const Operands> batch) const;

 private:
  // Both get operands that are checked. Default of the second: one after another.
  [[nodiscard]] virtual Polynomial product(const Polynomial& a, const Polynomial& b) const = 0;
  [[nodiscard]] virtual std::vector<Polynomial> products(std::span<const Operands> batch) const;

  void check(const Polynomial& x) const;

  Integer modulus_;
};

// In software: Kronecker substitution, that is, one product of integers by the backend for a
// product of polynomials, whose coefficients lie side by side in slots wide enough for a
// coefficient of the product; then a reduction of each of these. Batches run on all threads. Throws
// Error(invalid_argument) for modulus < 2; the backend throws it for operands of more than its
// info().max_operand_bits, of which min(a.size(), b.size()) sets the slots: 2 log2(q) + log2(min)
// bits to a coefficient, rounded up to bytes.
[[nodiscard]] FHE_EXPORT std::unique_ptr<PolynomialMultiplier> kronecker_multiplier(
    Integer modulus, BackendPtr backend);

}  // namespace fhe
