// SPDX-License-Identifier: Apache-2.0
// The words of a command line: commands, options and flags, and the help that describes them. CLI11
// reads them; it stands in arguments.cpp alone, because its header takes seconds to compile.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace fhe::apps {

// A command line that cannot be understood. The message, one line, ends with the command whose help
// says what would be.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An option or an operand of a command; lives as long as its Arguments. Each function returns the
// option again.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option required() const;

  // What the help calls its value; nothing for operands, whose name says it.
  Option value_name(const std::string& name) const;

  // The help shows the value that it has by now.
  Option shows_default() const;

  // Refuses values outside [least, most].
  template <class Number>
  Option in_range(Number least, Number most) const;

  // Takes decimal digits of numbers in [0, most] without leading zeros, and nothing else: -1 is not
  // a huge number, and 010 not 8.
  Option decimal(std::uint64_t most = UINT64_MAX) const;

  Option one_of(const std::vector<std::string>& values) const;

  // A list: one value each time that the option is given.
  Option one_each_time() const;

  // A list in one word.
  Option separated_by_commas() const;

  // Refuses the two together.
  Option excludes(const Option& other) const;

  // Refuses this one without the other.
  Option needs(const Option& other) const;

 private:
  CLI::Option* option_;
};

// A program, or a command of it; lives as long as its Arguments.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  // `--name` for an option, `NAME` for an operand. `value` is set by Arguments::parse and outlives
  // it. For text, paths, numbers, lists and optionals of them: see arguments.cpp.
  template <class Value>
  Option option(const std::string& name, Value& value, const std::string& help = "") const;
  template <class Value>
  Option option(const std::string& name, std::optional<Value>& value,
                const std::string& help) const;

  Option flag(const std::string& name, bool& value, const std::string& help) const;

  // A command behind this one.
  [[nodiscard]] Command command(const std::string& name, const std::string& description) const;

  // One of the commands behind this one must be given.
  void require_command() const;

  // Options of the command before this one may stand behind this one too.
  [[nodiscard]] Command takes_options_of_parent() const;

  // Arguments that it does not know are no error.
  void takes_anything() const;

  // Leaves the command out of the help.
  void hide() const;

  void end_help_with(const std::string& text) const;

  // Calls `action` while the command line is parsed, when it has this command and none behind it.
  void when_chosen(std::function<void()> action) const;

  // Whether the command line that was parsed has this command.
  [[nodiscard]] bool is_chosen() const;

 private:
  CLI::App* app_;
};

// The whole command line of a program.
class Arguments : public Command {
 public:
  Arguments(const std::string& program, const std::string& description);
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  [[nodiscard]] std::string program() const;

  // Sets what the options are bound to. Returns the text that --help or --version asks for, or,
  // alone on the command line and not in the help, --man-page or --completion SHELL; without one,
  // the program may begin. Throws UsageError.
  std::optional<std::string> parse(int argc, const char* const* argv);

 private:
  explicit Arguments(std::unique_ptr<CLI::App> whole);

  std::unique_ptr<CLI::App> whole_;
};

// What is made of a command line besides its help: the manual page of the program, and scripts by
// which shells complete its words. The same command line gives the same text
// (command_documents.cpp).

// The page in the language of man(7), section 1: every command that is not hidden, with its
// options.
std::string man_page(const CLI::App& program, const std::string& version);

// The script for "bash", "zsh" or "fish". Throws UsageError for other shells.
std::string completion(const CLI::App& program, const std::string& shell);

}  // namespace fhe::apps
