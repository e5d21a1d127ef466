// SPDX-License-Identifier: Apache-2.0
// `fhe inspect`: what a file says about itself, and for ciphertexts how noisy they are.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/command_line.hpp"
#include "apps/cli/facts.hpp"
#include "apps/cli/key_files.hpp"
#include "apps/cli/object_input.hpp"
#include "libfhe/scheme/family.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/noise_meter.hpp"
#include "libfhe/scheme/she/files.hpp"

namespace fhe::cli {

namespace {

struct InspectCommandOptions {
  std::string file;
  std::string public_key;
  std::string secret_key;
  std::string passphrase_file;
};

// What a key adds to a file of ciphertexts.
struct KeyView {
  NoiseRule rule;
  std::size_t slots;
  std::vector<std::vector<NoiseBound>> measured;  // in each slot; with the secret key only
};

KeyView view_with_secret(const InspectCommandOptions& options, const Source& file,
                         const Session& session) {
  const SecretKey key = open_secret_key(options.secret_key, options.passphrase_file, session);
  KeyView view{key.material().noise_rule(), key.slots(), {}};
  for (const Ciphertext& c : load_ciphertexts(file, key, session.limits())) {
    session.monitor().throw_if_stopped();
    view.measured.push_back(measure_slot_noise(key, c));
  }
  return view;
}

KeyView view_with_public(const InspectCommandOptions& options, const Source& file,
                         const Session& session) {
  const PublicKey key = open_public_key(options.public_key, session);
  // Are they of this key, and in range?
  static_cast<void>(load_ciphertexts(file, key, session.limits()));
  return {key.context(session.backend())->noise_rule(), key.slots(), {}};
}

std::optional<KeyView> view_with_key(const InspectCommandOptions& options, const Source& file,
                                     const Session& session) {
  if (!options.secret_key.empty()) return view_with_secret(options, file, session);
  if (!options.public_key.empty()) return view_with_public(options, file, session);
  return std::nullopt;
}

bool is_secret_key(const FileSummary& file) {
  return file.header.kind == ObjectKind::secret_key;
}

Json header_json(const FileSummary& file) {
  Json sections = Json::array();
  for (const auto& [name, bytes] : file.sections) {
    sections.push_back({{"name", name}, {"bytes", bytes}});
  }
  Json json{{"kind", to_string(file.header.kind)},
            {"scheme", file.header.scheme},
            {"parameters", file.header.parameters},
            {"parameters_digest", to_hex(file.header.parameters_digest)},
            {"key_id", to_hex(file.header.key_id)},
            {"test_key", file.header.test_key},
            {"file_bytes", file.file_bytes},
            {"sections", sections}};
  if (is_secret_key(file)) json["passphrase"] = file.header.sealed;
  return json;
}

std::string header_text(const FileSummary& file) {
  std::string text = fmt::format(
      "kind         {}\nscheme       {}\ngroup        {}\nkey id       {}\ntest key     {}\n"
      "file         {} bytes\n",
      to_string(file.header.kind), file.header.scheme, file.header.parameters,
      to_hex(file.header.key_id), file.header.test_key ? "yes: protects nothing" : "no",
      file.file_bytes);
  if (is_secret_key(file)) {
    text += fmt::format("passphrase   {}\n", file.header.sealed ? "yes" : "no: not encrypted");
  }
  for (const auto& [name, bytes] : file.sections) {
    text += fmt::format("  {:<10} {} bytes\n", name, bytes);
  }
  return text;
}

void add_measured(Json& entry, const std::vector<NoiseBound>& slots) {
  entry["measured_bits"] = std::ranges::max(slots).bits();
  if (slots.size() == 1) return;
  entry["measured_bits_by_slot"] = Json::array();
  for (const NoiseBound& slot : slots) entry["measured_bits_by_slot"].push_back(slot.bits());
}

// "measured 2^12.34", and in which slots that is.
std::string measured_text(const std::vector<NoiseBound>& slots) {
  const auto [least, most] = std::ranges::minmax_element(slots);
  if (slots.size() == 1) return fmt::format("measured 2^{:.2f}", most->bits());
  return fmt::format("measured 2^{:.2f} (slot {}) to 2^{:.2f} (slot {})", least->bits(),
                     least - slots.begin(), most->bits(), most - slots.begin());
}

Json noise_json(const FileSummary& file, const std::optional<KeyView>& view) {
  Json list = Json::array();
  for (std::size_t i = 0; i < file.noise.size(); ++i) {
    Json entry{{"bound_bits", file.noise[i].bits()}};
    if (view) {
      entry["decryptable"] = file.noise[i] <= view->rule.decrypt_limit;
      entry["refreshable"] = file.noise[i] <= view->rule.refresh_limit;
      if (!view->measured.empty()) add_measured(entry, view->measured[i]);
    }
    list.push_back(entry);
  }
  return list;
}

std::string verdict(NoiseBound bound, const NoiseRule& rule) {
  if (bound > rule.decrypt_limit) return "past the limits";
  if (bound > rule.refresh_limit) return "decryptable, past recryption";
  return "within the limits";
}

std::string noise_text(const FileSummary& file, const std::optional<KeyView>& view) {
  std::string text;
  for (std::size_t i = 0; i < file.noise.size(); ++i) {
    text += fmt::format("  {:<4} noise below 2^{:.2f}", i, file.noise[i].bits());
    if (view) text += ", " + verdict(file.noise[i], view->rule);
    if (view && !view->measured.empty()) {
      text += ", " + measured_text(view->measured[i]);
      if (std::ranges::max(view->measured[i]) > file.noise[i]) {
        text += ": PAST ITS BOUND, overflowed or forged";
      }
    }
    text += "\n";
  }
  return text;
}

std::string limits_text(const std::optional<KeyView>& view) {
  if (!view) return "limits       unknown without a key: give --key or --secret\n";
  const std::string slots =
      view->slots == 1 ? "" : fmt::format("slots        {} in each\n", view->slots);
  return slots + fmt::format("limits       decryption 2^{:.2f}, recryption 2^{:.2f}\n",
                             view->rule.decrypt_limit.bits(), view->rule.refresh_limit.bits());
}

void add_ciphertexts(Report& report, const FileSummary& file, const std::optional<KeyView>& view) {
  report.json["ciphertexts"] = file.noise.size();
  report.json["compressed"] = file.compressed;
  if (view) {
    report.json["slots"] = view->slots;
    report.json["decrypt_limit_bits"] = view->rule.decrypt_limit.bits();
    report.json["refresh_limit_bits"] = view->rule.refresh_limit.bits();
  }
  report.json["noise"] = noise_json(file, view);
  report.text +=
      fmt::format("ciphertexts  {}{}\n", file.noise.size(), file.compressed ? ", compressed" : "");
  report.text += limits_text(view) + noise_text(file, view);
}

// Ciphertexts of numbers in slots, which bring their group with them; with the secret key also
// what noise they have.
void add_numbers(Report& report, const InspectCommandOptions& options, const Source& source,
                 const Session& session) {
  const she::LoadedSlots loaded = she::load_slots(source, session.limits(), session.monitor());
  std::optional<she::SecretKey> own;
  if (!options.secret_key.empty()) {
    own = open_numbers_secret_key(options.secret_key, options.passphrase_file, session);
  }
  if (!options.public_key.empty()) {
    const she::PublicKey key = open_numbers_public_key(options.public_key, session);
    require_same_key(key.id(), loaded.slots.front().key(), options.file);
  }
  const she::Parameters parameters(loaded.group);
  report.json["ciphertexts"] = loaded.slots.size();
  report.json["compressed"] = loaded.compressed;
  report.json["slots"] = parameters.slots;
  report.json["plaintext_modulus"] = parameters.plaintext;
  report.json["decrypt_limit_bits"] = parameters.eta - 2;
  report.json["noise"] = Json::array();
  report.text += fmt::format(
      "ciphertexts  {}{}\nslots        {} in each, numbers modulo {}\nlimit        decryption "
      "2^{}\n",
      loaded.slots.size(), loaded.compressed ? ", compressed" : "", parameters.slots,
      parameters.plaintext, parameters.eta - 2);
  for (const she::Slots& x : loaded.slots) {
    session.monitor().throw_if_stopped();
    Json entry{{"bits", bit_length(x.value())}, {"bound_bits", she::noise_bits(x.noise())}};
    report.text += fmt::format("  {:<4} {} bits, noise below 2^{:.2f}", report.json["noise"].size(),
                               bit_length(x.value()), she::noise_bits(x.noise()));
    if (own) {
      const Integer noise = she::measure_noise(*own, x);
      entry["measured_bits"] = she::noise_bits(noise);
      report.text += fmt::format(", measured 2^{:.2f}", she::noise_bits(noise));
      if (noise > x.noise()) report.text += ": PAST ITS BOUND, forged";
    }
    report.text += '\n';
    report.json["noise"].push_back(std::move(entry));
  }
}

Report inspect(const InspectCommandOptions& options, const Session& session) {
  clear_leftovers(options.file);
  const KeptObject object(options.file, session.limits().max_file_bytes, session);
  const FileSummary file = summarize(object.source(), session.limits());
  Report report{header_json(file), header_text(file)};
  if (file.header.kind != ObjectKind::ciphertexts) return report;
  if (is_of_family(file.header.scheme, GroupPurpose::slots)) {
    add_numbers(report, options, object.source(), session);
    return report;
  }
  const std::optional<KeyView> view = view_with_key(options, object.source(), session);
  if (view && !view->measured.empty() && view->measured.size() != file.noise.size()) {
    throw Error(ErrorCode::io, options.file + " was replaced while it was read; try again");
  }
  add_ciphertexts(report, file, view);
  return report;
}

}  // namespace

void add_inspect_command(CommandLine& line) {
  const auto options = std::make_shared<InspectCommandOptions>();
  const apps::Command command = line.add_command(
      line.root(), "inspect", "Show what a key or a file of ciphertexts is; never its secrets",
      "fhe inspect c.fhe --secret keys/secret.fhe",
      [options](Session& session) { return inspect(*options, session); });
  command.option("FILE", options->file, "The file; - for standard input").value_name("").required();
  add_passphrase_option(command, options->passphrase_file);
  const apps::Option secret =
      command
          .option("--secret", options->secret_key,
                  "Secret key: adds the limits and the measured noise of every ciphertext")
          .value_name("FILE");
  command.option("--key", options->public_key, "Public key: adds the limits")
      .value_name("FILE")
      .excludes(secret);
  line.add_limit_options(command);
}

}  // namespace fhe::cli
