// SPDX-License-Identifier: Apache-2.0
// `fhe check`: whether keys are sound and belong together.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>

#include "apps/cli/command_line.hpp"
#include "apps/cli/facts.hpp"
#include "apps/cli/key_files.hpp"
#include "libfhe/scheme/check.hpp"
#include "libfhe/scheme/family.hpp"
#include "libfhe/scheme/she/check.hpp"

namespace fhe::cli {

namespace {

struct CheckCommandOptions {
  std::string public_key;
  std::string secret_key;
  std::string passphrase_file;
};

// What was found about one key, or about both.
struct Part {
  std::string subject;
  std::vector<KeyFinding> findings;
};

// Reads a key; nothing, and a finding that says why, for one that no reader accepts.
template <class Read>
auto read_key(const Read& read, Part& part) -> std::optional<decltype(read())> {
  try {
    std::optional key(read());
    part.findings.push_back({"file", true, "digests and values are those of a key"});
    return key;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::malformed_file) throw;
    part.findings.push_back({"file", false, error.what()});
    return std::nullopt;
  }
}

void append(Part& part, std::vector<KeyFinding> more) {
  std::ranges::move(more, std::back_inserter(part.findings));
}

std::vector<KeyFinding> checked(const SecretKey& key, const Session& /*session*/) {
  return check_key(key);
}
std::vector<KeyFinding> checked(const she::SecretKey& key, const Session& session) {
  return check_key(key, session.monitor());
}
template <class PublicKey>
std::vector<KeyFinding> checked(const PublicKey& key, const Session& session) {
  return check_key(key, session.backend(), session.monitor());
}

std::vector<KeyFinding> checked_pair(const PublicKey& public_key, const SecretKey& secret_key,
                                     const Session& session) {
  return check_key_pair(public_key, secret_key, session.backend(), session.monitor());
}
std::vector<KeyFinding> checked_pair(const she::PublicKey& public_key,
                                     const she::SecretKey& secret_key, const Session& session) {
  return check_key_pair(public_key, secret_key, session.backend(), session.monitor());
}

template <class Key>
const ParameterSet& group_of(const Key& key) {
  if constexpr (requires { key.group(); }) {
    return key.group();
  } else {
    return key.parameters();
  }
}

// Two keys of different families.
template <class Public, class Secret>
std::vector<KeyFinding> checked_pair(const Public& public_key, const Secret& secret_key,
                                     const Session& /*session*/) {
  throw Error(ErrorCode::wrong_key,
              fmt::format("{} and {} are no pair: check each by itself (fhe check --key, fhe check "
                          "--secret)",
                          object_text(ObjectKind::public_key, group_of(public_key)),
                          object_text(ObjectKind::secret_key, group_of(secret_key))));
}

bool is_sound(const std::vector<Part>& parts) {
  return std::ranges::all_of(parts, [](const Part& part) {
    return std::ranges::all_of(part.findings, &KeyFinding::passed);
  });
}

// Which files the two names stand for: others as soon as a pair is replaced.
std::vector<std::int64_t> identities_of(const CheckCommandOptions& options) {
  std::vector<std::int64_t> numbers;
  for (const std::string& name : {options.public_key, options.secret_key}) {
    struct stat status {};
    if (::stat(name.c_str(), &status) != 0) continue;
    numbers.insert(numbers.end(), {static_cast<std::int64_t>(status.st_ino), status.st_mtim.tv_sec,
                                   status.st_mtim.tv_nsec});
  }
  return numbers;
}

std::vector<Part> examined_now(const CheckCommandOptions& options, const Session& session) {
  std::vector<Part> parts;
  const auto check_one = [&](const std::string& subject, const auto& read) {
    Part& part = parts.emplace_back(Part{subject, {}});
    auto key = read_key(read, part);
    if (key) append(part, std::visit([&](const auto& k) { return checked(k, session); }, *key));
    return key;
  };
  std::optional<AnyPublicKey> public_key;
  std::optional<AnySecretKey> secret_key;
  if (!options.public_key.empty()) {
    public_key = check_one("public key " + options.public_key,
                           [&] { return open_any_public_key(options.public_key, session); });
  }
  if (!options.secret_key.empty()) {
    secret_key = check_one("secret key " + options.secret_key, [&] {
      return open_any_secret_key(options.secret_key, options.passphrase_file, session);
    });
  }
  if (public_key && secret_key) {
    parts.push_back(
        {"both", std::visit([&](const auto& one,
                                const auto& other) { return checked_pair(one, other, session); },
                            *public_key, *secret_key)});
  }
  return parts;
}

// A pair is replaced in one step for the disk, but not for who reads one file after the other:
// where keys do not fit and were replaced meanwhile, they are looked at once more.
std::vector<Part> examined(const CheckCommandOptions& options, const Session& session) {
  const std::vector<std::int64_t> before = identities_of(options);
  const auto are_others = [&] { return identities_of(options) != before; };
  try {
    std::vector<Part> parts = examined_now(options, session);
    if (is_sound(parts) || !are_others()) return parts;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::stopped || !are_others()) throw;
  }
  return examined_now(options, session);
}

std::size_t add_finding(Report& report, const std::string& subject, const KeyFinding& finding) {
  report.json["checks"].push_back({{"subject", subject},
                                   {"check", finding.what},
                                   {"passed", finding.passed},
                                   {"detail", finding.detail}});
  report.text += fmt::format("  {:<6}  {:<20}  {}\n", finding.passed ? "ok" : "FAILED",
                             finding.what, finding.detail);
  return finding.passed ? 0 : 1;
}

Report check(const CheckCommandOptions& options, const Session& session) {
  if (options.public_key.empty() && options.secret_key.empty()) {
    throw Error(ErrorCode::invalid_argument, "give a key to check: --key, --secret or both");
  }
  Report report;
  report.json = {{"sound", true}, {"checks", Json::array()}};
  std::size_t failed = 0;
  for (const Part& part : examined(options, session)) {
    report.text += part.subject + "\n";
    for (const KeyFinding& finding : part.findings) {
      failed += add_finding(report, part.subject, finding);
    }
  }
  report.json["sound"] = failed == 0;
  report.text += failed == 0 ? "sound\n"
                             : fmt::format("NOT SOUND: {} failed; do not use what failed\n",
                                           counted(failed, "check"));
  if (failed > 0) report.exit_code = apps::ExitCode::bad_file;
  return report;
}

}  // namespace

void add_check_command(CommandLine& line) {
  const auto options = std::make_shared<CheckCommandOptions>();
  const apps::Command command = line.add_command(
      line.root(), "check", "Tell whether keys are sound and belong together",
      "fhe check --key keys/public.fhe --secret keys/secret.fhe\n\n"
      "Without the secret key nobody can tell whether a public key was made as it should be. Exit\n"
      "code 0: sound; 3: not.",
      [options](Session& session) { return check(*options, session); });
  command.option("--key", options->public_key, "Public key").value_name("FILE");
  command.option("--secret", options->secret_key, "Secret key").value_name("FILE");
  add_passphrase_option(command, options->passphrase_file);
  line.add_computing_options(command);
  line.add_limit_options(command);
}

}  // namespace fhe::cli
