#include "apps/cli/key_files.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include "apps/cli/files.hpp"
#include "apps/cli/interrupt.hpp"
#include "apps/support/secrecy.hpp"
#include "libfhe/error.hpp"
#include "libfhe/random/secret_random.hpp"

namespace fhe::cli {

namespace {

Error no_passphrase(const std::string& from, int reason) {
  return {ErrorCode::io,
          fmt::format("cannot read a passphrase from {}: {}", from, std::strerror(reason))};
}

// A file that is closed again, without buffers that would keep what was read.
class Input {
 public:
  Input(const std::string& name, int flags, const std::stop_token& stop)
      : name_(name),
        stop_(stop),
        number_(::open(name.c_str(), flags | O_NONBLOCK | O_CLOEXEC)) {}
  Input(int number, const std::stop_token& stop)
      : name_("standard input"), stop_(stop), number_(number), borrowed_(true) {}
  ~Input() {
    if (!borrowed_ && number_ >= 0) ::close(number_);
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }

  // Up to the end of the line or of the file. Throws Error(stopped).
  [[nodiscard]] Passphrase line() const {
    std::string text;
    text.reserve(Passphrase::kMostBytes + 2);  // one allocation, so that no copy stays behind
    while (text.size() <= Passphrase::kMostBytes) {
      char c = 0;
      stop_.wait_for(number_, name_);
      const ::ssize_t count = ::read(number_, &c, 1);
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (count < 0) throw no_passphrase(name_, errno);
      if (count == 0 || c == '\n') break;
      text.push_back(c);
    }
    if (text.ends_with('\r')) text.pop_back();
    return Passphrase(std::move(text));
  }

 private:
  std::string name_;
  StopEvent stop_;
  int number_;
  bool borrowed_ = false;
};

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
  static_cast<void>(!::write(terminal.number(), text.data(), text.size()));
}

Passphrase ask(std::string_view question, const std::stop_token& stop) {
  const Input terminal("/dev/tty", O_RDWR | O_NOCTTY, stop);
  if (!terminal.is_open()) {
    throw Error(ErrorCode::invalid_argument,
                "a passphrase is needed and there is no terminal to ask for it: name a file that "
                "holds it with --passphrase-file (- for standard input)");
  }
  say(terminal, question);
  const Silence silence(terminal.number());
  Passphrase answer = terminal.line();
  say(terminal, "\n");
  return answer;
}

}  // namespace

PublicKey open_public_key(const std::filesystem::path& file, const Session& session) {
  clear_leftovers_beside(file);
  return load_public_key(file, session.limits());
}

SecretKey open_secret_key(const std::filesystem::path& file, const std::string& passphrase_file,
                          const Session& session) {
  clear_leftovers_beside(file);
  apps::keep_memory_private();
  const std::stop_token& stop = session.monitor().stop;
  const auto passphrase = [&] {
    if (!passphrase_file.empty()) return read_passphrase(passphrase_file, stop);
    return ask(fmt::format("Passphrase of {}: ", file.string()), stop);
  };
  return load_secret_key(file, passphrase, session.limits());
}

Passphrase read_passphrase(const std::string& file, const std::stop_token& stop) {
  if (file == "-") return Input(STDIN_FILENO, stop).line();
  const Input input(file, O_RDONLY, stop);
  if (!input.is_open()) throw no_passphrase(file, errno);
  return input.line();
}

Passphrase new_passphrase(const std::string& file, const std::stop_token& stop) {
  if (!file.empty()) return read_passphrase(file, stop);
  Passphrase first = ask("New passphrase: ", stop);
  if (first == ask("The same again: ", stop)) return first;
  throw Error(ErrorCode::invalid_argument, "the two passphrases differ: nothing was changed");
}

void add_passphrase_option(CLI::App& command, std::string& passphrase_file) {
  command
      .add_option("--passphrase-file", passphrase_file,
                  "File whose first line is the passphrase of the secret key, where it has one; - "
                  "for standard input. Without it the terminal is asked")
      ->type_name("FILE");
}

}  // namespace fhe::cli
