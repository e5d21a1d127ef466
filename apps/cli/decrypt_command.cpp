// SPDX-License-Identifier: Apache-2.0
// `fhe decrypt`: prints the bits, and nothing else, on standard output.
#include <memory>
#include <string>
#include <vector>

#include "apps/cli/command_line.hpp"
#include "apps/cli/key_files.hpp"
#include "apps/cli/object_input.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/keys.hpp"

namespace fhe::cli {

namespace {

struct DecryptCommandOptions {
  std::string key;
  std::string passphrase_file;
  std::string input;
};

Report decrypt(const DecryptCommandOptions& options, const Session& session) {
  const SecretKey key = open_secret_key(options.key, options.passphrase_file, session);
  const std::vector<Ciphertext> ciphertexts = open_ciphertexts(options.input, key, session);
  std::string digits;
  for (const bool bit : Decryptor(key).decrypt(ciphertexts, session.monitor())) {
    digits.push_back(bit ? '1' : '0');
  }
  return {Json{{"bits", digits}}, digits + "\n"};
}

}  // namespace

void add_decrypt_command(CommandLine& line) {
  const auto options = std::make_shared<DecryptCommandOptions>();
  const apps::Command command =
      line.add_command(line.root(), "decrypt", "Print the bits of a file of ciphertexts",
                       "fhe decrypt --key keys/secret.fhe c.fhe",
                       [options](Session& session) { return decrypt(*options, session); });
  command.option("--key", options->key, "Secret key").value_name("FILE").required();
  add_passphrase_option(command, options->passphrase_file);
  command.option("INPUT", options->input, "File of ciphertexts; - for standard input")
      .value_name("")
      .required();
  line.add_limit_options(command);
}

}  // namespace fhe::cli
