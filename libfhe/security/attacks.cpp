// SPDX-License-Identifier: Apache-2.0
#include "libfhe/security/attacks.hpp"

#include <algorithm>
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

// What an attack by reduction costs: the samples count as many as its dimension unless told.
Attack by_reduction(std::string_view name, const ReductionChoice& choice) {
  const Reduction& cheapest = choice.cheapest;
  return {.name = name,
          .cycles = cheapest.cycles(),
          .core = choice.core,
          .memory = basis_bytes(cheapest.basis),
          .dimension = cheapest.basis.dimension,
          .block = cheapest.block,
          .samples = cheapest.basis.dimension};
}

Attack by_meeting(std::string_view name, double log_elements) {
  return {.name = name,
          .cycles = log_elements + kStepCycles,
          .core = log_elements,
          .memory = log_elements + std::log2(kListBytes),
          .samples = 1};
}

// Bits of noise that one of several primes leaves to guess.
double guessed_bits(const ApproximateGcd& problem) {
  return std::max(1.0, problem.rho - std::log2(problem.slots));
}

}  // namespace

Attack noise_search(const ApproximateGcd& problem) {
  const double lg_gamma = std::log2(problem.gamma);
  const double bits = guessed_bits(problem);
  Attack attack{.name = "noise search", .samples = 2};
  if (problem.modulus_public) {
    const double lg_m = (bits + 1) / 2;
    attack.cycles = std::log2(0.6) + lg_m + 2 * std::log2(lg_m) + lg_gamma + std::log2(lg_gamma);
    attack.core = lg_m + lg_gamma;
    attack.memory = lg_m + std::log2(lg_m) + lg_gamma - std::log2(kBitsPerByte);
    attack.reference = "Chen, Nguyen, ePrint 2011/436";
  } else {
    attack.cycles = bits + 1 + lg_gamma;
    attack.core = bits + lg_gamma;
    attack.memory = bits + lg_gamma - std::log2(kBitsPerByte);
    attack.reference = "Coron, Naccache, Tibouchi, ePrint 2011/440";
  }
  attack.evidence = problem.modulus_public ? Evidence::run : Evidence::model;
  attack.core = std::min(attack.core, attack.cycles);
  return attack;
}

std::optional<Attack> orthogonal_lattice(const ApproximateGcd& problem) {
  const double gap = problem.eta - problem.rho;
  const double volume = std::max(1.0, problem.gamma - problem.slots * gap);
  const auto dimension = [&](double log_delta, double room) -> std::optional<double> {
    const auto rank = least_dimension(volume, log_delta, room, problem.slots);
    return rank ? std::optional(*rank + problem.slots) : std::nullopt;
  };
  const auto choice = choose_block([&](double log_delta) -> std::optional<Reduction> {
    auto d = dimension(log_delta, gap - 3);
    if (d && *d > problem.samples) d = dimension(log_delta, gap - problem.rho - 6);
    if (!d) return std::nullopt;
    return Reduction{.basis = {.dimension = *d, .column_bits = problem.gamma}};
  });
  if (!choice) return std::nullopt;
  Attack attack = by_reduction("orthogonal lattice", *choice);
  attack.core = core_svp(block_size_for(gap * gap / (4 * volume)).value_or(kLargestBlock));
  attack.evidence = Evidence::run;
  attack.reference = "DGHV, Eurocrypt 2010; Ding, Tao, ePrint 2014/042";
  if (attack.dimension > problem.samples) attack.note = "uses products of samples";
  return attack;
}

std::optional<Attack> multivariate_coppersmith(const ApproximateGcd& problem) {
  constexpr int kMostVariables = 4;
  constexpr int kMostDegree = 40;
  constexpr double kMostDimensions = 5000;
  if (problem.slots > 1) return std::nullopt;
  std::optional<Attack> best;
  const auto consider = [&](double m, double t, double k, double dimension) {
    const double noise = (problem.rho + 1) * m * choices(t + m, m + 1);
    const double modulus = problem.gamma * choices(k + m, m + 1);
    const double norm = (noise + modulus) / dimension + dimension * log_root_hermite(kLllBlock);
    if (norm >= k * problem.eta) return;
    const Basis basis{
        .dimension = dimension, .column_bits = k * problem.gamma, .columns = Columns::several};
    const Attack attack = by_reduction("Coppersmith's method",
                                       {.cheapest = {.basis = basis}, .core = core_svp(kLllBlock)});
    if (!best || attack.cycles < best->cycles) {
      best = attack;
      best->samples = m + 1;
    }
  };
  for (int m = 1; m <= kMostVariables; ++m) {
    for (int t = 1; t <= kMostDegree; ++t) {
      const double dimension = std::round(choices(t + m, m));
      if (dimension > kMostDimensions) break;
      for (int k = 1; k <= t; ++k) consider(m, t, k, dimension);
    }
  }
  if (best) best->reference = "Cohn, Heninger, ANTS 2012";
  return best;
}

std::optional<Attack> factor_by_curves(const ApproximateGcd& problem) {
  if (!problem.modulus_public) return std::nullopt;
  const double ln_p = problem.eta * std::numbers::ln2;
  const double steps = std::sqrt(2 * ln_p * std::log(ln_p)) / std::numbers::ln2;
  return Attack{.name = "factoring by curves",
                .cycles = steps + std::log2(problem.gamma),
                .core = steps + std::log2(problem.gamma),
                .memory = std::log2(problem.gamma),
                .samples = 1,
                .reference = "Lenstra 1987"};
}

std::optional<Attack> factor_by_sieve(const ApproximateGcd& problem) {
  if (!problem.modulus_public) return std::nullopt;
  constexpr double kConstant = 1.923;
  const double ln_x = problem.gamma * std::numbers::ln2;
  const double work =
      kConstant * std::cbrt(ln_x) * std::pow(std::log(ln_x), 2.0 / 3) / std::numbers::ln2;
  return Attack{.name = "number field sieve",
                .cycles = work,
                .core = work,
                .memory = work / 2,
                .samples = 1,
                .reference = "Lenstra, Lenstra 1993"};
}

Attack squashed_key_meet(const SquashedKey& problem) {
  const double unknown = problem.blocks - problem.known_blocks;
  const double block = problem.length / problem.blocks;
  Attack attack = by_meeting("squashed key, meet in the middle", unknown / 2 * std::log2(block));
  attack.evidence = Evidence::run;
  attack.reference = "Chen, Nguyen, ePrint 2011/436";
  return attack;
}

std::optional<Attack> squashed_key_lattice(const SquashedKey& problem) {
  constexpr double kMargin = 1.5;
  constexpr int kSteps = 100;
  const double unknown = problem.blocks - problem.known_blocks;
  const double bits = problem.relation_bits;
  std::optional<ReductionChoice> best;
  double core = std::numeric_limits<double>::infinity();
  for (int step = 1; step <= kSteps; ++step) {
    const double kept = static_cast<double>(step) / kSteps;
    const double length = kept * problem.length;
    // P m / d - 1.5 >= d lg delta with m = d - Theta: a volume of P Theta.
    const auto choice = choose_block([&](double log_delta) -> std::optional<Reduction> {
      const auto d = least_dimension(bits * length, log_delta, bits - kMargin);
      if (!d) return std::nullopt;
      return Reduction{.basis = {.dimension = std::max(*d, length + 1),
                                 .column_bits = bits,
                                 .columns = Columns::several},
                       .repetitions = -unknown * std::log2(kept)};
    });
    if (!choice) continue;
    core = std::min(core, choice->core);
    if (!best || choice->cheapest.cycles() < best->cheapest.cycles()) best = choice;
  }
  if (!best) return std::nullopt;
  Attack attack = by_reduction("squashed key, lattice", *best);
  attack.core = core;
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
  return {.name = "product-form search",
          .cycles = log2_of_sum(products, problem.candidates + kStepCycles),
          .core = problem.candidates,
          .memory = std::log2(problem.length * problem.gamma / kBitsPerByte),
          .samples = 1,
          .reference = "own; CMNT, Crypto 2011, for the form"};
}

std::optional<Attack> knapsack_lattice(const CiphertextKnapsack& problem) {
  const double d = problem.count + 2;
  const auto choice = choose_block([&](double log_delta) -> std::optional<Reduction> {
    const double leading = problem.count * problem.bits + 2 * d * d * log_delta + 8 * d;
    if (leading > problem.gamma) return std::nullopt;
    return Reduction{.basis = {.dimension = d, .column_bits = leading}};
  });
  if (!choice) return std::nullopt;
  Attack attack = by_reduction("ciphertext, knapsack", *choice);
  attack.gain = Gain::ciphertext;
  attack.samples = 1;
  attack.evidence = Evidence::run;
  attack.reference = "Lagarias, Odlyzko 1985";
  return attack;
}

std::optional<Attack> sparse_weights_lattice(const SparseWeights& problem) {
  const ApproximateGcd& elements = problem.elements;
  const double d = problem.tau + 2;
  const auto choice = choose_block([&](double log_delta) -> std::optional<Reduction> {
    const double hidden = std::min(elements.eta - elements.rho, problem.noise);
    const double room = elements.gamma - hidden - d * d * log_delta;
    const double below = room / problem.tau;
    if (below <= 1) return std::nullopt;
    const double luck = std::max(0.0, std::log2(problem.alpha / below));
    return Reduction{.basis = {.dimension = d, .column_bits = elements.gamma},
                     .repetitions = problem.ones * problem.tau * luck};
  });
  if (!choice) return std::nullopt;
  Attack attack = by_reduction("sparse weights", *choice);
  attack.gain = Gain::ciphertext;
  attack.samples = 1;
  attack.reference = "own, low confidence";
  attack.note = "only against fhe encrypt --sparse";
  return attack;
}

namespace {

std::optional<Attack> ideal_lattice(std::string_view name, const IdealLattice& problem,
                                    double fraction) {
  const double d = std::round(fraction * problem.n);
  const double needed = (problem.determinant / d - 3) / d;
  const auto choice = choose_block([&](double log_delta) -> std::optional<Reduction> {
    if (log_delta > needed) return std::nullopt;
    return Reduction{.basis = {.dimension = d, .column_bits = problem.determinant}};
  });
  if (!choice) return std::nullopt;
  Attack attack = by_reduction(name, *choice);
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

std::optional<Attack> ideal_lattice_full(const IdealLattice& problem) {
  std::optional<Attack> attack = ideal_lattice("ideal lattice", problem, 1);
  if (!attack) return std::nullopt;
  attack->evidence = Evidence::run;
  attack->reference = "Gentry, Halevi, Eurocrypt 2011; Ryan, Heninger, Crypto 2023";
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
    std::optional<Attack> attack = ideal_lattice("ideal lattice, window", problem, fraction);
    if (!attack) return std::nullopt;
    attack->reference = "own; run for n = 64";
    attack->note = fmt::format("opens {:.0f} % of the ciphertexts", 100 * opened);
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
