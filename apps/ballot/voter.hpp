// SPDX-License-Identifier: Apache-2.0
// A voter: encrypts a ballot to the authority's public key.
#pragma once

#include <cstdint>
#include <vector>

#include "libfhe/scheme/keys.hpp"
#include "libfhe/scheme/she/public_key.hpp"

namespace fhe::ballot {

// The ciphertext of the answers to the questions that are asked together, one in each slot: 1 is
// yes. Nobody but the authority could read it, the voter included. Requires key.slots() answers.
[[nodiscard]] Ciphertext cast_ballot(const SlotBits& answers, const PublicKey& key,
                                     const BackendPtr& backend);

// The same as numbers, 1 for yes and 0 for no: a ciphertext for each question.
[[nodiscard]] std::vector<she::Slots> cast_ballot(const std::vector<std::uint64_t>& answers,
                                                  const she::PublicKey& key,
                                                  const BackendPtr& backend);

}  // namespace fhe::ballot
