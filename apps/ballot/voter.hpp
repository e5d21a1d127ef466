// SPDX-License-Identifier: Apache-2.0
// A voter: encrypts a ballot to the authority's public key.
#pragma once

#include "libfhe/scheme/keys.hpp"

namespace fhe::ballot {

// The ciphertext of the answers to the questions that are asked together, one in each slot: 1 is
// yes. Nobody but the authority could read it, the voter included. Requires key.slots() answers.
[[nodiscard]] Ciphertext cast_ballot(const SlotBits& answers, const PublicKey& key,
                                     const BackendPtr& backend);

}  // namespace fhe::ballot
