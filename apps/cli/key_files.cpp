// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/key_files.hpp"

#include <span>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include "apps/cli/input.hpp"
#include "apps/cli/object_input.hpp"
#include "apps/support/secrecy.hpp"
#include "libfhe/error.hpp"

namespace fhe::cli {

namespace {

// Up to the end of the line or of the input.
Passphrase line_of(const Input& input) {
  std::string text;
  text.reserve(Passphrase::kMostBytes + 2);  // one allocation, so that no copy stays behind
  char c = 0;
  while (text.size() <= Passphrase::kMostBytes && input.read(std::span(&c, 1)) > 0 && c != '\n') {
    text.push_back(c);
  }
  if (text.ends_with('\r')) text.pop_back();
  return Passphrase(std::move(text));
}

// Does not show what is typed as long as it lives.
class Silence {
 public:
  explicit Silence(int terminal) : terminal_(terminal) {
    known_ = ::tcgetattr(terminal_, &before_) == 0;
    termios silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    if (known_) ::tcsetattr(terminal_, TCSAFLUSH, &silent);
  }
  ~Silence() {
    if (known_) ::tcsetattr(terminal_, TCSAFLUSH, &before_);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  int terminal_;
  bool known_ = false;
  termios before_{};
};

void say(const Input& terminal, std::string_view text) {
  static_cast<void>(!::write(terminal.descriptor(), text.data(), text.size()));
}

Passphrase ask(std::string_view question, const std::stop_token& stop) {
  const Input terminal("/dev/tty", stop, O_RDWR | O_NOCTTY);
  if (terminal.descriptor() < 0) {
    throw Error(ErrorCode::invalid_argument,
                "a passphrase is needed and there is no terminal to ask for it: name a file that "
                "holds it with --passphrase-file (- for standard input)");
  }
  say(terminal, question);
  const Silence silence(terminal.descriptor());
  Passphrase answer = line_of(terminal);
  say(terminal, "\n");
  return answer;
}

// Who asks for the passphrase of a key.
AskPassphrase asking_for(const std::string& file, const std::string& passphrase_file,
                         const std::stop_token& stop) {
  return [=] {
    if (!passphrase_file.empty()) return read_passphrase(passphrase_file, stop);
    return ask(fmt::format("Passphrase of {}: ", input_name(file)), stop);
  };
}

// What `read` makes of the file of a secret key, given who asks for the passphrase.
template <class Read>
auto open_secret(const std::string& file, const std::string& passphrase_file,
                 const Session& session, const Read& read) {
  clear_leftovers(file);
  apps::keep_memory_private();
  return read(asking_for(file, passphrase_file, session.monitor().stop));
}

}  // namespace

PublicKey open_public_key(const std::string& file, const Session& session) {
  clear_leftovers(file);
  return read_object(file, session, [&](const Source& source) {
    return load_public_key(source, session.limits(), session.monitor());
  });
}

SecretKey open_secret_key(const std::string& file, const std::string& passphrase_file,
                          const Session& session) {
  return open_secret(file, passphrase_file, session, [&](const AskPassphrase& ask) {
    return read_object(file, session, [&](const Source& source) {
      return load_secret_key(source, ask, session.limits());
    });
  });
}

she::PublicKey open_numbers_public_key(const std::string& file, const Session& session) {
  clear_leftovers(file);
  return read_object(file, session, [&](const Source& source) {
    return she::load_public_key(source, session.limits());
  });
}

she::SecretKey open_numbers_secret_key(const std::string& file, const std::string& passphrase_file,
                                       const Session& session) {
  return open_secret(file, passphrase_file, session, [&](const AskPassphrase& ask) {
    return read_object(file, session, [&](const Source& source) {
      return she::load_secret_key(source, ask, session.limits());
    });
  });
}

AnyPublicKey open_any_public_key(const std::string& file, const Session& session) {
  clear_leftovers(file);
  return read_any_object(file, session, [&](const Source& source, bool numbers) -> AnyPublicKey {
    if (numbers) return she::load_public_key(source, session.limits());
    return load_public_key(source, session.limits(), session.monitor());
  });
}

AnySecretKey open_any_secret_key(const std::string& file, const std::string& passphrase_file,
                                 const Session& session) {
  return open_secret(file, passphrase_file, session, [&](const AskPassphrase& ask) {
    return read_any_object(file, session, [&](const Source& source, bool numbers) -> AnySecretKey {
      if (numbers) return she::load_secret_key(source, ask, session.limits());
      return load_secret_key(source, ask, session.limits());
    });
  });
}

Passphrase read_passphrase(const std::string& file, const std::stop_token& stop) {
  return line_of(Input(file, stop));
}

Passphrase new_passphrase(const std::string& file, const std::stop_token& stop) {
  if (!file.empty()) return read_passphrase(file, stop);
  Passphrase first = ask("New passphrase: ", stop);
  if (first == ask("The same again: ", stop)) return first;
  throw Error(ErrorCode::invalid_argument, "the two passphrases differ: nothing was changed");
}

void add_passphrase_option(const apps::Command& command, std::string& passphrase_file) {
  command
      .option("--passphrase-file", passphrase_file,
              "File whose first line is the passphrase of the secret key, where it has one; - "
              "for standard input. Without it the terminal is asked")
      .value_name("FILE");
}

}  // namespace fhe::cli
