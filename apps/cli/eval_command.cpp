// SPDX-License-Identifier: Apache-2.0
// `fhe eval`: one operation over files of ciphertexts: on numbers, or a gate bit by bit.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/cli/command_line.hpp"
#include "apps/cli/facts.hpp"
#include "apps/cli/input.hpp"
#include "apps/cli/key_files.hpp"
#include "apps/cli/object_input.hpp"
#include "apps/cli/plain_forms.hpp"
#include "apps/support/file_checks.hpp"
#include "libfhe/circuit/run.hpp"
#include "libfhe/circuit/word_operations.hpp"
#include "libfhe/error.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/slots.hpp"

namespace fhe::cli {

namespace {

// The ciphertexts of one input file; input k of the gate on bit i is columns[k][i].
using Column = std::vector<Ciphertext>;

struct EvalCommandOptions {
  std::string key;
  std::string operation;
  std::vector<std::string> inputs;
  std::string output;
  std::string refresh = "automatic";
  bool is_signed = false;
  std::optional<std::uint64_t> width;
  std::optional<std::string> constant;
  std::string slots;  // file of constants
};

// What a name stands for; "mux" is both.
struct Operation {
  const NamedGate* gate = nullptr;
  const NamedWordOperation* word = nullptr;
};

Error misused(const std::string& what) {
  return {ErrorCode::invalid_argument, what};
}

// The element of that name, in upper or lower case.
template <class Named>
const Named* find_named(const std::vector<Named>& all, const std::string& name) {
  const auto found = std::ranges::find_if(all, [&](const Named& candidate) {
    return std::ranges::equal(candidate.name, name, {}, {},
                              [](unsigned char c) { return std::tolower(c); });
  });
  return found == all.end() ? nullptr : &*found;
}

template <class Named>
std::string names_of(const std::vector<Named>& all) {
  std::vector<std::string_view> names;
  names.reserve(all.size());
  for (const Named& named : all) names.push_back(named.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

Operation operation_named(const std::string& name) {
  const Operation found{find_named(named_gates(), name), find_named(named_word_operations(), name)};
  if (found.gate != nullptr || found.word != nullptr) return found;
  throw Error(ErrorCode::unknown_name,
              fmt::format("no operation named '{}'; on bits there are: {}; on numbers: {}", name,
                          names_of(named_gates()), names_of(named_word_operations())));
}

bool has_word_options(const EvalCommandOptions& options) {
  return options.is_signed || options.width || options.constant;
}

void require_input_count(const EvalCommandOptions& options, const Operation& operation) {
  const std::size_t taken =
      operation.gate != nullptr ? operation.gate->inputs : operation.word->roles.size();
  std::string own;
  if (options.constant) own = " (--constant is one)";
  if (!options.slots.empty()) own = " (--slots is one)";
  const std::size_t given = options.inputs.size() + (own.empty() ? 0 : 1);
  if (given == taken) return;
  throw misused(fmt::format("'{}' takes {}, not {}{}", options.operation, counted(taken, "input"),
                            given, own));
}

const std::string& name_of_input(const EvalCommandOptions& options, std::size_t which) {
  return which < options.inputs.size() ? options.inputs[which] : options.slots;
}

std::vector<Column> load_columns(const EvalCommandOptions& options, const PublicKey& key,
                                 const Session& session) {
  std::vector<Column> columns;
  columns.reserve(options.inputs.size());
  for (const std::string& path : options.inputs) {
    columns.push_back(open_ciphertexts(path, key, session));
  }
  session.monitor().throw_if_stopped();
  return columns;
}

// The word that a file of one bit chooses is chosen as a whole.
bool is_on_words(const EvalCommandOptions& options, const Operation& operation,
                 const std::vector<Column>& columns) {
  if (operation.gate == nullptr) return true;
  if (operation.word == nullptr) return false;
  return has_word_options(options) || (columns[0].size() == 1 && columns[1].size() > 1);
}

// --slots as ciphertexts that hide nothing: bits for a gate, a number for an operation on numbers.
Column constants_of_slots(const EvalCommandOptions& options, bool on_words,
                          const std::vector<Column>& columns, const PublicKey& key,
                          const Session& session) {
  PlainShape shape{.width = {}, .most = session.limits().max_ciphertexts};
  if (on_words) shape.width = options.width.value_or(columns.back().size());
  TextSource text(options.slots, session.monitor().stop);
  const auto rows = read_slots(
      on_words ? PlainForm::number : PlainForm::bits, [&text] { return text.next(); },
      input_name(options.slots), shape);
  for (const SlotBits& row : rows) require_slot_bits(row, key.slots());
  return key.context(session.backend())->constants(rows, session.monitor());
}

RefreshPolicy policy_named(const std::string& name) {
  return name == "never" ? RefreshPolicy::never() : RefreshPolicy::automatic();
}

Evaluator evaluator_of(const EvalCommandOptions& options, const PublicKey& key,
                       const Session& session) {
  return Evaluator(key, session.backend(), policy_named(options.refresh), {}, session.monitor());
}

void require_equally_many(const EvalCommandOptions& options, const std::vector<Column>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].size() == columns.front().size()) continue;
    throw misused(fmt::format("{} holds {} and {} holds {}: a gate needs equally many",
                              options.inputs.front(), counted(columns.front().size(), "bit"),
                              name_of_input(options, i), counted(columns[i].size(), "bit")));
  }
}

std::vector<Ciphertext> apply(const NamedGate& gate, const Evaluator& evaluator,
                              const std::vector<Column>& columns, Session& session) {
  const std::size_t count = columns.front().size();
  std::vector<Ciphertext> results;
  results.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    session.monitor().throw_if_stopped();
    session.progress().update("gates", static_cast<double>(i) / static_cast<double>(count));
    std::vector<Ciphertext> operands;
    operands.reserve(columns.size());
    for (const Column& column : columns) operands.push_back(column[i]);
    results.push_back(gate.apply(evaluator, operands));
  }
  session.monitor().throw_if_stopped();
  return results;
}

Report eval_gate(const EvalCommandOptions& options, const NamedGate& gate,
                 const std::vector<Column>& columns, const PublicKey& key,
                 const std::filesystem::path& out, Session& session) {
  if (has_word_options(options)) {
    throw misused(
        fmt::format("'{}' is computed bit by bit: --signed, --width and --constant are "
                    "for operations on numbers",
                    gate.name));
  }
  require_equally_many(options, columns);
  const Evaluator evaluator = evaluator_of(options, key, session);
  const std::vector<Ciphertext> results = apply(gate, evaluator, columns, session);
  save(out, results, key, session.limits());
  const GateCounts counts = evaluator.counts();
  Report report;
  report.json = {{"out", options.output},
                 {"gate", gate.name},
                 {"ciphertexts", results.size()},
                 {"gates", counts.gates},
                 {"products", counts.products},
                 {"recryptions", counts.recryptions},
                 {"noise_bound_bits", largest_noise(results).bits()},
                 {"slots", key.slots()},
                 {"seconds", session.seconds()}};
  report.text =
      fmt::format("{} on {}: {}, noise below 2^{:.1f}\n{}, {}, {}, {:.2f} s{}\n", gate.name,
                  counted(results.size(), "bit"), options.output, largest_noise(results).bits(),
                  counted(counts.gates, "gate"), counted(counts.products, "product"),
                  counted(counts.recryptions, "recryption"), session.seconds(),
                  seconds_by_slot(session.seconds(), key.slots()));
  return report;
}

// --constant as the last operand; `width`: of the numbers.
WordOperand constant_operand(const std::string& text, WordRole role, std::size_t width,
                             std::uint64_t most) {
  constexpr std::size_t kPlacesWidth = 64;
  if (role == WordRole::places) {
    if (text.starts_with('-')) throw misused("--constant: a number of places is not below zero");
    width = kPlacesWidth;
  }
  return {width, read_plain(PlainForm::number, characters_of(text), "--constant", {width, most})};
}

// The operands in the files, and --constant. Numbers have equally many bits, or get them by
// --width.
std::vector<WordOperand> operands_of(const EvalCommandOptions& options,
                                     const NamedWordOperation& operation,
                                     const std::vector<Column>& columns, std::uint64_t most) {
  std::vector<WordOperand> operands;
  std::optional<std::size_t> first_number;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    operands.push_back({columns[i].size()});
    if (operation.roles[i] != WordRole::number) continue;
    if (!first_number) first_number = i;
    if (options.width || columns[i].size() == columns[*first_number].size()) continue;
    throw misused(fmt::format("{} holds {} and {} holds {}: bring both to one width with --width",
                              name_of_input(options, *first_number),
                              counted(columns[*first_number].size(), "bit"),
                              name_of_input(options, i), counted(columns[i].size(), "bit")));
  }
  if (options.constant) {
    const std::size_t width =
        options.width.value_or(first_number ? columns[*first_number].size() : 0);
    operands.push_back(
        constant_operand(*options.constant, operation.roles[columns.size()], width, most));
  }
  return operands;
}

void require_width_within(const EvalCommandOptions& options, std::uint64_t most) {
  const std::uint64_t width = options.width.value_or(1);
  if (width >= 1 && width <= most) return;
  throw misused(
      fmt::format("--width: numbers have at least 1 bit and a file holds at most {}; for "
                  "more, raise --max-ciphertexts here and where it is read",
                  most));
}

Report eval_words(const EvalCommandOptions& options, const NamedWordOperation& operation,
                  std::vector<Column> columns, const PublicKey& key,
                  const std::filesystem::path& out, const Session& session) {
  const ReadLimits& limits = session.limits();
  require_width_within(options, limits.max_ciphertexts);
  const Netlist circuit =
      word_circuit(operation, operands_of(options, operation, columns, limits.max_ciphertexts),
                   {options.is_signed ? Sign::last : Sign::none, options.width});
  require_savable(circuit.output_wires().size(), key, limits, options.output);
  std::vector<Ciphertext> inputs;
  for (Column& column : columns) std::ranges::move(column, std::back_inserter(inputs));
  const Evaluator evaluator = evaluator_of(options, key, session);
  const CircuitResult result =
      run_circuit(circuit, evaluator, std::move(inputs), {}, session.monitor());
  save(out, result.outputs, key, limits);
  Report report;
  report.json = {{"out", options.output}, {"operation", operation.name}};
  report.text = fmt::format("{}: {}", operation.name, options.output);
  add_run(report, result, evaluator, session);
  return report;
}

Report eval(const EvalCommandOptions& options, Session& session) {
  const Operation operation = operation_named(options.operation);
  require_input_count(options, operation);
  const std::filesystem::path out = apps::require_ciphertext_output(options.output);
  const PublicKey key = open_public_key(options.key, session);
  std::vector<Column> columns = load_columns(options, key, session);
  const bool on_words = is_on_words(options, operation, columns);
  if (!options.slots.empty()) {
    columns.push_back(constants_of_slots(options, on_words, columns, key, session));
  }
  Report report = on_words
                      ? eval_words(options, *operation.word, std::move(columns), key, out, session)
                      : eval_gate(options, *operation.gate, columns, key, out, session);
  report.to_standard_error = apps::is_standard_output(out);
  return report;
}

// "add (x + y), ...", for the help.
std::string word_operation_list() {
  std::vector<std::string> names;
  for (const NamedWordOperation& operation : named_word_operations()) {
    names.push_back(fmt::format("{} ({})", operation.name, operation.meaning));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string gate_names() {
  std::vector<std::string> names;
  for (const NamedGate& gate : named_gates()) {
    names.push_back(fmt::format("{} ({})", gate.name, gate.inputs));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void add_eval_command(CommandLine& line) {
  const auto options = std::make_shared<EvalCommandOptions>();
  const apps::Command command = line.add_command(
      line.root(), "eval", "Compute on files of ciphertexts: numbers, or bit by bit",
      "fhe eval --key keys/public.fhe add a.fhe b.fhe --out sum.fhe\n"
      "  fhe eval --key keys/public.fhe less a.fhe --constant 18 --out minor.fhe\n"
      "  fhe eval --key keys/public.fhe and a.fhe b.fhe --out c.fhe\n\n"
      "On numbers: " +
          word_operation_list() +
          ".\nResults are taken modulo 2^width, and comparisons give one bit. x / 0 has all bits "
          "set, and x % 0\nis x. The choice of mux is a file of one bit.\n\n"
          "Bit by bit, with the number of inputs: " +
          gate_names() + "; mux: select first.",
      [options](Session& session) { return eval(*options, session); });
  command.option("--key", options->key, "Public key").value_name("FILE").required();
  command
      .option("OPERATION", options->operation,
              "On numbers, planned as one circuit: " + names_of(named_word_operations()) +
                  "; bit by bit: " + names_of(named_gates()))
      .value_name("")
      .required();
  command
      .option("INPUT", options->inputs,
              "Files of ciphertexts, one for each input; numbers, and the operands of a gate, have "
              "equally many bits")
      .value_name("")
      .required();
  const apps::Option constant =
      command.option("--constant", options->constant, "A public number as the last input")
          .value_name("N");
  command
      .option("--slots", options->slots,
              "File with a public constant for each slot as the last input, a line for each: a "
              "number, or bits for a gate (and: a mask, which keeps the bits of the slots with 1); "
              "- for standard input")
      .value_name("FILE")
      .excludes(constant);
  command.flag("--signed", options->is_signed, "Numbers are in two's complement");
  command
      .option("--width", options->width,
              "Bring numbers to this many bits first: without their upper ones, or with zeros or "
              "(--signed) their sign above")
      .value_name("BITS")
      .decimal();
  command.option("--out", options->output, "File for the results; - for standard output")
      .value_name("FILE")
      .required();
  command
      .option("--refresh", options->refresh,
              "What to do when an operand is too noisy: recrypt it (automatic) or fail (never)")
      .value_name("WHEN")
      .one_of({"automatic", "never"})
      .shows_default();
  line.add_computing_options(command);
  line.add_limit_options(command);
}

}  // namespace fhe::cli
