// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/facts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libfhe/arith/integer.hpp"
#include "libfhe/circuit/scheduled_cost.hpp"
#include "libfhe/error.hpp"
#include "libfhe/scheme/she/parameters.hpp"
#include "libfhe/storage/container.hpp"

namespace fhe::cli {

namespace {

std::size_t width_of(const InputWord& word) {
  return word.width;
}
std::size_t width_of(const OutputWord& word) {
  return word.wires.size();
}

template <class Word>
std::string text_of(std::span<const Word> words) {
  std::vector<std::string> texts;
  texts.reserve(words.size());
  for (const Word& word : words) texts.push_back(fmt::format("{}[{}]", word.name, width_of(word)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

template <class Word>
Json json_of(std::span<const Word> words) {
  Json list = Json::array();
  for (const Word& word : words) list.push_back({{"name", word.name}, {"width", width_of(word)}});
  return list;
}

bool is_digit(char c, bool hexadecimal) {
  const bool letter = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  return (c >= '0' && c <= '9') || (hexadecimal && letter);
}

}  // namespace

std::string words_text(std::span<const InputWord> words) {
  return text_of(words);
}
std::string words_text(std::span<const OutputWord> words) {
  return text_of(words);
}
Json words_json(std::span<const InputWord> words) {
  return json_of(words);
}
Json words_json(std::span<const OutputWord> words) {
  return json_of(words);
}

std::vector<bool> parse_number(const std::string& text, const InputWord& word) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const std::string digits = hexadecimal ? text.substr(2) : text;
  const bool is_number = !digits.empty() && std::ranges::all_of(digits, [&](char c) {
    return is_digit(c, hexadecimal);
  });
  if (!is_number) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("'{}' for input '{}' is no number: write it in decimal, or in "
                            "hexadecimal after 0x",
                            text, word.name));
  }
  const Integer value(digits, hexadecimal ? 16 : 10);
  if (bit_length(value) > word.width) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} has {} bits and input '{}' takes {}", text, bit_length(value),
                            word.name, word.width));
  }
  std::vector<bool> bits(word.width);
  for (std::size_t i = 0; i < word.width; ++i) bits[i] = mpz_tstbit(value.get_mpz_t(), i) != 0;
  return bits;
}

std::string hex_text(const std::vector<bool>& bits, std::size_t first, std::size_t width) {
  std::string text = "0x";
  for (std::size_t digit = (width + 3) / 4; digit-- > 0;) {
    unsigned value = 0;
    for (std::size_t i = 4 * digit; i < std::min(4 * digit + 4, width); ++i) {
      value |= (bits[first + i] ? 1U : 0U) << (i % 4);
    }
    text += fmt::format("{:x}", value);
  }
  return text;
}

Report program_report(const CircuitProgram& program) {
  const TaskGraph graph = program.tasks();
  const RefreshPlan& plan = program.plan();
  const double chain = graph.longest_chain() / TaskCosts{}.recryption;
  Report report;
  report.json = {{"inputs", words_json(program.circuit().inputs())},
                 {"outputs", words_json(program.circuit().outputs())},
                 {"params", program.keys().parameters},
                 {"recryptions", plan.recryptions},
                 {"recryptions_lower_bound", plan.lower_bound},
                 {"recryptions_gate_by_gate", plan.gate_by_gate},
                 {"products", graph.count(TaskKind::product)},
                 {"fewest_ciphertexts", graph.most_values(1)},
                 {"chain_of_recryptions", chain}};
  report.text = fmt::format(
      "inputs     {}\noutputs    {}\nfor keys   {}\n{}, {} (no plan needs fewer than {}; gate by "
      "gate: {})\nthe longest chain is of {:.1f} recryptions; at least {} are kept at a time\n",
      words_text(program.circuit().inputs()), words_text(program.circuit().outputs()),
      program.keys().parameters, counted(graph.count(TaskKind::product), "product"),
      counted(plan.recryptions, "recryption"), plan.lower_bound, plan.gate_by_gate, chain,
      counted(graph.most_values(1), "ciphertext"));
  for (const std::size_t workers : {4U, 16U, 64U}) {
    const double faster = graph.total_cost() / scheduled_cost(graph, workers);
    report.json["speedup"][std::to_string(workers)] = faster;
    report.text += fmt::format("{} workers are {:.1f} times as fast as one\n", workers, faster);
  }
  return report;
}

void add_run(Report& report, const CircuitResult& result, const Evaluator& evaluator,
             const Session& session) {
  const GateCounts counts = evaluator.counts();
  const std::size_t slots = evaluator.key().slots();
  const double noise = largest_noise(result.outputs).bits();
  report.json.update({{"ciphertexts", result.outputs.size()},
                      {"gates", counts.gates},
                      {"products", counts.products},
                      {"recryptions", result.recryptions},
                      {"recryptions_lower_bound", result.plan.lower_bound},
                      {"recryptions_gate_by_gate", result.plan.gate_by_gate},
                      {"noise_bound_bits", noise},
                      {"slots", slots},
                      {"seconds", session.seconds()},
                      {"seconds_per_slot", session.seconds() / static_cast<double>(slots)}});
  report.text += fmt::format(
      ": {}, noise below 2^{:.1f}\n{}, {}, {} (gate by gate: {}), {:.2f} s{}\n",
      counted(result.outputs.size(), "bit"), noise, counted(counts.gates, "gate"),
      counted(counts.products, "product"), counted(result.recryptions, "recryption"),
      result.plan.gate_by_gate, session.seconds(), seconds_by_slot(session.seconds(), slots));
}

KeptObject open_circuit(const std::string& path, const Session& session) {
  return {path, session.circuit_limits().max_file_bytes, session};
}

bool holds_program(const Source& source) {
  std::array<std::byte, kAnnouncingBytes> start{};
  return source.open()->read(0, start) == start.size() &&
         announced_kind(start) == ObjectKind::program;
}

std::string bytes_text(double bytes) {
  constexpr double kStep = 1000;
  constexpr double kRoundsUp = 999.5;
  constexpr std::array<std::string_view, 4> kUnits{"B", "kB", "MB", "GB"};
  std::size_t unit = 0;
  for (; bytes >= kRoundsUp && unit + 1 < kUnits.size(); ++unit) bytes /= kStep;
  return fmt::format("{:.3g} {}", bytes, kUnits[unit]);
}

std::string purpose(const ParameterSet& group) {
  return std::string(to_string(group.purpose()));
}

std::string security_text(const std::optional<security::Estimate>& estimate) {
  if (!estimate) return "-";
  return fmt::format("{} bits, {}", estimate->bits(), security::reason_in_words(*estimate));
}

std::string quantum_text(const std::optional<security::Estimate>& estimate) {
  const auto bits = estimate ? estimate->quantum_bits() : std::nullopt;
  return bits ? std::to_string(*bits) : "-";
}

void add_security(Json& json, const std::optional<security::Estimate>& estimate) {
  const auto core_costs = [](const std::vector<security::Attack>& attacks) {
    Json costs = Json::object();
    for (const security::Attack& attack : attacks) {
      if (attack.suffices) costs[std::string(attack.name)] = attack.core;
    }
    return costs;
  };
  const auto quantum = estimate ? estimate->quantum_bits() : std::nullopt;
  json["estimated_security_bits"] = estimate ? Json(estimate->bits()) : Json(nullptr);
  json["quantum_security_bits"] = quantum ? Json(*quantum) : Json(nullptr);
  json["verdict"] = estimate ? Json(security::in_words(estimate->verdict())) : Json(nullptr);
  json["log2_core_of_attacks"] = estimate ? core_costs(estimate->attacks) : Json(nullptr);
  json["log2_core_of_bounds"] = estimate ? core_costs(estimate->bounds) : Json(nullptr);
  json["estimator_version"] = security::kEstimatorVersion;
}

std::optional<KeySizes> sizes_of_any(const ParameterSet& group) {
  if (group.purpose() != GroupPurpose::slots) return sizes_of(group);
  const she::Parameters p(group);
  const std::uint64_t text = group.to_toml().size();
  KeySizes sizes;
  sizes.slots = p.slots;
  sizes.ciphertext = bytes_for_bits(p.gamma);
  sizes.compressed_bits = p.correction_bits();
  sizes.secret_key_file = container_bytes(2, text + p.slots * bytes_for_bits(p.eta));
  if (p.has_public_keys()) {
    sizes.public_key_file =
        container_bytes(3, text + kStreamSeedBytes + bytes_for_bits(p.tau * p.correction_bits()));
  }
  return sizes;
}

std::string compressed_text(const std::optional<KeySizes>& sizes) {
  if (!sizes || !sizes->compressed_bits) return "-";
  const std::uint64_t bytes = (*sizes->compressed_bits + 7) / 8;
  return bytes_text(static_cast<double>(bytes));
}

std::string size_per_slot_text(const std::optional<KeySizes>& sizes) {
  if (!sizes) return "-";
  const std::uint64_t bytes = sizes->ciphertext / sizes->slots;
  return bytes_text(static_cast<double>(bytes));
}

std::string size_text(const std::optional<KeySizes>& sizes, std::uint64_t KeySizes::*size) {
  if (!sizes || *sizes.*size == 0) return "-";
  return bytes_text(static_cast<double>(*sizes.*size));
}

Json size_json(const std::optional<KeySizes>& sizes, std::uint64_t KeySizes::*size) {
  return sizes && *sizes.*size != 0 ? Json(*sizes.*size) : Json(nullptr);
}

void add_sizes(Json& json, const std::optional<KeySizes>& sizes) {
  json["slots"] = sizes ? Json(sizes->slots) : Json(nullptr);
  json["ciphertext_bytes"] = size_json(sizes, &KeySizes::ciphertext);
  json["compressed_ciphertext_bits"] =
      sizes && sizes->compressed_bits ? Json(*sizes->compressed_bits) : Json(nullptr);
  json["public_key_bytes"] = size_json(sizes, &KeySizes::public_key_file);
  json["secret_key_bytes"] = size_json(sizes, &KeySizes::secret_key_file);
  json["exact_sizes"] = sizes ? Json(sizes->exact) : Json(nullptr);
  json["recryption_memory_bytes"] = size_json(sizes, &KeySizes::recryption_memory);
}

NoiseBound largest_noise(const std::vector<Ciphertext>& ciphertexts) {
  NoiseBound largest;
  for (const Ciphertext& c : ciphertexts) largest = std::max(largest, c.noise());
  return largest;
}

std::string counted(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string seconds_by_slot(double seconds, std::size_t slots) {
  constexpr double kMilli = 1e3;
  if (slots == 1) return "";
  const double milliseconds = seconds * kMilli / static_cast<double>(slots);
  return fmt::format(", {:.3g} ms in each of {} slots", milliseconds, slots);
}

}  // namespace fhe::cli
