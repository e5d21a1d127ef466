// SPDX-License-Identifier: Apache-2.0
// A voter: encrypts one ballot to the authority's public key.
#pragma once

#include "libfhe/scheme/keys.hpp"

namespace fhe::ballot {

// The ciphertext of one bit: 1 is yes. Nobody but the authority could read it, the voter included.
[[nodiscard]] Ciphertext cast_ballot(bool yes, const PublicKey& key, const BackendPtr& backend);

}  // namespace fhe::ballot
