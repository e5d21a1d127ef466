// Keys as commands read them: leftovers beside them cleared, passphrases asked for.
#pragma once

#include <filesystem>
#include <string>

#include <CLI/CLI.hpp>

#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/keys.hpp"

namespace fhe::cli {

PublicKey open_public_key(const std::filesystem::path& file, const ReadLimits& limits);

// The passphrase of a protected key comes from the file `passphrase_file` (`-`: standard input) or,
// where none is named, from the terminal. Throws Error(invalid_argument) without a terminal. From then
// on the memory of the process is private (apps/support/secrecy.hpp).
SecretKey open_secret_key(const std::filesystem::path& file, const std::string& passphrase_file,
                          const ReadLimits& limits);

// The first line of a file, `-` for standard input, without its end.
Passphrase read_passphrase(const std::string& file);

// A new passphrase, asked for twice on the terminal unless a file is named.
Passphrase new_passphrase(const std::string& file);

// The option --passphrase-file of commands that read secret keys.
void add_passphrase_option(CLI::App& command, std::string& passphrase_file);

}  // namespace fhe::cli
