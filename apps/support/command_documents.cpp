// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/support/arguments.hpp"
#include "apps/support/failure.hpp"
#include "libfhe/scheme/parameters.hpp"

namespace fhe::apps {

namespace {

struct OptionFacts {
  std::vector<std::string> names;    // "-h", "--help"; none for operands
  std::string operand;               // the name of an operand
  std::string value;                 // what the help calls its value; empty for flags
  std::string range;                 // "in [1 - 4096]"
  std::vector<std::string> choices;  // all values that it takes
  std::string description;
  std::string preset;  // the value that it has when it is not given
  bool is_required = false;
};

struct CommandFacts {
  std::string path;  // "fhe params list"
  std::string description;
  std::string footer;
  std::vector<OptionFacts> options;
  std::vector<std::pair<std::string, std::string>> commands;  // names and descriptions
  bool needs_command = false;
};

// "N:INT in [1 - 4096]" and "WHAT:{keyword,list}", as CLI11 writes them, in their parts.
void read_type(OptionFacts& facts, const std::string& type) {
  const std::size_t colon = type.find(':');
  facts.value = type.substr(0, colon);
  if (const std::size_t range = type.find(" in ["); range != std::string::npos) {
    facts.range = type.substr(range + 1);
  }
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return;
  for (const std::string& choice :
       CLI::detail::split(type.substr(open + 1, close - open - 1), ',')) {
    facts.choices.push_back(choice);
  }
}

OptionFacts facts_of(const CLI::Option& option) {
  OptionFacts facts;
  for (const std::string& name : option.get_snames()) facts.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) facts.names.push_back("--" + name);
  if (option.get_positional()) facts.operand = option.get_name(true);
  if (option.get_items_expected_max() > 0) read_type(facts, option.get_type_name());
  facts.description = option.get_description();
  facts.preset = option.get_default_str();
  facts.is_required = option.get_required();
  return facts;
}

// Those of the command, and those of its parents that it takes as well.
std::vector<OptionFacts> options_of(const CLI::App& command) {
  std::vector<OptionFacts> options;
  for (const CLI::Option* const option : command.get_options()) {
    if (!option->get_group().empty()) options.push_back(facts_of(*option));
  }
  if (!command.get_fallthrough() || command.get_parent() == nullptr) return options;
  for (OptionFacts& facts : options_of(*command.get_parent())) {
    const bool is_known = std::ranges::any_of(
        options, [&](const OptionFacts& own) { return own.names == facts.names; });
    if (!is_known) options.push_back(std::move(facts));
  }
  return options;
}

// The command and all behind it that are not hidden, each before those behind it.
void collect(const CLI::App& command, const std::string& before, std::vector<CommandFacts>& all) {
  CommandFacts facts;
  facts.path = before + command.get_name();
  facts.description = command.get_description();
  const CLI::App* const parent = command.get_parent();  // whose footer CLI11 hands on
  if (parent == nullptr || parent->get_footer() != command.get_footer()) {
    facts.footer = command.get_footer();
  }
  facts.options = options_of(command);
  facts.needs_command = command.get_require_subcommand_min() > 0;
  const auto behind = command.get_subcommands(
      [](const CLI::App* candidate) { return !candidate->get_group().empty(); });
  for (const CLI::App* const next : behind) {
    facts.commands.emplace_back(next->get_name(), next->get_description());
  }
  const std::string path = facts.path + ' ';
  all.push_back(std::move(facts));
  for (const CLI::App* const next : behind) collect(*next, path, all);
}

std::vector<CommandFacts> commands_in(const CLI::App& program) {
  std::vector<CommandFacts> all;
  collect(program, "", all);
  return all;
}

// ---- the manual page

std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      default:
        out += c;
    }
  }
  return out.starts_with('.') ? "\\&" + out : out;
}

// Lines as they are.
std::string roff_lines(const std::string& text) {
  std::string out = ".EX\n";
  for (const std::string& line : CLI::detail::split(text, '\n')) out += roff(line) + '\n';
  return out + ".EE\n";
}

std::string bold(const std::string& text) {
  return "\\fB" + roff(text) + "\\fR";
}

std::string italic(const std::string& text) {
  return "\\fI" + roff(text) + "\\fR";
}

std::string in_bold(const std::vector<std::string>& words, const char* between) {
  std::vector<std::string> all;
  all.reserve(words.size());
  for (const std::string& word : words) all.push_back(bold(word));
  return fmt::format("{}", fmt::join(all, between));
}

std::string sentence(std::string text) {
  if (text.empty()) return text;
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  if (text.back() != '.') text += '.';
  return text;
}

std::string synopsis(const CommandFacts& command) {
  std::string out = bold(command.path);
  if (command.needs_command) return out + ' ' + italic("COMMAND") + " ...";
  out += " [" + italic("options") + ']';
  for (const OptionFacts& option : command.options) {
    if (option.is_required && option.operand.empty()) {
      out += ' ' + bold(option.names.back()) + ' ' + italic(option.value);
    }
  }
  for (const OptionFacts& option : command.options) {
    if (option.operand.empty()) continue;
    const std::string name = italic(option.operand);
    out += option.is_required ? ' ' + name : " [" + name + ']';
  }
  return out;
}

std::string roff_of(const OptionFacts& option) {
  std::string out = ".TP\n";
  out += option.operand.empty() ? in_bold(option.names, ", ") : italic(option.operand);
  if (option.operand.empty() && !option.value.empty()) out += ' ' + italic(option.value);
  std::string text = roff(sentence(option.description));
  const auto add = [&](const std::string& words) { text += (text.empty() ? "" : " ") + words; };
  if (!option.choices.empty()) add("One of " + in_bold(option.choices, ", ") + '.');
  if (!option.range.empty()) add("A number " + roff(option.range) + '.');
  if (!option.preset.empty()) add("Default: " + bold(option.preset) + '.');
  return out + '\n' + (text.empty() ? "\\&" : text) + '\n';
}

std::string roff_of(const CommandFacts& command) {
  std::string out = ".SS " + roff(command.path) + '\n' + roff(sentence(command.description)) +
                    "\n.PP\n" + synopsis(command) + '\n';
  for (const OptionFacts& option : command.options) out += roff_of(option);
  if (!command.footer.empty()) out += ".PP\n" + roff_lines(command.footer);
  return out;
}

std::string in_capitals(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// ---- completion

// What stands for the value of an option; files where it has no words of its own.
std::vector<std::string> words_for(const OptionFacts& option) {
  const bool is_group = std::ranges::find(option.names, "--params") != option.names.end();
  return is_group ? ParameterSet::names() : option.choices;
}

bool wants_value(const OptionFacts& option) {
  return option.operand.empty() && !option.value.empty();
}

// fhe-outsource as part of the name of a function.
std::string identifier(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

// In single quotes, for all three shells: fish knows \' in them, the others do not.
std::string quoted(const std::string& text, bool for_fish = false) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += for_fish ? "\\'" : "'\\''";
    } else {
      if (for_fish && c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '\'';
}

std::string patterns(const std::vector<std::string>& words) {
  std::vector<std::string> all;
  all.reserve(words.size());
  for (const std::string& word : words) all.push_back(quoted(word));
  return fmt::format("{}", fmt::join(all, "|"));
}

// "fhe params|fhe params list": where a word goes one command further.
std::vector<std::string> steps_in(const std::vector<CommandFacts>& commands) {
  std::vector<std::string> steps;
  for (std::size_t i = 1; i < commands.size(); ++i) steps.push_back(commands[i].path);
  return steps;
}

// What bash and zsh have in common: the command that the words before the one to complete belong
// to, and the cases of options that take one of some words or a file.
std::string bash_walk(const std::vector<CommandFacts>& commands, const std::string& words) {
  std::string out = fmt::format("  for word in {}; do\n    case \"$at $word\" in\n", words);
  if (commands.size() > 1)
    out += fmt::format("      {}) at+=\" $word\" ;;\n", patterns(steps_in(commands)));
  return out + "    esac\n  done\n";
}

template <class Words, class Files>
std::string value_cases(const std::vector<CommandFacts>& commands, const Words& words,
                        const Files& files) {
  std::string out;
  std::vector<std::string> others;
  for (const CommandFacts& command : commands) {
    for (const OptionFacts& option : command.options) {
      if (!wants_value(option)) continue;
      std::vector<std::string> places;
      places.reserve(option.names.size());
      for (const std::string& name : option.names) places.push_back(command.path + ' ' + name);
      const std::vector<std::string> values = words_for(option);
      if (values.empty()) {
        others.insert(others.end(), places.begin(), places.end());
      } else {
        out += fmt::format("    {}) {} ;;\n", patterns(places), words(values));
      }
    }
  }
  if (!others.empty()) out += fmt::format("    {}) {} ;;\n", patterns(others), files());
  return out;
}

std::string bash_completion(const std::vector<CommandFacts>& commands) {
  const std::string& program = commands.front().path;
  const std::string function = "_" + identifier(program);
  std::string out = fmt::format(
      "# Completion of {0} for bash, made from its command line.\n"
      "{1}() {{\n"
      "  local at={0} word words current=${{COMP_WORDS[COMP_CWORD]}}\n"
      "  COMPREPLY=()\n",
      program, function);
  out += bash_walk(commands, "\"${COMP_WORDS[@]:1:COMP_CWORD-1}\"");
  out += "  case \"$at ${COMP_WORDS[COMP_CWORD-1]}\" in\n";
  out += value_cases(
      commands,
      [](const std::vector<std::string>& values) {
        return fmt::format("mapfile -t COMPREPLY < <(compgen -W {} -- \"$current\"); return",
                           quoted(fmt::format("{}", fmt::join(values, " "))));
      },
      [] { return std::string("mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); return"); });
  out += "  esac\n  case $at in\n";
  for (const CommandFacts& command : commands) {
    std::vector<std::string> words;
    words.reserve(command.commands.size());
    for (const auto& [name, description] : command.commands) words.push_back(name);
    for (const OptionFacts& option : command.options) {
      words.insert(words.end(), option.names.begin(), option.names.end());
    }
    out += fmt::format("    {}) words={} ;;\n", quoted(command.path),
                       quoted(fmt::format("{}", fmt::join(words, " "))));
  }
  return out + fmt::format(
                   "  esac\n"
                   "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
                   "}}\n"
                   "complete -o bashdefault -o default -o filenames -F {} {}\n",
                   function, program);
}

// "name:description" for _describe, in which a colon of the name is escaped.
std::string zsh_entry(const std::string& name, const std::string& description) {
  std::string escaped;
  for (const char c : name) escaped += c == ':' ? std::string("\\:") : std::string(1, c);
  return quoted(escaped + ':' + description);
}

std::string zsh_completion(const std::vector<CommandFacts>& commands) {
  const std::string& program = commands.front().path;
  const std::string function = "_" + identifier(program);
  std::string out = fmt::format(
      "#compdef {0}\n"
      "# Completion of {0} for zsh, made from its command line.\n"
      "{1}() {{\n"
      "  local at={0} word\n"
      "  local -a commands options\n",
      program, function);
  out += bash_walk(commands, "\"${(@)words[2,CURRENT-1]}\"");
  out += "  case \"$at ${words[CURRENT-1]}\" in\n";
  out += value_cases(
      commands,
      [](const std::vector<std::string>& values) {
        return fmt::format("compadd -- {}; _files; return", fmt::join(values, " "));
      },
      [] { return std::string("_files; return"); });
  out += "  esac\n  case $at in\n";
  for (const CommandFacts& command : commands) {
    out += fmt::format("    {})\n", quoted(command.path));
    for (const auto& [name, description] : command.commands) {
      out += fmt::format("      commands+=({})\n", zsh_entry(name, description));
    }
    for (const OptionFacts& option : command.options) {
      for (const std::string& name : option.names) {
        out += fmt::format("      options+=({})\n", zsh_entry(name, option.description));
      }
    }
    out += "      ;;\n";
  }
  return out + fmt::format(
                   "  esac\n"
                   "  (( $#commands )) && _describe command commands\n"
                   "  [[ $PREFIX == -* ]] && _describe -o option options\n"
                   "  (( $#commands )) || _files\n"
                   "}}\n"
                   "if [[ $funcstack[1] == {0} ]]; then {0} \"$@\"; else compdef {0} {1}; fi\n",
                   function, program);
}

std::string fish_option(const OptionFacts& option, const std::string& start) {
  std::string out = start;
  for (const std::string& name : option.names) {
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (wants_value(option)) {
    const std::vector<std::string> values = words_for(option);
    out += values.empty() ? " -r -F"
                          : " -r -F -a " + quoted(fmt::format("{}", fmt::join(values, " ")), true);
  }
  return out + " -d " + quoted(option.description, true) + '\n';
}

std::string fish_completion(const std::vector<CommandFacts>& commands) {
  const std::string& program = commands.front().path;
  const std::string function = "__fish_" + identifier(program) + "_at";
  std::string out = fmt::format(
      "# Completion of {0} for fish, made from its command line.\n"
      "function {1}\n"
      "  set -l at {0}\n"
      "  for word in (commandline -opc)[2..-1]\n"
      "    switch \"$at $word\"\n",
      program, function);
  for (const std::string& step : steps_in(commands)) {
    out += fmt::format("      case {}\n        set at \"$at $word\"\n", quoted(step, true));
  }
  out += "    end\n  end\n  test \"$at\" = \"$argv\"\nend\n";
  for (const CommandFacts& command : commands) {
    const std::string start =
        fmt::format("complete -c {} -n {}", program, quoted(function + ' ' + command.path, true));
    for (const auto& [name, description] : command.commands) {
      out +=
          fmt::format("{} -f -a {} -d {}\n", start, quoted(name, true), quoted(description, true));
    }
    for (const OptionFacts& option : command.options) {
      if (option.operand.empty()) out += fish_option(option, start);
    }
  }
  return out;
}

}  // namespace

std::string man_page(const CLI::App& program, const std::string& version) {
  const std::vector<CommandFacts> commands = commands_in(program);
  const CommandFacts& whole = commands.front();
  std::string out = ".\\\" Made from the command line of " + whole.path + ".\n";
  out += fmt::format(".TH {} 1 \"\" \"fhe {}\" \"User Commands\"\n", roff(in_capitals(whole.path)),
                     version);
  std::string summary = whole.description;
  if (summary.ends_with('.')) summary.pop_back();
  out += ".SH NAME\n" + roff(whole.path) + " \\- " + roff(summary) + '\n';
  out += ".SH SYNOPSIS\n" + synopsis(whole) + "\n.SH OPTIONS\n";
  for (const OptionFacts& option : whole.options) out += roff_of(option);
  if (commands.size() > 1) out += ".SH COMMANDS\n";
  for (std::size_t i = 1; i < commands.size(); ++i) out += roff_of(commands[i]);
  if (!whole.footer.empty()) out += ".SH NOTES\n" + roff_lines(whole.footer);
  return out;
}

std::string completion(const CLI::App& program, const std::string& shell) {
  const std::vector<CommandFacts> commands = commands_in(program);
  if (shell == "bash") return bash_completion(commands);
  if (shell == "zsh") return zsh_completion(commands);
  if (shell == "fish") return fish_completion(commands);
  throw UsageError(
      fmt::format("there is completion for bash, zsh and fish, not for '{}' (see {} --help)",
                  one_line(shell), program.get_name()));
}

}  // namespace fhe::apps
