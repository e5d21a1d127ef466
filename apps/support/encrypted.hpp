// SPDX-License-Identifier: Apache-2.0
// Encrypted bits and numbers, as servers compute with them.
#pragma once

#include <vector>

#include "libfhe/circuit/word.hpp"
#include "libfhe/gate/evaluator.hpp"

namespace fhe::apps {

using EncryptedBit = Bit<const Evaluator>;
using EncryptedNumber = Word<const Evaluator>;

// Public bits in the slots, one row for each. Where all slots have the same one it costs nothing to
// compute with.
[[nodiscard]] std::vector<EncryptedBit> public_bits(const Evaluator& evaluator,
                                                    const std::vector<SlotBits>& rows);

}  // namespace fhe::apps
