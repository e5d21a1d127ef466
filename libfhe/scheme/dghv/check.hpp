// SPDX-License-Identifier: Apache-2.0
// What the secret prime says about the public key of a scheme of the DGHV family. Not installed.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "libfhe/arith/backend.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/dghv/secret_material.hpp"
#include "libfhe/scheme/dghv/squash.hpp"
#include "libfhe/scheme/scheme.hpp"

namespace fhe::dghv {

// Whether p is prime.
KeyFinding check_prime(const DghvSecretMaterial& secret);

// Where x0 is 2^gamma - r: whether q0 = x0 / p has no small factor, as key generation sieves.
KeyFinding check_rough(const DghvSecretMaterial& secret);

// Whether every x_i = elements_i - corrections_i is an encryption of an even number, as key
// generation makes them: noise below 2^rho in absolute value.
KeyFinding check_elements(std::string_view name, const CorrectedStream& elements,
                          const DghvSecretMaterial& secret, const Backend& backend,
                          const Monitor& monitor);

// Whether sum_i s_i u_i = round(2^kappa / p), and whether every encrypted key bit has the form
// that squash.hpp says.
std::vector<KeyFinding> check_squashed(const SquashedKey& key, const DghvSecretMaterial& secret,
                                       const Backend& backend, const Monitor& monitor);

}  // namespace fhe::dghv
