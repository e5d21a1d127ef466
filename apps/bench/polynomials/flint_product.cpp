// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/polynomials/flint_product.hpp"

#include <flint/fmpz_poly.h>

namespace fhe::bench {

namespace {

class FlintPolynomial {
 public:
  FlintPolynomial() { fmpz_poly_init(value_); }
  explicit FlintPolynomial(const Polynomial& x) : FlintPolynomial() {
    for (std::size_t i = 0; i < x.size(); ++i) {
      fmpz_poly_set_coeff_mpz(value_, static_cast<slong>(i), x[i].get_mpz_t());
    }
  }
  ~FlintPolynomial() { fmpz_poly_clear(value_); }
  FlintPolynomial(const FlintPolynomial&) = delete;
  FlintPolynomial& operator=(const FlintPolynomial&) = delete;

  fmpz_poly_struct* get() { return value_; }
  [[nodiscard]] const fmpz_poly_struct* get() const { return value_; }

 private:
  fmpz_poly_t value_;
};

class FlintInteger {
 public:
  explicit FlintInteger(const Integer& x) {
    fmpz_init(value_);
    fmpz_set_mpz(value_, x.get_mpz_t());
  }
  ~FlintInteger() { fmpz_clear(value_); }
  FlintInteger(const FlintInteger&) = delete;
  FlintInteger& operator=(const FlintInteger&) = delete;

  [[nodiscard]] const fmpz* get() const { return value_; }

 private:
  fmpz_t value_;
};

class Karatsuba final : public FlintProduct {
 public:
  Karatsuba(const PolynomialMultiplier::Operands& operands, const Integer& modulus)
      : a_(operands.a),
        b_(operands.b),
        modulus_(modulus),
        size_(operands.a.size() + operands.b.size() - 1) {}

  void run() override {
    fmpz_poly_mul_karatsuba(product_.get(), a_.get(), b_.get());
    fmpz_poly_scalar_mod_fmpz(product_.get(), product_.get(), modulus_.get());
  }

  [[nodiscard]] Polynomial result() const override {
    Polynomial x(size_);
    for (std::size_t i = 0; i < size_; ++i) {
      fmpz_poly_get_coeff_mpz(x[i].get_mpz_t(), product_.get(), static_cast<slong>(i));
    }
    return x;
  }

 private:
  FlintPolynomial a_;
  FlintPolynomial b_;
  FlintInteger modulus_;
  std::size_t size_;
  FlintPolynomial product_;
};

}  // namespace

std::unique_ptr<FlintProduct> flint_product(const PolynomialMultiplier::Operands& operands,
                                            const Integer& modulus) {
  return std::make_unique<Karatsuba>(operands, modulus);
}

}  // namespace fhe::bench
