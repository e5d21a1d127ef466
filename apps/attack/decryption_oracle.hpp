// SPDX-License-Identifier: Apache-2.0
// What answers to ciphertexts of one's choice give away.
#pragma once

#include <functional>

#include "apps/attack/finding.hpp"
#include "apps/attack/numbers.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::attack {

// Whether the ciphertext of this value is decrypted, whatever the bit: refused or not is an answer.
// One is decrypted when its noise, the value modulo p in (-p/2, p/2), is at most 2^(eta-2).
using IsDecrypted = std::function<bool(const Integer& value)>;

// p of a key with one slot, from eta - 1 answers: bisection between 2^(eta-2), which is decrypted
// as what it is, and 3 2^(eta-2), as what it exceeds p by, finds where answers begin again, at p -
// 2^(eta-2). As with answers that are the bits (Zhang, Plantard, Susilo 2012; Chenal, Tang,
// Latincrypt 2014). Throws Error(stopped) and what is_decrypted throws.
[[nodiscard]] Finding decryption_oracle(const Samples& samples, const IsDecrypted& is_decrypted,
                                        const Monitor& monitor = {});

}  // namespace fhe::attack
