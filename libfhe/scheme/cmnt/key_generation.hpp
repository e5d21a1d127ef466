// SPDX-License-Identifier: Apache-2.0
// Key generation of CMNT (ePrint 2011/441). Not installed.
#pragma once

#include "libfhe/scheme/cmnt/parameters.hpp"
#include "libfhe/scheme/scheme.hpp"

namespace fhe::cmnt {

// 1. p, q0, x0 = p q0;  2. the secret bits with one 1 in each box;  3. x_{i,b} = p q_{i,b} +
// r_{i,b} mod x0 with q_{i,b} uniform in [0, q0) and r_{i,b} in (-2^rho, 2^rho);  4. u_0 solved;
// 5. sigma_i = chi'_i - delta'_i encrypts secret bit i; for digit keys another set of them does so
// modulo 32. All secrets come from `random`, the u and chi' from the public `seed` alone.
KeyMaterial generate_keys(const Parameters& parameters, const Backend& backend,
                          const StreamSeed& seed, SecretRandom& random, const Monitor& monitor);

}  // namespace fhe::cmnt
