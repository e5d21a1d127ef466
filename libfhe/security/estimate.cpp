// SPDX-License-Identifier: Apache-2.0
#include "libfhe/security/estimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace fhe::security {

namespace {

constexpr double kBroken = 50;
constexpr double kWeak = 80;
constexpr double kResearch = 112;

class Collector {
 public:
  void add(Attack attack) { attacks_.push_back(std::move(attack)); }
  void add(std::optional<Attack> attack) {
    if (attack) add(std::move(*attack));
  }

  std::vector<Attack> sorted() {
    std::ranges::stable_sort(attacks_, {}, &Attack::cycles);
    return std::move(attacks_);
  }

 private:
  std::vector<Attack> attacks_;
};

// Recryption keys are published with `length` encrypted bits of the squashed key, samples too.
ApproximateGcd all_samples(const Problems& problems, const Published& published) {
  ApproximateGcd samples = *problems.samples;
  if (!published.recryption_keys) return samples;
  if (problems.squashed) samples.samples += problems.squashed->length;
  return samples;
}

void add_samples(Collector& attacks, const ApproximateGcd& samples) {
  attacks.add(noise_search(samples));
  attacks.add(orthogonal_lattice(samples));
  attacks.add(unique_shortest_vector(samples));
  attacks.add(dual_distinguisher(samples));
  attacks.add(multivariate_coppersmith(samples));
  attacks.add(factor_by_curves(samples));
  attacks.add(factor_by_sieve(samples));
}

void add_bounds(Collector& bounds, const ApproximateGcd& samples) {
  if (samples.slots == 1) return;
  const auto add = [&](Attack attack, std::string_view name) {
    attack.name = name;
    attack.evidence = Evidence::model;
    bounds.add(std::move(attack));
  };
  const ApproximateGcd given = hidden_lattice_given(samples);
  add(unique_shortest_vector(given), "hidden lattice given, vector");
  add(dual_distinguisher(given), "hidden lattice given, dual");
}

void add_ideal(Collector& attacks, const IdealLattice& ideal) {
  attacks.add(ideal_lattice_full(ideal));
  attacks.add(ideal_lattice_window(ideal));
  attacks.add(ideal_noise_meet(ideal));
}

void add_recryption(Collector& attacks, const Problems& problems) {
  if (problems.squashed) {
    attacks.add(squashed_key_meet(*problems.squashed));
    attacks.add(squashed_key_lattice(*problems.squashed));
  }
  if (problems.product_key) attacks.add(product_form_search(*problems.product_key));
}

std::vector<Check> checks_of(const Conditions& conditions) {
  std::vector<Check> checks;
  if (conditions.entropy_bits) {
    const double slack = (*conditions.entropy_bits - conditions.hashed_bits) / 2;
    checks.push_back(
        {"leftover hash", slack >= conditions.claimed_bits,
         fmt::format("{:.0f} bits of randomness for {:.0f} bits: a slack of {:.0f}, {:.0f} "
                     "are claimed",
                     *conditions.entropy_bits, conditions.hashed_bits, slack,
                     conditions.claimed_bits)});
  }
  if (conditions.rough_bits) {
    checks.push_back({"roughness", *conditions.rough_bits >= conditions.claimed_bits,
                      fmt::format("q0 has no prime factor below 2^{:.0f}, 2^{:.0f} is claimed",
                                  *conditions.rough_bits, conditions.claimed_bits)});
  }
  checks.push_back({"decryption", conditions.noise_bits <= conditions.noise_limit_bits,
                    fmt::format("new ciphertexts have at most {:.1f} bits of noise, {:.1f} decrypt",
                                conditions.noise_bits, conditions.noise_limit_bits)});
  return checks;
}

}  // namespace

std::string in_words(Verdict verdict) {
  switch (verdict) {
    case Verdict::broken:
      return "broken today";
    case Verdict::weak:
      return "weak";
    case Verdict::research:
      return "research";
    case Verdict::below_128:
      return "below 128";
    case Verdict::passes_128:
      break;
  }
  return fmt::format("passes 128 as estimated by version {}", kEstimatorVersion);
}

const Attack& Estimate::cheapest_core() const {
  return *std::ranges::min_element(attacks, {}, &Attack::core);
}

std::optional<double> Estimate::quantum() const {
  if (quantum_breaks) return std::nullopt;
  return std::ranges::min_element(attacks, {}, &Attack::quantum)->quantum;
}

Verdict Estimate::verdict() const {
  if (cycles() < kBroken) return Verdict::broken;
  if (cycles() < kWeak) return Verdict::weak;
  if (cycles() < kResearch) return Verdict::research;
  const bool knows_lattices =
      std::ranges::any_of(attacks, [](const Attack& attack) { return attack.block > 0; });
  return core() >= kTarget && knows_lattices ? Verdict::passes_128 : Verdict::below_128;
}

int Estimate::bits() const {
  return static_cast<int>(std::floor(core()));
}

std::optional<int> Estimate::quantum_bits() const {
  const std::optional<double> cost = quantum();
  return cost ? std::optional(static_cast<int>(std::floor(*cost))) : std::nullopt;
}

std::string reason_in_words(const Estimate& estimate) {
  const Verdict verdict = estimate.verdict();
  if (verdict == Verdict::passes_128) return in_words(verdict);
  const Attack& attack = estimate.cheapest_core();
  const std::string block =
      attack.block > 0 ? fmt::format(" at block size {:.0f}", attack.block) : std::string();
  return fmt::format("{}: {}{}, 2^{:.1f} cycles, core 2^{:.1f}", in_words(verdict), attack.name,
                     block, attack.cycles, attack.core);
}

ApproximateGcd samples_of(const GadgetRows& gadget) {
  return {.rho = gadget.rho,
          .eta = gadget.eta,
          .gamma = gadget.gamma,
          .modulus_public = false,
          .samples = gadget.rows * gadget.ciphertexts};
}

Estimate estimate(const Problems& problems, const Published& published) {
  Collector attacks;
  Collector bounds;
  if (problems.samples) {
    const ApproximateGcd samples = all_samples(problems, published);
    add_samples(attacks, samples);
    add_bounds(bounds, samples);
  }
  if (problems.gadget) add_samples(attacks, samples_of(*problems.gadget));
  if (problems.ideal) add_ideal(attacks, *problems.ideal);
  if (problems.knapsack) attacks.add(knapsack_lattice(*problems.knapsack));
  if (published.recryption_keys) add_recryption(attacks, problems);
  Collector optional_attacks;
  if (problems.sparse) optional_attacks.add(sparse_weights_lattice(*problems.sparse));
  return {
      .attacks = attacks.sorted(),
      .optional_attacks = optional_attacks.sorted(),
      .bounds = bounds.sorted(),
      .checks = problems.conditions ? checks_of(*problems.conditions) : std::vector<Check>{},
      .quantum_breaks = problems.ideal || (problems.samples && problems.samples->modulus_public)};
}

std::string time_in_words(double cycles) {
  struct Unit {
    double seconds;
    std::string_view name;
  };
  constexpr std::array<Unit, 5> kUnits{
      {{365.25 * 86400, "years"}, {86400, "days"}, {3600, "h"}, {60, "min"}, {1, "s"}}};
  constexpr double kCyclesPerSecond = 3e9;
  constexpr double kNamed = 1000;  // more years than these as a power of two
  const double log_seconds = cycles - std::log2(kCyclesPerSecond);
  const double log_years = log_seconds - std::log2(kUnits.front().seconds);
  if (log_years > std::log2(kNamed)) return fmt::format("2^{:.0f} years", log_years);
  const double seconds = std::exp2(log_seconds);
  for (const Unit& unit : kUnits) {
    // Two of a unit or more, so that nobody reads "1 years".
    if (seconds >= 2 * unit.seconds)
      return fmt::format("{:.0f} {}", seconds / unit.seconds, unit.name);
  }
  return "2 s or less";
}

}  // namespace fhe::security
