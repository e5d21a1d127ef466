// SPDX-License-Identifier: Apache-2.0
// The secret primes of the DGHV family, one for each slot of a ciphertext, and what is known modulo
// each of them. Not installed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "libfhe/arith/integer.hpp"
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

// The product of all factors by a balanced tree, on all threads; the factors are used up. By GMP
// and not on a backend, which may be a device.
SecretInteger product_tree(SecretIntegers factors, const Monitor& monitor);

// Numbers by slot: number i is known in slot j as numbers[j][i], a small integer of either sign.
using SlotIntegers = std::vector<SecretIntegers>;

// The Chinese remainder theorem for integers that are small in every slot. As they are small, the
// sum
//
//   x = sum_j x_j e_j mod pi,   e_j = 1 mod p_j and 0 modulo the other primes,
//
// takes l products of pi's length with a few limbs each, less than any tree of remainders: its
// upper half alone has to multiply numbers that are as long as half of pi.
class ChineseRemainders {
 public:
  // Computes the e_j: memory l |pi|. Requires pairwise coprime p_j; keeps a reference to them.
  explicit ChineseRemainders(const SecretPrimes& primes);

  [[nodiscard]] const SecretPrimes& primes() const { return primes_; }

  // For every i, the x in (-pi/2, pi/2) that is residues[j][i] modulo every p_j: so x is the
  // residue itself where there is one prime. Requires l lists of one length, each residue in
  // (-p_j/2, p_j/2).
  [[nodiscard]] SecretIntegers combine(const SlotIntegers& residues, const Monitor& monitor) const;

 private:
  const SecretPrimes& primes_;
  SecretIntegers units_;  // e_j
};

}  // namespace fhe::dghv
