// SPDX-License-Identifier: Apache-2.0
// What answers to ciphertexts of one's choice give away.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "apps/attack/finding.hpp"
#include "apps/attack/numbers.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::attack {

// The owner of a key, who decrypts ciphertexts whose noise is at most `limit` in absolute value, in
// every slot, and refuses others. The noise is the value modulo p in (-p/2, p/2), and the limit a
// number of eta - 2 bits, or 2^(eta-2); of an ideal c w modulo d in (-d/2, d/2), in units of d /
// 2^inverse_bits, and the limit 2^(inverse_bits-1) or less.
struct DecryptionOracle {
  Integer limit;
  // The bit of the ciphertext of this value, that of the first slot where there are several;
  // nothing where it is refused. Empty where there is no owner who answers.
  std::function<std::optional<bool>(const Integer& value)> decrypt;
};

// p of a key with one slot, from eta answers: bisection between the limit, which is decrypted as
// what it is, and 3 2^(eta-2), as what it exceeds p by, finds where answers begin again, at p -
// limit. As with answers that are the bits (Zhang, Plantard, Susilo 2012; Chenal, Tang, Latincrypt
// 2014). Only whether there is an answer counts. Throws Error(stopped) and what decrypt throws.
[[nodiscard]] Finding decryption_oracle(const Samples& samples, const DecryptionOracle& owner,
                                        const Monitor& monitor = {});

// The same of a key with several slots, where no value is near a multiple of all primes but those
// near 0. By bisection the largest u is found that a sample x can be added to and still be
// decrypted; then x - (limit - u) is a multiple of the prime in whose slot the noise of x is the
// largest. What such numbers have in common, with x0 or with each other, is a prime. Sums of
// samples have their largest noise in one slot and another, so l primes take about l ln l sums,
// each as many answers as a sample has bits of noise. Only whether there is an answer counts.
//
// Finds what it can: some primes only where it is given too few samples. Throws Error(stopped) and
// what decrypt throws.
inline constexpr std::size_t kMostAskedSlots = 64;
[[nodiscard]] Finding decryption_oracle_of_slots(const Samples& samples,
                                                 const DecryptionOracle& owner,
                                                 const Monitor& monitor = {});

// w of an ideal, up to its sign, from lg d - inverse_bits answers: the parity of c w - [c w]_d
// tells between which odd multiples of d/2 c |w| lies, for c such that it halves what is known of
// |w|; a refusal tells that it is close to one of them (Loftus, May, Smart, Vercauteren, SAC 2011).
// Throws Error(stopped) and what decrypt throws.
[[nodiscard]] Finding decryption_oracle_of_ideal(const IdealNumbers& key,
                                                 const DecryptionOracle& owner,
                                                 const Monitor& monitor = {});

}  // namespace fhe::attack
