// SPDX-License-Identifier: Apache-2.0
// Keys as commands read them, from files, pipes or standard input (`-`): leftovers beside them
// cleared, passphrases asked for.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <variant>

#include "apps/cli/session.hpp"
#include "apps/support/arguments.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/keys.hpp"
#include "libfhe/scheme/she/files.hpp"

namespace fhe::cli {

PublicKey open_public_key(const std::string& file, const Session& session);

// The passphrase of a protected key comes from the file `passphrase_file` (`-`: standard input) or,
// where none is named, from the terminal. Throws Error(invalid_argument) without a terminal,
// Error(stopped). Makes the memory of the process private.
SecretKey open_secret_key(const std::string& file, const std::string& passphrase_file,
                          const Session& session);

// Likewise keys of numbers in slots.
she::PublicKey open_numbers_public_key(const std::string& file, const Session& session);
she::SecretKey open_numbers_secret_key(const std::string& file, const std::string& passphrase_file,
                                       const Session& session);

// Keys of either family: those that encrypt bits, or those of numbers in slots.
using AnyPublicKey = std::variant<PublicKey, she::PublicKey>;
using AnySecretKey = std::variant<SecretKey, she::SecretKey>;

// Likewise, of a file or pipe that says at its start which it is.
AnyPublicKey open_any_public_key(const std::string& file, const Session& session);
AnySecretKey open_any_secret_key(const std::string& file, const std::string& passphrase_file,
                                 const Session& session);

// The first line of a file, `-` for standard input, without its end. Throws Error(stopped).
Passphrase read_passphrase(const std::string& file, const std::stop_token& stop);

// A new passphrase, asked for twice on the terminal unless a file is named. Throws Error(stopped).
Passphrase new_passphrase(const std::string& file, const std::stop_token& stop);

// The option --passphrase-file of commands that read secret keys.
void add_passphrase_option(const apps::Command& command, std::string& passphrase_file);

}  // namespace fhe::cli
