// SPDX-License-Identifier: Apache-2.0
// `fhe params estimate`: what the known attacks cost against a group, against numbers of one's own,
// or against every built-in group.
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/command_line.hpp"
#include "apps/cli/facts.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/scheme/security.hpp"
#include "libfhe/security/estimate.hpp"

namespace fhe::cli {

namespace {

struct EstimateOptions {
  std::string group;
  std::string recryption_keys = "yes";
  std::optional<double> rho;
  std::optional<double> eta;
  std::optional<double> gamma;
  double slots = 1;
  std::string modulus = "public";
  std::optional<double> samples;
};

std::string_view in_words(security::Gain gain) {
  return gain == security::Gain::key ? "key" : "ciphertext";
}

std::string_view in_words(security::Evidence evidence) {
  return evidence == security::Evidence::run ? "run" : "model";
}

Json attack_json(const security::Attack& attack) {
  const auto unless_zero = [](double value) { return value > 0 ? Json(value) : Json(nullptr); };
  return {{"name", attack.name},
          {"opens", in_words(attack.gain)},
          {"suffices", attack.suffices},
          {"log2_cycles", attack.cycles},
          {"log2_core", attack.core},
          {"log2_quantum_core", attack.quantum},
          {"log2_memory_bytes", attack.memory},
          {"dimension", unless_zero(attack.dimension)},
          {"block_size", unless_zero(attack.block)},
          {"samples", attack.samples},
          {"evidence", in_words(attack.evidence)},
          {"reference", attack.reference},
          {"note", attack.note}};
}

Json attacks_json(const std::vector<security::Attack>& attacks) {
  Json json = Json::array();
  for (const security::Attack& attack : attacks) json.push_back(attack_json(attack));
  return json;
}

Json number_or_null(const std::optional<double>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json estimate_json(const security::Estimate& estimate) {
  Json checks = Json::array();
  for (const security::Check& check : estimate.checks) {
    checks.push_back({{"name", check.name}, {"holds", check.holds}, {"detail", check.detail}});
  }
  return {{"estimator_version", security::kEstimatorVersion},
          {"log2_cycles", estimate.cycles()},
          {"log2_core", estimate.core()},
          {"log2_quantum_core", number_or_null(estimate.quantum())},
          {"cheapest", estimate.cheapest().name},
          {"verdict", security::in_words(estimate.verdict())},
          {"quantum_computer_breaks", estimate.quantum_breaks},
          {"attacks", attacks_json(estimate.attacks)},
          {"optional_attacks", attacks_json(estimate.optional_attacks)},
          {"bounds", attacks_json(estimate.bounds)},
          {"checks", checks}};
}

// A line of the table, of the heading or of an attack.
std::string table_line(std::string_view name, std::string_view opens, std::string_view cycles,
                       std::string_view core, std::string_view quantum, std::string_view memory,
                       std::string_view dimension, std::string_view block,
                       std::string_view evidence, std::string_view reference) {
  return fmt::format("{:<33} {:<10} {:>7} {:>6} {:>7} {:>7} {:>6} {:>5} {:<6} {}\n", name, opens,
                     cycles, core, quantum, memory, dimension, block, evidence, reference);
}

std::string attack_text(const security::Attack& attack) {
  const auto whole = [](double value) { return value > 0 ? fmt::format("{:.0f}", value) : "-"; };
  const auto log = [](double value) {
    return std::isfinite(value) ? fmt::format("{:.1f}", value) : "-";
  };
  std::string reference(attack.reference);
  if (!attack.note.empty()) reference += "; " + attack.note;
  return table_line(attack.name, in_words(attack.gain), log(attack.cycles), log(attack.core),
                    log(attack.quantum), log(attack.memory), whole(attack.dimension),
                    whole(attack.block), in_words(attack.evidence), reference);
}

std::string table_text(const security::Estimate& estimate) {
  std::string text = table_line("ATTACK", "OPENS", "CYCLES", "CORE", "QUANTUM", "MEMORY", "DIM",
                                "BLOCK", "FROM", "REFERENCE");
  for (const security::Attack& attack : estimate.attacks) text += attack_text(attack);
  for (const security::Attack& attack : estimate.optional_attacks) text += attack_text(attack);
  if (estimate.bounds.empty()) return text;
  text += "\nNo attacks, but bounds; they do not count:\n";
  for (const security::Attack& bound : estimate.bounds) text += attack_text(bound);
  return text;
}

std::string estimate_text(const security::Estimate& estimate) {
  std::string text = table_text(estimate);
  text += fmt::format(
      "\ncheapest    {}: 2^{:.1f} cycles, {} on one core\nsecurity    {}\nquantum     {}\n",
      estimate.cheapest().name, estimate.cycles(), security::time_in_words(estimate.cycles()),
      security_text(estimate),
      estimate.quantum_breaks ? "a large quantum computer opens everything"
                              : fmt::format("{} bits", quantum_text(estimate)));
  for (const security::Check& check : estimate.checks) {
    text +=
        fmt::format("{:<11} {}: {}\n", check.holds ? "holds" : "FAILS", check.name, check.detail);
  }
  return text +
         fmt::format(
             "\nAll costs are log2. CORE is LLL and one call of a sieve, without polynomial "
             "factors;\nQUANTUM the same with quantum sieves; MEMORY is in bytes. FROM says "
             "whether the attack\nwas run at small sizes or is a formula. Estimator version {}.\n",
             security::kEstimatorVersion);
}

security::Published published(const EstimateOptions& options) {
  return {.recryption_keys = options.recryption_keys == "yes"};
}

Report report_on(const std::string& name, const security::Estimate& estimate) {
  Report report;
  report.json = {{"name", name}};
  report.json.update(estimate_json(estimate));
  report.text = fmt::format("{}\n\n{}", name, estimate_text(estimate));
  return report;
}

Report estimate_group(const EstimateOptions& options) {
  const ParameterSet group = ParameterSet::resolve(options.group);
  const auto estimate = estimate_of(group, published(options));
  if (!estimate) throw group.invalid("is for benchmarks only: there is no key to attack");
  return report_on(group.name(), *estimate);
}

security::ApproximateGcd own_samples(const EstimateOptions& options) {
  security::ApproximateGcd samples{.rho = *options.rho,
                                   .eta = *options.eta,
                                   .gamma = *options.gamma,
                                   .slots = options.slots,
                                   .modulus_public = options.modulus == "public"};
  if (options.samples) samples.samples = *options.samples;
  if (samples.eta <= samples.rho || samples.gamma <= samples.slots * samples.eta) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("eta = {} must be more than rho = {}, and gamma = {} more than eta for each "
                    "of {} slots",
                    *options.eta, *options.rho, *options.gamma, options.slots));
  }
  return samples;
}

Report estimate_all(const EstimateOptions& options) {
  const auto line = [](std::string_view name, std::string_view cycles, std::string_view core,
                       std::string_view quantum, std::string_view verdict,
                       std::string_view cheapest) {
    return fmt::format("{:<22} {:>7} {:>6} {:>7}  {:<13} {}\n", name, cycles, core, quantum,
                       verdict, cheapest);
  };
  Report report;
  report.json["groups"] = Json::array();
  report.text = line("NAME", "CYCLES", "CORE", "QUANTUM", "VERDICT", "CHEAPEST ATTACK");
  for (const std::string& name : ParameterSet::names()) {
    const auto estimate = estimate_of(ParameterSet::named(name), published(options));
    if (!estimate) continue;
    Json json{{"name", name}};
    json.update(estimate_json(*estimate));
    report.json["groups"].push_back(json);
    report.text += line(name, fmt::format("{:.1f}", estimate->cycles()),
                        fmt::format("{:.1f}", estimate->core()), quantum_text(estimate),
                        security::in_words(estimate->verdict()), estimate->cheapest().name);
  }
  return report;
}

Report estimate_command(const EstimateOptions& options) {
  if (options.rho) {
    return report_on("own numbers", security::estimate({.samples = own_samples(options)}));
  }
  return options.group.empty() ? estimate_all(options) : estimate_group(options);
}

}  // namespace

void add_estimate_command(CommandLine& line, const apps::Command& params) {
  constexpr std::uint64_t kMostNoise = 1U << 16;
  constexpr std::uint64_t kMostPrime = 1U << 20;
  constexpr std::uint64_t kMostBits = std::uint64_t{1} << 40;
  const auto options = std::make_shared<EstimateOptions>();
  const apps::Command command = line.add_command(
      params, "estimate",
      "Say what the known attacks cost: of a group, of own numbers, of all groups",
      "fhe params estimate cnt-toy", [options](Session&) { return estimate_command(*options); });
  const apps::Option group =
      command
          .option("NAME", options->group,
                  "Name of a built-in group, or path of a TOML file; none: all groups")
          .value_name("");
  command
      .option("--recryption-keys", options->recryption_keys,
              "Whether the keys publish what recryption needs: yes or no")
      .value_name("WORD")
      .one_of({"yes", "no"})
      .shows_default();
  const apps::Option rho = command.option("--rho", options->rho, "Own numbers: bits of the noise")
                               .value_name("BITS")
                               .decimal(kMostNoise)
                               .excludes(group);
  const apps::Option eta = command.option("--eta", options->eta, "Bits of each secret prime")
                               .value_name("BITS")
                               .decimal(kMostPrime)
                               .needs(rho);
  const apps::Option gamma = command.option("--gamma", options->gamma, "Bits of a ciphertext")
                                 .value_name("BITS")
                                 .decimal(kMostBits)
                                 .needs(rho);
  rho.needs(eta).needs(gamma);
  command.option("--slots", options->slots, "Secret primes")
      .value_name("N")
      .decimal(kMostNoise)
      .in_range(1.0, static_cast<double>(kMostNoise))
      .needs(rho)
      .shows_default();
  command.option("--x0", options->modulus, "Whether the modulus is public or secret")
      .value_name("WORD")
      .one_of({"public", "secret"})
      .needs(rho)
      .shows_default();
  command
      .option("--samples", options->samples, "How many samples there are; without it, any number")
      .value_name("N")
      .decimal(kMostBits)
      .needs(rho);
}

}  // namespace fhe::cli
