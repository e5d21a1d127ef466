// SPDX-License-Identifier: Apache-2.0
// `fhe expand`: a file of compressed ciphertexts into one of whole ones.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/command_line.hpp"
#include "apps/cli/facts.hpp"
#include "apps/cli/key_files.hpp"
#include "apps/cli/object_input.hpp"
#include "apps/support/file_checks.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/keys.hpp"

namespace fhe::cli {

namespace {

struct ExpandCommandOptions {
  std::string key;
  std::string input;
  std::string output;
};

Report expand(const ExpandCommandOptions& options, const Session& session) {
  const std::filesystem::path out = apps::require_ciphertext_output(options.output);
  const PublicKey key = open_public_key(options.key, session);
  const CompressedCiphertexts compressed =
      read_object(options.input, session, [&](const Source& source) {
        return load_compressed_ciphertexts(source, key, session.limits());
      });
  require_savable(compressed.size(), key, session.limits(), options.output);
  const std::vector<Ciphertext> ciphertexts = fhe::expand(compressed, key, session.monitor());
  session.monitor().throw_if_stopped();
  save(out, ciphertexts, key, session.limits());
  Report report;
  report.to_standard_error = apps::is_standard_output(out);
  report.json = {{"out", options.output},
                 {"key_id", to_hex(key.id().digest)},
                 {"ciphertexts", ciphertexts.size()},
                 {"seconds", session.seconds()}};
  report.text =
      fmt::format("expanded {}: {}\n", counted(ciphertexts.size(), "ciphertext"), options.output);
  return report;
}

}  // namespace

void add_expand_command(CommandLine& line) {
  const auto options = std::make_shared<ExpandCommandOptions>();
  const apps::Command command =
      line.add_command(line.root(), "expand", "Make whole ciphertexts of compressed ones",
                       "fhe expand --key keys/public.fhe x.fhe --out whole.fhe",
                       [options](Session& session) { return expand(*options, session); });
  command.option("--key", options->key, "Public key").value_name("FILE").required();
  command.option("INPUT", options->input, "File of compressed ciphertexts; - for standard input")
      .value_name("")
      .required();
  command.option("--out", options->output, "File for the ciphertexts; - for standard output")
      .value_name("FILE")
      .required();
  line.add_limit_options(command);
}

}  // namespace fhe::cli
