// SPDX-License-Identifier: Apache-2.0
// The attacks of this laboratory: each by itself, and all by name, beside those of the estimator
// (libfhe/security/attacks.hpp) that they are.
#pragma once

#include <cstddef>
#include <ctime>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/attack/numbers.hpp"
#include "apps/attack/published.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::attack {

// What an attack tells: its steps, what each of them took, and what it found.

// A step of an attack, as a clause, and the processor time that it took.
struct Step {
  std::string what;
  double seconds;
};

// What an attack did and found. Nothing here is wiped: attacks are for keys that protect nothing.
struct Finding {
  // Secret primes, or those of some slots; none where the attack failed or opens ciphertexts only.
  std::vector<Integer> primes = {};
  std::optional<Integer> inverse = {};  // the secret w of an ideal, or -w, which opens as much
  std::optional<bool> bit = {};         // of a ciphertext, where it is that which was attacked
  std::size_t dimension = 0;            // of the lattice; 0 where none was reduced
  std::size_t samples = 0;              // how many samples, ciphertexts or answers it used
  std::vector<Step> steps = {};         // in their order

  [[nodiscard]] double seconds() const {
    double sum = 0;
    for (const Step& step : steps) sum += step.seconds;
    return sum;
  }

  // Does `work`, notes what it took and returns its result.
  template <class Work>
  auto step(std::string what, const Work& work) {
    const std::clock_t start = std::clock();
    auto result = work();
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    steps.push_back({std::move(what), seconds});
    return result;
  }
  // Notes what needs no time.
  void note(std::string what) { steps.push_back({std::move(what), 0}); }
};

// Searches for the noise of a sample: x - r for the right r is a multiple of a secret prime. All
// functions may be called by any thread, one at a time (NTL).

// Multiplies x - r modulo x0 for all r, takes the gcd with x0 now and then, and looks closer where
// it is not 1: 2^(rho+1) products. Goes on until the primes of all slots are found, or to the end.
// Requires a modulus and rho <= kMostExhaustiveBits. Throws Error(invalid_argument) otherwise,
// Error(stopped).
inline constexpr std::size_t kMostExhaustiveBits = 24;
[[nodiscard]] Finding exhaustive_noise_search(const Samples& samples, const Monitor& monitor = {});

// With a modulus: the same products as values of one polynomial of degree 2^((rho+1)/2) at as many
// points (Chen, Nguyen, Eurocrypt 2012, ePrint 2011/436). Without: the gcd of the products of all
// x_1 - r and of all x_2 - r (Coron, Naccache, Tibouchi, ePrint 2011/440). Requires rho <=
// kMostSearchedBits with a modulus, kMostSecretBits and four samples without. Throws
// Error(invalid_argument) otherwise, Error(stopped).
inline constexpr std::size_t kMostSearchedBits = 32;
inline constexpr std::size_t kMostSecretBits = 16;
[[nodiscard]] Finding noise_search(const Samples& samples, const Monitor& monitor = {});

// The orthogonal lattice of samples with approximate common divisors.

// From the first `count` samples x: vectors u so short that sum u_i x_i = 0, modulo x0 where there
// is one, makes sum u_i r_ij = 0 in each of l slots j. So many of them leave l short vectors that
// are orthogonal to all, of which the residues are combinations: so every sample is, in all slots,
// one rational combination of l samples, and its distance from that a multiple of the product P of
// all primes. With l > 1 the product of the l samples with another sample y is a linear map of them
// modulo P, a rational matrix with small entries; its eigenvalues are the residues of y in the
// slots, and the gcd of P with y less one of them is the prime of that slot (van Dijk, Gentry,
// Halevi, Vaikuntanathan, Eurocrypt 2010; Ding, Tao, ePrint 2014/042; for the eigenvalues Coron,
// Lepoint, Tibouchi, Crypto 2013, appendix, and Cheon and others, JMC 2020).
//
// Finds all primes, or none where the relations are too long. Requires slots + 2 <= count <=
// x.size(). One thread at a time (NTL). Throws Error(invalid_argument), Error(stopped).
[[nodiscard]] Finding orthogonal_lattice(const Samples& samples, std::size_t count,
                                         const Monitor& monitor = {});

// The same with the smallest number of samples in [least, most] that does; the times are those of
// this one. Finds nothing where none does.
[[nodiscard]] Finding smallest_orthogonal_lattice(const Samples& samples, std::size_t least,
                                                  std::size_t most, const Monitor& monitor = {});

// Samples with approximate common divisors as numbers that have close approximations with one
// denominator.

// From `count` samples x_i = q_i p + r_i: since q_i / q_0 is close to x_i / x_0, for all i at once,
//
//   (q_0 2^rho, q_0 x_1 - q_1 x_0, q_0 x_2 - q_2 x_0, ...)
//
// is a short vector of a lattice of `count` dimensions, and there is one for each of the primes.
// LLL finds it, or BKZ with blocks of 10, 20, ... and at last `block` rows; a block of 2 is LLL
// alone. Then x_0 / q_0, rounded, is p, if it is a divisor of all samples but for their noise. Of
// several slots the short rows are combinations of those vectors; LLL of these rows alone, after
// they were made orthogonal to the samples, takes them apart (Howgrave-Graham, CaLC 2001; van Dijk,
// Gentry, Halevi, Vaikuntanathan, Eurocrypt 2010).
//
// With a modulus x0 that stands in the place of x_0. A known divisor of all noise makes the noise
// shorter by as much: samples are divided by it, modulo x_0.
//
// Finds all primes, or some of them, or none where the vectors are too long for the block size, or
// where gamma < eta + rho + 2, which leaves more than one p for each q_0. Requires 2 <= count <=
// x.size(), and 2 <= block <= kLargestBlock (block_reduction.hpp). One thread at a time (NTL).
// Throws Error(invalid_argument), Error(stopped).
[[nodiscard]] Finding simultaneous_approximation(const Samples& samples, std::size_t count,
                                                 std::size_t block = 2,
                                                 const Monitor& monitor = {});

// How many samples to take for reductions with such blocks: slots + t for the smallest t with
//
//   volume / t + t lg delta <= eta - rho - 3,  volume = gamma - rho - slots (eta - rho),
//
// or, where there is none, for that which makes the left side least. Looks at the sizes only.
[[nodiscard]] std::size_t best_approximation(const Samples& sizes, std::size_t block);

// Attacks on the squashed key that is published for recryption.
//
// For a near multiple c = q p + e of p, sum_i s_i (c u_i mod 2^kappa) is small modulo 2^kappa: a
// relation between the secret bits that is worth as many bits as it is small. LLL on kShortened
// samples gives c that are shorter by (k - 1) t bits for noise of t bits more, so that relations
// are worth nearly eta - rho bits whatever kappa is. All functions require samples with a modulus.

// How many relations of so many bits between `length` secret bits leave LLL a vector that stands
// out: at most `most`.
[[nodiscard]] std::size_t relations_needed(std::size_t length, std::size_t bits, std::size_t most);

// Lists all choices in either half of the unknown blocks and looks for two that fit (Chen,
// Nguyen, ePrint 2011/436). Requires at most 2^kMostListBits choices in a half (meeting.hpp).
// Throws Error(invalid_argument) otherwise, Error(stopped).
[[nodiscard]] Finding squashed_key_meet(const Samples& samples, const SquashedNumbers& key,
                                        const Monitor& monitor = {});

// The lattice of (e_i | c_1 u_i, c_2 u_i, ...) modulo 2^P has s as a short vector, or all s_j where
// there are several slots: their leading entries tell them apart. Throws Error(stopped).
inline constexpr std::size_t kShortened = 10;
[[nodiscard]] Finding squashed_key_lattice(const Samples& samples, const SquashedNumbers& key,
                                           const Monitor& monitor = {});

// All keys of the product form. Throws Error(stopped).
[[nodiscard]] Finding product_form_search(const Samples& samples, const ProductFormNumbers& key,
                                          const Monitor& monitor = {});

// Attacks on the squashed key of an ideal: the sparse subset of its elements that sums to the
// secret w.
//
// w is short: |w| / d is at most 2^-inverse_bits, and so is |w r^j mod d| / d for every j, since
// these are the coefficients of the inverse of one polynomial. So the chosen elements, and r^j
// times them, sum to nearly 0 modulo d: relations worth hundreds of bits.

// w, if this is it up to its sign: odd and short, and short when multiplied by r. Chance passes
// once in 2^(2 inverse_bits).
[[nodiscard]] bool is_inverse(const Integer& w, const IdealNumbers& key);

// Lists all choices in either half of the blocks and looks for two that sum to nearly 0 (Gentry,
// Halevi, Eurocrypt 2011; Chen, Nguyen, ePrint 2011/436). Requires a squashed key, and
// at most 2^kMostListBits choices in a half (meeting.hpp). Throws Error(invalid_argument)
// otherwise, Error(stopped).
[[nodiscard]] Finding sparse_subset_meet(const IdealNumbers& key, const Monitor& monitor = {});

// The lattice of (e_i | r^0 y_i, r^1 y_i, ...) modulo 2^inverse_bits, y_i the elements as fractions
// of d, has the choice as a short vector. Requires a squashed key. Throws Error(stopped).
[[nodiscard]] Finding sparse_subset_lattice(const IdealNumbers& key, const Monitor& monitor = {});

// Ciphertexts of the quadratic public key as knapsacks.
//
// The coefficients of a ciphertext c = m + 2 r + 2 sum_ij b_ij x_i y_j modulo x0, and with them m,
// without any key: from as many leading bits of the products as make LLL find the coefficients
// (Lagarias, Odlyzko 1985). Finds no bit where there are too few. Throws Error(stopped).
[[nodiscard]] Finding ciphertext_knapsack(const QuadraticElements& key, const Integer& ciphertext,
                                          const Monitor& monitor = {});

// Ciphertexts of sparse encryption, whose weights have few ones.

// Of a lattice of the elements: weights b_i < 2^bits stand out there, and one ciphertext in 2^luck
// has no others.
struct SparseChance {
  double bits;
  double luck;
};

// bits = (gamma - noise_bits) / tau - d lg delta, d = tau + 1 and delta that of LLL; luck = ones
// tau lg(alpha / bits). As the estimator has it (security/attacks.hpp), where the noise of
// encryption is as long as it is in the published groups.
[[nodiscard]] SparseChance sparse_chance(const WeightedElements& key);

// Hopes for such a ciphertext among some: the lattice of the elements is reduced once, each
// ciphertext, less what the weights are on average, rounded to it, and weights with the right
// number of ones are known to be the right ones. Finds the bit of the first one that opens;
// `samples` says how many were tried. One thread at a time (NTL). Throws Error(stopped).
[[nodiscard]] Finding sparse_weights(const WeightedElements& key,
                                     std::span<const Integer> ciphertexts,
                                     const Monitor& monitor = {});

// Ciphertexts as points near the ideal lattice of a key.
//
// The noise of a ciphertext c = m + 2 e(r) modulo d: a reduced basis of the w in Z^n' with w(r) = 0
// modulo d is made, and c is rounded to it (Babai 1986), which leaves m + 2 e where the basis is
// good enough.
//
// With a window n' < n the lattice is smaller. Then c r^k, whose noise is that of c rotated, is
// rounded for each k, and some rotation is right where all that is not zero fits in an arc of n' of
// the n coefficients. Requires 2 <= window <= n. One thread at a time (NTL). Throws Error(stopped).
[[nodiscard]] Finding ideal_lattice(const IdealNumbers& key, const Integer& ciphertext,
                                    std::size_t window, const Monitor& monitor = {});

// The noise of a ciphertext of an ideal, by halves.
//
// The e of c = m + 2 e(r) modulo d: lists all that half of its nonzeros can be in either half of
// the coefficients, and looks for two that fit. In one of the rotations c r^k the nonzeros are
// parted like that: a window of n/2 coefficients that moves on by one gains or loses one at most,
// and after n/2 moves it has what it had not. Sees the bit, and no key (Gentry, Halevi, Eurocrypt
// 2011).
//
// Requires an even n <= kMostHalved, and at most 2^kMostListBits choices in a half (meeting.hpp).
// Throws Error(invalid_argument) otherwise, Error(stopped).
inline constexpr std::size_t kMostHalved = 64;
[[nodiscard]] Finding ideal_noise_meet(const IdealNumbers& key, const Integer& ciphertext,
                                       const Monitor& monitor = {});

// What answers to ciphertexts of one's choice give away.

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

// The attacks of this laboratory by name, beside those of the estimator
// (libfhe/security/attacks.hpp) that they are.

// What is attacked.
struct Target {
  PublishedNumbers numbers;
  std::optional<std::size_t> model_dimension;  // of the orthogonal lattice, as the estimator says
  std::optional<std::size_t> samples;          // how many to take instead
  std::size_t block = 2;  // the largest block size of BKZ, where it is used; 2 for LLL alone
  Integer ciphertext;     // to be opened by attacks that find no key
  // So many new ciphertexts of its bit, by sparse encryption; empty where there is none.
  std::function<std::vector<Integer>(std::size_t count)> encrypt_sparse;
  DecryptionOracle owner;  // of the key, if there is one who answers
};

// An attack.
struct Method {
  std::string_view name;     // on the command line
  std::string_view model;    // what the estimator calls it
  std::string_view summary;  // a line for the help
  bool (*applies)(const Target& target);
  // Requires that it applies. Throws Error(invalid_argument) for sizes that are hopeless here,
  // Error(stopped).
  Finding (*run)(const Target& target, const Monitor& monitor);
};

// All of them.
[[nodiscard]] std::span<const Method> methods();

// The largest lattice that this laboratory reduces.
inline constexpr std::size_t kMostDimensions = 400;

}  // namespace fhe::attack
