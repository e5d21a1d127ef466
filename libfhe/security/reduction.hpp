// SPDX-License-Identifier: Apache-2.0
// Lattice reduction as a model: what quality a block size gives, and what it costs.
//
// Everything is in doubles, and every cost is log2 of clock cycles of one core: 31.5 is a second at
// 3 GHz, 56.4 a year. All functions are pure; any thread may call them.
#pragma once

#include <functional>
#include <limits>
#include <optional>

#include "libfhe/export.hpp"

namespace fhe::security {

// log2 of the sum of two numbers that are given by their log2.
FHE_EXPORT double log2_of_sum(double a, double b);

// log2 of the root-Hermite factor delta that BKZ with this block size reaches: the first vector of
// a reduced basis of dimension d has delta^d det^(1/d). Up to block size 40 measured values,
// constant between two of them; above, delta = ((pi b)^(1/b) b / (2 pi e))^(1/(2 (b - 1))) (Chen,
// thesis, 2013). Table and formula are those of the lattice-estimator (Albrecht and others,
// github.com/malb/lattice-estimator), with LLL as block size 2. Requires block >= 2.
FHE_EXPORT double log_root_hermite(double block);

// The smallest block size that reaches this quality or a better one; nothing when it would be above
// kLargestBlock.
inline constexpr double kLargestBlock = 65536;
FHE_EXPORT std::optional<double> block_size_for(double log_delta);

// One call of a sieve in the dimension of the block, without polynomial factors: 0.292 b (Becker,
// Ducas, Gama, Laarhoven 2016), as in the estimates of NIST's lattice candidates; on a quantum
// computer 0.257 b (Chailloux, Loyer 2021).
FHE_EXPORT double core_svp(double block);
FHE_EXPORT double quantum_core_svp(double block);

// One shortest vector in the dimension of the block: the cheaper of a sieve, 0.292 b + 16.4, and of
// enumeration, 0.184 b lg b - 0.995 b + 22.
FHE_EXPORT double shortest_vector_cycles(double block);

// How the long numbers of a basis stand in it; the exponents were fitted to reductions of dimension
// 84 to 570 that were run for this project.
enum class Columns {
  one,      // one column of long numbers beside the identity: 1.3 d^2.75 (C + d) cycles
  several,  // several columns of moderate ones: 0.75 d^3.45 (C + d) cycles
};

// A basis that is to be reduced.
struct FHE_EXPORT Basis {
  double dimension = 0;            // d
  double column_bits = 0;          // C: the length of the longest numbers
  Columns columns = Columns::one;  // how many are long
};

// LLL quality, and BKZ: each doubling of the block size reduces the basis once more, and 8 d calls
// find shortest vectors: lg b times the cost of LLL, and 8 d times shortest_vector_cycles(b).
FHE_EXPORT double lll_cycles(const Basis& basis);
FHE_EXPORT double bkz_cycles(const Basis& basis, double block);

// log2 of the bytes that a basis takes.
FHE_EXPORT double basis_bytes(const Basis& basis);

// An attack by reduction: a basis, and by how much its cost is multiplied beyond that (log2), such
// as by the number of guesses.
struct FHE_EXPORT Reduction {
  Basis basis = {};        // that is reduced
  double repetitions = 0;  // log2
  double block = 2;        // 2 for LLL

  // The whole cost; the core cost, LLL and one call of a sieve, classical and quantum; and that of
  // the sieve alone.
  [[nodiscard]] double cycles() const { return bkz_cycles(basis, block) + repetitions; }
  [[nodiscard]] double core() const { return with_lll(core_svp(block)); }
  [[nodiscard]] double quantum() const { return with_lll(quantum_core_svp(block)); }
  [[nodiscard]] double sieve() const { return core_svp(block) + repetitions; }

 private:
  [[nodiscard]] double with_lll(double sieve) const {
    return log2_of_sum(lll_cycles(basis), sieve) + repetitions;
  }
};

// The basis that an attack reduces with this block size, and how often; nothing when the block size
// does not suffice. A larger block size must suffice wherever a smaller one does. The block of the
// result is not looked at.
using ReductionFor = std::function<std::optional<Reduction>(double block)>;

// The choice of choose_block.
struct FHE_EXPORT ReductionChoice {
  Reduction cheapest = {};  // by its cycles
  double core = 0;          // the least of any block size, not only of that of `cheapest`
  double quantum = 0;       // likewise
  double sieve = 0;         // likewise
  bool suffices = true;     // false: no block size does, and all is of kLargestBlock
};

// The choice where there is one reduction only.
FHE_EXPORT ReductionChoice only(const Reduction& reduction);

// The cheapest of all block sizes, and the least core cost of any. Where none suffices, the costs
// of the largest in as many dimensions.
FHE_EXPORT ReductionChoice choose_block(const ReductionFor& reduction_for);

// The smallest whole t in [low, high] with volume / t + t log_delta <= room: in a lattice of that
// volume (log2) the reduced vectors of t entries are short enough. Nothing when there is no such t.
FHE_EXPORT std::optional<double> least_dimension(
    double volume, double log_delta, double room, double low = 1,
    double high = std::numeric_limits<double>::infinity());

// The largest volume for which there is such a t, without an upper limit.
FHE_EXPORT double largest_volume(double log_delta, double room, double low = 1);

}  // namespace fhe::security
