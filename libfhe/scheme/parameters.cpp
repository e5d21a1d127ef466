#include "libfhe/scheme/parameters.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

// Errors come back as values: hostile text is an expected input here.
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "libfhe/scheme/scheme.hpp"

namespace fhe {

namespace {

constexpr std::size_t kMaxTextBytes = 64 * 1024;
constexpr std::size_t kMaxLineLength = 1024;
constexpr std::size_t kMaxNameLength = 31;  // what a file header holds

[[noreturn]] void fail(std::string_view origin, const std::string& what) {
  throw Error(ErrorCode::invalid_parameters, fmt::format("{}: {}", origin, what));
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

// What toml++ 3.3 (Debian 12) must not see: table headers that do not start with a key, such as
// "[=]", have undefined behaviour, and dotted keys are followed by one recursion for each dot.
void check_lines(std::string_view text, std::string_view origin) {
  constexpr std::string_view kBlanks = " \t";
  constexpr std::string_view kKeyStart =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-\"'";
  std::size_t line_number = 1;
  for (std::size_t start = 0; start < text.size(); ++line_number) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string_view line = text.substr(start, end - start);
    start = end + 1;
    if (line.size() > kMaxLineLength) {
      fail(origin, fmt::format("line {} is longer than {} bytes", line_number, kMaxLineLength));
    }
    const auto skip = [&line](std::string_view characters) {
      line.remove_prefix(std::min(line.find_first_not_of(characters), line.size()));
    };
    skip(kBlanks);
    if (!line.starts_with('[')) continue;
    skip("[ \t");
    if (line.empty() || kKeyStart.find(line.front()) == std::string_view::npos) {
      fail(origin, fmt::format("line {}: a table header needs a name: [gamma]", line_number));
    }
  }
}

std::string required_string(const toml::table& table, std::string_view key,
                            std::string_view origin) {
  const auto value = table[key].value<std::string>();
  if (!value) fail(origin, fmt::format("the string '{}' is missing", key));
  if (std::ranges::any_of(*value, is_control)) {
    fail(origin, fmt::format("the string '{}' has a control character", key));
  }
  return *value;
}

void check_name(const std::string& name, std::string_view origin) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  if (name.empty() || name.size() > kMaxNameLength || !std::ranges::all_of(name, allowed)) {
    fail(origin,
         fmt::format("the name of a group is 1 to {} characters a-z, 0-9 and '-'", kMaxNameLength));
  }
}

ParameterField read_field(const toml::table& table, std::string_view name,
                          std::string_view origin) {
  const std::string where = fmt::format("{}: field '{}'", origin, name);
  for (const auto& [key, node] : table) {
    if (key != "value" && key != "unit" && key != "source") {
      fail(where, fmt::format("unknown key '{}'; a field has value, unit and source", key.str()));
    }
  }
  ParameterField field;
  field.unit = required_string(table, "unit", where);
  field.source = required_string(table, "source", where);
  if (const auto number = table["value"].value_exact<std::int64_t>()) {
    field.value = *number;
  } else if (table["value"].is_string()) {
    field.value = required_string(table, "value", where);
  } else {
    fail(where, "'value' must be an integer or a string");
  }
  return field;
}

bool read_purpose(const toml::table& table, std::string_view origin) {
  const std::string purpose = required_string(table, "purpose", origin);
  if (purpose == "scheme") return true;
  if (purpose == "benchmark") return false;
  fail(origin, fmt::format("the purpose is 'scheme' or 'benchmark', not '{}'", purpose));
}

void check_field_name(std::string_view name, std::string_view origin) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (name.empty() || !std::ranges::all_of(name, allowed)) {
    fail(origin,
         fmt::format("the name of field '{}' has other characters than letters, digits and '_'",
                     name));
  }
}

// A name that nothing here knows makes the group invalid, wherever it stands in it.
void check_with_scheme(const ParameterSet& group, std::string_view origin) {
  try {
    scheme_named(group.scheme()).check(group);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::unknown_name) fail(origin, error.what());
    throw;
  }
}

std::string value_text(const ParameterField& field) {
  if (const auto* number = std::get_if<std::int64_t>(&field.value)) return std::to_string(*number);
  return std::get<std::string>(field.value);
}

// A TOML basic string; control characters were refused when the text came in.
std::string toml_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

}  // namespace

ParameterSet ParameterSet::named(std::string_view name) {
  for (const BuiltinGroup& group : builtin_groups()) {
    if (group.name == name) return from_toml(group.toml, group.name);
  }
  throw Error(ErrorCode::unknown_name, fmt::format("no parameter group named '{}'; there are: {}",
                                                   name, fmt::join(names(), ", ")));
}

std::vector<std::string> ParameterSet::names() {
  std::vector<std::string> names;
  for (const BuiltinGroup& group : builtin_groups()) names.emplace_back(group.name);
  return names;
}

ParameterSet ParameterSet::from_toml(std::string_view text, std::string_view origin) {
  if (text.size() > kMaxTextBytes) {
    fail(origin, fmt::format("longer than the {} bytes of a parameter group", kMaxTextBytes));
  }
  check_lines(text, origin);
  const toml::parse_result parsed = toml::parse(text, origin);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    fail(origin, fmt::format("line {}: {}", error.source().begin.line, error.description()));
  }
  const toml::table& table = parsed.table();
  ParameterSet group;
  group.name_ = required_string(table, "name", origin);
  check_name(group.name_, origin);
  group.scheme_ = required_string(table, "scheme", origin);
  group.makes_keys_ = read_purpose(table, origin);
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (name == "name" || name == "scheme" || name == "purpose") continue;
    check_field_name(name, origin);
    const toml::table* const field = node.as_table();
    if (field == nullptr) {
      fail(origin,
           fmt::format("'{}' must be a table [{}] with value, unit and source", name, name));
    }
    group.fields_.emplace(name, read_field(*field, name, origin));
  }
  check_with_scheme(group, origin);
  return group;
}

ParameterSet ParameterSet::from_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxTextBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) {
    throw Error(ErrorCode::io, fmt::format("cannot read the parameter file {}", path.string()));
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  return from_toml(text, path.string());
}

ParameterSet ParameterSet::resolve(const std::string& name) {
  const auto known = names();
  const bool builtin = std::ranges::find(known, name) != known.end();
  return !builtin && std::filesystem::exists(name) ? from_file(name) : named(name);
}

bool ParameterSet::has(std::string_view field) const {
  return fields_.contains(std::string(field));
}

std::size_t ParameterSet::number(std::string_view field, std::size_t low, std::size_t high) const {
  const auto found = fields_.find(std::string(field));
  if (found == fields_.end()) throw invalid(fmt::format("the field '{}' is missing", field));
  const auto* const value = std::get_if<std::int64_t>(&found->second.value);
  if (value == nullptr) throw invalid(fmt::format("the field '{}' must be an integer", field));
  if (*value < 0 || static_cast<std::uint64_t>(*value) < low ||
      static_cast<std::uint64_t>(*value) > high) {
    throw invalid(fmt::format("{} = {} must be between {} and {}", field, *value, low, high));
  }
  return static_cast<std::size_t>(*value);
}

std::string ParameterSet::word(std::string_view field) const {
  const auto found = fields_.find(std::string(field));
  if (found == fields_.end()) throw invalid(fmt::format("the field '{}' is missing", field));
  const auto* const value = std::get_if<std::string>(&found->second.value);
  if (value == nullptr) throw invalid(fmt::format("the field '{}' must be a word", field));
  return *value;
}

std::string ParameterSet::to_toml() const {
  std::string text = fmt::format("name = {}\nscheme = {}\npurpose = \"{}\"\n", toml_string(name_),
                                 toml_string(scheme_), makes_keys_ ? "scheme" : "benchmark");
  for (const auto& [name, field] : fields_) {
    const bool is_number = std::holds_alternative<std::int64_t>(field.value);
    const std::string value = is_number ? value_text(field) : toml_string(value_text(field));
    text += fmt::format("\n[{}]\nvalue = {}\nunit = {}\nsource = {}\n", name, value,
                        toml_string(field.unit), toml_string(field.source));
  }
  return text;
}

Digest ParameterSet::digest() const {
  std::string canonical = fmt::format("scheme = {}\n", scheme_);
  for (const auto& [name, field] : fields_) {
    canonical += fmt::format("{} = {}\n", name, value_text(field));
  }
  return sha256(canonical);
}

Error ParameterSet::invalid(std::string_view what) const {
  return Error(ErrorCode::invalid_parameters, fmt::format("parameter group {}: {}", name_, what));
}

}  // namespace fhe
