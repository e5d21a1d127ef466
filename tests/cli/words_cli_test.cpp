// SPDX-License-Identifier: Apache-2.0
// Numbers and texts on the command line: encrypted, computed with as a whole, decrypted.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/plain_forms.hpp"
#include "libfhe/circuit/bits.hpp"
#include "tests/catch.hpp"
#include "tests/cli/terminal.hpp"
#include "tests/cli/workplace.hpp"
#include "tests/support/errors.hpp"

namespace fhe::test {

namespace {

using Json = nlohmann::json;
using Catch::Matchers::ContainsSubstring;

const std::string kPublicKey = "keys/public.fhe";
const std::string kSecretKey = "keys/secret.fhe";

Arguments encryption(Arguments of, const std::string& out = "x.fhe") {
  of.insert(of.begin(), {"encrypt", "--key", kPublicKey, "--out", out});
  return of;
}

void encrypt_number(const Workplace& place, const std::string& number, const std::string& width,
                    const std::string& out) {
  place.succeed(encryption({"--number", number, "--width", width}, out));
}

std::string decrypted(const Workplace& place, const std::string& file, const std::string& form) {
  std::string out = place.succeed({"decrypt", "--key", kSecretKey, form, file}).out;
  REQUIRE(out.ends_with('\n'));
  out.pop_back();
  return out;
}

// The result of `fhe eval` with these arguments, in its form.
std::string evaluated(const Workplace& place, Arguments arguments, const std::string& form) {
  arguments.insert(arguments.begin(), {"eval", "--key", kPublicKey, "--out", "out.fhe"});
  place.succeed(arguments);
  return decrypted(place, "out.fhe", form);
}

cli::PlainShape shape(std::optional<std::uint64_t> width = {}) {
  return {width, 1000};
}

std::vector<bool> read(cli::PlainForm form, const std::string& text,
                       std::optional<std::uint64_t> width = {}) {
  return cli::read_plain(form, cli::characters_of(text), "text", shape(width));
}

}  // namespace

TEST_CASE("plain forms: every number of up to 6 bits is read and written in all ways", "[cli]") {
  using cli::PlainForm;
  for (std::size_t width = 1; width <= 6; ++width) {
    for (std::int64_t x = -(1 << (width - 1)); x < 1 << width; ++x) {
      const std::vector<bool> bits = bits_of(static_cast<std::uint64_t>(x), width);
      CHECK(read(PlainForm::number, fmt::format(" {}\n", x), width) == bits);
      CHECK(read(PlainForm::number, fmt::format("{}0x{:x}", x < 0 ? "-" : "", std::abs(x)),
                 width) == bits);
      CHECK(cli::decimal_text(bits, x < 0 || !bits.back()) == std::to_string(x));
      if (x >= 0) CHECK(cli::decimal_text(bits, false) == std::to_string(x));
      if (x >= 0) CHECK(read(PlainForm::hex, fmt::format("{:02X}", x), width) == bits);
    }
    for (const std::int64_t x : {std::int64_t{1} << width, -(std::int64_t{1} << (width - 1)) - 1}) {
      CHECK_THROWS_MATCHES(read(PlainForm::number, std::to_string(x), width), Error,
                           HasCode(ErrorCode::invalid_argument, "does not fit"));
    }
  }
  CHECK(read(PlainForm::hex, "0x0fF") == bits_of(0xff, 12));
  CHECK(read(PlainForm::number, "340282366920938463463374607431768211455", 128) ==
        std::vector<bool>(128, true));
}

TEST_CASE("plain forms: texts are bytes, and come back only as UTF-8", "[cli]") {
  const std::string text = "a\u00e9\u20ac\U0001F600\n";
  const std::vector<bool> bits = read(cli::PlainForm::text, text);
  CHECK(bits.size() == 8 * text.size());
  CHECK(number_of(bits, 0, 8) == 'a');
  CHECK(cli::text_of(bits) == text);
  for (const std::string bad : {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    CHECK_THROWS_MATCHES(cli::text_of(read(cli::PlainForm::text, bad)), Error,
                         HasCode(ErrorCode::invalid_argument, "UTF-8"));
  }
  CHECK_THROWS_MATCHES(cli::text_of(bits_of(1, 7)), Error,
                       HasCode(ErrorCode::invalid_argument, "7 bits"));
  CHECK(cli::without_controls("a\tb\n\u00e9 \x1b[2J\r\x7f\u0080\u009f\u00a0") ==
        "a\tb\n\u00e9 \\x1b[2J\\x0d\\x7f\\x80\\x9f\u00a0");
}

TEST_CASE("cli: numbers and texts are encrypted and decrypted", "[cli]") {
  const Workplace place;
  encrypt_number(place, "13", "8", "x.fhe");
  CHECK(place.decrypt("x.fhe") == "10110000\n");
  CHECK(decrypted(place, "x.fhe", "--number") == "13");
  CHECK(decrypted(place, "x.fhe", "--hex") == "0x0d");
  encrypt_number(place, "-5", "8", "x.fhe");
  CHECK(decrypted(place, "x.fhe", "--signed") == "-5");
  CHECK(decrypted(place, "x.fhe", "--number") == "251");
  place.succeed({"encrypt", "--secret-key", kSecretKey, "--hex", "0x00f1", "--out", "x.fhe"});
  CHECK(decrypted(place, "x.fhe", "--hex") == "0x00f1");
  place.succeed(encryption({"--hex", "3f", "--width", "6"}));
  CHECK(decrypted(place, "x.fhe", "--hex") == "0x3f");
  CHECK(place.decrypt("x.fhe") == "111111\n");
  // What looks like an option or a list is a text like any other.
  for (const std::string text : {"h\u00e9llo", "--bits", "[a, b]", "\"a\"", " ", "-"}) {
    place.succeed(encryption({"--text", text}));
    CHECK(decrypted(place, "x.fhe", "--text") == text);
    const Json report = Json::parse(
        place.succeed({"decrypt", "--key", kSecretKey, "--text", "--json", "x.fhe"}).out);
    CHECK(report.at("text") == text);
    CHECK(report.at("bits").get<std::string>().size() == 8 * text.size());
  }
}

TEST_CASE("cli: numbers and texts come from files and standard input", "[cli]") {
  const Workplace place;
  place.write("number.txt", "  -3\n");
  place.succeed(encryption({"--in", "number.txt", "--as", "number", "--width", "4"}));
  CHECK(place.decrypt("x.fhe") == "1011\n");
  place.succeed(encryption({"--in", "-", "--as", "hex"}), "0xAb\n");
  CHECK(decrypted(place, "x.fhe", "--number") == "171");
  place.succeed(encryption({"--in", "-", "--as", "bits"}), "01");
  CHECK(place.decrypt("x.fhe") == "01\n");
  const std::string letter = std::string("a\0b\n", 4);
  place.succeed(encryption({"--in", "-", "--as", "text"}), letter);
  CHECK(decrypted(place, "x.fhe", "--text") == letter);
}

TEST_CASE("cli: a terminal is not shown control characters", "[cli]") {
  const Workplace place;
  place.succeed(encryption({"--in", "-", "--as", "text"}), "a\x1b[2J\u009b");
  CHECK(decrypted(place, "x.fhe", "--text") == "a\x1b[2J\u009b");
  Terminal terminal;
  const auto shown = [&](const Arguments& more) {
    Launch launch{{"decrypt", "--key", kSecretKey, "--text", "x.fhe"}};
    launch.arguments.insert(launch.arguments.end(), more.begin(), more.end());
    launch.standard_output = terminal.name();
    CHECK(place.run(launch).exit_code == 0);
    return terminal.shown();
  };
  CHECK(shown({}) == "a\\x1b[2J\\x9b\r\n");
  CHECK_THAT(shown({"--json"}), ContainsSubstring("a\\u001b[2J\\u009b"));
}

TEST_CASE("cli: what is no number or text is refused, and not repeated", "[cli]") {
  const Workplace place;
  const auto check = [&](const Arguments& of, const std::string& part) {
    check_failure(place, encryption(of), kUsage, part);
  };
  check({"--number", "7"}, "--width");
  check({"--number", "256", "--width", "8"}, "does not fit into 8 bits");
  check({"--number", "-129", "--width", "8"}, "does not fit into 8 bits");
  check({"--number", "7", "--width", "0"}, "--width");
  check({"--number", "7", "--width", "-8"}, "--width");
  check({"--number", "7", "--width", "18446744073709551615"}, "--max-ciphertexts");
  check({"--number", "", "--width", "8"}, "no digits");
  check({"--number", "-", "--width", "8"}, "no digits");
  check({"--number", "1 2", "--width", "8"}, "character 2");
  check({"--number", "0x1g", "--width", "8"}, "character 4");
  check({"--hex", ""}, "no digits");
  check({"--hex", "-1"}, "character 1");
  check({"--text", ""}, "no text");
  check({"--text", "a", "--width", "8"}, "--width");
  check({"--bits", "1", "--width", "8"}, "--width");
  check({"--text", "a", "--number", "1"}, "excludes");
  check({"--text", "a", "--as", "text"}, "--in");
  check({"--in", "-", "--as", "song"}, "--as");
  check({"--text", "abc", "--max-ciphertexts", "16"}, "--max-ciphertexts");
  check({"--width", "8"}, "--number");
  for (const Arguments& secret :
       {Arguments{"--number", "4711", "--width", "8"},
        Arguments{"--number", "47z11", "--width", "64"}, Arguments{"--hex", "4711z"}}) {
    const std::string said = place.run({encryption(secret)}).err;
    CHECK_THAT(
        said, !ContainsSubstring("4711") && !ContainsSubstring("47z11") && !ContainsSubstring("z"));
  }
  place.succeed(encryption({"--number", "255", "--width", "8"}));
  check_failure(place, {"decrypt", "--key", kSecretKey, "--text", "x.fhe"}, kUsage, "UTF-8");
  check_failure(place, {"decrypt", "--key", kSecretKey, "--text", "--hex", "x.fhe"}, kUsage,
                "excludes");
  place.encrypt("101", "x.fhe");
  check_failure(place, {"decrypt", "--key", kSecretKey, "--text", "x.fhe"}, kUsage, "3 bits");
}

TEST_CASE("cli: eval computes with numbers", "[cli]") {
  const Workplace place;
  encrypt_number(place, "13", "8", "a.fhe");
  encrypt_number(place, "-5", "8", "b.fhe");
  encrypt_number(place, "3", "2", "n.fhe");
  const auto check = [&](const Arguments& arguments, const std::string& form,
                         const std::string& expected) {
    INFO(arguments.front());
    CHECK(evaluated(place, arguments, form) == expected);
  };
  check({"add", "a.fhe", "b.fhe"}, "--number", "8");
  check({"SUB", "a.fhe", "b.fhe"}, "--number", "18");
  check({"mul", "a.fhe", "b.fhe", "--signed", "--width", "16"}, "--signed", "-65");
  check({"div", "b.fhe", "a.fhe"}, "--number", "19");
  check({"rem", "b.fhe", "--constant", "3", "--signed"}, "--signed", "-2");
  check({"less", "a.fhe", "b.fhe"}, "--number", "1");
  check({"less", "a.fhe", "b.fhe", "--signed"}, "--number", "0");
  check({"abs", "b.fhe"}, "--number", "5");
  check({"shl", "a.fhe", "n.fhe"}, "--number", "104");
  check({"shr", "b.fhe", "--constant", "1", "--signed"}, "--signed", "-3");
  check({"add", "a.fhe", "n.fhe", "--width", "5"}, "--number", "16");
  check({"mul", "a.fhe", "--constant", "0"}, "--number", "0");
  check({"greater-equal", "a.fhe", "--constant", "13"}, "--number", "1");
}

TEST_CASE("cli: one bit chooses a whole number, and a bit each its own", "[cli]") {
  const Workplace place;
  encrypt_number(place, "9", "4", "a.fhe");
  encrypt_number(place, "6", "4", "b.fhe");
  place.encrypt("1", "one.fhe");
  place.encrypt("0", "zero.fhe");
  place.encrypt("1100", "each.fhe");
  CHECK(evaluated(place, {"mux", "one.fhe", "a.fhe", "b.fhe"}, "--number") == "9");
  CHECK(evaluated(place, {"mux", "zero.fhe", "a.fhe", "b.fhe"}, "--number") == "6");
  CHECK(evaluated(place, {"mux", "zero.fhe", "a.fhe", "--constant", "7"}, "--number") == "7");
  CHECK(evaluated(place, {"mux", "each.fhe", "a.fhe", "b.fhe"}, "--number") == "5");
  CHECK(evaluated(place, {"mux", "one.fhe", "zero.fhe", "one.fhe"}, "--number") == "0");
}

TEST_CASE("cli: eval plans an operation on numbers as a whole, and says what it took", "[cli]") {
  const Workplace place;
  encrypt_number(place, "200", "8", "a.fhe");
  const Json report = Json::parse(place
                                      .succeed({"eval", "--key", kPublicKey, "min", "a.fhe",
                                                "a.fhe", "--out", "c.fhe", "--json"})
                                      .out);
  CHECK(report.at("operation") == "min");
  CHECK(report.at("ciphertexts") == 8);
  CHECK(report.at("recryptions") >= report.at("recryptions_lower_bound"));
  CHECK(report.at("recryptions") < report.at("recryptions_gate_by_gate"));
  CHECK(decrypted(place, "c.fhe", "--number") == "200");
  const std::string piped =
      place.succeed({"eval", "--key", kPublicKey, "neg", "-", "--out", "-"}, place.read("a.fhe"))
          .out;
  CHECK(place.succeed({"decrypt", "--key", kSecretKey, "--number", "-"}, piped).out == "56\n");
}

TEST_CASE("cli: eval asks for what an operation on numbers needs", "[cli]") {
  const Workplace place;
  encrypt_number(place, "1", "4", "four.fhe");
  encrypt_number(place, "1", "5", "five.fhe");
  const auto check = [&](Arguments arguments, int code, const std::string& part) {
    arguments.insert(arguments.begin(), {"eval", "--key", kPublicKey, "--out", "x.fhe"});
    check_failure(place, arguments, code, part);
  };
  check({"ad", "four.fhe", "four.fhe"}, kUsage, "popcount");
  check({"ad", "four.fhe", "four.fhe"}, kUsage, "xnor");
  check({"add", "four.fhe"}, kUsage, "2 inputs");
  check({"neg", "four.fhe", "--constant", "1"}, kUsage, "1 input,");
  check({"add", "four.fhe", "five.fhe"}, kUsage, "--width");
  check({"add", "four.fhe", "--constant", "16"}, kUsage, "does not fit into 4 bits");
  check({"add", "four.fhe", "--constant", "x"}, kUsage, "--constant");
  check({"shl", "four.fhe", "--constant", "-1"}, kUsage, "below zero");
  check({"add", "four.fhe", "four.fhe", "--width", "0"}, kUsage, "--width");
  check({"add", "four.fhe", "four.fhe", "--width", "18446744073709551615"}, kUsage,
        "--max-ciphertexts");
  check({"and", "four.fhe", "four.fhe", "--signed"}, kUsage, "bit by bit");
  check({"mux", "four.fhe", "five.fhe", "five.fhe"}, kUsage, "equally many");
  check({"mux", "four.fhe", "four.fhe", "four.fhe", "--width", "8"}, kUsage, "takes one");
  check({"add", "four.fhe", "four.fhe", "--refresh", "never"}, kNoise, "never");
}

}  // namespace fhe::test
