// SPDX-License-Identifier: Apache-2.0
// What answers to ciphertexts of one's choice give away.
#pragma once

#include <functional>

#include "apps/attack/finding.hpp"
#include "apps/attack/numbers.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::attack {

// The owner of a key, who decrypts ciphertexts whose noise, the value modulo p in (-p/2, p/2), is
// at most `limit` in absolute value: a number of eta - 2 bits, or 2^(eta-2).
struct DecryptionOracle {
  Integer limit;
  // Whether the ciphertext of this value is decrypted, whatever the bit: that is an answer too.
  // Empty where there is no owner who answers.
  std::function<bool(const Integer& value)> is_decrypted;
};

// p of a key with one slot, from eta answers: bisection between the limit, which is decrypted as
// what it is, and 3 2^(eta-2), as what it exceeds p by, finds where answers begin again, at p -
// limit. As with answers that are the bits (Zhang, Plantard, Susilo 2012; Chenal, Tang, Latincrypt
// 2014). Throws Error(stopped) and what is_decrypted throws.
[[nodiscard]] Finding decryption_oracle(const Samples& samples, const DecryptionOracle& owner,
                                        const Monitor& monitor = {});

}  // namespace fhe::attack
