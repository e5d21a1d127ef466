// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/gh/residue.hpp"

namespace fhe::gh {

SecretInteger centered_product(const Integer& x, const Integer& y, const Integer& d) {
  const SecretInteger product(x * y);
  SecretInteger residue;
  mpz_fdiv_r(residue.value().get_mpz_t(), product.value().get_mpz_t(), d.get_mpz_t());
  return centered(residue.value(), d);
}

SecretInteger centered(const Integer& x, const Integer& d) {
  return SecretInteger(x > d / 2 ? Integer(x - d) : x);
}

Integer reduced_sum(const Integer& x, const Integer& d) {
  Integer result;
  mpz_fdiv_r(result.get_mpz_t(), x.get_mpz_t(), d.get_mpz_t());
  return result;
}

}  // namespace fhe::gh
