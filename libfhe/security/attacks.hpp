// SPDX-License-Identifier: Apache-2.0
// The known attacks, each a function: what it costs against a problem, by which formula and whose.
//
// lg is log2. A product of gamma-bit numbers counts as gamma cycles where a comment says no more.
// "Core" costs leave out polynomial factors and memory, and are never above the cycles. All
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
  double core = 0;                      // log2, without polynomial factors
  double memory = 0;                    // log2 of bytes
  double dimension = 0;                 // of the lattice; 0 where none is reduced
  double block = 0;                     // block size of BKZ, 2 for LLL; 0 where none is reduced
  double samples = 0;                   // how many samples or ciphertexts it uses
  Evidence evidence = Evidence::model;  // for the method, not for these sizes
  std::string_view reference = {};      // whose it is
  std::string note = {};                // what else to know

  friend bool operator==(const Attack&, const Attack&) = default;
};

// Guesses of the noise. With x0 published: m = 2^((rho+1)/2), a polynomial of degree m is evaluated
// at m points modulo x0: 0.6 m lg^2 m gamma lg gamma cycles (constant measured with FLINT 3.6), m
// lg m gamma bits of memory; core m gamma. Chen, Nguyen, Eurocrypt 2012, ePrint 2011/436. Without
// x0: gcd of two products of 2^(rho+1) factors, 2^(rho+1) gamma cycles, 2^rho gamma bits; core
// 2^rho gamma. Coron, Naccache, Tibouchi, ePrint 2011/440. With l primes any of them will do: rho -
// lg l in place of rho.
FHE_EXPORT Attack noise_search(const ApproximateGcd& problem);

// Orthogonal lattice: vectors u in Z^t with sum u_i x_i = 0 modulo x0 that are so short that sum
// u_i r_i = 0 too, in each of l slots, give the r_i. Works iff, with t = t' + l,
//
//   (gamma - l (eta-rho)) / t' + t' lg delta + (lg t) / 2 <= eta - rho - 3,
//
// and eta - 2 rho - 6 on the right when t exceeds the samples, so that products must help. Also the
// cost of simultaneous Diophantine approximation, which obeys the same inequality; neither needs
// x0. Van Dijk, Gentry, Halevi, Vaikuntanathan, Eurocrypt 2010; Ding, Tao, ePrint 2014/042; Cheon
// et al., JMC 2020. The core cost of an attack for which LLL is not enough is core_svp() of the
// least block size. Nothing when no block size suffices.
FHE_EXPORT std::optional<Attack> orthogonal_lattice(const ApproximateGcd& problem);

// Coppersmith's method in m variables, degree t, multiplicity k, D = C(t+m, m): LLL in dimension D
// suffices iff ((rho+1) m C(t+m, m+1) + gamma C(k+m, m+1)) / D + D lg delta < k eta. Cohn,
// Heninger, ANTS 2012. Tried for m <= 4 and D <= 5000; nothing when that does not suffice. Never
// cheaper than orthogonal_lattice. For one prime.
FHE_EXPORT std::optional<Attack> multivariate_coppersmith(const ApproximateGcd& problem);

// Factors x0: the elliptic-curve method finds a prime of eta bits in exp(sqrt(2 ln p ln ln p))
// steps of gamma cycles (Lenstra 1987); the number field sieve takes exp(1.923 (ln x0)^(1/3) (ln ln
// x0)^(2/3)) (Lenstra, Lenstra 1993). The core cost of both is their
// cycles. Nothing where x0 is not published.
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
FHE_EXPORT std::optional<Attack> squashed_key_lattice(const SquashedKey& problem);

// All keys of the product form: Theta products of a near multiple of p with a public number, 40
// gamma cycles each, then 2^7 for each candidate.
FHE_EXPORT Attack product_form_search(const ProductFormKey& problem);

// The coefficients of a ciphertext from its leading bits alone, without any key: dimension count +
// 2, numbers of bits count + 2 d^2 lg delta + 8 d bits, which must be there. Lagarias, Odlyzko
// 1985; run at CMNT Toy. Nothing when gamma is too short.
FHE_EXPORT std::optional<Attack> knapsack_lattice(const CiphertextKnapsack& problem);

// Encryption with sparse weights: hope that all weights are below 2^s, s = (gamma - h - d^2 lg
// delta) / tau, d = tau + 2, h the smaller one of eta - rho and the noise of encryption, with
// probability (s / alpha)^(ones tau), and reduce. Low confidence: nobody has studied it; run at own
// groups with short noise. Nothing when LLL would always do or never.
FHE_EXPORT std::optional<Attack> sparse_weights_lattice(const SparseWeights& problem);

// The noise of a ciphertext as the closest vector of the ideal lattice: works iff lg(det)/n - 3 >=
// n lg delta. Gentry, Halevi, Eurocrypt 2011; solved in public for n = 512 (Ryan, Heninger, Crypto
// 2023).
FHE_EXPORT std::optional<Attack> ideal_lattice_full(const IdealLattice& problem);

// The same in f n of the dimensions, with all rotations of a ciphertext: those are opened whose
// nonzeros and a turning point, k in all, lie in an arc of fraction f: sum_j (-1)^(j+1) C(k,j)
// (1 - j (1-f))^(k-1) of them. The smallest multiple f of 0.05 that opens two in five or more.
FHE_EXPORT std::optional<Attack> ideal_lattice_window(const IdealLattice& problem);

// Meet in the middle for the noise: sqrt(C(n, h) 2^h) list elements of 16 bytes and 2^7 cycles.
FHE_EXPORT Attack ideal_noise_meet(const IdealLattice& problem);

}  // namespace fhe::security
