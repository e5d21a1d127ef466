// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/small_quotient.hpp"

namespace fhe {

Integer divided(Integer x, unsigned long d, const Integer& x0) {
  const unsigned long remainder = mpz_fdiv_ui(x.get_mpz_t(), d);
  const unsigned long step = mpz_fdiv_ui(x0.get_mpz_t(), d);
  unsigned long m = 0;
  while ((remainder + m * step) % d != 0) ++m;
  mpz_addmul_ui(x.get_mpz_t(), x0.get_mpz_t(), m);
  mpz_divexact_ui(x.get_mpz_t(), x.get_mpz_t(), d);
  return x;
}

}  // namespace fhe
