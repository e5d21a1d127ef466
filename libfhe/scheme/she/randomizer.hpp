// SPDX-License-Identifier: Apache-2.0
// Answers that show no outsider how they were computed.
//
// An answer A is a polynomial in integers that were sent, with the constants of the server as
// coefficients: whoever sees both finds the constants (slots.hpp). So the owner of the key
// publishes N + 1 new encryptions of zero, and the server sends
//
//   T = A + sum_i v_i Z_i modulo M
//
// where M is the largest of them, the Z_i are the others, and the v_i are secret, uniform in
// [-2^(w-1), 2^(w-1)) and new for each answer. M is an encryption of zero too, so T decrypts to the
// numbers of A; and T is below M, whatever A was, so that its length and its leading bits tell
// nothing either. A sum that is not reduced would: it is a bell curve around A as wide as 2^w
// sqrt(N) new ciphertexts, and for A of 2^w sqrt(N) terms its leading bits are those of A.
//
// From whom it hides:
//
// - Outsiders, who see query, zeros and T, without the key. They see a number that looks uniform
//   below M, if encryptions of zero look like uniform integers below 2^gamma (the decisional
//   approximate common divisor assumption; given M, the others are then uniform below M). With
//   Hiding::proven the distance is at most 2^-(lambda + 1) for each answer with the same zeros, by
//   the leftover hash lemma. With Hiding::estimated no known lattice attack that finds the v_i, or
//   tells T from a uniform number, costs less than 2^lambda in core cost (both rules are in
//   libfhe/security/hiding.hpp). They also see the bound on the noise, which is rounded up to a
//   power of two times that of a new ciphertext.
// - Not from the holder of the key. It sees T modulo its primes: the noise of A and that of the
//   zeros. The share of A in this is a fraction of about the sum of the absolute constants over 2^w
//   sqrt(N), and it is the same in all answers with the same constants. To flood it, so that what
//   is seen tells less than 2^-40 of it, takes about 40 more bits between eta and rho, and is not
//   done.
// - Not from whoever makes the zeros, if these are no encryptions of zero of the key: the server
//   cannot check it. Zeros must come from the owner of the key over an authenticated connection.
//
// The noise grows by at most (N 2^w + |A| / M + 2) times that of a new ciphertext. A product is so
// much longer than M that its noise would pass the limit: sums of new ciphertexts with constants
// can be hidden, products not.
//
// Threads and errors are as in libfhe/scheme/she/slots.hpp.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/export.hpp"
#include "libfhe/held.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/scheme/she/parameters.hpp"
#include "libfhe/scheme/she/slots.hpp"

namespace fhe::she {

// How it is known that answers are hidden: by an estimate of lattice attacks, or by a proof.
enum class Hiding { estimated, proven };

// The bits of a weight where nothing else is said, and the most there can be.
inline constexpr std::size_t kZeroWeightBits = 8;
inline constexpr std::size_t kMostZeroWeightBits = 32;

// How many encryptions of zero hide the answers of a group at its lambda, N + 1. The owner makes
// them with Encryptor::encrypt_compressed, of rows without numbers. Throws Error(invalid_argument)
// for weights of no bits or of more than kMostZeroWeightBits; Error(unsupported), with the figures,
// for a group without room for their noise beside that of one new ciphertext, or whose zeros would
// take more than kMostZeroBytes when they are sent.
inline constexpr std::size_t kMostZeroBytes = std::size_t{1} << 28;
[[nodiscard]] FHE_EXPORT std::size_t zeros_needed(const ParameterSet& group, Hiding hiding,
                                                  std::size_t weight_bits = kZeroWeightBits);

// Adds random encryptions of zero to answers. Any number of threads may use it, one at a time where
// a source of randomness is given.
class FHE_EXPORT Randomizer {
 public:
  // With encryptions of zero of one key, and weights of so many bits from SystemRandom. Throws
  // Error(invalid_argument) for fewer than zeros_needed(), with the figures, for those that are not
  // new ciphertexts, or that are equal; Error(wrong_key) for those of another group or of several
  // keys; and as zeros_needed().
  Randomizer(const ParameterSet& group, const std::vector<Slots>& zeros,
             std::size_t weight_bits = kZeroWeightBits);
  // With a given source. A TestRandom is accepted for test keys only; throws
  // Error(invalid_argument) otherwise.
  Randomizer(const ParameterSet& group, const std::vector<Slots>& zeros, std::size_t weight_bits,
             std::shared_ptr<SecretRandom> random);

  // How it is known that answers are hidden.
  [[nodiscard]] Hiding hiding() const { return hiding_; }

  // The answer of the same numbers that shows no outsider how it was computed, or each of many.
  // Weights never repeat for different answers, also in processes that were copied and machines
  // that were restored. Throws Error(wrong_key) for another key; Error(noise_exceeded) when it
  // might not decrypt, as with answers that are products; Error(randomness), Error(stopped).
  [[nodiscard]] Slots randomize(const Slots& answer) const;
  [[nodiscard]] std::vector<Slots> randomize_all(const std::vector<Slots>& answers,
                                                 const Monitor& monitor = {}) const;

 private:
  [[nodiscard]] Integer noise_of(const Slots& answer) const;

  Parameters parameters_;
  std::size_t weight_bits_;
  KeyId key_;
  Integer modulus_;             // M
  std::vector<Integer> zeros_;  // the Z_i
  Integer total_;               // their sum
  Hiding hiding_;
  HeldPtr<SecretRandom> random_;
};

}  // namespace fhe::she
