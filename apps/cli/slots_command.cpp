// SPDX-License-Identifier: Apache-2.0
// `fhe slots`: one operation on encrypted numbers in slots, which takes no key.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/command_line.hpp"
#include "apps/cli/object_input.hpp"
#include "apps/support/file_checks.hpp"
#include "libfhe/error.hpp"
#include "libfhe/scheme/she/files.hpp"
#include "libfhe/scheme/she/randomizer.hpp"
#include "libfhe/scheme/she/slots.hpp"

namespace fhe::cli {

namespace {

struct SlotsCommandOptions {
  std::string operation;
  std::vector<std::string> inputs;
  std::optional<std::string> constant;
  std::size_t weight_bits = she::kZeroWeightBits;
  std::string output;
};

using Column = std::vector<she::Slots>;

// What an operation leads to; of randomized ciphertexts also how it is known what they hide.
struct Outcome {
  Column slots;
  std::optional<she::Hiding> hiding = {};
};

// What an operation is given.
struct Operands {
  const ParameterSet& group;
  const she::Arithmetic& arithmetic;
  const std::vector<Column>& columns;  // of each file
  std::int64_t constant;
  std::size_t weight_bits;
  const Monitor& monitor;
};

// An operation by name, how many files it takes, and whether it needs --constant.
struct SlotOperation {
  std::string name;
  std::size_t files;
  bool takes_constant;
  std::function<Outcome(const Operands&)> perform;
};

constexpr std::string_view kRandomize = "randomize";  // takes files of different lengths

// Ciphertext by ciphertext of one file, and of two.
template <class Operation>
SlotOperation unary(const std::string& name, bool takes_constant, const Operation& operation) {
  return {name, 1, takes_constant, [operation](const Operands& given) {
            Column results;
            for (const she::Slots& x : given.columns[0]) {
              given.monitor.throw_if_stopped();
              results.push_back(operation(given, x));
            }
            return Outcome{std::move(results)};
          }};
}

template <class Operation>
SlotOperation binary(const std::string& name, const Operation& operation) {
  return {
      name, 2, false, [operation](const Operands& given) {
        Column results;
        for (std::size_t i = 0; i < given.columns[0].size(); ++i) {
          given.monitor.throw_if_stopped();
          results.push_back(operation(given.arithmetic, given.columns[0][i], given.columns[1][i]));
        }
        return Outcome{std::move(results)};
      }};
}

const std::vector<SlotOperation>& slot_operations() {
  using she::Arithmetic;
  using she::Slots;
  static const std::vector<SlotOperation> operations{
      binary("add",
             [](const Arithmetic& a, const Slots& x, const Slots& y) { return a.add(x, y); }),
      binary("subtract",
             [](const Arithmetic& a, const Slots& x, const Slots& y) { return a.subtract(x, y); }),
      binary("multiply",
             [](const Arithmetic& a, const Slots& x, const Slots& y) { return a.multiply(x, y); }),
      unary("negate", false,
            [](const Operands& given, const Slots& x) { return given.arithmetic.negate(x); }),
      unary("square", false,
            [](const Operands& given, const Slots& x) { return given.arithmetic.square(x); }),
      unary("add-constant", true,
            [](const Operands& given, const Slots& x) {
              return given.arithmetic.add_constant(x, given.constant);
            }),
      unary("multiply-constant", true,
            [](const Operands& given, const Slots& x) {
              return given.arithmetic.multiply_constant(x, given.constant);
            }),
      {"sum", 1, false,
       [](const Operands& given) {
         return Outcome{{given.arithmetic.sum(given.columns[0], given.monitor)}};
       }},
      {"inner-sum", 2, false,
       [](const Operands& given) {
         return Outcome{
             {given.arithmetic.inner_sum(given.columns[0], given.columns[1], given.monitor)}};
       }},
      {std::string(kRandomize), 2, false, [](const Operands& given) {
         const she::Randomizer randomizer(given.group, given.columns[1], given.weight_bits);
         return Outcome{randomizer.randomize_all(given.columns[0], given.monitor),
                        randomizer.hiding()};
       }}};
  return operations;
}

std::vector<std::string> slot_operation_names() {
  std::vector<std::string> names;
  for (const SlotOperation& operation : slot_operations()) names.push_back(operation.name);
  return names;
}

Error misused_slots(const std::string& what) {
  return {ErrorCode::invalid_argument, what};
}

// As in files of numbers: any whole number, of which the operation takes the residue modulo Q.
std::int64_t constant_of(const SlotsCommandOptions& options, const SlotOperation& operation) {
  if (options.constant.has_value() != operation.takes_constant) {
    throw misused_slots(fmt::format("{} {} --constant", operation.name,
                                    operation.takes_constant ? "needs" : "takes no"));
  }
  if (!options.constant) return 0;
  const std::string& text = *options.constant;
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure == std::errc() && end == text.data() + text.size()) return number;
  throw misused_slots(fmt::format("--constant {}: no whole number of 64 bits", text));
}

const SlotOperation& operation_of(const SlotsCommandOptions& options) {
  const auto found = std::ranges::find(slot_operations(), options.operation, &SlotOperation::name);
  if (options.inputs.size() != found->files) {
    throw misused_slots(fmt::format("{} takes {} file{} of ciphertexts, and {} {} given",
                                    found->name, found->files, found->files == 1 ? "" : "s",
                                    options.inputs.size(),
                                    options.inputs.size() == 1 ? "is" : "are"));
  }
  return *found;
}

std::vector<she::LoadedSlots> load_inputs(const SlotsCommandOptions& options,
                                          const Session& session) {
  std::vector<she::LoadedSlots> loaded;
  for (const std::string& path : options.inputs) {
    clear_leftovers(path);
    loaded.push_back(read_object(path, session, [&](const Source& source) {
      return she::load_slots(source, session.limits(), session.monitor());
    }));
    if (options.operation != kRandomize &&
        loaded.back().slots.size() != loaded.front().slots.size()) {
      throw misused_slots(fmt::format("{} has {} ciphertexts, and {} has {}: give as many in both",
                                      path, loaded.back().slots.size(), options.inputs.front(),
                                      loaded.front().slots.size()));
    }
    if (!(loaded.back().group == loaded.front().group)) {
      throw Error(ErrorCode::wrong_key, fmt::format("{} is of another parameter group than {}",
                                                    path, options.inputs.front()));
    }
  }
  return loaded;
}

Report compute_slots(const SlotsCommandOptions& options, const Session& session) {
  const SlotOperation& operation = operation_of(options);
  const std::int64_t constant = constant_of(options, operation);
  const std::filesystem::path out = apps::require_ciphertext_output(options.output);
  std::vector<she::LoadedSlots> loaded = load_inputs(options, session);
  const ParameterSet group = loaded.front().group;
  std::vector<Column> columns;
  for (she::LoadedSlots& file : loaded) columns.push_back(std::move(file.slots));
  const she::Arithmetic arithmetic(group, session.backend());
  const Outcome outcome = operation.perform(
      {group, arithmetic, columns, constant, options.weight_bits, session.monitor()});
  const Column& results = outcome.slots;
  session.monitor().throw_if_stopped();
  she::save(out, results, group, session.limits());

  const Integer noise = std::ranges::max_element(results, {}, &she::Slots::noise)->noise();
  const std::size_t limit = arithmetic.parameters().eta - 2;
  Report report;
  report.to_standard_error = apps::is_standard_output(out);
  report.json = {{"operation", operation.name},   {"out", options.output},
                 {"ciphertexts", results.size()}, {"noise_bound_bits", she::noise_bits(noise)},
                 {"decrypt_limit_bits", limit},   {"seconds", session.seconds()}};
  report.text = fmt::format("{}: {} ciphertext{} in {}, noise below 2^{:.1f} of 2^{}\n",
                            operation.name, results.size(), results.size() == 1 ? "" : "s",
                            options.output, she::noise_bits(noise), limit);
  if (outcome.hiding) {
    const bool is_proven = outcome.hiding == she::Hiding::proven;
    report.json["hiding"] = is_proven ? "proven" : "estimated";
    report.text += fmt::format("hides from outsiders how it was computed ({})\n",
                               is_proven ? "as proven" : "as estimated");
  }
  return report;
}

}  // namespace

void add_slots_command(CommandLine& line) {
  const auto options = std::make_shared<SlotsCommandOptions>();
  const apps::Command command = line.add_command(
      line.root(), "slots", "Compute on encrypted numbers in slots; takes no key",
      "fhe keygen --params she-128-d1-field --out keys\n"
      "  fhe encrypt --secret-key keys/secret.fhe --slots column --out a.fhe\n"
      "  fhe slots multiply a.fhe a.fhe --out b.fhe\n"
      "  fhe decrypt --key keys/secret.fhe b.fhe\n\n"
      "add, subtract and multiply take two files and work ciphertext by ciphertext, slot by slot,\n"
      "modulo Q of the group; negate, square, add-constant and multiply-constant take one. sum "
      "adds\n"
      "up all ciphertexts of a file, inner-sum the products of those of two. What might not "
      "decrypt\n"
      "is refused before it is computed.\n\n"
      "Results show constants to everybody who has the operands. randomize takes results and a "
      "file\n"
      "of encryptions of zero that the owner of the key made (fhe encrypt --zeros), and hides from "
      "all\n"
      "but the owner how they were computed.",
      [options](Session& session) { return compute_slots(*options, session); });
  command.option("OPERATION", options->operation, "What to compute")
      .value_name("")
      .one_of(slot_operation_names())
      .required();
  command.option("INPUT", options->inputs, "Files of ciphertexts; - for standard input")
      .value_name("")
      .required();
  command
      .option("--constant", options->constant,
              "The number of add-constant and multiply-constant, the same for every slot")
      .value_name("N");
  command
      .option("--weight-bits", options->weight_bits,
              "Bits of the weights of randomize, as of fhe encrypt --zeros")
      .value_name("BITS")
      .in_range(std::size_t{1}, she::kMostZeroWeightBits)
      .shows_default();
  command.option("--out", options->output, "File for the results; - for standard output")
      .value_name("FILE")
      .required();
  line.add_computing_options(command);
  line.add_limit_options(command);
}

}  // namespace fhe::cli
