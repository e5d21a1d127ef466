// SPDX-License-Identifier: Apache-2.0
// The secret primes of the DGHV family, one for each slot of a ciphertext, and what is known modulo
// each of them. Not installed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/residue_tree.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::dghv {

// The primes p_0, ..., p_(l-1) and their product pi; one prime p = pi where ciphertexts have one
// slot.
class SecretPrimes {
 public:
  // Requires at least one.
  explicit SecretPrimes(SecretIntegers primes);
  explicit SecretPrimes(SecretInteger prime);

  // l.
  [[nodiscard]] std::size_t size() const { return primes_.size(); }
  // p_slot.
  [[nodiscard]] const Integer& operator[](std::size_t slot) const { return primes_[slot]; }
  // All of them.
  [[nodiscard]] std::span<const Integer> span() const { return primes_.span(); }
  // pi.
  [[nodiscard]] const Integer& product() const { return product_.value(); }

 private:
  SecretIntegers primes_;
  SecretInteger product_;
};

// Sets `residue`, which may be x, to x modulo n in (-n/2, n/2]. Requires n > 0.
void set_centred(Integer& residue, const Integer& x, const Integer& n);

// The product of all factors by a balanced tree, on all threads; the factors are used up. By the
// software engine on this machine, as ChineseRemainders.
SecretInteger product_tree(SecretIntegers factors, const Monitor& monitor);

// Numbers by slot: number i is known in slot j as numbers[j][i], a small integer of either sign.
using SlotIntegers = std::vector<SecretIntegers>;

// The Chinese remainder theorem for the primes of a key, by a tree of products (ResidueTree) where
// there are several. The tree computes with the software engine on this machine, and not on the
// backend of the key's user, which may be a device: it sees products of the primes.
class ChineseRemainders {
 public:
  // At bdghv-large a tree takes 60 MB. Requires pairwise coprime p_j; keeps a reference to them.
  // Throws Error(stopped).
  ChineseRemainders(const SecretPrimes& primes, const Monitor& monitor);

  [[nodiscard]] const SecretPrimes& primes() const { return primes_; }

  // For i = first, ..., first + count - 1 the x in (-pi/2, pi/2) that is residues[j][i] modulo
  // every p_j: so x is the residue itself where there is one prime. Requires l lists of so many,
  // each residue in (-p_j/2, p_j/2).
  [[nodiscard]] SecretIntegers combine(const SlotIntegers& residues, std::size_t first,
                                       std::size_t count, const Monitor& monitor) const;

  // What each x is modulo every prime, in (-p_j/2, p_j/2]: number i in slot j as the result's
  // [j][i]. The numbers are used up.
  [[nodiscard]] SlotIntegers residues(SecretIntegers numbers, const Monitor& monitor) const;

 private:
  const SecretPrimes& primes_;
  std::optional<ResidueTree> tree_;  // of several primes
};

}  // namespace fhe::dghv
