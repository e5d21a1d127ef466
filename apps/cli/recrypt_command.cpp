// SPDX-License-Identifier: Apache-2.0
// `fhe recrypt`: ciphertexts of the same bits with the noise of refreshed ones.
#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/cli/command_line.hpp"
#include "apps/cli/facts.hpp"
#include "apps/cli/key_files.hpp"
#include "apps/cli/object_input.hpp"
#include "apps/support/file_checks.hpp"
#include "apps/support/process_memory.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/scheme/adder/adder.hpp"
#include "libfhe/scheme/files.hpp"

namespace fhe::cli {

namespace {

struct RecryptCommandOptions {
  std::string key;
  std::string input;
  std::string output;
  std::string adder;  // empty: the group's own choice
};

std::vector<Ciphertext> refresh(const Evaluator& evaluator, const std::vector<Ciphertext>& noisy,
                                Session& session) {
  std::vector<Ciphertext> refreshed;
  refreshed.reserve(noisy.size());
  while (refreshed.size() < noisy.size()) {
    session.monitor().throw_if_stopped();
    session.progress().begin_item(refreshed.size() + 1, noisy.size());
    const auto first = noisy.begin() + static_cast<std::ptrdiff_t>(refreshed.size());
    const std::size_t count =
        std::min(KeyContext::kRecryptedTogether, noisy.size() - refreshed.size());
    std::ranges::move(
        evaluator.recrypt({first, first + static_cast<std::ptrdiff_t>(count)}, session.monitor()),
        std::back_inserter(refreshed));
  }
  session.monitor().throw_if_stopped();
  return refreshed;
}

Report recrypt(const RecryptCommandOptions& options, Session& session) {
  const std::filesystem::path out = apps::require_ciphertext_output(options.output);
  const PublicKey key = open_public_key(options.key, session);
  const std::vector<Ciphertext> noisy = open_ciphertexts(options.input, key, session);
  session.monitor().throw_if_stopped();
  const Evaluator evaluator(key, session.backend(), RefreshPolicy::never(),
                            RecryptOptions{options.adder});
  const std::vector<Ciphertext> refreshed = refresh(evaluator, noisy, session);
  save(out, refreshed, key, session.limits());
  const double before = largest_noise(noisy).bits();
  const double after = largest_noise(refreshed).bits();
  Report report;
  report.to_standard_error = apps::is_standard_output(out);
  report.json = {{"out", options.output},
                 {"ciphertexts", refreshed.size()},
                 {"noise_bound_bits_before", before},
                 {"noise_bound_bits", after},
                 {"peak_memory_bytes", apps::peak_memory_bytes()},
                 {"seconds", session.seconds()}};
  report.text = fmt::format(
      "recrypted {}: {}, noise below 2^{:.1f} before and 2^{:.1f} after, {:.2f} s\n",
      counted(refreshed.size(), "ciphertext"), options.output, before, after, session.seconds());
  return report;
}

}  // namespace

void add_recrypt_command(CommandLine& line) {
  const auto options = std::make_shared<RecryptCommandOptions>();
  const apps::Command command =
      line.add_command(line.root(), "recrypt", "Remove the noise that gates have left",
                       "fhe recrypt --key keys/public.fhe c.fhe --out fresh.fhe",
                       [options](Session& session) { return recrypt(*options, session); });
  command.option("--key", options->key, "Public key").value_name("FILE").required();
  command.option("INPUT", options->input, "File of ciphertexts; - for standard input")
      .value_name("")
      .required();
  command
      .option("--out", options->output, "File for the refreshed ciphertexts; - for standard output")
      .value_name("FILE")
      .required();
  command
      .option("--adder", options->adder,
              fmt::format("Adder circuit instead of the group's own choice: {}; digits, for keys "
                          "of the groups of that name",
                          fmt::join(AdderProgram::names(), ", ")))
      .value_name("NAME");
  line.add_computing_options(command);
  line.add_limit_options(command);
}

}  // namespace fhe::cli
