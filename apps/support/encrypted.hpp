// SPDX-License-Identifier: Apache-2.0
// Encrypted bits and numbers, as servers compute with them.
#pragma once

#include "libfhe/circuit/word.hpp"
#include "libfhe/gate/evaluator.hpp"

namespace fhe::apps {

using EncryptedBit = Bit<const Evaluator>;
using EncryptedNumber = Word<const Evaluator>;

}  // namespace fhe::apps
