// SPDX-License-Identifier: Apache-2.0
// How well a sum with random weights hides what it is added to: of the answers of servers that
// compute on numbers in slots (she/randomizer.hpp).
//
// N + 1 integers, uniform in [0, 2^gamma), are public; M is the largest of them, and the others are
// uniform in [0, M). For weights w_i, uniform among 2^w integers in a row and secret,
//
//   T = A + sum_i w_i Z_i modulo M
//
// is published, where A is any integer. lg is log2; core costs are log2, as in reduction.hpp. All
// functions are pure; any thread may call them.
#pragma once

#include <optional>

#include "libfhe/export.hpp"

namespace fhe::security {

// Such a sum.
struct FHE_EXPORT RandomSum {
  double count = 0;         // N, at least 1
  double weight_bits = 0;   // w, at least 1
  double element_bits = 0;  // gamma
};

// What the cheapest attack by reduction takes that finds the weights, or tells T from a uniform
// integer, when A is known but for a guess.
struct FHE_EXPORT SumAttack {
  double block = 0;  // block size of BKZ
  double core = 0;   // core_svp(block)
};

// The weights are a short vector in a coset of the lattice of all u with sum_i u_i Z_i = 0 modulo
// M, which has dimension N and volume 2^gamma. With s = lg sqrt((4^w - 1) / 12), the size of a
// weight less the mean, BKZ with block size b finds them if
//
//   s + (lg b)/2 <= (gamma + s) / d + (2 b - d - 1) lg delta,   d = N + 1
//
// (Alkim, Ducas, Poeppelmann, Schwabe, USENIX Security 2016), and the vectors of one sieve in the
// dual lattice tell T from a uniform integer if
//
//   s + N lg delta - gamma / N <= (lg(0.2075 b ln 2 / (4 pi^2))) / 2
//
// (bias exp(-2 pi^2 t^2) for a vector of length t / 2^s, 2^(0.2075 b) vectors). Both need N w below
// about gamma: nothing where no block size up to the dimension suffices. Not counted: that A must
// be guessed, and polynomial factors.
FHE_EXPORT std::optional<SumAttack> cheapest_sum_attack(const RandomSum& sum);

// The least N with which no such attack costs less than the target, nor does a search for the
// weights from both ends, 2^(N w / 2). Requires a target of at most 2^16 bits.
FHE_EXPORT double least_count(double weight_bits, double element_bits, double target);

// The least N with which the sum is proven to hide: for every A, also one that depends on the Z_i,
// (Z, T) has a statistical distance of at most 2^-(bits + 1) from (Z, a uniform integer below M).
// This is the leftover hash lemma. Two sets of weights that differ by d lead to the same T with the
// probability g / M, where g is what M and all d_i have in common. So twice the distance is at most
// the root of
//
//   M 2^(-N w) + sum over 1 < g < 2^w of g (the probability that g divides all d_i),
//
// and that probability is at most 2^-N: N w >= gamma + 2 bits + 1 and N >= 2 w + 2 bits + 1
// suffice.
FHE_EXPORT double proven_count(double weight_bits, double element_bits, double bits);

}  // namespace fhe::security
