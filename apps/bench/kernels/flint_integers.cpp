// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/kernels/flint_integers.hpp"

#include <memory>

#include <flint/flint.h>
#include <flint/fmpz.h>

namespace fhe::bench {

namespace {

class FlintNumber {
 public:
  FlintNumber() { fmpz_init(value_); }
  explicit FlintNumber(const Integer& x) : FlintNumber() { fmpz_set_mpz(value_, x.get_mpz_t()); }
  ~FlintNumber() { fmpz_clear(value_); }
  FlintNumber(const FlintNumber&) = delete;
  FlintNumber& operator=(const FlintNumber&) = delete;

  fmpz* get() { return value_; }

 private:
  fmpz_t value_;
};

struct Multiplication {
  Multiplication(const Integer& left, const Integer& right) : x(left), y(right) {}

  FlintNumber x;
  FlintNumber y;
  FlintNumber product;
};

}  // namespace

std::string flint_version() {
  return std::string("FLINT ") + FLINT_VERSION;
}

std::function<void()> flint_multiplication(const Integer& x, const Integer& y) {
  return [m = std::make_shared<Multiplication>(x, y)] {
    fmpz_mul(m->product.get(), m->x.get(), m->y.get());
  };
}

}  // namespace fhe::bench
