// SPDX-License-Identifier: Apache-2.0
// `fhe decrypt`: prints the bits, the number or the text, and nothing else, on standard output.
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <unistd.h>

#include "apps/cli/command_line.hpp"
#include "apps/cli/facts.hpp"
#include "apps/cli/key_files.hpp"
#include "apps/cli/object_input.hpp"
#include "apps/cli/plain_forms.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/keys.hpp"
#include "libfhe/scheme/she/files.hpp"
#include "libfhe/scheme/slots.hpp"

namespace fhe::cli {

namespace {

struct DecryptCommandOptions {
  std::string key;
  std::string passphrase_file;
  std::string input;
  bool number = false;
  bool is_signed = false;
  bool hex = false;
  bool text = false;
};

std::string digits_of(const std::vector<bool>& bits) {
  std::string digits;
  for (const bool bit : bits) digits.push_back(bit ? '1' : '0');
  return digits;
}

// What the bits of one slot stand for.
Report report_of(const std::vector<bool>& bits, const DecryptCommandOptions& options) {
  Report report{Json{{"bits", digits_of(bits)}}, digits_of(bits)};
  if (options.number || options.is_signed) {
    report.text = decimal_text(bits, options.is_signed);
    report.json["number"] = report.text;
  } else if (options.hex) {
    report.text = hex_text(bits, 0, bits.size());
    report.json["hex"] = report.text;
  } else if (options.text) {
    const std::string text = text_of(bits);
    report.text = isatty(STDOUT_FILENO) != 0 ? without_controls(text) : text;
    report.json["text"] = text;
  }
  report.text += '\n';
  return report;
}

Report decrypt_numbers(const DecryptCommandOptions& options, const she::SecretKey& key,
                       const Session& session) {
  if (options.hex || options.text) {
    throw Error(ErrorCode::invalid_argument,
                "this key decrypts numbers in slots: print them in decimal, without --hex and "
                "--text");
  }
  const she::LoadedSlots loaded = read_object(options.input, session, [&](const Source& source) {
    return she::load_slots(source, session.limits(), session.monitor());
  });
  return slot_numbers_report(she::Decryptor(key).decrypt_all(loaded.slots, session.monitor()),
                             she::Parameters(key.group()).plaintext, options.is_signed);
}

Report decrypt(const DecryptCommandOptions& options, const Session& session) {
  const AnySecretKey any = open_any_secret_key(options.key, options.passphrase_file, session);
  if (const auto* numbers = std::get_if<she::SecretKey>(&any)) {
    return decrypt_numbers(options, *numbers, session);
  }
  const auto& key = std::get<SecretKey>(any);
  const std::vector<Ciphertext> ciphertexts = open_ciphertexts(options.input, key, session);
  const Decryptor decryptor(key);
  const auto slots = transposed(decryptor.decrypt_slots(ciphertexts, session.monitor()));
  if (slots.size() == 1) return report_of(slots.front(), options);
  Report all;
  all.json["slots"] = Json::array();
  for (const std::vector<bool>& bits : slots) {
    const Report report = report_of(bits, options);
    all.json["slots"].push_back(report.json);
    all.text += report.text;
  }
  return all;
}

}  // namespace

void add_decrypt_command(CommandLine& line) {
  const auto options = std::make_shared<DecryptCommandOptions>();
  const apps::Command command = line.add_command(
      line.root(), "decrypt",
      "Print the bits, the number or the text in a file of ciphertexts, a line for each slot",
      "fhe decrypt --key keys/secret.fhe c.fhe\n"
      "  fhe decrypt --key keys/secret.fhe --number c.fhe",
      [options](Session& session) { return decrypt(*options, session); });
  command.option("--key", options->key, "Secret key").value_name("FILE").required();
  add_passphrase_option(command, options->passphrase_file);
  command.option("INPUT", options->input, "File of ciphertexts; - for standard input")
      .value_name("")
      .required();
  const apps::Option number = command.flag(
      "--number", options->number, "Print a number, in decimal; without a form: bits, bit 0 first");
  const apps::Option is_signed =
      command.flag("--signed", options->is_signed,
                   "Print a number in two's complement, in decimal; of she groups, the residue in "
                   "(-Q/2, Q/2]");
  const apps::Option hex =
      command.flag("--hex", options->hex, "Print a number in hexadecimal, with all its digits")
          .excludes(number)
          .excludes(is_signed);
  command
      .flag("--text", options->text,
            "Print a text (UTF-8); on a terminal, control characters as \\x1b")
      .excludes(number)
      .excludes(is_signed)
      .excludes(hex);
  line.add_limit_options(command);
}

}  // namespace fhe::cli
