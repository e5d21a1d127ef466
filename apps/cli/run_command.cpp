// SPDX-License-Identifier: Apache-2.0
// `fhe run`: a whole circuit, on ciphertexts or on plain numbers.
#include "apps/cli/run_command.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "apps/cli/command_line.hpp"
#include "apps/cli/facts.hpp"
#include "apps/cli/input.hpp"
#include "apps/cli/key_files.hpp"
#include "apps/cli/object_input.hpp"
#include "apps/cli/plain_forms.hpp"
#include "apps/support/file_checks.hpp"
#include "apps/support/process_memory.hpp"
#include "libfhe/circuit/netlist_files.hpp"
#include "libfhe/circuit/program_files.hpp"
#include "libfhe/circuit/run.hpp"
#include "libfhe/circuit/run_clocked.hpp"
#include "libfhe/error.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/slots.hpp"

namespace fhe::cli {

namespace {

// The outputs for these inputs; `slot` is what a line says behind the name of a word.
Report plain_outputs(const Netlist& netlist, const std::vector<bool>& inputs,
                     const std::string& slot) {
  const PlainBits plain;
  const std::vector<bool> outputs = evaluate(netlist, plain, inputs);
  Report report;
  std::size_t first = 0;
  for (const OutputWord& word : netlist.outputs()) {
    const std::string value = hex_text(outputs, first, word.wires.size());
    report.json[word.name] = value;
    report.text += fmt::format("{}{} = {}\n", word.name, slot, value);
    first += word.wires.size();
  }
  return report;
}

// The bits of one input word in each slot, from a file with a number for each.
std::vector<std::vector<bool>> plain_slots(const std::string& file, const InputWord& word,
                                           const Session& session) {
  TextSource text(file, session.monitor().stop);
  return transposed(read_slots(PlainForm::number, [&text] { return text.next(); }, input_name(file),
                               {word.width, session.limits().max_ciphertexts}));
}

Report run_plain_slots(const RunCommandOptions& options, const Netlist& netlist,
                       const Session& session) {
  std::vector<std::vector<bool>> inputs;
  for (std::size_t i = 0; i < netlist.inputs().size(); ++i) {
    const auto slots = plain_slots(options.inputs[i], netlist.inputs()[i], session);
    if (i == 0) inputs.resize(slots.size());
    if (slots.size() != inputs.size()) {
      throw misuse(fmt::format("{} has {} and {} has {}: give a number for each slot in both",
                               options.inputs[0], counted(inputs.size(), "number"),
                               options.inputs[i], counted(slots.size(), "number")));
    }
    for (std::size_t j = 0; j < slots.size(); ++j) {
      inputs[j].insert(inputs[j].end(), slots[j].begin(), slots[j].end());
    }
  }
  Report all;
  all.json["slots"] = Json::array();
  for (std::size_t j = 0; j < inputs.size(); ++j) {
    const Report one = plain_outputs(netlist, inputs[j], fmt::format("[{}]", j));
    all.json["slots"].push_back({{"outputs", one.json}});
    all.text += one.text;
  }
  return all;
}

Report run_plain(const RunCommandOptions& options, const Netlist& netlist, const Session& session) {
  require_plain_options(options);
  if (options.slots) return run_plain_slots(options, netlist, session);
  std::vector<bool> inputs;
  for (std::size_t i = 0; i < netlist.inputs().size(); ++i) {
    const std::vector<bool> bits = parse_number(options.inputs[i], netlist.inputs()[i]);
    inputs.insert(inputs.end(), bits.begin(), bits.end());
  }
  Report report = plain_outputs(netlist, inputs, "");
  report.json = {{"outputs", std::move(report.json)}};
  return report;
}

void save_outputs(const std::vector<std::filesystem::path>& outputs, const Netlist& netlist,
                  const std::vector<Ciphertext>& bits, const PublicKey& key,
                  const ReadLimits& limits) {
  if (outputs.size() == 1) return save(outputs.front(), bits, key, limits);
  auto next = bits.begin();
  for (std::size_t i = 0; i < netlist.outputs().size(); ++i) {
    const auto end = next + static_cast<std::ptrdiff_t>(netlist.outputs()[i].wires.size());
    save(outputs[i], {next, end}, key, limits);
    next = end;
  }
}

Report run_encrypted(const RunCommandOptions& options, const RunnableCircuit& circuit,
                     Session& session) {
  const Netlist& netlist = circuit.netlist;
  const std::vector<std::filesystem::path> outputs = checked_outputs(options, netlist.outputs());
  const PublicKey key = open_public_key(options.key, session);
  require_savable_outputs(options, netlist, key, session.limits());
  std::vector<Ciphertext> inputs = load_inputs(options, netlist, key, session);
  session.monitor().throw_if_stopped();
  const Evaluator evaluator(key, session.backend());
  const CircuitProgram program = program_for(circuit, evaluator, inputs, session);
  const CircuitResult result =
      run_circuit(program, evaluator, std::move(inputs), run_options(options, session.limits()),
                  session.monitor());
  return finished_run(options, outputs, netlist, result, evaluator, session);
}

// Throws Error(invalid_argument) for options that the engine has no use for.
void require_engine_options(const RunCommandOptions& options) {
  if (options.engine == kLocalEngine) return;
  if (options.plain || options.cycles > 0 || options.memory_mib > 0) {
    throw misuse(
        "--engine starpu runs whole circuits on ciphertexts: leave out --plain, --cycles and "
        "--memory");
  }
}

Report run_command(const RunCommandOptions& options, Session& session) {
  require_engine_options(options);
  if (options.engine == kStarpuEngine) return run_on_cluster(options, session);
  if (options.cycles > 0) {
    if (options.slots) throw misuse("--slots is not for runs of several --cycles");
    const KeptObject object = open_circuit(options.circuit, session);
    const ClockedCircuit circuit = load_circuit(object.source(), session.circuit_limits());
    require_one_for_each_input(options, circuit.inputs());
    return run_clocked_command(options, circuit, session);
  }
  if (options.every_cycle) throw misuse("--every-cycle is for runs of several --cycles");
  if (options.slots && !options.plain) {
    throw misuse("--slots is for --plain: ciphertexts bring their slots with them");
  }
  const RunnableCircuit circuit = load_combinational(options, session);
  return options.plain ? run_plain(options, circuit.netlist, session)
                       : run_encrypted(options, circuit, session);
}

}  // namespace

Error misuse(const std::string& what) {
  return {ErrorCode::invalid_argument, what};
}

void require_one_for_each_input(const RunCommandOptions& options,
                                std::span<const InputWord> inputs) {
  if (options.inputs.size() == inputs.size()) return;
  throw misuse(fmt::format("the circuit takes {} ({}): give --input once for each, not {} times",
                           counted(inputs.size(), "input"), words_text(inputs),
                           options.inputs.size()));
}

void require_plain_options(const RunCommandOptions& options) {
  if (options.key.empty() && options.outputs.empty() && options.checkpoint.empty()) return;
  throw misuse(
      "--plain computes on numbers and prints them: leave out --key, --out and "
      "--checkpoint");
}

std::vector<std::filesystem::path> checked_outputs(const RunCommandOptions& options,
                                                   std::span<const OutputWord> words) {
  if (options.key.empty()) throw misuse("give the public key with --key, or --plain");
  if (options.outputs.size() != 1 && options.outputs.size() != words.size()) {
    throw misuse(
        fmt::format("the circuit gives {} ({}): give --out once for all of them or once "
                    "for each, not {} times",
                    counted(words.size(), "output"), words_text(words), options.outputs.size()));
  }
  std::vector<std::filesystem::path> outputs;
  outputs.reserve(options.outputs.size());
  for (const std::string& output : options.outputs) {
    outputs.push_back(apps::require_ciphertext_output(output));
  }
  if (options.resume && options.checkpoint.empty()) {
    throw misuse("--resume goes on from a file: name it with --checkpoint");
  }
  if (!options.checkpoint.empty())
    apps::require_checkpoint_file(options.checkpoint, options.resume);
  return outputs;
}

CircuitRunOptions run_options(const RunCommandOptions& options, const ReadLimits& limits) {
  CircuitRunOptions result;
  result.limits = limits;
  if (options.memory_mib > 0) result.max_memory_bytes = options.memory_mib << 20;
  if (!options.checkpoint.empty()) result.checkpoint = options.checkpoint;
  result.checkpoint_interval = std::chrono::duration<double>(options.checkpoint_interval);
  result.resume = options.resume;
  return result;
}

// What is left behind does not make the result wrong.
void remove_checkpoint(const std::filesystem::path& path) {
  std::error_code failure;
  std::filesystem::remove(path, failure);
  if (!failure) return;
  spdlog::warn("the result is complete, but the checkpoint {} could not be removed: {}",
               path.string(), failure.message());
}

std::vector<Ciphertext> load_inputs(const RunCommandOptions& options, const Netlist& netlist,
                                    const PublicKey& key, const Session& session) {
  std::vector<Ciphertext> inputs;
  for (std::size_t i = 0; i < netlist.inputs().size(); ++i) {
    const InputWord& word = netlist.inputs()[i];
    std::vector<Ciphertext> bits = open_ciphertexts(options.inputs[i], key, session);
    if (bits.size() != word.width) {
      throw misuse(fmt::format("{} holds {}, and input '{}' takes {}", options.inputs[i],
                               counted(bits.size(), "bit"), word.name, word.width));
    }
    std::ranges::move(bits, std::back_inserter(inputs));
  }
  return inputs;
}

void require_savable_outputs(const RunCommandOptions& options, const Netlist& netlist,
                             const PublicKey& key, const ReadLimits& limits) {
  if (options.outputs.size() == 1) {
    return require_savable(netlist.output_wires().size(), key, limits, options.outputs.front());
  }
  for (std::size_t i = 0; i < netlist.outputs().size(); ++i) {
    require_savable(netlist.outputs()[i].wires.size(), key, limits, options.outputs[i]);
  }
}

Report finished_run(const RunCommandOptions& options,
                    const std::vector<std::filesystem::path>& outputs, const Netlist& netlist,
                    const CircuitResult& result, const Evaluator& evaluator,
                    const Session& session) {
  save_outputs(outputs, netlist, result.outputs, evaluator.public_key(), session.limits());
  if (!options.checkpoint.empty()) remove_checkpoint(options.checkpoint);
  Report report;
  report.to_standard_error = std::ranges::any_of(outputs, apps::is_standard_output);
  report.json = {{"out", options.outputs},
                 {"peak_ciphertexts", result.peak_ciphertexts},
                 {"peak_memory_bytes", apps::peak_memory_bytes()},
                 {"resumed_values", result.resumed_values}};
  report.text = options.outputs.front();
  add_run(report, result, evaluator, session);
  return report;
}

RunnableCircuit load_combinational(const RunCommandOptions& options, const Session& session) {
  const KeptObject object = open_circuit(options.circuit, session);
  if (holds_program(object.source())) {
    CircuitProgram program = load_program(object.source(), session.limits());
    require_one_for_each_input(options, program.circuit().inputs());
    return {program.circuit(), std::move(program)};
  }
  const ClockedCircuit circuit = load_circuit(object.source(), session.circuit_limits());
  require_one_for_each_input(options, circuit.inputs());
  if (circuit.registers() == 0) return {circuit.step(), std::nullopt};
  throw misuse(
      fmt::format("the circuit has {}: say with --cycles for how many clock cycles to run it",
                  counted(circuit.registers(), "register")));
}

CircuitProgram program_for(const RunnableCircuit& circuit, const Evaluator& evaluator,
                           const std::vector<Ciphertext>& inputs, const Session& session) {
  if (circuit.program) return *circuit.program;
  return CircuitProgram::compile(circuit.netlist, evaluator, noise_bounds(inputs),
                                 session.monitor());
}

void add_run_command(CommandLine& line) {
  const auto options = std::make_shared<RunCommandOptions>();
  const apps::Command command = line.add_command(
      line.root(), "run", "Run a circuit on ciphertexts, or on plain numbers",
      "fhe run adder.blif --key keys/public.fhe --input a.fhe --input b.fhe --out sum.fhe\n"
      "  fhe run adder.blif --plain --input 0x12 --input 34\n"
      "  fhe run counter.blif --plain --cycles 3 --input 1,0,1 --every-cycle\n\n"
      "Bit 0 of a word, its lowest, is the first ciphertext of its file.",
      [options](Session& session) { return run_command(*options, session); });
  command.option("CIRCUIT", options->circuit, kCircuitFormats).value_name("").required();
  command.flag("--plain", options->plain, "Inputs are numbers; prints the outputs");
  command.flag("--slots", options->slots,
               "With --plain: inputs are files with a number for each slot, a line for each");
  command.option("--key", options->key, "Public key").value_name("FILE");
  command
      .option("--input", options->inputs,
              "File of ciphertexts, - for standard input (with --plain: number), once for each "
              "input word; with --cycles as many bits as the word has, or those of every cycle")
      .value_name("FILE")
      .one_each_time();
  command
      .option("--out", options->outputs,
              "File for all output bits, or once for each output word; - for standard output")
      .value_name("FILE")
      .one_each_time();
  command
      .option("--cycles", options->cycles,
              "Run for so many clock cycles; what registers hold stays encrypted")
      .value_name("N")
      .in_range(std::uint64_t{1}, std::uint64_t{kMaxCycles});
  command.flag("--every-cycle", options->every_cycle,
               "Give the outputs of all cycles, not of the last one only");
  command
      .option(
          "--memory", options->memory_mib,
          "Keep the ciphertexts of the run below this many MiB; key, circuit and what each thread "
          "works with come on top")
      .value_name("MIB")
      .in_range(std::uint64_t{1}, std::uint64_t{1} << 32);
  command
      .option("--checkpoint", options->checkpoint,
              "Save to this file what is needed to go on; removed at the end")
      .value_name("FILE");
  command
      .option("--checkpoint-interval", options->checkpoint_interval,
              "Seconds that a result may wait to be saved; 0: save each at once")
      .value_name("SECONDS")
      .in_range(0.0, 3600.0)
      .shows_default();
  command.flag("--resume", options->resume, "Go on from the checkpoint");
  command
      .option("--engine", options->engine,
              "Who runs it: this process, or all processes of an MPI job (mpirun fhe run ...)")
      .value_name("NAME")
      .one_of({kLocalEngine, kStarpuEngine})
      .shows_default();
  line.add_computing_options(command);
  line.add_limit_options(command);
}

}  // namespace fhe::cli
