// `fhe decrypt`: prints the bits, and nothing else, on standard output.
#include <memory>
#include <string>
#include <vector>

#include "apps/cli/command_line.hpp"
#include "apps/cli/files.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/keys.hpp"

namespace fhe::cli {

namespace {

struct Options {
  std::string key;
  std::string input;
};

Report decrypt(const Options& options, const Session& session) {
  clear_leftovers_beside(options.key);
  const SecretKey key = load_secret_key(options.key);
  const std::vector<Ciphertext> ciphertexts = load_ciphertexts(options.input, key);
  session.monitor().checkpoint();
  std::string digits;
  for (const bool bit : Decryptor(key).decrypt(ciphertexts)) digits.push_back(bit ? '1' : '0');
  return {Json{{"bits", digits}}, digits + "\n"};
}

}  // namespace

void add_decrypt_command(CommandLine& line) {
  const auto options = std::make_shared<Options>();
  CLI::App& command =
      line.add_command(line.root(), "decrypt", "Print the bits of a file of ciphertexts",
                       "fhe decrypt --key keys/secret.fhe c.fhe",
                       [options](Session& session) { return decrypt(*options, session); });
  command.add_option("--key", options->key, "Secret key")->type_name("FILE")->required();
  command.add_option("INPUT", options->input, "File of ciphertexts")->type_name("")->required();
}

}  // namespace fhe::cli
