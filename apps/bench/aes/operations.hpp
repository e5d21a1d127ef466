// SPDX-License-Identifier: Apache-2.0
// `fhe-bench aes`: AES-128 on encrypted blocks, whole and by step.
#pragma once

#include <vector>

#include "apps/bench/operations.hpp"

namespace fhe::bench {

// What ePrint 2013/036 measures, section 6, under new keys of a group: "aes_state..." with a block
// in each slot, and "aes_bytes..." with a byte in each slot, where sixteen slots or more make room
// for a block. A step is that of one round for all blocks: its inputs are recrypted ciphertexts,
// and SubBytes recrypts its outputs, as there. ShiftRows is part of MixColumns state-wise, of
// SubBytes byte-wise. The whole is per block, from ciphertexts of the owner of the key where the
// scheme has them. Throws Error(invalid_parameters) for groups that make no keys.
std::vector<Operation> aes_operations(const ParameterSet& group, const BackendPtr& backend);

}  // namespace fhe::bench
