// `fhe encrypt`: bits from the command line, a file or standard input into a file of ciphertexts.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "apps/cli/ciphertext_facts.hpp"
#include "apps/cli/command_line.hpp"
#include "apps/cli/files.hpp"
#include "apps/cli/key_files.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/keys.hpp"

namespace fhe::cli {

namespace {

struct Options {
  std::string key;
  std::string bits;
  std::string input;
  std::string output;
  bool bits_given = false;
  bool sparse = false;
};

bool is_space(int c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

// The bits of a text of digits 0 and 1. An error names the position and not the digit: the text is
// a secret.
std::vector<bool> read_bits(std::istream& in, std::string_view origin) {
  const std::uint64_t most = ReadLimits{}.max_ciphertexts;
  std::vector<bool> bits;
  std::uint64_t position = 0;
  for (int c = in.get(); c != std::istream::traits_type::eof(); c = in.get()) {
    ++position;
    if (is_space(c)) continue;
    if (c != '0' && c != '1') {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("{}: character {} is not 0, 1 or white space", origin, position));
    }
    if (bits.size() == most) {
      throw Error(
          ErrorCode::invalid_argument,
          fmt::format("{}: more than {} bits; split them over several files", origin, most));
    }
    bits.push_back(c == '1');
  }
  if (in.bad()) throw Error(ErrorCode::io, fmt::format("{}: cannot be read", origin));
  if (bits.empty()) {
    throw Error(ErrorCode::invalid_argument, fmt::format("{}: no bits; give at least one", origin));
  }
  return bits;
}

std::vector<bool> requested_bits(const Options& options) {
  if (options.bits_given) {
    std::istringstream text(options.bits);
    return read_bits(text, "--bits");
  }
  if (options.input == "-") return read_bits(std::cin, "standard input");
  std::ifstream file(options.input);
  if (!file) {
    throw Error(ErrorCode::io,
                fmt::format("cannot open {}: {}", options.input, std::strerror(errno)));
  }
  return read_bits(file, options.input);
}

// A file that could not be read back is not worth hours of encryption.
void require_readable_size(std::size_t count, const PublicKey& key) {
  const std::uint64_t most = ReadLimits{}.max_file_bytes;
  const std::uint64_t each = bytes_for_bits(bit_length(key.modulus()));
  if (count <= most / each) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{} ciphertexts of {} bytes are more than the {} bytes that a file may "
                          "have; split them over several files",
                          count, each, most));
}

Report encrypt(const Options& options, Session& session) {
  const std::vector<bool> bits = requested_bits(options);
  const std::filesystem::path out = require_ciphertext_output(options.output);
  const PublicKey key = open_public_key(options.key);
  require_readable_size(bits.size(), key);
  if (options.sparse) spdlog::warn("--sparse has no proof of security: for experiments only");
  session.monitor().checkpoint();
  const std::vector<Ciphertext> ciphertexts =
      Encryptor(key, session.backend())
          .encrypt(bits, EncryptOptions{options.sparse}, session.monitor());
  session.monitor().checkpoint();
  save(out, ciphertexts, key);
  const double noise_bits = largest_noise(ciphertexts).bits();
  Report report;
  report.to_standard_error = is_standard_output(out);
  report.json = {{"out", options.output},
                 {"key_id", to_hex(key.id().digest)},
                 {"ciphertexts", ciphertexts.size()},
                 {"noise_bound_bits", noise_bits},
                 {"seconds", session.seconds()}};
  report.text =
      fmt::format("encrypted {} under {}: {}, noise below 2^{:.1f}\n",
                  counted(ciphertexts.size(), "bit"), key.id().text(), options.output, noise_bits);
  return report;
}

}  // namespace

void add_encrypt_command(CommandLine& line) {
  const auto options = std::make_shared<Options>();
  CLI::App& command =
      line.add_command(line.root(), "encrypt", "Encrypt bits, one ciphertext for each",
                       "fhe encrypt --key keys/public.fhe --bits 1011 --out x.fhe",
                       [options](Session& session) { return encrypt(*options, session); });
  command.add_option("--key", options->key, "Public key")->type_name("FILE")->required();
  CLI::Option_group& source = *command.add_option_group("bits", "Exactly one of:");
  source.add_option("--bits", options->bits, "Digits 0 and 1; white space is ignored")
      ->type_name("DIGITS")
      ->each([options](const std::string&) { options->bits_given = true; });
  source.add_option("--in", options->input, "File with the digits; - for standard input")
      ->type_name("FILE");
  source.require_option(1);
  command.add_option("--out", options->output, "File for the ciphertexts; - for standard output")
      ->type_name("FILE")
      ->required();
  command.add_flag("--sparse", options->sparse,
                   "Sparse weights: faster on some accelerators, without proof of security");
  line.add_computing_options(command);
}

}  // namespace fhe::cli
