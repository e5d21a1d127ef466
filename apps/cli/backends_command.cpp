// SPDX-License-Identifier: Apache-2.0
// `fhe backends`: the arithmetic backends that there are. `fhe backends test` has a file of its
// own.
#include <exception>
#include <new>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/cli/command_line.hpp"
#include "apps/support/failure.hpp"
#include "libfhe/arith/registry.hpp"

namespace fhe::cli {

namespace {

// What became of opening a backend without options.
struct Opened {
  std::optional<BackendInfo> info;
  std::string reason;  // why there is none
};

Opened try_open(const BackendFactory& factory) {
  try {
    return {factory.open("")->info(), {}};
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return {std::nullopt, apps::one_line(error.what())};
  }
}

Json backend_json(const BackendFactory& factory, const Opened& opened) {
  Json entry{{"name", factory.name},
             {"summary", factory.summary},
             {"default", factory.name == default_backend_name()},
             {"usable", opened.info.has_value()}};
  if (opened.info) {
    entry["description"] = opened.info->description;
    entry["max_operand_bits"] = opened.info->max_operand_bits;
    entry["native"] = opened.info->native;
  } else {
    entry["reason"] = opened.reason;
  }
  return entry;
}

std::string backend_text(const BackendFactory& factory, const Opened& opened) {
  const bool is_default = factory.name == default_backend_name();
  std::string text =
      fmt::format("{}{}\n  {}\n", factory.name, is_default ? " (default)" : "", factory.summary);
  if (!opened.info) return text + fmt::format("  not usable here: {}\n", opened.reason);
  return text + fmt::format("  {}\n  operands up to {} bits; native: {}\n",
                            opened.info->description, opened.info->max_operand_bits,
                            fmt::join(opened.info->native, ", "));
}

Report list_backends(Session& /*session*/) {
  Report report;
  report.json = {{"threads", thread_count()}, {"backends", Json::array()}};
  for (const BackendFactory& factory : registered_backends()) {
    const Opened opened = try_open(factory);
    report.json["backends"].push_back(backend_json(factory, opened));
    report.text += backend_text(factory, opened);
  }
  report.text += fmt::format("\nThreads on this machine: {}\n", thread_count());
  return report;
}

}  // namespace

void add_backends_commands(CommandLine& line) {
  const apps::Command backends = line.add_command(
      line.root(), "backends",
      "List the arithmetic backends and whether they are usable on this machine, or test one",
      "fhe backends", list_backends);
  add_backends_test_command(line, backends);
}

}  // namespace fhe::cli
