// SPDX-License-Identifier: Apache-2.0
// What the secret prime says about the public key of a scheme of the DGHV family. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "libfhe/arith/backend.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/dghv/secret_material.hpp"
#include "libfhe/scheme/dghv/squash.hpp"
#include "libfhe/scheme/scheme.hpp"

namespace fhe::dghv {

// Whether every p is prime.
KeyFinding check_prime(const PrimeSecret& secret);

// Where x0 is 2^gamma - r: whether q0 = x0 / p has no small factor, as key generation sieves.
KeyFinding check_rough(const DghvSecretMaterial& secret);

// For keys of one slot: whether every x_i = elements_i - corrections_i has noise below 2^rho in
// absolute value, as key generation makes them.
KeyFinding check_elements(std::string_view name, const CorrectedStream& elements,
                          const DghvSecretMaterial& secret, const Backend& backend,
                          const Monitor& monitor);

// For keys of any number of slots: whether every x_i = chi_i - corrections_i has, in each slot,
// even noise of at most `bits` bits, to which `own` is added in the slot i.
KeyFinding check_terms(std::string_view name, const PublicStream& chi,
                       std::span<const Integer> corrections, std::size_t bits, const Integer& own,
                       const DghvSecretMaterial& secret, const Backend& backend,
                       const Monitor& monitor);

// Whether the elements of a set encrypt in slot j the secret bits of slot sources[j], in the form
// that squash.hpp says.
KeyFinding check_key_bits(std::string_view name, const PublicStream& chi,
                          std::span<const Integer> corrections,
                          std::span<const std::uint32_t> sources, const DghvSecretMaterial& secret,
                          const Backend& backend, const Monitor& monitor);

// Whether sum_i s_i u_i = round(2^kappa / p) in every slot, and whether every encrypted key bit has
// the form that squash.hpp says.
std::vector<KeyFinding> check_squashed(const SquashedKey& key, const DghvSecretMaterial& secret,
                                       const Backend& backend, const Monitor& monitor);

}  // namespace fhe::dghv
