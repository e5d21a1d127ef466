// SPDX-License-Identifier: Apache-2.0
// The known attacks, each a function: what it costs against a problem, by which formula and whose.
//
// lg is log2, s = lg delta of a block size b (reduction.hpp). A product of gamma-bit numbers counts
// as gamma cycles where a comment says no more. The core cost of a reduction is LLL and one call of
// a sieve, without polynomial factors and memory; of every other attack it is the cycles. Where no
// block size suffices an attack by reduction is still returned, with the costs of the largest. All
// functions are pure; any thread may call them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libfhe/export.hpp"
#include "libfhe/security/problems.hpp"
#include "libfhe/security/reduction.hpp"

namespace fhe::security {

// What an attack gives its owner.
enum class Gain {
  key,         // the secret key
  ciphertext,  // the plaintext of one ciphertext, or of some
};

// Where the figures come from.
enum class Evidence {
  run,    // this attack was run against keys of the smallest published groups, here or in public
  model,  // formulas only
};

// What an attack takes.
struct FHE_EXPORT Attack {
  std::string_view name;                // "orthogonal lattice"
  Gain gain = Gain::key;                // what it gives
  double cycles = 0;                    // log2
  double core = 0;                      // log2, never above the cycles
  double quantum = 0;                   // likewise, with quantum sieves
  double sieve = 0;                     // the core cost without LLL; 0 where none is reduced
  double memory = 0;                    // log2 of bytes
  double dimension = 0;                 // of the lattice; 0 where none is reduced
  double block = 0;                     // block size of BKZ, 2 for LLL; 0 where none is reduced
  double samples = 0;                   // how many samples or ciphertexts it uses
  bool suffices = true;                 // false: not with the largest block size either
  Evidence evidence = Evidence::model;  // for the method, not for these sizes
  std::string_view reference = {};      // whose it is
  std::string note = {};                // what else to know

  friend bool operator==(const Attack&, const Attack&) = default;
};

// Guesses of the noise. With x0 published: m = 2^((rho+1)/2), a polynomial of degree m is evaluated
// at m points modulo x0: 0.6 m lg^2 m gamma lg gamma cycles (constant measured with FLINT 3.6), m
// lg m gamma bits of memory. Chen, Nguyen, Eurocrypt 2012, ePrint 2011/436. With l primes any of
// them will do: rho - lg l in place of rho. Without x0: products of N samples less
// guesses, until two have a prime in common, 2^(rho+1) sqrt(2 / l) products of gamma cycles and as
// many numbers (measured for l = 1 to 1024). Coron, Naccache, Tibouchi, ePrint 2011/440. A search
// of guesses by a quantum computer saves nothing: two must be right.
FHE_EXPORT Attack noise_search(const ApproximateGcd& problem);

// The three attacks by lattices of t samples take whatever number of samples suits them best. Where
// there are too few, they take products of two, with twice the noise and, without a public x0,
// twice the length. None needs x0.

// One unusually short vector. The vectors (u, sum u_i x_i / 2^rho) are a lattice of rank t and
// volume 2^V, V = gamma - rho; its dual has a vector for each prime p_j, with entries r_ij / p_j
// and 2^rho / p_j, of eta - rho + 0.29 bits below 1, since residues are uniform. The last block of
// BKZ finds its projection iff for some t >= b
//
//   V / t + (t + 1 - 2 b) s + (lg b) / 2 - 0.29 <= eta - rho,
//
// or the same with the 2 of LLL in place of b, but not in s. That is the condition of the field for
// unique shortest vectors (Alkim, Ducas, Poeppelmann, Schwabe, USENIX Security 2016; Albrecht,
// Goepfert, Virdia, Wunderer, Asiacrypt 2017). The same lattice read the other way is simultaneous
// Diophantine approximation (Howgrave-Graham 2001).
FHE_EXPORT Attack unique_shortest_vector(const ApproximateGcd& problem);

// Short vectors u of the same lattice tell ciphertexts of chosen numbers apart, since sum u_i r_i /
// p is close to a whole number: one of standard deviation tau does with a bias of exp(-2 pi^2
// tau^2), so the 2^(0.2075 b) vectors of one sieve, sqrt(4/3) as long as the shortest, do where
// tau^2 = 0.2075 b ln 2 / (4 pi^2):
//
//   V / t + t s <= eta - rho - 1/2 + lg tau + (lg 3) / 2 - (lg 4/3) / 2.
FHE_EXPORT Attack dual_distinguisher(const ApproximateGcd& problem);

// Orthogonal lattice: so many vectors u of it that sum u_i x_i = sum u_i r_ij in each of l slots
// give all r_ij. They are a sublattice of rank t - l, of a volume l (eta - rho) bits smaller.
// Two conditions hold. BKZ finds it, by the Gaussian heuristic for what it has in common with the
// first k = l + d >= b vectors of n (Ducas, van Woerden, Asiacrypt 2021), iff for some d and n >= k
//
//   l (V / n + s (n - l) - (eta - rho) - 0.29) + d (gh(d) + lg(b / k) / 2) + s (d^2 - 2 b d) <
//   0,
//
// gh(d) the lg of the radius of a ball of d dimensions and volume 1. And its vectors must be found,
// as if it had been given: see hidden_lattice_given(). With one prime it is the dual of the
// shortest vector, and costs the same. Van Dijk, Gentry, Halevi, Vaikuntanathan, Eurocrypt 2010;
// Ding, Tao, ePrint 2014/042; Cheon et al., JMC 2020.
FHE_EXPORT Attack orthogonal_lattice(const ApproximateGcd& problem);

// The problem that is left of one with many primes when the hidden sublattice is given, but for one
// dimension: one prime, and (slots - 1) (eta - rho) bits less to a sample. No attack is given that;
// so its costs are a bound below which no attack by lattices is known to come.
FHE_EXPORT ApproximateGcd hidden_lattice_given(const ApproximateGcd& problem);

// The largest gamma - rho of samples of one prime that unique_shortest_vector() or
// dual_distinguisher() open with this block size, for a gap eta - rho.
FHE_EXPORT double longest_opened(double gap, double block);

// Coppersmith's method in m variables, degree t, multiplicity k, D = C(t+m, m): LLL in dimension D
// suffices iff ((rho+1) m C(t+m, m+1) + gamma C(k+m, m+1)) / D + D lg delta < k eta. Cohn,
// Heninger, ANTS 2012. Tried for m <= 4 and D <= 5000; the costs are infinite when that does not
// suffice. Never cheaper than orthogonal_lattice. Nothing for more than one prime.
FHE_EXPORT std::optional<Attack> multivariate_coppersmith(const ApproximateGcd& problem);

// Factors x0: the elliptic-curve method finds a prime of eta bits in exp(sqrt(2 ln p ln ln p))
// steps of gamma cycles (Lenstra 1987); the number field sieve takes exp(1.923 (ln x0)^(1/3) (ln ln
// x0)^(2/3)) (Lenstra, Lenstra 1993). Nothing where x0 is not published.
FHE_EXPORT std::optional<Attack> factor_by_curves(const ApproximateGcd& problem);
FHE_EXPORT std::optional<Attack> factor_by_sieve(const ApproximateGcd& problem);

// Meet in the middle for the ones of a squashed key: B^((theta - known)/2) list elements of 16
// bytes and 2^7 cycles, B = Theta / theta. Memory falls to the square root for twice the time
// (Schroeppel, Shamir 1981). Chen, Nguyen, ePrint 2011/436.
FHE_EXPORT Attack squashed_key_meet(const SquashedKey& problem);

// Lattice of m relations between the bits of a squashed key, modulo 2^P, P = relation_bits: rows
// (e_j | c_i y_j), d = Theta + m. Works iff P m / d - 1.5 >= d lg delta. A fraction 1 - f of the
// bits may be guessed to be 0, at f^-(theta - known) times the cost; f is a multiple of 1/100. A
// relation comes from samples whose noise the Euclidean algorithm keeps small, so P is up to 0.9
// (eta - rho) whatever kappa is. Ours, run at CNT Toy and Small; no publication of exactly this is
// known to us.
FHE_EXPORT Attack squashed_key_lattice(const SquashedKey& problem);

// All keys of the product form: Theta products of a near multiple of p with a public number, 40
// gamma cycles each, then 2^7 for each candidate.
FHE_EXPORT Attack product_form_search(const ProductFormKey& problem);

// The coefficients of a ciphertext from its leading bits alone, without any key: dimension count +
// 2, numbers of bits count + 2 d^2 lg delta + 8 d bits, which must be there. Lagarias, Odlyzko
// 1985; run at CMNT Toy.
FHE_EXPORT Attack knapsack_lattice(const CiphertextKnapsack& problem);

// Encryption with sparse weights: hope that all weights are below 2^s, s = (gamma - h - d^2 lg
// delta) / tau, d = tau + 2, h the smaller one of eta - rho and the noise of encryption, with
// probability (s / alpha)^(ones tau), and reduce. Low confidence: nobody has studied it; run at own
// groups with short noise.
FHE_EXPORT Attack sparse_weights_lattice(const SparseWeights& problem);

// The noise of a ciphertext as the closest vector of the ideal lattice: works iff lg(det)/n - 3 >=
// n lg delta. Gentry, Halevi, Eurocrypt 2011; solved in public for n = 512 (Ryan, Heninger, Crypto
// 2023).
FHE_EXPORT Attack ideal_lattice_full(const IdealLattice& problem);

// The same in f n of the dimensions, with all rotations of a ciphertext: those are opened whose
// nonzeros and a turning point, k in all, lie in an arc of fraction f: sum_j (-1)^(j+1) C(k,j)
// (1 - j (1-f))^(k-1) of them. The smallest multiple f of 0.05 that opens two in five or more;
// nothing when none does.
FHE_EXPORT std::optional<Attack> ideal_lattice_window(const IdealLattice& problem);

// Meet in the middle for the noise: sqrt(C(n, h) 2^h) list elements of 16 bytes and 2^7 cycles.
FHE_EXPORT Attack ideal_noise_meet(const IdealLattice& problem);

}  // namespace fhe::security
