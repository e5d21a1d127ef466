// SPDX-License-Identifier: Apache-2.0
// `fhe encrypt`: bits from the command line, a file or standard input into a file of ciphertexts.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "apps/cli/ciphertext_facts.hpp"
#include "apps/cli/command_line.hpp"
#include "apps/cli/input.hpp"
#include "apps/cli/key_files.hpp"
#include "apps/cli/text_source.hpp"
#include "apps/support/file_checks.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/keys.hpp"

namespace fhe::cli {

namespace {

struct EncryptCommandOptions {
  std::optional<std::string> key;
  std::optional<std::string> secret_key;
  std::string passphrase_file;
  std::optional<std::string> bits;
  std::string input;
  std::string output;
  bool sparse = false;
};

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

// The bits of a text of digits 0 and 1, which `next` gives by characters. An error names the
// position and not the digit: the text is a secret.
template <class Next>
std::vector<bool> read_bits(Next next, std::string_view origin, std::uint64_t most) {
  std::vector<bool> bits;
  std::uint64_t position = 0;
  while (const std::optional<char> c = next()) {
    ++position;
    if (is_space(*c)) continue;
    if (*c != '0' && *c != '1') {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("{}: character {} is not 0, 1 or white space", origin, position));
    }
    if (bits.size() == most) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("{}: more than {} bits; split them over several files, or raise "
                              "--max-ciphertexts here and where they are read",
                              origin, most));
    }
    bits.push_back(*c == '1');
  }
  if (bits.empty()) {
    throw Error(ErrorCode::invalid_argument, fmt::format("{}: no bits; give at least one", origin));
  }
  return bits;
}

std::vector<bool> requested_bits(const EncryptCommandOptions& options, const Session& session) {
  if (!options.bits && options.input.empty()) {
    throw Error(ErrorCode::invalid_argument, "give the bits with --bits, or a file with --in");
  }
  const std::uint64_t most = session.limits().max_ciphertexts;
  if (options.bits) {
    const auto next = [rest = std::string_view(*options.bits)]() mutable -> std::optional<char> {
      if (rest.empty()) return std::nullopt;
      const char c = rest.front();
      rest.remove_prefix(1);
      return c;
    };
    return read_bits(next, "--bits", most);
  }
  TextSource text(options.input, session.monitor().stop);
  return read_bits([&text] { return text.next(); }, input_name(options.input), most);
}

// What was encrypted, in which form.
struct Encrypted {
  KeyId key;
  NoiseBound noise;
  bool compressed;
};

// `fhe encrypt --secret-key`: compressed ciphertexts.
Encrypted encrypt_as_owner(const EncryptCommandOptions& options, const std::vector<bool>& bits,
                           const std::filesystem::path& out, const Session& session) {
  if (options.sparse) {
    throw Error(ErrorCode::invalid_argument,
                "--sparse is about the weights of encryption under a public key (--key)");
  }
  const SecretKey key = open_secret_key(*options.secret_key, options.passphrase_file, session);
  const CompressedCiphertexts compressed =
      SecretEncryptor(key, session.backend()).encrypt(bits, session.monitor());
  session.monitor().throw_if_stopped();
  save(out, compressed, key, session.limits());
  return {key.id(), compressed.noise(), true};
}

Encrypted encrypt_for_owner(const EncryptCommandOptions& options, const std::vector<bool>& bits,
                            const std::filesystem::path& out, const Session& session) {
  const PublicKey key = open_public_key(*options.key, session);
  require_savable(bits.size(), key, session.limits(), options.output);
  if (options.sparse) spdlog::warn("--sparse has no proof of security: for experiments only");
  session.monitor().throw_if_stopped();
  const std::vector<Ciphertext> ciphertexts =
      Encryptor(key, session.backend())
          .encrypt(bits, EncryptOptions{options.sparse}, session.monitor());
  session.monitor().throw_if_stopped();
  save(out, ciphertexts, key, session.limits());
  return {key.id(), largest_noise(ciphertexts), false};
}

Report encrypt(const EncryptCommandOptions& options, const Session& session) {
  if (!options.key && !options.secret_key) {
    throw Error(ErrorCode::invalid_argument,
                "give the public key with --key, or your own secret key with --secret-key");
  }
  const std::vector<bool> bits = requested_bits(options, session);
  const std::filesystem::path out = apps::require_ciphertext_output(options.output);
  const Encrypted made = options.secret_key ? encrypt_as_owner(options, bits, out, session)
                                            : encrypt_for_owner(options, bits, out, session);
  Report report;
  report.to_standard_error = apps::is_standard_output(out);
  report.json = {{"out", options.output},
                 {"key_id", to_hex(made.key.digest)},
                 {"ciphertexts", bits.size()},
                 {"compressed", made.compressed},
                 {"noise_bound_bits", made.noise.bits()},
                 {"seconds", session.seconds()}};
  report.text = fmt::format("encrypted {} under {}: {}{}, noise below 2^{:.1f}\n",
                            counted(bits.size(), "bit"), made.key.text(), options.output,
                            made.compressed ? " (compressed)" : "", made.noise.bits());
  return report;
}

}  // namespace

void add_encrypt_command(CommandLine& line) {
  const auto options = std::make_shared<EncryptCommandOptions>();
  const apps::Command command =
      line.add_command(line.root(), "encrypt", "Encrypt bits, one ciphertext for each",
                       "fhe encrypt --key keys/public.fhe --bits 1011 --out x.fhe",
                       [options](Session& session) { return encrypt(*options, session); });
  const apps::Option key =
      command.option("--key", options->key, "Public key; this or --secret-key").value_name("FILE");
  command
      .option(
          "--secret-key", options->secret_key,
          "Your own secret key (cnt and cmnt groups): faster, with little noise, and compressed "
          "to a few hundred bytes a bit, which every command expands when it reads them")
      .value_name("FILE")
      .excludes(key);
  add_passphrase_option(command, options->passphrase_file);
  const apps::Option bits =
      command
          .option("--bits", options->bits, "Digits 0 and 1, white space is ignored; this or --in")
          .value_name("DIGITS");
  command.option("--in", options->input, "File with the digits; - for standard input")
      .value_name("FILE")
      .excludes(bits);
  command.option("--out", options->output, "File for the ciphertexts; - for standard output")
      .value_name("FILE")
      .required();
  command.flag("--sparse", options->sparse,
               "Sparse weights: faster on some accelerators, without proof of security");
  line.add_computing_options(command);
  line.add_limit_options(command);
}

}  // namespace fhe::cli
