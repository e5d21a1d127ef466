// SPDX-License-Identifier: Apache-2.0
// The reader of parameter texts: what it takes, and that it refuses all the rest with its line.
#include "libfhe/scheme/parameter_text.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "tests/catch.hpp"
#include "tests/support/errors.hpp"

namespace fhe::test {

namespace {

const std::string kHead = "name = \"n\"\nscheme = \"s\"\npurpose = \"p\"\n";

std::string field(const std::string& value, const std::string& name = "f") {
  return '[' + name + "]\nvalue = " + value + "\nunit = \"\"\nsource = \"\"\n";
}

ParameterText read(const std::string& text) {
  return read_parameter_text(text, "the text");
}

// The value of the one field of a text.
std::variant<std::int64_t, std::string> value_of(const std::string& text) {
  return read(text).fields.at("f").content.value;
}

void check_refused(const std::string& text, std::size_t line, const std::string& what = "") {
  CAPTURE(text.substr(0, 200));
  CHECK_THROWS_MATCHES(
      read(text), Error,
      HasCode(ErrorCode::invalid_parameters, "the text: line " + std::to_string(line) + ": ") &&
          HasCode(ErrorCode::invalid_parameters, what));
}

void check_value_refused(const std::string& value, const std::string& what = "") {
  check_refused(kHead + field(value), 5, "field 'f': ");
  check_refused(kHead + field(value), 5, what);
}

}  // namespace

TEST_CASE("a parameter text is three strings and fields of three keys", "[parameters]") {
  const ParameterText text = read(
      "# a comment \xC3\xA9\n\n\tpurpose=\"p\"# close\nname = \"n\"\r\n  scheme  =  \"s\"  \n"
      " [ rho ] # the noise\nunit = \"bits\"\nvalue = 26\nsource = \"a book\"\n"
      "[A_9]\nsource = \"\"\nunit = \"word\"\nvalue = \"ctr\"");
  CHECK(text.name == "n");
  CHECK(text.scheme == "s");
  CHECK(text.purpose == "p");
  REQUIRE(text.fields.size() == 2);
  CHECK(text.fields.at("rho").line == 6);
  CHECK(text.fields.at("rho").content.unit == "bits");
  CHECK(text.fields.at("rho").content.source == "a book");
  CHECK(text.fields.at("rho").content.value == std::variant<std::int64_t, std::string>(26));
  CHECK(text.fields.at("A_9").line == 10);
  CHECK(text.fields.at("A_9").content.value == std::variant<std::int64_t, std::string>("ctr"));
}

TEST_CASE("a field of a parameter text may stand on one line", "[parameters]") {
  const std::string one = "f={ value = 26, unit = \"bits\", source = \"a } book\" } # noise\n";
  const std::string other = "g = {source=\"\",value=\"ctr\",unit=\"\"}\n";
  const ParameterText text = read(kHead + one + other + field("1", "h"));
  REQUIRE(text.fields.size() == 3);
  CHECK(text.fields.at("f").line == 4);
  CHECK(text.fields.at("f").content.value == std::variant<std::int64_t, std::string>(26));
  CHECK(text.fields.at("f").content.unit == "bits");
  CHECK(text.fields.at("f").content.source == "a } book");
  CHECK(text.fields.at("g").content.value == std::variant<std::int64_t, std::string>("ctr"));
  CHECK(text.fields.at("h").line == 6);
  // The strings of the group may follow.
  CHECK(read(one + kHead).name == "n");

  check_refused(kHead + one + one, 5, "the field 'f' stands in line 4 already");
  check_refused(kHead + one + field("1"), 5, "the field 'f' stands in line 4 already");
  check_refused(kHead + "f = {}\n", 4, "expected 'key = value'");
  check_refused(kHead + "f = { value = 1 }\n", 4, "field 'f': the string 'unit' is missing");
  check_refused(kHead + "f = { value = 1, value = 2 }\n", 4, "'value' has a value already");
  check_refused(kHead + "f = { value = 1, colour = 2 }\n", 4, "unknown key 'colour'");
  check_refused(kHead + "f = { value = 1,, unit = 2 }\n", 4, "expected 'key = value'");
  check_refused(kHead + "f = { value = 1, }\n", 4, "expected 'key = value'");
  check_refused(kHead + "f = { value = { value = 1 } }\n", 4, "must be an integer");
  check_refused(kHead + "f = { value = 1\n}\n", 4, "ends with '}'");
  check_refused(kHead + "f = { value = 1 unit = 2 }\n", 4, "ends with '}'");
  check_refused(kHead + one.substr(0, one.find('#')) + "1\n", 4, "followed by something else");
  check_refused(kHead + field("1") + one, 8, "unknown key 'f'");
}

TEST_CASE("integers of a parameter text have 64 bits and one way to be written", "[parameters]") {
  const std::vector<std::pair<std::string, std::int64_t>> numbers{
      {"0", 0},
      {"-0", 0},
      {"7", 7},
      {"-12", -12},
      {"9223372036854775807", INT64_MAX},
      {"-9223372036854775808", INT64_MIN}};
  for (const auto& [word, number] : numbers) {
    CAPTURE(word);
    CHECK(std::get<std::int64_t>(value_of(kHead + field(word))) == number);
    CHECK(std::get<std::int64_t>(value_of(kHead + field(word + "#comment"))) == number);
  }
  for (const std::string word :
       {"9223372036854775808", "-9223372036854775809", "99999999999999999999999999999999999999"}) {
    check_value_refused(word, "more than 64 bits");
  }
  for (const std::string word :
       {"", "-", "+1", "01", "-01", "1_000", "0x10", "0b1", "1.5", "1e3", "inf", "nan", "true",
        "1979-05-27", "--1", "1-", "[1]", "{}", "'a'"}) {
    CAPTURE(word);
    check_value_refused(word, "must be an integer or a string in double quotes");
  }
  for (const std::string word : {"1 2", "1,", "1}"}) {
    check_value_refused(word, "the value of 'value' is followed by");
  }
}

TEST_CASE("strings of a parameter text", "[parameters]") {
  const std::vector<std::pair<std::string, std::string>> strings{
      {R"("")", ""},
      {R"("a # b = [c]")", "a # b = [c]"},
      {R"("\"\\")", "\"\\"},
      {R"("\u00e9\U0001F511")", "\xC3\xA9\xF0\x9F\x94\x91"},
      {"\"\xC3\xA9\xF0\x9F\x94\x91\"", "\xC3\xA9\xF0\x9F\x94\x91"},
      {R"("\U0010FFFF")", "\xF4\x8F\xBF\xBF"},
      {R"("\u00A0")", "\xC2\xA0"}};
  for (const auto& [word, text] : strings) {
    CAPTURE(word);
    CHECK(std::get<std::string>(value_of(kHead + field(word))) == text);
  }
  for (const std::string word :
       {R"("\b")", R"("\t")", R"("\n")", R"("\f")", R"("\r")", R"("\u0000")", R"("\u001F")",
        R"("\u007f")", R"("\u009b")", "\"\t\""}) {
    check_value_refused(word, "has a control character");
  }
  for (const std::string word :
       {R"("\uD800")", R"("\uDFFF")", R"("\U00110000")", R"("\UFFFFFFFF")", R"("\u12")",
        R"("\u12g4")", R"("\u-123")", R"("\u+123")", R"("\u0x1F")", R"("\U0001F51")", R"("\u)"}) {
    check_value_refused(word, "escape");
  }
  for (const std::string word : {R"("\x41")", R"("\e")", R"("\ ")", R"("\)"}) {
    check_value_refused(word, "backslash");
  }
  for (const std::string word : {"\"", "\"a", R"("a\")", "\"a # b"}) {
    check_value_refused(word, "no closing quote");
  }
  for (const std::string word : {R"("""a""")", R"("a" "b")", R"("a"b)", R"("a"=)"}) {
    check_value_refused(word, "followed by");
  }
}

TEST_CASE("bytes that are not UTF-8 and control characters are refused with their line",
          "[parameters]") {
  for (const std::string bytes :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC3", "\xE0\x80\x80", "\xE2\x82", "\xED\xA0\x80",
        "\xED\xBF\xBF", "\xF0\x80\x80\x80", "\xF0\x9F\x94", "\xF4\x90\x80\x80",
        "\xF8\x88\x80\x80\x80", "\xFE", "\xFF"}) {
    check_refused(kHead + "# " + bytes, 4, "UTF-8");
    check_refused(kHead + field('"' + bytes + '"'), 5, "UTF-8");
  }
  for (const std::string& bytes :
       {std::string(1, '\0'), std::string("\x01"), std::string("\x1b"), std::string("\x7f"),
        std::string("\xC2\x80"), std::string("\r ")}) {
    check_refused(kHead + "# " + bytes, 4, "control character");
    check_refused(bytes + kHead, 1, "control character");
  }
}

// Each of these was undefined behaviour of the parser that this one replaced.
TEST_CASE("what led toml++ astray is refused with its line", "[parameters]") {
  check_refused("\xC2\xB5=1", 1);
  check_refused("\xC3\xB6=1", 1);
  check_refused("[[[5", 1, "table header");
  check_refused("x=[ }", 1);
  for (const std::string header :
       {"[=]", "[.a]", "[#]", "[[=]]", "[", "[ ", " [ ]", "[]", "[[a]]", "[a", "[a.b]", "[a b]",
        "[a]]", "[a] b", "[\"a\"]", "['a']", "[\xC3\xB6]", "[a-b]"}) {
    check_refused(kHead + header + '\n', 4);
    check_refused(header, 1);
  }
}

TEST_CASE("keys of a parameter text are known, have values, and come once", "[parameters]") {
  for (const std::string line :
       {"=", "= 1", "name", "name 1", "name = 1 = 2", "na me = 1", "\"name\" = 1", "name.a = 1",
        "- = 1", "\xEF\xBB\xBFname = 1", "{\"name\": 1}"}) {
    CAPTURE(line);
    check_refused(line + '\n', 1);
    check_refused(kHead + field("1") + line + '\n', 8);
  }
  check_refused(kHead + "name = \"n\"\n", 4, "'name' has a value already");
  check_refused(kHead + "rho = 1\n", 4, "'rho' must be a table");
  check_refused(kHead + field("1") + "name = \"x\"\n", 8, "unknown key 'name'");
  check_refused(kHead + field("1") + "unit = \"\"\n", 8, "'unit' has a value already");
  check_refused(kHead + field("1", "g") + field("1") + "\n" + field("2", "g"), 13,
                "the field 'g' stands in line 4 already");
}

TEST_CASE("what is missing in a parameter text is named", "[parameters]") {
  check_refused("", 1, "the string 'name' is missing");
  check_refused("name = \"n\"\n[f]\n", 1, "the string 'scheme' is missing");
  check_refused("name = \"n\"\nscheme = \"s\"\n", 1, "the string 'purpose' is missing");
  check_refused("scheme = \"s\"\npurpose = \"p\"\nname = 1\n", 1, "the string 'name' is missing");
  check_refused(kHead + "[f]\n", 4, "field 'f': 'value' is missing");
  check_refused(kHead + "[f]\n" + field("1", "g"), 4, "field 'f': 'value' is missing");
  check_refused(kHead + "\n[f]\nvalue = 1\nsource = \"\"\n", 5, "the string 'unit' is missing");
  check_refused(kHead + "[f]\nvalue = 1\nunit = \"\"\nsource = 3\n", 4,
                "the string 'source' is missing");
}

TEST_CASE("a parameter text and its lines have a limit", "[parameters]") {
  const std::string text = kHead + field("1");
  CHECK_NOTHROW(read(text + std::string(kMaxParameterTextBytes - text.size(), '\n')));
  CHECK_THROWS_MATCHES(read(text + std::string(kMaxParameterTextBytes + 1 - text.size(), '\n')),
                       Error, HasCode(ErrorCode::invalid_parameters, "65536 bytes"));
  CHECK_NOTHROW(read(text + '#' + std::string(1023, '.')));
  check_refused(text + '#' + std::string(1024, '.'), 8, "longer than 1024 bytes");
}

// Tens of thousands of texts that are almost right; each must be read or refused, and what is read
// must survive being written. The hostile suite does the same for hours (tests/hostile).
TEST_CASE("damaged parameter texts are read or refused", "[parameters]") {
  const std::string whole = ParameterSet::named("cnt-mini").to_toml();
  const std::string tokens = "\"\\[]=#\n\r\t -_.u{}'\xC2\xB5\x80" + std::string(1, '\0');
  std::mt19937 random(1);
  const auto below = [&random](std::size_t end) { return random() % end; };
  std::size_t refused = 0;
  constexpr std::size_t kTexts = 20000;
  for (std::size_t i = 0; i < kTexts; ++i) {
    std::string text = whole.substr(0, 300);
    for (std::size_t edits = 1 + below(3); edits > 0; --edits) {
      const std::size_t at = below(text.size());
      switch (below(3)) {
        case 0:
          text[at] = tokens[below(tokens.size())];
          break;
        case 1:
          text.insert(at, 1, tokens[below(tokens.size())]);
          break;
        default:
          text.erase(at, 1 + below(8));
      }
    }
    try {
      static_cast<void>(read(text));
    } catch (const Error& error) {
      ++refused;
      if (error.code() != ErrorCode::invalid_parameters) FAIL_CHECK(text);
    }
  }
  CHECK(refused > kTexts / 2);
  CHECK(refused < kTexts);
}

}  // namespace fhe::test
