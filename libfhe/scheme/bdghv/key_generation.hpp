// SPDX-License-Identifier: Apache-2.0
// Key generation of batch DGHV (ePrint 2013/036, section 4 and 5). Not installed.
#pragma once

#include <span>

#include "libfhe/scheme/bdghv/parameters.hpp"
#include "libfhe/scheme/scheme.hpp"

namespace fhe::bdghv {

// 1. p_0, ..., p_(l-1), q0, x0 = q0 prod p_j;  2. the x_i, x'_i and Pi_i;  3. an s_j with one 1 per
// block for each slot, u_0, ..., u_(l-1) solved;  4. sigma_i encrypts (s_0i, ..., s_(l-1)i), and
// once more for each permutation. All secrets come from `random`, the chi and u from the public
// `seed` alone.
KeyMaterial generate_keys(const Parameters& parameters,
                          std::span<const SlotPermutation> permutations, const Backend& backend,
                          const StreamSeed& seed, SecretRandom& random, const Monitor& monitor);

}  // namespace fhe::bdghv
