// SPDX-License-Identifier: Apache-2.0
// `fhe backends`: the arithmetic backends that there are. `fhe backends test` has a file of its
// own.
#include <chrono>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/cli/command_line.hpp"
#include "apps/support/child_process.hpp"
#include "apps/support/failure.hpp"
#include "libfhe/arith/registry.hpp"

namespace fhe::cli {

namespace {

// The command behind `fhe backends` by which another process of this program opens a backend.
constexpr const char* kDescribeCommand = "describe";
constexpr std::chrono::seconds kMostTime{60};

// What became of opening a backend without options: members of its entry in the list.
Json opened_here(const std::string& name) {
  try {
    const BackendInfo info = open_backend(name)->info();
    return {{"usable", true},
            {"description", info.description},
            {"max_operand_bits", info.max_operand_bits},
            {"native", info.native}};
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return {{"usable", false}, {"reason", apps::one_line(error.what())}};
  }
}

Json unusable(const std::string& why) {
  return {{"usable", false}, {"reason", "opening it " + why}};
}

// The same by another process, which a plug-in may crash.
Json opened_apart(const std::string& name, const Monitor& monitor) {
  apps::ChildProcess process({apps::this_program(), "backends", kDescribeCommand, name, "--json"},
                             apps::Variables::all);
  const auto start = std::chrono::steady_clock::now();
  std::string text;
  while (const std::optional<std::string> more = process.read(std::chrono::milliseconds(100))) {
    monitor.throw_if_stopped();
    text += *more;
    if (std::chrono::steady_clock::now() - start > kMostTime) {
      return unusable(fmt::format("did not end within {} s", kMostTime.count()));
    }
  }
  const int status = process.wait();
  Json opened = Json::parse(text, nullptr, false);
  if (status == 0 && opened.is_object()) return opened;
  return unusable("ended the process by " + apps::description_of_end(status));
}

Json backend_json(const BackendFactory& factory, const Json& opened) {
  Json entry{{"name", factory.name},
             {"summary", factory.summary},
             {"default", factory.name == default_backend_name()}};
  entry.update(opened);
  return entry;
}

std::string backend_text(const Json& backend) {
  std::string text =
      fmt::format("{}{}\n  {}\n", backend["name"].get<std::string>(),
                  backend["default"] ? " (default)" : "", backend["summary"].get<std::string>());
  if (!backend["usable"]) {
    return text + fmt::format("  not usable here: {}\n", backend["reason"].get<std::string>());
  }
  return text + fmt::format("  {}\n  operands up to {} bits; native: {}\n",
                            backend["description"].get<std::string>(),
                            backend["max_operand_bits"].get<std::size_t>(),
                            fmt::join(backend["native"].get<std::vector<std::string>>(), ", "));
}

Report list_backends(Session& session) {
  Report report;
  report.json = {{"threads", thread_count()}, {"backends", Json::array()}};
  for (const BackendFactory& factory : registered_backends()) {
    Json backend = backend_json(factory, opened_apart(factory.name, session.monitor()));
    report.text += backend_text(backend);
    report.json["backends"].push_back(std::move(backend));
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

  const auto name = std::make_shared<std::string>();
  const apps::Command describe =
      line.add_command(backends, kDescribeCommand, "Opens a backend for `fhe backends`",
                       "fhe backends", [name](Session& /*session*/) {
                         apps::end_with_parent();
                         Report report;
                         report.json = opened_here(*name);
                         return report;
                       });
  describe.hide();
  describe.option("BACKEND", *name).value_name("").required();
}

}  // namespace fhe::cli
