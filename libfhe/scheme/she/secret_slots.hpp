// SPDX-License-Identifier: Apache-2.0
// The secret primes of numbers in slots, with the trees that encrypt and decrypt. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/residue_tree.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/dghv/secret_divisor.hpp"
#include "libfhe/scheme/she/compressed_slots.hpp"
#include "libfhe/scheme/she/parameters.hpp"
#include "libfhe/secret/integers.hpp"
#include "libfhe/secret/vector.hpp"

namespace fhe::she {

// The primes p_0, ..., p_(l-1) of a key. Immutable; any number of threads may use it.
//
// The trees compute with the software engine on this machine, and not on the backend of the key's
// user, which may be a device: they see products of the primes.
class SecretSlots {
 public:
  // Requires as many primes as there are slots, odd and of eta bits. Throws Error(stopped).
  SecretSlots(const ParameterSet& group, SecretIntegers primes, const Monitor& monitor);

  [[nodiscard]] const ParameterSet& group() const { return group_; }
  [[nodiscard]] const Parameters& parameters() const { return parameters_; }
  [[nodiscard]] std::span<const Integer> primes() const { return tree_.span(); }
  // pi, the product of the primes.
  [[nodiscard]] const Integer& product() const { return tree_.product(); }

  // Why no key can have these primes; nothing when a key can.
  [[nodiscard]] std::optional<std::string> flaw() const;

  // A public name of the key: SHA-256 of the group and the primes. As long as the primes cannot be
  // guessed it tells nothing about them.
  [[nodiscard]] Digest digest() const;

  // Corrections (she/compressed_slots.hpp) of new ciphertexts with Q r_ij + m_ij in slot j of
  // ciphertext i, r_ij uniform in (-2^rho, 2^rho).
  //
  // Equal chi_i and r_i on different numbers would give the primes away, so seed and secrets come
  // from HedgedRandom.
  //
  // Requires numbers below Q, at most l in a row; missing ones are 0.
  [[nodiscard]] CompressedSlots encrypt(std::span<const SlotNumbers> rows, const KeyId& key,
                                        SecretRandom& random, const Monitor& monitor) const;

  struct Decryption {
    SlotNumbers numbers;  // meaningless unless within_claim
    bool within_claim;    // whether the real noise is at most the claim, in every slot
  };

  // The numbers of an integer, and whether its noise is at most `claim` in every slot. Requires at
  // most most_bits() bits and a claim in [0, noise_limit()]. The time depends on the lengths of key
  // and integer, on its sign and on the claim, and not on the noise, but where 64 leading bits of a
  // number that the tree computes vanish, once in 2^64.
  [[nodiscard]] Decryption decrypt(const Integer& c, const Integer& claim) const;

  // The largest absolute residue in any slot. The time depends on the noise.
  [[nodiscard]] Integer measure_noise(const Integer& c) const;

  // The integer in [0, pi) with these residues, each in (-p_j, p_j).
  [[nodiscard]] SecretInteger combine(std::span<const Integer> residues,
                                      const Monitor& monitor) const {
    return tree_.combine(residues, monitor);
  }

 private:
  class Residues;

  [[nodiscard]] SecretInteger drawn(const SlotNumbers& numbers, SecretRandom& random,
                                    const Monitor& monitor) const;

  ParameterSet group_;
  Parameters parameters_;
  ResidueTree tree_;
};

}  // namespace fhe::she
