// SPDX-License-Identifier: Apache-2.0
// `fhe-outsource demo`: a server, and a client who has it add two secret numbers.
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/outsource/client/remote.hpp"
#include "apps/outsource/commands.hpp"
#include "apps/outsource/tokens.hpp"
#include "apps/support/child_process.hpp"
#include "apps/support/failure.hpp"
#include "apps/support/interrupt.hpp"
#include "apps/support/key_holder.hpp"
#include "apps/support/narrator.hpp"
#include "apps/support/secrecy.hpp"
#include "apps/support/temporary_folder.hpp"
#include "libfhe/circuit/bits.hpp"
#include "libfhe/error.hpp"
#include "libfhe/scheme/files.hpp"

namespace fhe::outsource {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kWidth = 64;
constexpr const char* kCircuit = "add64.txt";

struct DemoOptions {
  std::string parameters = "cnt-toy";
  std::string backend{default_backend_name()};
  std::string circuits;  // empty: those that are installed
  std::uint64_t x = 1'234'567'890'123;
  std::uint64_t y = 9'876'543'210;
};

std::string installed_circuits() {
  return (apps::this_program().parent_path() / FHE_CIRCUITS_FROM_PROGRAM).lexically_normal();
}

// A server in a process of its own.
class ServerProcess {
 public:
  ServerProcess(const DemoOptions& options, const fs::path& tokens, const fs::path& data)
      : process_({apps::this_program().string(), "serve", "--port", "0", "--token-file",
                  tokens.string(), "--data", data.string(), "--circuits",
                  options.circuits.empty() ? installed_circuits() : options.circuits, "--backend",
                  options.backend, "--with-parent"}) {
    constexpr std::chrono::seconds kStart(60);
    while (!said_.ends_with('\n')) {
      const std::optional<std::string> text = process_.read(kStart);
      if (!text || text->empty()) throw Error(ErrorCode::io, "the server did not start");
      said_ += *text;
    }
  }
  ~ServerProcess() {
    process_.send(SIGTERM);
    process_.wait();
  }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // "listening on http://127.0.0.1:40123\n"
  [[nodiscard]] std::string url() const {
    const std::size_t start = said_.find("http://");
    return said_.substr(start, said_.find('\n') - start);
  }

 private:
  apps::ChildProcess process_;
  std::string said_;
};

// The number in the first slot, the next one in the second, and so on.
fs::path encrypt(const apps::KeyHolder& user, std::uint64_t number, const fs::path& path) {
  const auto save_to = [&](const auto& ciphertexts) { save(path, ciphertexts, user.public_key()); };
  std::vector<std::vector<bool>> slots;
  for (std::size_t j = 0; j < user.slots(); ++j) slots.push_back(bits_of(number + j, kWidth));
  std::visit(save_to, user.encrypt_slots(slots));
  return path;
}

bool are_sums(const std::vector<std::uint64_t>& sums, const DemoOptions& options) {
  for (std::size_t j = 0; j < sums.size(); ++j) {
    if (sums[j] != options.x + options.y + 2 * j) return false;
  }
  return true;
}

std::string numbers_text(const DemoOptions& options, std::size_t slots) {
  std::string numbers =
      fmt::format("encrypts {} and {}, {} bits each", options.x, options.y, kWidth);
  if (slots == 1) return numbers;
  return fmt::format("{}, and in the other {} slots the numbers after them", numbers, slots - 1);
}

int run(const DemoOptions& options) {
  const apps::InterruptWatch interrupts;
  apps::keep_memory_private();
  const apps::Setting setting{ParameterSet::named(options.parameters),
                              open_backend(options.backend)};
  const apps::TemporaryFolder folder("fhe-outsource");
  apps::Narrator narrator("Outsourcing: a server adds two numbers that it cannot read, over HTTP.",
                          setting);
  const apps::KeyHolder user =
      narrator.step("user", "makes a key pair", [&] { return apps::KeyHolder(setting); });
  Submission submission{.key = folder / "public.fhe",
                        .circuit = kCircuit,
                        .circuit_file = {},
                        .label = {},
                        .inputs = {}};
  save(submission.key, user.public_key());
  submission.inputs = narrator.step("user", numbers_text(options, user.slots()), [&] {
    return std::vector{encrypt(user, options.x, folder / "x.fhe"),
                       encrypt(user, options.y, folder / "y.fhe")};
  });
  const Credential token = new_credential("user");
  save_credential(folder / "tokens", token);
  const auto server = narrator.step("server", "starts, with the user's token", [&] {
    return std::make_unique<ServerProcess>(options, folder / "tokens", folder / "data");
  });
  constexpr std::chrono::seconds kPatience(60);
  Remote remote(server->url(), token.token, {}, interrupts.token(), kPatience);
  const Watch quiet = [](const std::string&, double) {};
  const Job submitted = narrator.step("user", "sends key, ciphertexts and the name of a circuit",
                                      [&] { return submit(remote, submission, quiet); });
  const Expectation expected{
      .key = submission.key, .bits = kWidth, .most_bytes = std::uint64_t{1} << 30};
  const Job job = narrator.step(
      "server", fmt::format("runs {}; the user fetches the result", kCircuit),
      [&] { return fetch(remote, submitted.id, expected, folder / "sum.fhe", quiet); });
  const std::vector<std::uint64_t> sums = narrator.step("user", "decrypts it", [&] {
    return user.decrypt_slots(load_ciphertexts(folder / "sum.fhe", user.public_key()));
  });
  narrator.cost({.gates = 0, .products = job.products, .recryptions = job.recryptions});
  const bool right =
      narrator.conclude(fmt::format("{}", fmt::join(sums, ", ")), are_sums(sums, options));
  return static_cast<int>(right ? apps::ExitCode::success : apps::ExitCode::failure);
}

}  // namespace

void add_demo_command(const apps::Command& program, Action& chosen) {
  const auto options = std::make_shared<DemoOptions>();
  const apps::Command command =
      program.command("demo", "Play client and server, and check the result");
  command.option("--params", options->parameters, "Parameter group")
      .value_name("NAME")
      .shows_default();
  command.option("--backend", options->backend, "Arithmetic backend")
      .value_name("NAME")
      .shows_default();
  command
      .option("--circuits", options->circuits,
              "Folder with the circuit add64.txt; without it that of the program")
      .value_name("DIR");
  for (const auto& [name, number] :
       {std::pair("--x", &options->x), std::pair("--y", &options->y)}) {
    command.option(name, *number, "A number, added modulo 2^64")
        .value_name("N")
        .decimal()
        .shows_default();
  }
  command.when_chosen([&chosen, options] { chosen = [options] { return run(*options); }; });
}

}  // namespace fhe::outsource
