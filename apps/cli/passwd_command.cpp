// SPDX-License-Identifier: Apache-2.0
// `fhe passwd`: sets, changes or removes the passphrase of a secret key.
#include <memory>
#include <string>
#include <variant>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "apps/cli/command_line.hpp"
#include "apps/cli/key_files.hpp"
#include "apps/support/file_checks.hpp"

namespace fhe::cli {

namespace {

struct PasswdCommandOptions {
  std::string key;
  std::string passphrase_file;
  std::string new_passphrase_file;
  bool remove = false;
};

Report report_on(const PasswdCommandOptions& options, const KeyId& id) {
  return {Json{{"secret_key", options.key},
               {"key_id", to_hex(id.digest)},
               {"passphrase", !options.remove}},
          fmt::format("{} ({}) has {} passphrase now\n", options.key, id.text(),
                      options.remove ? "no" : "a new")};
}

template <class Key>
Report passwd(const PasswdCommandOptions& options, const Key& key, const Session& session) {
  if (options.remove) {
    session.monitor().throw_if_stopped();
    spdlog::warn("{} is no longer encrypted: whoever reads it can decrypt", options.key);
    save(options.key, key);
  } else {
    const Passphrase passphrase =
        new_passphrase(options.new_passphrase_file, session.monitor().stop);
    session.monitor().throw_if_stopped();
    save(options.key, key, PassphraseLock{passphrase});
  }
  return report_on(options, key.id());
}

Report passwd(const PasswdCommandOptions& options, const Session& session) {
  apps::require_key_file(options.key);
  const AnySecretKey any = open_any_secret_key(options.key, options.passphrase_file, session);
  return std::visit([&](const auto& key) { return passwd(options, key, session); }, any);
}

}  // namespace

void add_passwd_command(CommandLine& line) {
  const auto options = std::make_shared<PasswdCommandOptions>();
  const apps::Command command = line.add_command(
      line.root(), "passwd", "Set, change or remove the passphrase of a secret key",
      "fhe passwd --key keys/secret.fhe",
      [options](Session& session) { return passwd(*options, session); });
  command.option("--key", options->key, "Secret key").value_name("FILE").required();
  add_passphrase_option(command, options->passphrase_file);
  const apps::Option file =
      command
          .option("--new-passphrase-file", options->new_passphrase_file,
                  "File whose first line is the new passphrase; - for standard input. Without "
                  "it the terminal is asked")
          .value_name("FILE");
  command.flag("--remove", options->remove, "Leave the key without a passphrase").excludes(file);
  line.add_limit_options(command);
}

}  // namespace fhe::cli
