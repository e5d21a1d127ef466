// SPDX-License-Identifier: Apache-2.0
// `fhe encrypt`: bits, a number or a text from the command line, a file or standard input into a
// file of ciphertexts.
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "apps/cli/command_line.hpp"
#include "apps/cli/facts.hpp"
#include "apps/cli/input.hpp"
#include "apps/cli/key_files.hpp"
#include "apps/cli/plain_forms.hpp"
#include "apps/support/file_checks.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/keys.hpp"
#include "libfhe/scheme/she/files.hpp"
#include "libfhe/scheme/she/randomizer.hpp"

namespace fhe::cli {

namespace {

struct EncryptCommandOptions {
  std::optional<std::string> key;
  std::optional<std::string> secret_key;
  std::string passphrase_file;
  std::optional<std::string> bits;
  std::optional<std::string> number;
  std::optional<std::string> hex;
  std::optional<std::string> text;
  std::optional<std::uint64_t> width;
  std::string input;
  std::string slots;
  std::optional<std::string> zeros;
  std::size_t weight_bits = she::kZeroWeightBits;
  std::optional<std::string> form;
  std::string output;
  bool sparse = false;
};

// What the user gave to be encrypted: at most one of these.
struct GivenText {
  PlainForm form;
  const std::optional<std::string>& text;
  std::string_view option;
};

std::vector<GivenText> texts_of(const EncryptCommandOptions& options) {
  return {{PlainForm::bits, options.bits, "--bits"},
          {PlainForm::number, options.number, "--number"},
          {PlainForm::hex, options.hex, "--hex"},
          {PlainForm::text, options.text, "--text"}};
}

// Of what --in and --slots hold.
PlainForm form_of(const EncryptCommandOptions& options) {
  return options.form ? plain_form_named(*options.form) : PlainForm::bits;
}

PlainShape shape_of(const EncryptCommandOptions& options, const Session& session) {
  return {options.width, session.limits().max_ciphertexts};
}

std::vector<bool> requested_bits(const EncryptCommandOptions& options, const Session& session) {
  const PlainShape shape = shape_of(options, session);
  for (const GivenText& given : texts_of(options)) {
    if (!given.text) continue;
    return read_plain(given.form, characters_of(*given.text), given.option, shape);
  }
  if (options.input.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "give what to encrypt with --number, --text, --hex or --bits, or a file that holds "
                "it with --in or --slots");
  }
  TextSource text(options.input, session.monitor().stop);
  return read_plain(
      form_of(options), [&text] { return text.next(); }, input_name(options.input), shape);
}

// What is encrypted: a bit in all slots of each ciphertext, or the bits of the slots of each.
struct Plaintext {
  std::vector<bool> bits;
  std::vector<SlotBits> rows;  // with --slots

  [[nodiscard]] std::size_t ciphertexts() const { return bits.size() + rows.size(); }
};

Plaintext requested_plaintext(const EncryptCommandOptions& options, const Session& session) {
  if (options.form && options.input.empty() && options.slots.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "--as says what a file holds: name it with --in or --slots");
  }
  if (options.slots.empty()) return {requested_bits(options, session), {}};
  TextSource text(options.slots, session.monitor().stop);
  return {{},
          read_slots(
              form_of(options), [&text] { return text.next(); }, input_name(options.slots),
              shape_of(options, session))};
}

// What was encrypted, in which form.
struct Encrypted {
  KeyId key;
  NoiseBound noise;
  bool compressed;
};

// `fhe encrypt --secret-key`: compressed ciphertexts.
Encrypted encrypt_plain(const EncryptCommandOptions& options, const Plaintext& plain,
                        const SecretKey& key, const std::filesystem::path& out,
                        const Session& session) {
  const SecretEncryptor encryptor(key, session.backend());
  const CompressedCiphertexts compressed =
      options.slots.empty() ? encryptor.encrypt(plain.bits, session.monitor())
                            : encryptor.encrypt_slots(plain.rows, session.monitor());
  session.monitor().throw_if_stopped();
  save(out, compressed, key, session.limits());
  return {key.id(), compressed.noise(), true};
}

// `fhe encrypt --key`.
Encrypted encrypt_plain(const EncryptCommandOptions& options, const Plaintext& plain,
                        const PublicKey& key, const std::filesystem::path& out,
                        const Session& session) {
  require_savable(plain.ciphertexts(), key, session.limits(), options.output);
  if (options.sparse) spdlog::warn("--sparse has no proof of security: for experiments only");
  session.monitor().throw_if_stopped();
  const Encryptor encryptor(key, session.backend());
  const EncryptOptions how{options.sparse};
  const std::vector<Ciphertext> ciphertexts =
      options.slots.empty() ? encryptor.encrypt(plain.bits, how, session.monitor())
                            : encryptor.encrypt_slots(plain.rows, how, session.monitor());
  session.monitor().throw_if_stopped();
  save(out, ciphertexts, key, session.limits());
  return {key.id(), largest_noise(ciphertexts), false};
}

// Numbers in slots, of which a file has a line for each slot.
std::vector<she::SlotNumbers> requested_numbers(const EncryptCommandOptions& options,
                                                const she::Parameters& parameters,
                                                const Session& session) {
  const bool is_other_form = options.form && form_of(options) != PlainForm::number;
  if (options.slots.empty() || is_other_form || options.width) {
    throw Error(ErrorCode::invalid_argument,
                "this key encrypts numbers in slots: give a file with a line for each slot, and in "
                "it a number for each ciphertext, with --slots, and no --width");
  }
  TextSource text(options.slots, session.monitor().stop);
  return read_slot_numbers([&text] { return text.next(); }, input_name(options.slots),
                           parameters.plaintext, session.limits().max_ciphertexts);
}

// As many as --zeros says, which must suffice.
std::size_t requested_zeros(const EncryptCommandOptions& options, const ParameterSet& group) {
  const std::size_t least = she::zeros_needed(group, she::Hiding::estimated, options.weight_bits);
  const std::string& text = *options.zeros;
  if (text == "estimated") return least;
  if (text == "proven") return she::zeros_needed(group, she::Hiding::proven, options.weight_bits);
  std::size_t count = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failure == std::errc() && end == text.data() + text.size() && count >= least) return count;
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("--zeros {}: give estimated, proven, or a number from {} on", text, least));
}

// What was encrypted, under a key of this group.
Report report_on_numbers(const EncryptCommandOptions& options, const KeyId& key,
                         const she::Parameters& parameters, std::size_t ciphertexts,
                         const Session& session) {
  const bool compressed = options.secret_key.has_value();
  const Integer noise = compressed ? parameters.fresh_noise() : parameters.public_noise();
  Report report;
  report.to_standard_error = apps::is_standard_output(options.output);
  report.json = {{"out", options.output},       {"key_id", to_hex(key.digest)},
                 {"ciphertexts", ciphertexts},  {"slots", parameters.slots},
                 {"compressed", compressed},    {"noise_bound_bits", she::noise_bits(noise)},
                 {"seconds", session.seconds()}};
  report.text = fmt::format("encrypted {} of {} under {}: {}{}\n",
                            counted(ciphertexts, "ciphertext"), counted(parameters.slots, "slot"),
                            key.text(), options.output, compressed ? " (compressed)" : "");
  return report;
}

Report encrypt_with(const EncryptCommandOptions& options, const she::SecretKey& key,
                    const std::filesystem::path& out, const Session& session) {
  const she::Parameters parameters(key.group());
  const std::vector<she::SlotNumbers> rows =
      options.zeros ? std::vector<she::SlotNumbers>(requested_zeros(options, key.group()))
                    : requested_numbers(options, parameters, session);
  const she::CompressedSlots made = she::Encryptor(key).encrypt_compressed(rows, session.monitor());
  session.monitor().throw_if_stopped();
  she::save(out, made, key.group(), session.limits());
  return report_on_numbers(options, key.id(), parameters, made.size(), session);
}

void require_no_zeros(const EncryptCommandOptions& options) {
  if (!options.zeros) return;
  throw Error(ErrorCode::invalid_argument,
              "--zeros is for secret keys of she groups: give yours with --secret-key");
}

// Of a public key, whose ciphertexts have one slot.
Report encrypt_with(const EncryptCommandOptions& options, const she::PublicKey& key,
                    const std::filesystem::path& out, const Session& session) {
  require_no_zeros(options);
  const she::Parameters parameters(key.group());
  std::vector<std::uint64_t> numbers;
  for (const she::SlotNumbers& row : requested_numbers(options, parameters, session)) {
    if (row.size() != 1) {
      throw Error(ErrorCode::invalid_argument,
                  "ciphertexts of this key have one slot: give one line of numbers, one for each "
                  "ciphertext");
    }
    numbers.push_back(row.front());
  }
  const std::vector<she::Slots> made =
      she::PublicEncryptor(key, session.backend()).encrypt_all(numbers, session.monitor());
  session.monitor().throw_if_stopped();
  she::save(out, made, key.group(), session.limits());
  return report_on_numbers(options, key.id(), parameters, made.size(), session);
}

// Bits, under a key of either kind; keys of numbers have functions of their own.
template <class Key>
Report encrypt_with(const EncryptCommandOptions& options, const Key& key,
                    const std::filesystem::path& out, const Session& session) {
  require_no_zeros(options);
  const Plaintext plain = requested_plaintext(options, session);
  const Encrypted made = encrypt_plain(options, plain, key, out, session);
  Report report;
  report.to_standard_error = apps::is_standard_output(out);
  report.json = {{"out", options.output},
                 {"key_id", to_hex(made.key.digest)},
                 {"ciphertexts", plain.ciphertexts()},
                 {"compressed", made.compressed},
                 {"noise_bound_bits", made.noise.bits()},
                 {"seconds", session.seconds()}};
  report.text = fmt::format(
      "encrypted {} under {}: {}{}, noise below 2^{:.1f}\n",
      counted(plain.ciphertexts(), options.slots.empty() ? "bit" : "ciphertext"), made.key.text(),
      options.output, made.compressed ? " (compressed)" : "", made.noise.bits());
  return report;
}

Report encrypt(const EncryptCommandOptions& options, const Session& session) {
  if (!options.key && !options.secret_key) {
    throw Error(ErrorCode::invalid_argument,
                "give the public key with --key, or your own secret key with --secret-key");
  }
  const std::filesystem::path out = apps::require_ciphertext_output(options.output);
  const auto with = [&](const auto& key) { return encrypt_with(options, key, out, session); };
  if (options.key) return std::visit(with, open_any_public_key(*options.key, session));
  if (options.sparse) {
    throw Error(ErrorCode::invalid_argument,
                "--sparse is about the weights of encryption under a public key (--key)");
  }
  return std::visit(with,
                    open_any_secret_key(*options.secret_key, options.passphrase_file, session));
}

void add_plain_options(const apps::Command& command, EncryptCommandOptions& options) {
  const apps::Option number =
      command
          .option("--number", options.number,
                  "A number of --width bits: decimal, or hexadecimal after 0x; one below zero in "
                  "two's complement")
          .value_name("N");
  const apps::Option text =
      command
          .option("--text", options.text, "A text: its bytes, in UTF-8 where the terminal has it")
          .value_name("TEXT")
          .excludes(number);
  const apps::Option hex =
      command
          .option("--hex", options.hex,
                  "Hexadecimal digits of a number, the highest first, as `fhe run --plain` prints "
                  "them; four bits a digit, or --width")
          .value_name("DIGITS")
          .excludes(number)
          .excludes(text);
  const apps::Option bits =
      command.option("--bits", options.bits, "Digits 0 and 1, bit 0 first; white space is ignored")
          .value_name("DIGITS")
          .excludes(number)
          .excludes(text)
          .excludes(hex);
  command.option("--width", options.width, "Bits of the number").value_name("BITS").decimal();
  const apps::Option input =
      command.option("--in", options.input, "File with one of these; - for standard input")
          .value_name("FILE")
          .excludes(number)
          .excludes(text)
          .excludes(hex)
          .excludes(bits);
  const apps::Option slots =
      command
          .option(
              "--slots", options.slots,
              "File with a line for each slot of the key's ciphertexts, and in it one of these; - "
              "for standard input. Without it all slots hold the same. For keys of she groups: in "
              "each line a number for each ciphertext")
          .value_name("FILE")
          .excludes(number)
          .excludes(text)
          .excludes(hex)
          .excludes(bits)
          .excludes(input);
  const apps::Option zeros =
      command
          .option("--zeros", options.zeros,
                  "Encryptions of zero with which servers hide how they compute answers (fhe slots "
                  "randomize): as many as are estimated to do it, as are proven to, or a number")
          .value_name("estimated|proven|N")
          .excludes(number)
          .excludes(text)
          .excludes(hex)
          .excludes(bits)
          .excludes(input)
          .excludes(slots);
  command
      .option(
          "--weight-bits", options.weight_bits,
          "Bits of the weights that --zeros are to be multiplied by: more take fewer zeros, and "
          "make more noise")
      .value_name("BITS")
      .in_range(std::size_t{1}, she::kMostZeroWeightBits)
      .needs(zeros);
  command.option("--as", options.form, "What --in, or each line of --slots, holds; bits without it")
      .value_name("FORM")
      .one_of(plain_form_names());
}

}  // namespace

void add_encrypt_command(CommandLine& line) {
  const auto options = std::make_shared<EncryptCommandOptions>();
  const apps::Command command = line.add_command(
      line.root(), "encrypt", "Encrypt a number, a text or bits, one ciphertext for each bit",
      "fhe encrypt --key keys/public.fhe --number 13 --width 8 --out x.fhe\n"
      "  fhe encrypt --key keys/public.fhe --text hello --out y.fhe\n"
      "  fhe encrypt --key keys/public.fhe --in - --as text --out z.fhe < letter\n"
      "  fhe encrypt --key slots/public.fhe --slots column --as number --width 8 --out c.fhe\n\n"
      "Bit 0 of a number, its lowest, is the first ciphertext; so it is with each byte "
      "of a text.\nOther users of the machine may see command lines: give secrets with "
      "--in.",
      [options](Session& session) { return encrypt(*options, session); });
  const apps::Option key =
      command.option("--key", options->key, "Public key; this or --secret-key").value_name("FILE");
  command
      .option(
          "--secret-key", options->secret_key,
          "Your own secret key (cnt, cmnt, bdghv and she groups): faster, with little noise, and "
          "compressed to a few hundred bytes a bit, which every command expands when it reads "
          "them")
      .value_name("FILE")
      .excludes(key);
  add_passphrase_option(command, options->passphrase_file);
  add_plain_options(command, *options);
  command.option("--out", options->output, "File for the ciphertexts; - for standard output")
      .value_name("FILE")
      .required();
  command.flag("--sparse", options->sparse,
               "Sparse weights: faster on some accelerators, without proof of security");
  line.add_computing_options(command);
  line.add_limit_options(command);
}

}  // namespace fhe::cli
