// SPDX-License-Identifier: Apache-2.0
// Key generation of GH. Not installed.
#pragma once

#include "libfhe/scheme/gh/parameters.hpp"
#include "libfhe/scheme/scheme.hpp"

namespace fhe::gh {

// 1. the lattice: v, d, r, w;  2. the squashed key: the chosen elements, x solved;  3. the choice
// encrypted under the key itself, with noise that is drawn again, at most kMaxKeyBitDraws times,
// until trial recryptions under this key keep every claim of the group (trial_recryption.hpp) and
// no key bit can be told from its encryption (key_bits_flaw). Throws Error(invalid_parameters),
// with what was stated and what was found, when no draw does. All secrets come from `random`, the
// x_k but for the last from the public `seed`. v, the chosen elements and the noise are forgotten:
// w is the secret key.
inline constexpr std::size_t kMaxKeyBitDraws = 16;
KeyMaterial generate_keys(const Parameters& parameters, const BackendPtr& backend,
                          const StreamSeed& seed, SecretRandom& random, const Monitor& monitor);

}  // namespace fhe::gh
