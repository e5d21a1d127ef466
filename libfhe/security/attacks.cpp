// SPDX-License-Identifier: Apache-2.0
#include "libfhe/security/attacks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <fmt/format.h>

namespace fhe::security {

namespace {

constexpr double kBitsPerByte = 8;
constexpr double kListBytes = 16;  // of an element of a list that is searched
constexpr double kStepCycles = 7;  // log2: to make, sort and compare such an element
constexpr double kLllBlock = 2;
constexpr double kUniform = 0.29;  // bits by which a uniform residue is below its bound

// ln n!, for any number of threads: std::lgamma writes a sign into a variable of the process.
double log_factorial(double n) {
  int sign = 0;
  return ::lgamma_r(n + 1, &sign);
}

double log2_of_choices(double n, double k) {
  return (log_factorial(n) - log_factorial(k) - log_factorial(n - k)) / std::numbers::ln2;
}

double choices(double n, double k) {
  return n < k ? 0 : std::exp2(log2_of_choices(n, k));
}

// The costs of an attack by reduction. It uses as many samples as its lattice has dimensions unless
// told.
Attack by_reduction(std::string_view name, const ReductionChoice& choice) {
  const Reduction& cheapest = choice.cheapest;
  Attack attack{.name = name,
                .cycles = cheapest.cycles(),
                .core = choice.core,
                .quantum = choice.quantum,
                .sieve = choice.sieve,
                .memory = basis_bytes(cheapest.basis),
                .dimension = cheapest.basis.dimension,
                .block = cheapest.block,
                .samples = cheapest.basis.dimension,
                .suffices = choice.suffices};
  if (!choice.suffices) {
    attack.note = fmt::format("no block size up to {:.0f} suffices", kLargestBlock);
  }
  return attack;
}

// An attack without a lattice.
Attack by_steps(std::string_view name, double cycles, double memory) {
  return {.name = name,
          .cycles = cycles,
          .core = cycles,
          .quantum = cycles,
          .memory = memory,
          .samples = 1};
}

Attack by_meeting(std::string_view name, double log_elements) {
  return by_steps(name, log_elements + kStepCycles, log_elements + std::log2(kListBytes));
}

double gap_of(const ApproximateGcd& problem) {
  return problem.eta - problem.rho;
}

// log2 of the volume of the lattice of samples.
double volume_of(const ApproximateGcd& problem) {
  return std::max(1.0, problem.gamma - problem.rho);
}

// Products of two samples as samples.
ApproximateGcd products_of(const ApproximateGcd& problem) {
  ApproximateGcd products = problem;
  products.rho *= 2;
  if (!problem.modulus_public) products.gamma *= 2;
  products.samples = std::numeric_limits<double>::infinity();
  return products;
}

// The number of samples that an attack takes with a block size; nothing when no number of them will
// do.
using DimensionFor = std::optional<double> (*)(const ApproximateGcd& problem, double block);

// An attack on samples, or else on their products.
Attack by_samples(std::string_view name, const ApproximateGcd& problem,
                  const DimensionFor& dimension_for) {
  const ApproximateGcd products = products_of(problem);
  Attack attack = by_reduction(
      name, choose_block([&](double block) -> std::optional<Reduction> {
        const auto reduction = [&](const ApproximateGcd& samples) {
          const auto t = dimension_for(samples, block);
          return t ? std::optional(Reduction{
                         .basis = {.dimension = *t, .column_bits = samples.gamma}, .block = block})
                   : std::nullopt;
        };
        const auto direct = reduction(problem);
        return direct ? direct : reduction(products);
      }));
  if (attack.suffices && attack.dimension > problem.samples) {
    attack.note = "uses products of samples";
  }
  return attack;
}

// A condition of the header as least_dimension() has it.
struct Condition {
  double log_delta;  // of the block size
  double room;       // for gamma / t + t lg delta
  double low;        // the least t
};

// A basis that is reduced with a block size is reduced with all smaller ones too, so the last block
// may be a smaller one. Of them all the whole block or that of LLL leaves most room.
std::array<Condition, 2> shortest_vector_conditions(double gap, double block) {
  const double log_delta = log_root_hermite(block);
  const auto with_last = [&](double last) {
    const double room = gap + kUniform - std::log2(last) / 2 + (2 * last - 1) * log_delta;
    return Condition{log_delta, room, last};
  };
  return {with_last(block), with_last(kLllBlock)};
}

Condition dual_condition(double gap, double block) {
  constexpr double kSieved = 0.2075;  // log2 of the vectors of a sieve, for each dimension
  const double tau = std::sqrt(kSieved * block * std::numbers::ln2) / (2 * std::numbers::pi);
  const double sieved_length = std::log2(4.0 / 3) / 2;
  return {.log_delta = log_root_hermite(block),
          .room = gap - 0.5 + std::log2(tau) + std::log2(3) / 2 - sieved_length,
          .low = 1};
}

std::optional<double> samples_for(const ApproximateGcd& problem, const Condition& condition) {
  return least_dimension(volume_of(problem), condition.log_delta, condition.room, condition.low,
                         problem.samples);
}

double longest_sample(const Condition& condition) {
  return largest_volume(condition.log_delta, condition.room, condition.low);
}

std::optional<double> shortest_vector_dimension(const ApproximateGcd& problem, double block) {
  const auto [whole, least] = shortest_vector_conditions(gap_of(problem), block);
  const auto t = samples_for(problem, whole);
  const auto other = samples_for(problem, least);
  return t && other ? std::min(t, other) : t ? t : other;
}

std::optional<double> dual_dimension(const ApproximateGcd& problem, double block) {
  return samples_for(problem, dual_condition(gap_of(problem), block));
}

// log2 of the radius of a ball of this dimension and volume 1.
double log_radius(double dimension) {
  return log_factorial(dimension / 2) / (dimension * std::numbers::ln2) -
         std::log2(std::numbers::pi) / 2;
}

// The place of the minimum of a convex function of the whole numbers in [low, high].
template <class Convex>
double lowest_place(const Convex& convex, double low, double high) {
  while (low < high) {
    const double middle = std::floor((low + high) / 2);
    if (convex(middle + 1) < convex(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// The smallest n with which BKZ finds the sublattice that is orthogonal to the residues of all
// slots.
std::optional<double> sublattice_dimension(const ApproximateGcd& problem, double block) {
  constexpr double kMost = 1e9;
  const double l = problem.slots;
  const double s = log_root_hermite(block);
  const auto of_common = [&](double d) {
    return d * (log_radius(d) + std::log2(block / (l + d)) / 2) + s * (d * d - 2 * block * d);
  };
  const double least_common = std::max(1.0, block - l);
  const double best_common = lowest_place(of_common, least_common, kMost);
  const auto excess = [&](double n) {
    return l * (volume_of(problem) / n + s * (n - l) - gap_of(problem) - kUniform) +
           of_common(std::min(best_common, n - l));
  };
  const double least = l + least_common;
  const double most = std::min(problem.samples, kMost);
  if (most < least) return std::nullopt;
  double found = lowest_place(excess, least, most);
  if (excess(found) >= 0) return std::nullopt;
  double too_few = least - 1;
  while (found - too_few > 1) {
    const double middle = std::floor((too_few + found) / 2);
    (excess(middle) < 0 ? found : too_few) = middle;
  }
  return found;
}

std::optional<double> orthogonal_dimension(const ApproximateGcd& problem, double block) {
  const auto given = shortest_vector_dimension(hidden_lattice_given(problem), block);
  if (!given || problem.slots == 1) return given;
  const auto found = sublattice_dimension(problem, block);
  if (!found) return std::nullopt;
  return std::max(*found, *given + problem.slots - 1);
}

}  // namespace

namespace {

Attack noise_search_with_modulus(const ApproximateGcd& problem) {
  const double bits = std::max(1.0, problem.rho - std::log2(problem.slots));
  const double lg_m = (bits + 1) / 2;
  const double lg_gamma = std::log2(problem.gamma);
  const double steps = std::log2(0.6) + lg_m + 2 * std::log2(lg_m);
  const double list = lg_m + std::log2(lg_m) + lg_gamma;
  Attack attack = by_steps("noise search", steps + lg_gamma + std::log2(lg_gamma),
                           list - std::log2(kBitsPerByte));
  attack.reference = "Chen, Nguyen, ePrint 2011/436";
  return attack;
}

Attack noise_search_without_modulus(const ApproximateGcd& problem) {
  const double products = std::max(1.0, problem.rho + 1 + (1 - std::log2(problem.slots)) / 2);
  const double cycles = products + std::log2(problem.gamma);
  Attack attack = by_steps("noise search", cycles, cycles - std::log2(kBitsPerByte));
  attack.reference = "Coron, Naccache, Tibouchi, ePrint 2011/440";
  return attack;
}

}  // namespace

Attack noise_search(const ApproximateGcd& problem) {
  Attack attack = problem.modulus_public ? noise_search_with_modulus(problem)
                                         : noise_search_without_modulus(problem);
  attack.evidence = Evidence::run;
  attack.samples = 2;
  return attack;
}

Attack unique_shortest_vector(const ApproximateGcd& problem) {
  Attack attack = by_samples("unique shortest vector", problem, shortest_vector_dimension);
  attack.evidence = Evidence::run;
  attack.reference = "Howgrave-Graham 2001; Alkim and others, USENIX Security 2016";
  return attack;
}

Attack dual_distinguisher(const ApproximateGcd& problem) {
  Attack attack = by_samples("dual distinguisher", problem, dual_dimension);
  attack.gain = Gain::ciphertext;
  attack.reference = "Micciancio, Regev 2009; Ducas, Pulles, Crypto 2023, for all of a sieve";
  return attack;
}

Attack orthogonal_lattice(const ApproximateGcd& problem) {
  Attack attack = by_samples("orthogonal lattice", problem, orthogonal_dimension);
  attack.evidence = Evidence::run;
  attack.reference = "DGHV, Eurocrypt 2010; Ding, Tao, ePrint 2014/042";
  return attack;
}

ApproximateGcd hidden_lattice_given(const ApproximateGcd& problem) {
  ApproximateGcd given = problem;
  given.slots = 1;
  given.gamma = std::max(1.0, problem.gamma - (problem.slots - 1) * gap_of(problem));
  given.samples = std::max(1.0, problem.samples - (problem.slots - 1));
  return given;
}

double longest_opened(double gap, double block) {
  const auto [whole, least] = shortest_vector_conditions(gap, block);
  return std::max(
      {longest_sample(whole), longest_sample(least), longest_sample(dual_condition(gap, block))});
}

std::optional<Attack> multivariate_coppersmith(const ApproximateGcd& problem) {
  constexpr int kMostVariables = 4;
  constexpr int kMostDegree = 40;
  constexpr double kMostDimensions = 5000;
  constexpr double kNever = std::numeric_limits<double>::infinity();
  if (problem.slots > 1) return std::nullopt;
  constexpr std::string_view kName = "Coppersmith's method";
  Attack best{
      .name = kName, .cycles = kNever, .core = kNever, .quantum = kNever, .suffices = false};
  const auto consider = [&](double m, double t, double k, double dimension) {
    const double noise = (problem.rho + 1) * m * choices(t + m, m + 1);
    const double modulus = problem.gamma * choices(k + m, m + 1);
    const double norm = (noise + modulus) / dimension + dimension * log_root_hermite(kLllBlock);
    if (norm >= k * problem.eta) return;
    const Reduction reduction{.basis = {.dimension = dimension,
                                        .column_bits = k * problem.gamma,
                                        .columns = Columns::several}};
    if (reduction.cycles() >= best.cycles) return;
    best = by_reduction(kName, only(reduction));
    best.samples = m + 1;
  };
  for (int m = 1; m <= kMostVariables; ++m) {
    for (int t = 1; t <= kMostDegree; ++t) {
      const double dimension = std::round(choices(t + m, m));
      if (dimension > kMostDimensions) break;
      for (int k = 1; k <= t; ++k) consider(m, t, k, dimension);
    }
  }
  best.reference = "Cohn, Heninger, ANTS 2012";
  if (!best.suffices) best.note = fmt::format("no form of {:.0f} dimensions does", kMostDimensions);
  return best;
}

std::optional<Attack> factor_by_curves(const ApproximateGcd& problem) {
  if (!problem.modulus_public) return std::nullopt;
  const double ln_p = problem.eta * std::numbers::ln2;
  const double steps = std::sqrt(2 * ln_p * std::log(ln_p)) / std::numbers::ln2;
  const double cycles = steps + std::log2(problem.gamma);
  Attack attack = by_steps("factoring by curves", cycles, std::log2(problem.gamma));
  attack.reference = "Lenstra 1987";
  return attack;
}

std::optional<Attack> factor_by_sieve(const ApproximateGcd& problem) {
  if (!problem.modulus_public) return std::nullopt;
  constexpr double kConstant = 1.923;
  const double ln_x = problem.gamma * std::numbers::ln2;
  const double work =
      kConstant * std::cbrt(ln_x) * std::pow(std::log(ln_x), 2.0 / 3) / std::numbers::ln2;
  Attack attack = by_steps("number field sieve", work, work / 2);
  attack.reference = "Lenstra, Lenstra 1993";
  return attack;
}

Attack squashed_key_meet(const SquashedKey& problem) {
  const double unknown = problem.blocks - problem.known_blocks;
  const double block = problem.length / problem.blocks;
  Attack attack = by_meeting("squashed key, meet in the middle", unknown / 2 * std::log2(block));
  attack.evidence = Evidence::run;
  attack.reference = "Chen, Nguyen, ePrint 2011/436";
  return attack;
}

Attack squashed_key_lattice(const SquashedKey& problem) {
  constexpr double kMargin = 1.5;
  constexpr int kSteps = 100;
  const double unknown = problem.blocks - problem.known_blocks;
  const double bits = problem.relation_bits;
  std::optional<ReductionChoice> best;
  for (int step = 1; step <= kSteps; ++step) {
    const double kept = static_cast<double>(step) / kSteps;
    const double length = kept * problem.length;
    // P m / d - 1.5 >= d lg delta with m = d - Theta: a volume of P Theta.
    const ReductionChoice choice = choose_block([&](double block) -> std::optional<Reduction> {
      const auto d = least_dimension(bits * length, log_root_hermite(block), bits - kMargin);
      if (!d) return std::nullopt;
      return Reduction{.basis = {.dimension = std::max(*d, length + 1),
                                 .column_bits = bits,
                                 .columns = Columns::several},
                       .repetitions = -unknown * std::log2(kept)};
    });
    if (!best) {
      best = choice;
      continue;
    }
    if (choice.cheapest.cycles() < best->cheapest.cycles()) {
      best->cheapest = choice.cheapest;
      best->suffices = choice.suffices;
    }
    best->core = std::min(best->core, choice.core);
    best->quantum = std::min(best->quantum, choice.quantum);
    best->sieve = std::min(best->sieve, choice.sieve);
  }
  Attack attack = by_reduction("squashed key, lattice", *best);
  attack.evidence = Evidence::run;
  attack.reference = "own; run at CNT Toy and Small";
  if (best->cheapest.repetitions > 0) {
    attack.note =
        fmt::format("guesses 2^{:.1f} times which bits are 0", best->cheapest.repetitions);
  }
  return attack;
}

Attack product_form_search(const ProductFormKey& problem) {
  constexpr double kProductCycles = 40;  // for each bit
  const double products = std::log2(problem.length * kProductCycles * problem.gamma);
  Attack attack =
      by_steps("product-form search", log2_of_sum(products, problem.candidates + kStepCycles),
               std::log2(problem.length * problem.gamma / kBitsPerByte));
  attack.reference = "own; CMNT, Crypto 2011, for the form";
  return attack;
}

Attack knapsack_lattice(const CiphertextKnapsack& problem) {
  const double d = problem.count + 2;
  const ReductionChoice choice = choose_block([&](double block) -> std::optional<Reduction> {
    const double leading =
        problem.count * problem.bits + 2 * d * d * log_root_hermite(block) + 8 * d;
    if (leading > problem.gamma) return std::nullopt;
    return Reduction{.basis = {.dimension = d, .column_bits = leading}};
  });
  Attack attack = by_reduction("ciphertext, knapsack", choice);
  attack.gain = Gain::ciphertext;
  attack.samples = 1;
  attack.evidence = Evidence::run;
  attack.reference = "Lagarias, Odlyzko 1985";
  return attack;
}

Attack sparse_weights_lattice(const SparseWeights& problem) {
  const ApproximateGcd& elements = problem.elements;
  const double d = problem.tau + 2;
  const ReductionChoice choice = choose_block([&](double block) -> std::optional<Reduction> {
    const double hidden = std::min(elements.eta - elements.rho, problem.noise);
    const double room = elements.gamma - hidden - d * d * log_root_hermite(block);
    const double below = room / problem.tau;
    if (below <= 1) return std::nullopt;
    const double luck = std::max(0.0, std::log2(problem.alpha / below));
    return Reduction{.basis = {.dimension = d, .column_bits = elements.gamma},
                     .repetitions = problem.ones * problem.tau * luck};
  });
  Attack attack = by_reduction("sparse weights", choice);
  attack.gain = Gain::ciphertext;
  attack.samples = 1;
  attack.reference = "own, low confidence";
  const std::string_view only = "only against fhe encrypt --sparse";
  attack.note = attack.note.empty() ? std::string(only) : fmt::format("{}; {}", only, attack.note);
  return attack;
}

namespace {

Attack ideal_lattice(std::string_view name, const IdealLattice& problem, double fraction) {
  const double d = std::round(fraction * problem.n);
  const double needed = (problem.determinant / d - 3) / d;
  const ReductionChoice choice = choose_block([&](double block) -> std::optional<Reduction> {
    if (log_root_hermite(block) > needed) return std::nullopt;
    return Reduction{.basis = {.dimension = d, .column_bits = problem.determinant}};
  });
  Attack attack = by_reduction(name, choice);
  attack.gain = Gain::ciphertext;
  attack.samples = 1;
  return attack;
}

// Of all ways to put k points on a circle, those that fit in an arc of this fraction of it, one
// half or more (Stevens 1939).
double fits_in_arc(int points, double fraction) {
  double sum = 0;
  for (int j = 1; j <= points; ++j) {
    const double left = 1 - j * (1 - fraction);
    if (left <= 0) break;
    sum += (j % 2 == 1 ? 1 : -1) * choices(points, j) * std::pow(left, points - 1);
  }
  return sum;
}

}  // namespace

Attack ideal_lattice_full(const IdealLattice& problem) {
  Attack attack = ideal_lattice("ideal lattice", problem, 1);
  attack.evidence = Evidence::run;
  attack.reference = "Gentry, Halevi, Eurocrypt 2011; Ryan, Heninger, Crypto 2023";
  return attack;
}

std::optional<Attack> ideal_lattice_window(const IdealLattice& problem) {
  constexpr int kSteps = 20;
  constexpr double kEnough = 0.4;
  const int points = static_cast<int>(problem.nonzeros) + 1;
  for (int step = kSteps / 2; step < kSteps; ++step) {
    const double fraction = static_cast<double>(step) / kSteps;
    const double opened = fits_in_arc(points, fraction);
    if (opened < kEnough) continue;
    Attack attack = ideal_lattice("ideal lattice, window", problem, fraction);
    attack.reference = "own; run for n = 64";
    if (attack.suffices) {
      attack.note = fmt::format("opens {:.0f} % of the ciphertexts", 100 * opened);
    }
    return attack;
  }
  return std::nullopt;
}

Attack ideal_noise_meet(const IdealLattice& problem) {
  Attack attack = by_meeting("noise, meet in the middle",
                             (log2_of_choices(problem.n, problem.nonzeros) + problem.nonzeros) / 2);
  attack.gain = Gain::ciphertext;
  attack.reference = "Gentry, Halevi, Eurocrypt 2011";
  return attack;
}

}  // namespace fhe::security
