// SPDX-License-Identifier: Apache-2.0
// Key generation of CNT with compressed public key (CNT 2012, ePrint 2011/440). Not installed.
#pragma once

#include "libfhe/scheme/cnt/parameters.hpp"
#include "libfhe/scheme/scheme.hpp"

namespace fhe::cnt {

// 1. p, q0, x0 = p q0;  2. x_i = chi_i - delta_i = r_i mod p;  3. s with one 1 per block, u_0
// solved;
// 4. sigma_i = chi'_i - delta'_i encrypts s_i; for digit keys another set of them does so modulo
// 32. All secrets come from `random`, the chi and u from the public `seed` alone.
KeyMaterial generate_keys(const Parameters& parameters, const Backend& backend,
                          const StreamSeed& seed, SecretRandom& random, const Monitor& monitor);

}  // namespace fhe::cnt
