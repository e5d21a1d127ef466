// SPDX-License-Identifier: Apache-2.0
// What the secret w says about the public key of GH. Not installed.
#pragma once

#include <vector>

#include "libfhe/arith/backend.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/gh/public_material.hpp"
#include "libfhe/scheme/gh/secret_material.hpp"
#include "libfhe/scheme/scheme.hpp"

namespace fhe::gh {

// Whether every eta has the noise of a new encryption, whether two in each block encrypt 1, and
// whether the elements that these choose add up to w modulo d. Requires keys of one modulus.
std::vector<KeyFinding> check_squashed(const GhPublicMaterial& key, const GhSecretMaterial& secret,
                                       const Backend& backend, const Monitor& monitor);

}  // namespace fhe::gh
