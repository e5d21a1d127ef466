// Key generation of GH. Not installed.
#pragma once

#include "libfhe/scheme/gh/parameters.hpp"
#include "libfhe/scheme/scheme.hpp"

namespace fhe::gh {

// 1. the lattice: v, d, r, w;  2. the squashed key: the chosen elements, x solved;  3. the choice
// encrypted under the key itself. All secrets come from `random`, the x_k but for the last from the
// public `seed`. v, the chosen elements and the noise are forgotten: w is the secret key.
KeyMaterial generate_keys(const Parameters& parameters, const BackendPtr& backend,
                          const StreamSeed& seed, SecretRandom& random, const Monitor& monitor);

}  // namespace fhe::gh
