// SPDX-License-Identifier: Apache-2.0
#include "apps/support/arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <numeric>
#include <span>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "apps/support/failure.hpp"

namespace fhe::apps {

namespace {

std::string complaint_about_number(const std::string& text, std::uint64_t most) {
  std::uint64_t number = 0;
  const std::from_chars_result result =
      std::from_chars(text.data(), text.data() + text.size(), number);
  const bool good = result.ec == std::errc() && fmt::format("{}", number) == text;
  if (good && number <= most) return {};
  return fmt::format("'{}' is no number from 0 to {}", text, most);
}

// Whether the next argument is this one's value, whatever it looks like.
bool takes_value(const CLI::App& command, const std::string& argument) {
  if (!argument.starts_with('-')) return false;
  const CLI::Option* const option = command.get_option_no_throw(argument);
  return option != nullptr && option->get_items_expected_min() > 0;
}

std::vector<const CLI::App*> commands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* candidate) {
    return !candidate->get_group().empty();  // those that are hidden have none
  });
}

// Insertions, deletions and replacements of a letter that make one word of the other, a swap of two
// neighbours counting as one (optimal string alignment).
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before_last(to.size() + 1);
  std::vector<std::size_t> last(to.size() + 1);
  std::vector<std::size_t> now(to.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      now[j] = std::min({replaced, last[j] + 1, now[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) now[j] = std::min(now[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, now);
  }
  return last.back();
}

std::string in_small_letters(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

std::string unknown_command(const CLI::App& command, const std::string& word) {
  constexpr std::size_t kMostSlips = 2;
  std::string text = fmt::format("there is no command '{}'", word);
  std::size_t nearest = kMostSlips + 1;
  std::string meant;
  for (const CLI::App* const candidate : commands_of(command)) {
    const std::size_t distance = edit_distance(in_small_letters(word), candidate->get_name());
    if (distance >= nearest || distance >= candidate->get_name().size()) continue;
    nearest = distance;
    meant = candidate->get_name();
  }
  if (!meant.empty()) text += fmt::format(": did you mean {}?", meant);
  return text;
}

UsageError usage_error(const std::string& complaint, const std::string& command) {
  return UsageError(fmt::format("{} (see {} --help)", one_line(complaint), command));
}

// Where the walk along a command line has come to.
class Walk {
 public:
  // `asks`: for the help or the version, which whoever misspells a command gets all the same.
  Walk(const CLI::App& program, bool asks)
      : command_(&program), name_(program.get_name()), asks_(asks) {}

  // Throws UsageError for an empty argument that is no option's value (CLI11 2.1 may look for one
  // of that name for ever) and for a command that does not exist.
  void go_on(const std::string& argument) {
    if (std::exchange(is_value_, false)) return;
    if (argument.empty()) throw usage_error("an empty argument stands where none belongs", name_);
    if (argument == "--") {
      only_operands_ = true;
    } else if (!only_operands_ && takes_value(*command_, argument)) {
      is_value_ = true;
    } else {
      enter(argument);
    }
  }

 private:
  // The command that the arguments after this one belong to.
  void enter(const std::string& argument) {
    const auto commands = command_->get_subcommands(
        [&](const CLI::App* candidate) { return candidate->get_name() == argument; });
    if (!commands.empty()) {
      command_ = commands.front();
      name_ += ' ' + argument;
    } else if (!asks_ && command_->get_require_subcommand_min() > 0 && !argument.starts_with('-')) {
      throw usage_error(unknown_command(*command_, argument), name_);
    }
  }

  const CLI::App* command_;
  std::string name_;  // with those before it
  bool asks_;
  bool is_value_ = false;
  bool only_operands_ = false;  // after --
};

void require_known_words(const CLI::App& program, std::span<const char* const> arguments) {
  const bool asks = std::ranges::any_of(arguments, [](std::string_view argument) {
    return argument == "-h" || argument == "--help" || argument == "--version";
  });
  Walk walk(program, asks);
  for (const char* const argument : arguments) walk.go_on(argument);
}

// "fhe params show": the commands that were parsed.
std::string spoken_name(const CLI::App& program) {
  std::string name = program.get_name();
  const CLI::App* command = &program;
  for (auto next = command->get_subcommands(); !next.empty(); next = command->get_subcommands()) {
    command = next.front();
    name += ' ' + command->get_name();
  }
  return name;
}

// What packages are made with: the program takes these words only when they stand alone.
std::optional<std::string> requested_document(const CLI::App& program,
                                              std::span<const char* const> arguments) {
  const auto is = [&](std::size_t at, std::string_view word) { return arguments[at] == word; };
  if (arguments.size() == 2 && is(1, "--man-page")) return man_page(program, FHE_VERSION);
  if (arguments.size() == 3 && is(1, "--completion")) return completion(program, arguments[2]);
  return std::nullopt;
}

}  // namespace

Option Option::required() const {
  option_->required();
  return *this;
}

Option Option::value_name(const std::string& name) const {
  option_->type_name(name);
  return *this;
}

Option Option::shows_default() const {
  option_->capture_default_str();
  return *this;
}

template <class Number>
Option Option::in_range(Number least, Number most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}

template Option Option::in_range(int, int) const;
template Option Option::in_range(std::int64_t, std::int64_t) const;
template Option Option::in_range(std::uint64_t, std::uint64_t) const;
template Option Option::in_range(double, double) const;

Option Option::decimal(std::uint64_t most) const {
  option_->check(CLI::Validator(
      [most](const std::string& text) { return complaint_about_number(text, most); }, ""));
  return *this;
}

Option Option::one_of(const std::vector<std::string>& values) const {
  option_->check(CLI::IsMember(values));
  return *this;
}

Option Option::one_each_time() const {
  option_->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return *this;
}

Option Option::separated_by_commas() const {
  option_->delimiter(',');
  return *this;
}

Option Option::excludes(const Option& other) const {
  option_->excludes(other.option_);
  return *this;
}

Option Option::needs(const Option& other) const {
  option_->needs(other.option_);
  return *this;
}

template <class Value>
Option Command::option(const std::string& name, Value& value, const std::string& help) const {
  return Option(*app_->add_option(name, value, help));
}

// Not bound as they are: CLI11 takes an empty value for none.
template <class Value>
Option Command::option(const std::string& name, std::optional<Value>& value,
                       const std::string& help) const {
  return Option(*app_->add_option_function<Value>(
      name, [&value](const Value& given) { value = given; }, help));
}

template Option Command::option(const std::string&, std::string&, const std::string&) const;
template Option Command::option(const std::string&, std::filesystem::path&,
                                const std::string&) const;
template Option Command::option(const std::string&, std::optional<std::string>&,
                                const std::string&) const;
template Option Command::option(const std::string&, std::vector<std::string>&,
                                const std::string&) const;
template Option Command::option(const std::string&, std::vector<std::filesystem::path>&,
                                const std::string&) const;
template Option Command::option(const std::string&, int&, const std::string&) const;
template Option Command::option(const std::string&, double&, const std::string&) const;
template Option Command::option(const std::string&, std::optional<double>&,
                                const std::string&) const;
template Option Command::option(const std::string&, std::int64_t&, const std::string&) const;
template Option Command::option(const std::string&, std::uint64_t&, const std::string&) const;
template Option Command::option(const std::string&, std::optional<std::uint64_t>&,
                                const std::string&) const;
template Option Command::option(const std::string&, std::vector<std::uint64_t>&,
                                const std::string&) const;
template Option Command::option(const std::string&, std::vector<std::int64_t>&,
                                const std::string&) const;

Option Command::flag(const std::string& name, bool& value, const std::string& help) const {
  return Option(*app_->add_flag(name, value, help));
}

Command Command::command(const std::string& name, const std::string& description) const {
  return Command(*app_->add_subcommand(name, description));
}

void Command::require_command() const {
  app_->require_subcommand(1);
}

Command Command::takes_options_of_parent() const {
  app_->fallthrough();
  return *this;
}

void Command::hide() const {
  app_->group("");
}

void Command::takes_anything() const {
  app_->allow_extras();
}

void Command::end_help_with(const std::string& text) const {
  app_->footer(text);
}

void Command::when_chosen(std::function<void()> action) const {
  app_->callback([app = app_, action = std::move(action)] {
    if (app->get_subcommands().empty()) action();
  });
}

bool Command::is_chosen() const {
  return app_->parsed();
}

Arguments::Arguments(const std::string& program, const std::string& description)
    : Arguments(std::make_unique<CLI::App>(description, program)) {}

Arguments::Arguments(std::unique_ptr<CLI::App> whole) : Command(*whole), whole_(std::move(whole)) {
  whole_->set_help_flag("-h,--help", "Print this help and exit");
  whole_->set_version_flag("--version", whole_->get_name() + " " + FHE_VERSION,
                           "Print the version and exit");
}

Arguments::~Arguments() = default;

std::string Arguments::program() const {
  return whole_->get_name();
}

std::optional<std::string> Arguments::parse(int argc, const char* const* argv) {
  const std::span arguments(argv, static_cast<std::size_t>(argc));
  if (auto document = requested_document(*whole_, arguments)) return document;
  try {
    if (!arguments.empty()) require_known_words(*whole_, arguments.subspan(1));
    whole_->parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success& request) {
    std::ostringstream answer;
    static_cast<void>(whole_->exit(request, answer, answer));
    return answer.str();
  } catch (const CLI::ParseError& error) {
    throw usage_error(error.what(), spoken_name(*whole_));
  }
}

}  // namespace fhe::apps
