// SPDX-License-Identifier: Apache-2.0
// `fhe keygen`: makes a key pair and saves it as DIR/public.fhe and DIR/secret.fhe.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "apps/cli/command_line.hpp"
#include "apps/cli/facts.hpp"
#include "apps/cli/key_files.hpp"
#include "apps/support/file_checks.hpp"
#include "apps/support/new_directories.hpp"
#include "apps/support/secrecy.hpp"
#include "libfhe/scheme/family.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/keys.hpp"
#include "libfhe/scheme/sizes.hpp"

namespace fhe::cli {

namespace {

namespace fs = std::filesystem;

struct KeygenCommandOptions {
  std::string parameters;
  std::string directory;
  std::string passphrase_file;
  std::optional<std::string> test_seed;
  std::vector<std::string> permutations;
  bool passphrase = false;  // asked for
  bool force = false;
};

// The directory of the keys. One that had to be made is removed again unless the keys came.
class KeyDirectory {
 public:
  explicit KeyDirectory(fs::path path) : path_(std::move(path)) {
    made_.make(path_);
    apps::require_writable_directory(path_);
    apps::clear_leftovers_beside(public_key());
  }

  void keep() { made_.keep(); }
  [[nodiscard]] fs::path public_key() const { return path_ / "public.fhe"; }
  [[nodiscard]] fs::path secret_key() const { return path_ / "secret.fhe"; }

 private:
  fs::path path_;
  apps::NewDirectories made_;
};

void require_free(const KeyDirectory& directory, bool force) {
  for (const fs::path& path : {directory.public_key(), directory.secret_key()}) {
    apps::require_key_file(path);
    std::error_code ignored;
    if (!force && fs::exists(path, ignored)) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("{} is there already; --force replaces it, and what was encrypted "
                              "under the old key is then lost",
                              path.string()));
    }
  }
}

void warn(const ParameterSet& group, bool deterministic) {
  const std::optional<security::Estimate> estimate = estimate_of(group);
  const bool passes = estimate->verdict() == security::Verdict::passes_128;
  spdlog::warn("{}: estimated security {}; {}", group.name(), security_text(estimate),
               passes
                   ? "approximate common divisors are much less studied than lattices with errors"
                   : "do not protect anything with it");
  if (deterministic) {
    spdlog::warn("--test-seed makes a test key: whoever knows the seed knows the secret key");
  }
}

std::uint32_t number_in(std::string_view text, const std::string& whole) {
  std::uint32_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure == std::errc() && end == text.data() + text.size()) return number;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("--permutation {}: '{}' is no number of a slot", whole, text));
}

// "rotate:3", or where the bit of each slot comes from: "3,0,1,2".
SlotPermutation permutation_of(const std::string& text, std::size_t slots) {
  constexpr std::string_view kRotate = "rotate:";
  if (text.starts_with(kRotate)) {
    const std::string_view distance = std::string_view(text).substr(kRotate.size());
    return SlotPermutation::rotation(slots, number_in(distance, text));
  }
  std::vector<std::uint32_t> sources;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t end = std::min(text.find(',', first), text.size());
    sources.push_back(number_in(std::string_view(text).substr(first, end - first), text));
    first = end + 1;
  }
  return SlotPermutation(std::move(sources));
}

KeyOptions key_options(const KeygenCommandOptions& options, const ParameterSet& group) {
  const std::size_t slots = sizes_of(group)->slots;
  KeyOptions held;
  const auto add = [&held](SlotPermutation permutation) {
    const auto same = std::ranges::find(held.permutations, permutation);
    if (same == held.permutations.end()) held.permutations.push_back(std::move(permutation));
  };
  for (const std::string& text : options.permutations) {
    if (text == "network") {
      for (SlotPermutation& rotation : network_rotations(slots)) add(std::move(rotation));
    } else {
      add(permutation_of(text, slots));
    }
  }
  return held;
}

KeyPair generate(const KeygenCommandOptions& options, const ParameterSet& group,
                 const Session& session) {
  const KeyGenerator generator(group, session.backend(), key_options(options, group));
  if (options.test_seed) {
    return generator.generate(TestSeed{*options.test_seed}, session.monitor());
  }
  return generator.generate(session.monitor());
}

std::optional<Passphrase> wanted_passphrase(const KeygenCommandOptions& options,
                                            const Session& session) {
  if (!options.passphrase && options.passphrase_file.empty()) return std::nullopt;
  return new_passphrase(options.passphrase_file, session.monitor().stop);
}

void save_keys(const KeyDirectory& directory, const KeyPair& keys,
               const std::optional<Passphrase>& passphrase, const Monitor& monitor) {
  const auto& [published, secret] = std::pair(directory.public_key(), directory.secret_key());
  if (!passphrase) return save(published, secret, keys, monitor);
  save(published, secret, keys, PassphraseLock{*passphrase}, monitor);
}

std::string made_in(const KeyDirectory& directory) {
  return fmt::format("the keys in '{}'", directory.secret_key().parent_path().string());
}

Report report_on(const KeyPair& keys, const KeyDirectory& directory, bool has_passphrase,
                 double seconds) {
  const KeyId& id = keys.public_key.id();
  const std::uintmax_t public_bytes = fs::file_size(directory.public_key());
  const std::uintmax_t secret_bytes = fs::file_size(directory.secret_key());
  Report report;
  report.made = made_in(directory);
  report.json = {
      {"parameters", id.parameters},
      {"key_id", to_hex(id.digest)},
      {"test_key", id.test_key},
      {"public_key", {{"path", directory.public_key().string()}, {"bytes", public_bytes}}},
      {"secret_key", {{"path", directory.secret_key().string()}, {"bytes", secret_bytes}}},
      {"passphrase", has_passphrase},
      {"seconds", seconds}};
  add_security(report.json, estimate_of(keys.public_key.parameters()));
  report.text = fmt::format(
      "made {}{} in {:.2f} s\n"
      "public key  {} ({} bytes): encrypts and computes, give it to anyone\n"
      "secret key  {} ({} bytes): decrypts, readable by you only, {}\n",
      id.text(), id.test_key ? " (test key)" : "", seconds, directory.public_key().string(),
      public_bytes, directory.secret_key().string(), secret_bytes,
      has_passphrase ? "under a passphrase" : "not encrypted");
  return report;
}

she::SecretKey generate_numbers_key(const KeygenCommandOptions& options, const ParameterSet& group,
                                    const Session& session) {
  const she::KeyGenerator generator(group, session.backend());
  if (options.test_seed) {
    return generator.generate(TestSeed{*options.test_seed}, session.monitor());
  }
  return generator.generate(session.monitor());
}

Report report_on(const she::SecretKey& key, const KeyDirectory& directory, bool has_passphrase,
                 double seconds) {
  const std::uintmax_t bytes = fs::file_size(directory.secret_key());
  Report report;
  report.made = made_in(directory);
  report.json = {{"parameters", key.id().parameters},
                 {"key_id", to_hex(key.id().digest)},
                 {"test_key", key.id().test_key},
                 {"secret_key", {{"path", directory.secret_key().string()}, {"bytes", bytes}}},
                 {"passphrase", has_passphrase},
                 {"seconds", seconds}};
  report.text = fmt::format(
      "made {}{} in {:.2f} s\n"
      "secret key  {} ({} bytes): encrypts and decrypts, readable by you only, {}\n",
      key.id().text(), key.id().test_key ? " (test key)" : "", seconds,
      directory.secret_key().string(), bytes,
      has_passphrase ? "under a passphrase" : "not encrypted");
  if (she::Parameters(key.group()).has_public_keys()) {
    const std::uintmax_t public_bytes = fs::file_size(directory.public_key());
    report.json["public_key"] = {{"path", directory.public_key().string()},
                                 {"bytes", public_bytes}};
    report.text += fmt::format("public key  {} ({} bytes): encrypts, give it to anyone\n",
                               directory.public_key().string(), public_bytes);
  }
  report.text += "Others compute on what is encrypted without a key (fhe slots).\n";
  add_security(report.json, estimate_of(key.group()));
  return report;
}

she::KeyPair generate_numbers_pair(const KeygenCommandOptions& options, const ParameterSet& group,
                                   const Session& session) {
  const she::KeyGenerator generator(group, session.backend());
  if (options.test_seed) {
    return generator.generate_pair(TestSeed{*options.test_seed}, session.monitor());
  }
  return generator.generate_pair(session.monitor());
}

// Makes the keys and saves them where nobody made others meanwhile; returns the secret one.
she::SecretKey make_numbers_keys(const KeygenCommandOptions& options, const ParameterSet& group,
                                 const KeyDirectory& directory,
                                 const std::optional<Passphrase>& passphrase,
                                 const Session& session) {
  const auto before_saving = [&] {
    session.monitor().throw_if_stopped();
    require_free(directory, options.force);
  };
  if (she::Parameters(group).has_public_keys()) {
    she::KeyPair keys = generate_numbers_pair(options, group, session);
    before_saving();
    if (passphrase) {
      she::save(directory.public_key(), directory.secret_key(), keys, PassphraseLock{*passphrase});
    } else {
      she::save(directory.public_key(), directory.secret_key(), keys);
    }
    return std::move(keys.secret_key);
  }
  she::SecretKey key = generate_numbers_key(options, group, session);
  before_saving();
  if (passphrase) {
    she::save(directory.secret_key(), key, PassphraseLock{*passphrase});
  } else {
    she::save(directory.secret_key(), key);
  }
  return key;
}

// Mostly a secret key and no other: what it encrypts is computed on without one.
Report keygen_of_numbers(const KeygenCommandOptions& options, const ParameterSet& group,
                         Session& session) {
  if (!options.permutations.empty()) {
    throw group.invalid("numbers in slots have no permutations: leave --permutation out");
  }
  KeyDirectory directory(options.directory);
  require_free(directory, options.force);
  const std::optional<Passphrase> passphrase = wanted_passphrase(options, session);
  warn(group, options.test_seed.has_value());
  apps::keep_memory_private();
  const she::SecretKey key = make_numbers_keys(options, group, directory, passphrase, session);
  directory.keep();
  return report_on(key, directory, passphrase.has_value(), session.seconds());
}

Report keygen(const KeygenCommandOptions& options, Session& session) {
  const ParameterSet group = ParameterSet::resolve(options.parameters);
  if (group.purpose() == GroupPurpose::slots) return keygen_of_numbers(options, group, session);
  require_family(group, GroupPurpose::scheme);
  KeyDirectory directory(options.directory);
  require_free(directory, options.force);
  const std::optional<Passphrase> passphrase = wanted_passphrase(options, session);
  warn(group, options.test_seed.has_value());
  apps::keep_memory_private();
  const KeyPair keys = generate(options, group, session);
  session.monitor().throw_if_stopped();
  require_free(directory, options.force);  // once more: making the keys may have taken long
  save_keys(directory, keys, passphrase, session.monitor());
  directory.keep();
  return report_on(keys, directory, passphrase.has_value(), session.seconds());
}

}  // namespace

void add_keygen_command(CommandLine& line) {
  const auto options = std::make_shared<KeygenCommandOptions>();
  const apps::Command command =
      line.add_command(line.root(), "keygen", "Make a key pair: DIR/public.fhe and DIR/secret.fhe",
                       "fhe keygen --params cnt-toy --out keys",
                       [options](Session& session) { return keygen(*options, session); });
  command
      .option("--params", options->parameters,
              "Parameter group, as `fhe params list` shows them, or path of a TOML file")
      .value_name("GROUP")
      .required();
  command.option("--out", options->directory, "Directory for the keys, made when missing")
      .value_name("DIR")
      .required();
  command
      .option("--permutation", options->permutations,
              "A permutation of the slots that comes with a recryption: rotate:D, or the slot that "
              "each bit comes from, as 3,0,1,2; or network, the rotations of which any "
              "permutation can be made. May be given several times")
      .value_name("SLOTS")
      .one_each_time();
  command.flag("--force", options->force, "Replace keys that are there already");
  command
      .option("--passphrase-file", options->passphrase_file,
              "Encrypt the secret key under the first line of this file; - for standard input")
      .value_name("FILE");
  command.flag("--passphrase", options->passphrase,
               "Encrypt the secret key under a passphrase that the terminal is asked for");
  command
      .option("--test-seed", options->test_seed,
              "Derive the key from this text, the same every time: for tests only")
      .value_name("TEXT");
  line.add_computing_options(command);
}

}  // namespace fhe::cli
