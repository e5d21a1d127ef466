// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/circuit_facts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/cli/ciphertext_facts.hpp"
#include "libfhe/circuit/scheduled_cost.hpp"
#include "libfhe/error.hpp"
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

}  // namespace fhe::cli
