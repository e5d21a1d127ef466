// SPDX-License-Identifier: Apache-2.0
// `fhe run --cycles`: a circuit with registers for a number of clock cycles.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/cli/facts.hpp"
#include "apps/cli/key_files.hpp"
#include "apps/cli/object_input.hpp"
#include "apps/cli/run_command.hpp"
#include "apps/support/file_checks.hpp"
#include "apps/support/process_memory.hpp"
#include "libfhe/circuit/run_clocked.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/scheme/files.hpp"

namespace fhe::cli {

namespace {

// The values of an input word, which are separated by commas: one for all cycles, or one for each.
std::vector<std::vector<bool>> parse_numbers(const std::string& text, const InputWord& word,
                                             std::uint64_t cycles) {
  std::vector<std::vector<bool>> values;
  std::size_t first = 0;
  while (true) {
    const std::size_t end = text.find(',', first);
    values.push_back(parse_number(text.substr(first, end - first), word));
    if (end == std::string::npos) break;
    first = end + 1;
  }
  if (values.size() == 1 || values.size() == cycles) return values;
  throw misuse(
      fmt::format("input '{}' has {} values: give one for all cycles, or one for each of "
                  "the {}",
                  word.name, values.size(), cycles));
}

// Runs on plain bits and keeps the outputs that are wanted, as numbers.
class PlainCycles {
 public:
  PlainCycles(const RunCommandOptions& options, const ClockedCircuit& circuit)
      : options_(options), circuit_(circuit), texts_(circuit.outputs().size()) {
    for (std::size_t i = 0; i < circuit.inputs().size(); ++i) {
      inputs_.push_back(parse_numbers(options.inputs[i], circuit.inputs()[i], options.cycles));
    }
  }

  // By output word, and the wanted cycles of each.
  [[nodiscard]] std::vector<std::vector<std::string>> run(const Monitor& monitor) {
    const PlainBits plain;
    std::vector<bool> state = initial_state(circuit_, plain);
    for (std::uint64_t cycle = 0; cycle < options_.cycles; ++cycle) {
      monitor.throw_if_stopped();
      const std::vector<bool> outputs = evaluate_cycle(circuit_, plain, bits_of(cycle), state);
      if (options_.every_cycle || cycle + 1 == options_.cycles) add(outputs);
    }
    return std::move(texts_);
  }

 private:
  [[nodiscard]] std::vector<bool> bits_of(std::uint64_t cycle) const {
    std::vector<bool> bits;
    for (const auto& values : inputs_) {
      const auto& value = values.size() == 1 ? values.front() : values[cycle];
      bits.insert(bits.end(), value.begin(), value.end());
    }
    return bits;
  }

  void add(const std::vector<bool>& outputs) {
    std::size_t first = 0;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      const std::size_t width = circuit_.outputs()[i].wires.size();
      texts_[i].push_back(hex_text(outputs, first, width));
      first += width;
    }
  }

  const RunCommandOptions& options_;
  const ClockedCircuit& circuit_;
  std::vector<std::vector<std::vector<bool>>> inputs_;  // by word, by cycle
  std::vector<std::vector<std::string>> texts_;
};

Report run_plain_cycles(const RunCommandOptions& options, const ClockedCircuit& circuit,
                        const Session& session) {
  require_plain_options(options);
  const auto texts = PlainCycles(options, circuit).run(session.monitor());
  Report report;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string& name = circuit.outputs()[i].name;
    Json& json = report.json["outputs"][name];
    if (options.every_cycle) {
      json = texts[i];
    } else {
      json = texts[i].front();
    }
    report.text += fmt::format("{} = {}\n", name, fmt::join(texts[i], ","));
  }
  return report;
}

std::vector<std::vector<Ciphertext>> load_words(const RunCommandOptions& options,
                                                const ClockedCircuit& circuit, const PublicKey& key,
                                                const Session& session) {
  std::vector<std::vector<Ciphertext>> words;
  for (std::size_t i = 0; i < circuit.inputs().size(); ++i) {
    const InputWord& word = circuit.inputs()[i];
    words.push_back(open_ciphertexts(options.inputs[i], key, session));
    const std::size_t bits = words.back().size();
    if (bits == word.width || (bits % options.cycles == 0 && bits / options.cycles == word.width)) {
      continue;
    }
    throw misuse(
        fmt::format("{} holds {}; input '{}' takes {} for all cycles, or {} for each of "
                    "the {}",
                    options.inputs[i], counted(bits, "bit"), word.name, word.width, word.width,
                    options.cycles));
  }
  return words;
}

// Bits of each output word, as far as they are wanted.
std::vector<std::size_t> output_sizes(const RunCommandOptions& options,
                                      const ClockedCircuit& circuit) {
  const std::uint64_t cycles = options.every_cycle ? options.cycles : 1;
  std::vector<std::size_t> sizes;
  for (const OutputWord& word : circuit.outputs()) sizes.push_back(word.wires.size() * cycles);
  return sizes;
}

// Outputs that nobody could read are not worth hours of work.
void require_savable_words(const RunCommandOptions& options, const ClockedCircuit& circuit,
                           const PublicKey& key, const ReadLimits& limits) {
  const std::vector<std::size_t> sizes = output_sizes(options, circuit);
  if (options.outputs.size() == sizes.size()) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      require_savable(sizes[i], key, limits, options.outputs[i]);
    }
    return;
  }
  std::size_t all = 0;
  for (const std::size_t size : sizes) all += size;
  require_savable(all, key, limits, options.outputs.front());
}

std::vector<Ciphertext> all_of(std::vector<std::vector<Ciphertext>> words) {
  std::vector<Ciphertext> bits;
  for (auto& word : words) std::ranges::move(word, std::back_inserter(bits));
  return bits;
}

void save_words(const std::vector<std::filesystem::path>& outputs,
                std::vector<std::vector<Ciphertext>> words, const PublicKey& key,
                const ReadLimits& limits) {
  if (outputs.size() != words.size()) {
    return save(outputs.front(), all_of(std::move(words)), key, limits);
  }
  for (std::size_t i = 0; i < words.size(); ++i) save(outputs[i], words[i], key, limits);
}

NoiseBound largest_noise_of(const std::vector<std::vector<Ciphertext>>& words) {
  NoiseBound largest;
  for (const auto& word : words) largest = std::max(largest, largest_noise(word));
  return largest;
}

// One that a run left behind in its first cycle is there before that of the whole run.
void require_cycle_checkpoint(const RunCommandOptions& options) {
  if (options.checkpoint.empty()) return;
  apps::require_checkpoint_file(cycle_checkpoint(options.checkpoint, 0), options.resume);
}

Report run_encrypted_cycles(const RunCommandOptions& options, const ClockedCircuit& circuit,
                            Session& session) {
  const std::vector<std::filesystem::path> outputs = checked_outputs(options, circuit.outputs());
  require_cycle_checkpoint(options);
  const ReadLimits& limits = session.limits();
  const PublicKey key = open_public_key(options.key, session);
  require_savable_words(options, circuit, key, limits);
  auto words = load_words(options, circuit, key, session);
  session.monitor().throw_if_stopped();
  const Evaluator evaluator(key, session.backend());
  ClockedResult result =
      run_clocked(circuit, evaluator, std::move(words), options.cycles,
                  {run_options(options, limits), options.every_cycle}, session.monitor());
  const NoiseBound noise = largest_noise_of(result.outputs);
  const auto sizes = output_sizes(options, circuit);
  std::size_t bits = 0;
  for (const std::size_t size : sizes) bits += size;
  save_words(outputs, std::move(result.outputs), key, limits);
  if (!options.checkpoint.empty()) remove_checkpoint(options.checkpoint);
  const GateCounts counts = evaluator.counts();
  Report report;
  report.to_standard_error = std::ranges::any_of(outputs, apps::is_standard_output);
  report.json = {{"out", options.outputs},
                 {"ciphertexts", bits},
                 {"cycles", options.cycles},
                 {"gates", counts.gates},
                 {"products", counts.products},
                 {"recryptions", result.recryptions},
                 {"peak_ciphertexts", result.peak_ciphertexts},
                 {"peak_memory_bytes", apps::peak_memory_bytes()},
                 {"resumed_cycles", result.resumed_cycles},
                 {"resumed_values", result.resumed_values},
                 {"noise_bound_bits", noise.bits()},
                 {"seconds", session.seconds()}};
  report.text = fmt::format("{}: {}, noise below 2^{:.1f}\n{}, {}, {}, {}, {:.2f} s\n",
                            options.outputs.front(), counted(bits, "bit"), noise.bits(),
                            counted(options.cycles, "cycle"), counted(counts.gates, "gate"),
                            counted(counts.products, "product"),
                            counted(result.recryptions, "recryption"), session.seconds());
  return report;
}

}  // namespace

Report run_clocked_command(const RunCommandOptions& options, const ClockedCircuit& circuit,
                           Session& session) {
  return options.plain ? run_plain_cycles(options, circuit, session)
                       : run_encrypted_cycles(options, circuit, session);
}

}  // namespace fhe::cli
