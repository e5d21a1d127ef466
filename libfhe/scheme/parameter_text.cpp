// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/parameter_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <openssl/asn1.h>

namespace fhe {

namespace {

constexpr std::size_t kMaxLineBytes = 1024;
constexpr std::array<std::string_view, 3> kGroupKeys{"name", "scheme", "purpose"};
constexpr std::array<std::string_view, 3> kFieldKeys{"value", "unit", "source"};

using Value = std::variant<std::int64_t, std::string>;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_character(unsigned long code) {
  return code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
}

// Of ASCII and of Latin-1: what a terminal would take for a command.
bool is_control(unsigned long code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

// Takes the first character off a text in UTF-8; nothing when the text starts with anything else.
std::optional<unsigned long> take_character(std::string_view& text) {
  unsigned long code = 0;
  const auto length = static_cast<int>(std::min<std::size_t>(text.size(), INT_MAX));
  const int size = UTF8_getc(reinterpret_cast<const unsigned char*>(text.data()), length, &code);
  if (size <= 0 || !is_character(code)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(size));
  return code;
}

void append_character(std::string& text, unsigned long code) {
  std::array<unsigned char, 6> bytes{};
  const int size = UTF8_putc(bytes.data(), static_cast<int>(bytes.size()), code);
  text.append(bytes.begin(), bytes.begin() + size);
}

// The keys of the group itself, or of one of its fields.
struct TomlTable {
  std::string field;     // empty: the group
  std::size_t line = 1;  // where it starts
  std::map<std::string, Value, std::less<>> values;
};

class Reader {
 public:
  Reader(std::string_view text, std::string_view origin) : rest_(text), origin_(origin) {
    if (text.size() > kMaxParameterTextBytes) {
      throw Error(ErrorCode::invalid_parameters,
                  fmt::format("{}: longer than the {} bytes of a parameter group", origin,
                              kMaxParameterTextBytes));
    }
  }

  ParameterText read() {
    while (!rest_.empty()) {
      take_line();
      read_line();
    }
    finish(table_);
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(std::string_view what) const { fail_in(table_, line_number_, what); }

  [[noreturn]] void fail_in(const TomlTable& table, std::size_t line, std::string_view what) const {
    const std::string field = table.field.empty() ? "" : fmt::format("field '{}': ", table.field);
    throw Error(ErrorCode::invalid_parameters,
                fmt::format("{}: line {}: {}{}", origin_, line, field, what));
  }

  // Lines end with a line feed, or with a carriage return and a line feed.
  void take_line() {
    ++line_number_;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (line_.size() > kMaxLineBytes) {
      fail(fmt::format("longer than {} bytes", kMaxLineBytes));
    }
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    check_characters();
  }

  void check_characters() const {
    for (std::string_view rest = line_; !rest.empty();) {
      const auto code = take_character(rest);
      if (!code) fail("the text is not UTF-8");
      if (is_control(*code) && *code != '\t') fail("a control character outside of a string");
    }
  }

  void read_line() {
    skip_blanks();
    if (at_end()) return;
    if (line_.front() == '[') {
      read_header();
    } else {
      read_assignment();
    }
  }

  void read_header() {
    TomlTable last = std::exchange(table_, {});  // what is wrong here is not about its field
    line_.remove_prefix(1);
    skip_blanks();
    const std::string name = take_name();
    skip_blanks();
    if (name.empty() || !line_.starts_with(']')) {
      fail("a table header is a name of letters, digits and '_' in brackets: [gamma]");
    }
    line_.remove_prefix(1);
    expect_end(fmt::format("the header [{}]", name));
    finish(last);
    start_field(name);
  }

  void read_assignment() {
    const std::string key = take_key();
    if (table_.field.empty() && line_.starts_with('{')) {
      read_inline_field(key);
    } else {
      read_value_of(key);
    }
    expect_end(fmt::format("the value of '{}'", key));
  }

  // `{ value = 26, unit = "bits", source = "a book" }`
  void read_inline_field(const std::string& name) {
    TomlTable group = start_field(name);
    do {
      line_.remove_prefix(1);
      skip_blanks();
      read_value_of(take_key());
      skip_blanks();
    } while (line_.starts_with(','));
    if (!line_.starts_with('}')) fail("a field on one line ends with '}'");
    line_.remove_prefix(1);
    finish(table_);
    table_ = std::move(group);
  }

  // A key and the '=' behind it.
  std::string take_key() {
    std::string key = take_name();
    skip_blanks();
    if (key.empty() || !line_.starts_with('=')) {
      fail("expected 'key = value', with a key of letters, digits and '_', or a header: [gamma]");
    }
    line_.remove_prefix(1);
    skip_blanks();
    return key;
  }

  void read_value_of(const std::string& key) {
    check_key(key);
    if (!table_.values.try_emplace(key, read_value(key)).second) {
      fail(fmt::format("'{}' has a value already", key));
    }
  }

  // Returns the table before it.
  TomlTable start_field(const std::string& name) {
    if (const auto found = result_.fields.find(name); found != result_.fields.end()) {
      fail(fmt::format("the field '{}' stands in line {} already", name, found->second.line));
    }
    return std::exchange(table_, {.field = name, .line = line_number_, .values = {}});
  }

  void check_key(std::string_view key) const {
    const auto is_one_of = [key](std::span<const std::string_view> keys) {
      return std::ranges::find(keys, key) != keys.end();
    };
    if (table_.field.empty() && !is_one_of(kGroupKeys)) {
      fail(fmt::format("'{0}' must be a table with value, unit and source", key));
    }
    if (!table_.field.empty() && !is_one_of(kFieldKeys)) {
      fail(fmt::format("unknown key '{}'; a field has value, unit and source", key));
    }
  }

  Value read_value(std::string_view key) {
    if (line_.starts_with('"')) return read_string(key);
    const std::size_t size = std::min(line_.find_first_of(" \t#,}"), line_.size());
    const std::string_view word = line_.substr(0, size);
    line_.remove_prefix(size);
    return integer(word, key);
  }

  [[nodiscard]] std::int64_t integer(std::string_view word, std::string_view key) const {
    const std::string_view digits = word.substr(word.starts_with('-') ? 1 : 0);
    const bool is_number =
        !digits.empty() && std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
    if (!is_number || (digits.size() > 1 && digits.front() == '0')) {
      fail(fmt::format("'{}' must be an integer or a string in double quotes", key));
    }
    std::int64_t number = 0;
    if (std::from_chars(word.data(), word.data() + word.size(), number).ec != std::errc()) {
      fail(fmt::format("the integer '{}' has more than 64 bits", key));
    }
    return number;
  }

  std::string read_string(std::string_view key) {
    std::string text;
    line_.remove_prefix(1);
    while (!line_.starts_with('"')) {
      if (line_.empty()) fail(fmt::format("the string '{}' has no closing quote", key));
      const unsigned long code = read_character(key);
      if (is_control(code)) fail(fmt::format("the string '{}' has a control character", key));
      append_character(text, code);
    }
    line_.remove_prefix(1);
    return text;
  }

  unsigned long read_character(std::string_view key) {
    if (!line_.starts_with('\\')) return *take_character(line_);  // check_characters saw it
    line_.remove_prefix(1);
    const char kind = line_.empty() ? '\0' : line_.front();
    line_.remove_prefix(line_.empty() ? 0 : 1);
    switch (kind) {
      case '"':
      case '\\':
        return static_cast<unsigned char>(kind);
      case 'b':
      case 't':
      case 'n':
      case 'f':
      case 'r':
        return '\n';  // all of them control characters
      case 'u':
        return read_code(4, key);
      case 'U':
        return read_code(8, key);
      default:
        fail(fmt::format(R"(the string '{}' has a backslash before something else than ", \, )"
                         "u and 4 or U and 8 hexadecimal digits",
                         key));
    }
  }

  unsigned long read_code(std::size_t digits, std::string_view key) {
    const std::string_view word = line_.substr(0, digits);
    unsigned long code = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), code, 16);
    if (error != std::errc() || word.size() != digits || end != word.data() + digits ||
        !is_character(code)) {
      fail(fmt::format("the string '{}' has an escape that names no character", key));
    }
    line_.remove_prefix(digits);
    return code;
  }

  void skip_blanks() {
    line_.remove_prefix(std::min(line_.find_first_not_of(" \t"), line_.size()));
  }

  // Whether nothing but a comment follows.
  [[nodiscard]] bool at_end() const { return line_.empty() || line_.front() == '#'; }

  void expect_end(const std::string& what) {
    skip_blanks();
    if (!at_end()) fail(what + " is followed by something else than a comment");
  }

  std::string take_name() {
    const auto* const end = std::ranges::find_if_not(line_, is_name_character);
    std::string name(line_.begin(), end);
    line_.remove_prefix(name.size());
    return name;
  }

  // Moves what a whole table holds into the result.
  void finish(TomlTable& table) {
    if (table.field.empty()) {
      result_.name = take_string(table, "name");
      result_.scheme = take_string(table, "scheme");
      result_.purpose = take_string(table, "purpose");
      return;
    }
    ParameterField content{.value = take_value(table),
                           .unit = take_string(table, "unit"),
                           .source = take_string(table, "source")};
    result_.fields.emplace(table.field, ParameterText::Field{std::move(content), table.line});
  }

  Value take_value(TomlTable& table) const {
    const auto found = table.values.find("value");
    if (found == table.values.end()) fail_in(table, table.line, "'value' is missing");
    return std::move(found->second);
  }

  std::string take_string(TomlTable& table, std::string_view key) const {
    const auto found = table.values.find(key);
    if (found != table.values.end()) {
      if (auto* const text = std::get_if<std::string>(&found->second)) return std::move(*text);
    }
    fail_in(table, table.line, fmt::format("the string '{}' is missing", key));
  }

  std::string_view rest_;
  std::string_view line_;  // what is left of the line that is being read
  std::size_t line_number_ = 0;
  std::string_view origin_;
  TomlTable table_;
  ParameterText result_;
};

// Control characters were refused when the text came in.
std::string toml_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

}  // namespace

ParameterText read_parameter_text(std::string_view text, std::string_view origin) {
  return Reader(text, origin).read();
}

std::string write_parameter_text(const ParameterSet& group) {
  std::string text =
      fmt::format("name = {}\nscheme = {}\npurpose = \"{}\"\n", toml_string(group.name()),
                  toml_string(group.scheme()), to_string(group.purpose()));
  for (const auto& [name, field] : group.fields()) {
    const auto* const number = std::get_if<std::int64_t>(&field.value);
    text += fmt::format("\n[{}]\nvalue = {}\nunit = {}\nsource = {}\n", name,
                        number != nullptr ? std::to_string(*number)
                                          : toml_string(std::get<std::string>(field.value)),
                        toml_string(field.unit), toml_string(field.source));
  }
  return text;
}

}  // namespace fhe
