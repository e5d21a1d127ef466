// SPDX-License-Identifier: Apache-2.0
// Product and remainder trees over secret moduli: a number as its residues modulo many of them, and
// back, in the time of a few products as long as all moduli together. Not installed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/secret/integers.hpp"
#include "libfhe/secret/vector.hpp"

namespace fhe {

// Pairwise coprime moduli m_0, ..., m_(l-1), such as the primes of slots, and M = m_0 ... m_(l-1).
// Consecutive moduli form groups of up to 64 limbs; above the groups stands a binary tree of
// products.
//
// Residues are computed from the top, as fractions (Bernstein, "Scaled remainder trees", 2004):
// with F = x / N mod 1 at a node of product N, F (N / N') mod 1 is x / N' mod 1 at its child N'. So
// a step is one product whose leading and trailing limbs are dropped, without a comparison. A
// fraction has a limb more than its N, so that each step adds an error of 2^-64 to the residue that
// it stands for, and the last one is rounded.
//
// x is made of its residues r_j from the bottom: a group of product G has
//   V = sum_j r_j (G / m_j) ((M / m_j)^-1 mod m_j) mod G,
// and a node V = V' N'' + V'' N', of its children ' and ''. Residues that are small make short
// products in the groups, where most of the work is.
//
// The moduli, and what is computed with them, are secret: they are wiped. All products longer than
// a group are the backend's, which so sees products of the moduli and what they are multiplied
// with. Beside what a backend does, which depends on lengths where it is the software engine, the
// time of residues() depends on the number and the lengths of the moduli and on that of x;
// remainder() compares, and combine() and the constructor use GMP's division. Immutable; any number
// of threads may use it.
class ResidueTree {
 public:
  // For dividends below 2^dividend_bits. Requires at least one modulus, each odd and at least 3,
  // pairwise coprime. Memory: about 64 + 4 log2(l) limbs for each modulus, and one and a half times
  // the longest dividend. Throws Error(stopped).
  ResidueTree(SecretIntegers moduli, std::size_t dividend_bits, BackendPtr backend,
              const Monitor& monitor = {});

  // l.
  [[nodiscard]] std::size_t size() const { return moduli_.size(); }
  // m_j.
  [[nodiscard]] const Integer& operator[](std::size_t j) const { return moduli_[j]; }
  // All of them.
  [[nodiscard]] std::span<const Integer> span() const { return moduli_.span(); }
  // M.
  [[nodiscard]] const Integer& product() const { return levels_.back()[0]; }

  // Limbs of the longest modulus, and of each residue.
  [[nodiscard]] std::size_t residue_limbs() const { return residue_limbs_; }

  // x mod M in [0, M). Requires 0 <= x < 2^dividend_bits.
  [[nodiscard]] SecretInteger remainder(const Integer& x) const;

  // x mod m_j in [0, m_j) for every j, one after the other. Requires 0 <= x < 2^dividend_bits.
  [[nodiscard]] SecretVector<Limb> residues(const Integer& x, const Monitor& monitor = {}) const;

  // The x in [0, M) that is residues[j] modulo m_j for every j. Requires l residues, each in
  // (-m_j, m_j).
  [[nodiscard]] SecretInteger combine(std::span<const Integer> residues,
                                      const Monitor& monitor = {}) const;

 private:
  // Consecutive moduli.
  struct Group {
    std::size_t first;
    std::size_t count;
  };

  void make_levels(const Monitor& monitor);
  void make_powers(std::size_t dividend_bits);
  void make_units(const Monitor& monitor);
  [[nodiscard]] std::size_t limbs_of_product() const { return limbs_of(product()).size(); }
  [[nodiscard]] SecretInteger folded(const Integer& x) const;
  [[nodiscard]] SecretLimbs top_fraction(const Integer& x) const;
  [[nodiscard]] SecretLimbs child_fraction(const SecretLimbs& fraction, const Integer& sibling,
                                           std::size_t child_limbs) const;
  void group_residues(const Group& group, const SecretLimbs& fraction, std::span<Limb> out) const;
  [[nodiscard]] SecretInteger up_the_tree(SecretIntegers of_groups, const Monitor& monitor) const;

  BackendPtr backend_;
  SecretIntegers moduli_;
  std::size_t residue_limbs_;
  std::vector<Group> groups_;
  SecretIntegers cofactors_;            // of each modulus in its group, G / m_j
  SecretIntegers units_;                // what r_j is multiplied with in its group
  std::vector<SecretIntegers> levels_;  // products: of the groups, of pairs of them, ..., M
  SecretIntegers powers_;               // B^(n i) mod M for i >= 1, with B = 2^64 and n limbs of M
  SecretInteger reciprocal_;            // floor(B^(3 n + 2) / M)
};

}  // namespace fhe
