// SPDX-License-Identifier: Apache-2.0
// Parameter groups: the published numbers, reading and writing, and every validity check.
#include "libfhe/scheme/parameters.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "libfhe/scheme/cnt/parameters.hpp"
#include "libfhe/scheme/keys.hpp"
#include "libfhe/scheme/security.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

constexpr std::size_t kMaxFileBytes = 64 * 1024;

const std::vector<std::string> kKeyGroups{"cnt-mini", "cnt-toy", "cnt-small", "cnt-medium",
                                          "cnt-large"};
const std::vector<std::string> kBenchmarkGroups{"cnt-toy-paper", "cnt-small-paper",
                                                "cnt-medium-paper", "cnt-large-paper"};
const std::vector<std::string> kNumbers{
    "lambda", "rho",   "eta",       "gamma", "alpha",         "rho_prime",        "tau",
    "theta",  "Theta", "precision", "kappa", "q0_prime_bits", "key_noise_percent"};

// A row of the table of the four reference groups.
struct Reference {
  std::string name;
  std::size_t lambda, rho, eta, gamma, alpha, tau, Theta, block, kappa, limbs;
};

const std::vector<Reference> kReferences{
    {"cnt-toy", 42, 26, 988, 147456, 936, 158, 150, 10, 147519, 2305},
    {"cnt-small", 52, 41, 1558, 843033, 1476, 572, 555, 37, 843071, 13173},
    {"cnt-medium", 62, 56, 2128, 4251866, 2016, 2110, 2070, 138, 4251903, 66436},
    {"cnt-large", 72, 71, 2698, 19575950, 2556, 7659, 7965, 531, 19575999, 305875}};

void check_refused(const GroupText& group, const std::string& message) {
  CAPTURE(message);
  CHECK_THROWS_MATCHES(group.parse(), Error, HasCode(ErrorCode::invalid_parameters, message));
}

// Changes one field of cnt-toy.
void check_refused(const std::string& field, const std::string& value, const std::string& message) {
  CAPTURE(field, value);
  check_refused(GroupText("cnt-toy").set(field, value), message);
}

void check_text_refused(const std::string& text, const std::string& message) {
  CAPTURE(text.substr(0, 100));
  CHECK_THROWS_MATCHES(ParameterSet::from_toml(text, "the text"), Error,
                       HasCode(ErrorCode::invalid_parameters, message));
}

// The group, or nothing when it is refused as it should be.
std::optional<ParameterSet> parse_or_refuse(const GroupText& group) {
  try {
    return group.parse();
  } catch (const Error& error) {
    INFO(error.what());
    CHECK(error.code() == ErrorCode::invalid_parameters);
    return std::nullopt;
  }
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// The text of a group made `bytes` long by a comment.
std::string padded(const std::string& text, std::size_t bytes) {
  return text + std::string(bytes - text.size(), '\n');
}

}  // namespace

TEST_CASE("all built-in groups load under their names", "[parameters]") {
  const std::vector<std::string> names = ParameterSet::names();
  CHECK(std::set(names.begin(), names.end()).size() == names.size());
  for (const std::string& name : names) {
    CAPTURE(name);
    const ParameterSet group = ParameterSet::named(name);
    CHECK(group.name() == name);
    CHECK(ParameterSet::resolve(name) == group);
  }
  for (const std::string& name : kKeyGroups) {
    CHECK(std::ranges::count(names, name) == 1);
    CHECK(ParameterSet::named(name).makes_keys());
  }
  for (const std::string& name : kBenchmarkGroups) {
    CHECK(std::ranges::count(names, name) == 1);
    CHECK_FALSE(ParameterSet::named(name).makes_keys());
  }
}

TEST_CASE("an unknown group is an error that lists what there is", "[parameters]") {
  for (const std::string& name : ParameterSet::names()) {
    CHECK_THROWS_MATCHES(ParameterSet::named("no-such-group"), Error,
                         HasCode(ErrorCode::unknown_name, name));
  }
  CHECK_THROWS_MATCHES(ParameterSet::named(""), Error, HasCode(ErrorCode::unknown_name));
  CHECK_THROWS_MATCHES(ParameterSet::named("CNT-TOY"), Error, HasCode(ErrorCode::unknown_name));
  CHECK_THROWS_MATCHES(ParameterSet::resolve("no-such-group"), Error,
                       HasCode(ErrorCode::unknown_name, "no-such-group"));
}

TEST_CASE("the reference groups have the published values", "[parameters]") {
  for (const Reference& row : kReferences) {
    CAPTURE(row.name);
    const cnt::Parameters p = cnt_parameters(row.name);
    CHECK(p.lambda == row.lambda);
    CHECK(p.rho == row.rho);
    CHECK(p.eta == row.eta);
    CHECK(p.gamma == row.gamma);
    CHECK(p.alpha == row.alpha);
    CHECK(p.tau == row.tau);
    CHECK(p.Theta == row.Theta);
    CHECK(p.block() == row.block);
    CHECK(p.kappa == row.kappa);
    CHECK(p.theta == 15);
    CHECK(p.precision == 4);
    CHECK(p.kappa + 1 == 64 * row.limbs);
  }
}

TEST_CASE("the groups for keys keep the rules of CNT", "[parameters]") {
  for (const std::string& name : kKeyGroups) {
    CAPTURE(name);
    const cnt::Parameters p = cnt_parameters(name);
    CHECK(p.alpha == p.eta - 2 * p.rho);
    CHECK(p.rho_prime == p.eta - p.rho);
    CHECK(p.tau == (p.gamma + p.alpha - 1) / p.alpha);
    CHECK(p.kappa >= p.gamma + 6);
    CHECK((p.kappa + 1) % 64 == 0);
    CHECK(p.q0_prime_bits > p.lambda);
    CHECK(p.correction_bits() == p.eta + p.lambda);
  }
}

TEST_CASE("an AND of two refreshed ciphertexts of a group can be refreshed", "[parameters]") {
  for (const std::string& name : kKeyGroups) {
    CAPTURE(name);
    const cnt::Parameters p = cnt_parameters(name);
    const NoiseRule rule = p.noise_rule();
    const NoiseBound refreshed = p.refreshed_noise(p.adder_program());
    CHECK(rule.product(refreshed, refreshed) <= rule.refresh_limit);
    CHECK(p.fresh_noise() <= rule.refresh_limit);
    CHECK(rule.refresh_limit < rule.decrypt_limit);
    // p >= 2^(eta-1); with 15 numbers of 4 fractional bits p/32 of it may be noise.
    CHECK(rule.decrypt_limit.bits() < static_cast<double>(p.eta - 2));
    CHECK(rule.refresh_limit.bits() <= static_cast<double>(p.eta - 6));
    CHECK(rule.refresh_limit.bits() > static_cast<double>(p.eta) - 6.1);
  }
}

TEST_CASE("a group written as TOML reads back the same", "[parameters]") {
  for (const std::string& name : ParameterSet::names()) {
    CAPTURE(name);
    const ParameterSet group = ParameterSet::named(name);
    const ParameterSet again = ParameterSet::from_toml(group.to_toml(), "round trip");
    CHECK(again == group);
    CHECK(again.makes_keys() == group.makes_keys());
    CHECK(again.scheme() == group.scheme());
    CHECK(again.to_toml() == group.to_toml());
    REQUIRE(again.fields().size() == group.fields().size());
    for (const auto& [field, content] : group.fields()) {
      CAPTURE(field);
      CHECK(again.fields().at(field).value == content.value);
      CHECK(again.fields().at(field).unit == content.unit);
      CHECK(again.fields().at(field).source == content.source);
    }
  }
}

TEST_CASE("texts with awkward characters survive the round trip", "[parameters]") {
  const std::string source = R"("quote \" backslash \\ ''' \"\"\" \u00e9 \U0001F511 # = [x] {y}")";
  const ParameterSet group =
      GroupText("cnt-mini")
          .set_table("rho", "value = 12\nunit = \"\"\nsource = " + source + '\n')
          .parse();
  const ParameterSet again = ParameterSet::from_toml(group.to_toml(), "round trip");
  CHECK(again.fields().at("rho").source == group.fields().at("rho").source);
  CHECK(again.fields().at("rho").unit.empty());
  CHECK(again == group);
}

TEST_CASE("control characters in texts are refused", "[parameters]") {
  for (const std::string text : {R"("a\nb")", R"("\t")", R"("\u0000")", R"("\u001b[2J")",
                                 R"("\u007f")", "\"\"\"a\nb\"\"\""}) {
    CAPTURE(text);
    const std::string lines = "value = 12\nunit = \"bits\"\nsource = " + text + '\n';
    check_refused(GroupText("cnt-mini").set_table("rho", lines), "'source'");
    check_refused(GroupText("cnt-mini").set("adder", text), "'value'");
    check_refused(GroupText("cnt-mini").head("scheme", text), "'scheme'");
  }
}

TEST_CASE("a field that the scheme does not know is refused with its name and line",
          "[parameters]") {
  const std::string field = "value = 7\nunit = \"bits\"\nsource = \"a test\"\n";
  const std::string text = ParameterSet::named("cnt-mini").to_toml();
  const auto lines = std::ranges::count(text, '\n');
  for (const std::string name : {"rhoo", "Rho", "beta", "note", "a_b", "rho2"}) {
    check_text_refused(text + "[" + name + "]\n" + field,
                       "line " + std::to_string(lines + 1) + ": unknown field '" + name + "'");
  }
  // Each scheme has its own: those of the others are as unknown as a misspelt one.
  check_refused(GroupText("cmnt-mini").set("tau", 17), "unknown field 'tau'");
  check_refused(GroupText("gh-mini").set("rho", 17), "unknown field 'rho'");
  check_refused(GroupText("cnt-toy-paper").set("tauu", 17), "unknown field 'tauu'");
}

TEST_CASE("whatever name a field has, the group is refused", "[parameters]") {
  const auto name = GENERATE(as<std::string>{}, R"("two words")", R"("a.b")", R"("")", R"("x]")",
                             R"("line\nbreak")", R"("note = 1")", "plain", "with-dash_and_9");
  CAPTURE(name);
  CHECK_FALSE(parse_or_refuse(GroupText("cnt-mini").set(name, "7")));
}

TEST_CASE("the digest changes with every value", "[parameters]") {
  // Seven numbers can be added with 3 and with 4 fractional bits.
  const GroupText base = GroupText("cnt-toy").set("theta", 7).set("Theta", 140);
  std::set<Digest> digests{base.parse().digest()};
  // Changes that every check lets pass.
  const std::vector<std::pair<std::string, std::string>> changes{
      {"lambda", "41"},      {"rho", "25"},           {"eta", "1000"},
      {"gamma", "147455"},   {"alpha", "940"},        {"rho_prime", "961"},
      {"tau", "159"},        {"Theta", "133"},        {"precision", "3"},
      {"kappa", "147583"},   {"q0_prime_bits", "85"}, {"key_noise_percent", "59"},
      {"adder", R"("sym")"}, {"theta", "5"},          {"estimated_security", "35"}};
  for (const auto& [field, value] : changes) {
    CAPTURE(field);
    digests.insert(GroupText(base).set(field, value).parse().digest());
  }
  CHECK(digests.size() == changes.size() + 1);
}

TEST_CASE("the digest ignores name, units, sources and layout", "[parameters]") {
  const ParameterSet group = ParameterSet::named("cnt-toy");
  const ParameterSet other = GroupText("cnt-toy").parse();  // all units and sources are others
  CHECK(other.fields().at("rho").source != group.fields().at("rho").source);
  CHECK(other.digest() == group.digest());
  CHECK(other == group);
  CHECK(ParameterSet::from_toml("# a comment\r\n\n" + group.to_toml() + "\n# end", "x").digest() ==
        group.digest());

  const ParameterSet renamed = GroupText("cnt-toy").head("name", "\"another\"").parse();
  CHECK(renamed.digest() == group.digest());
  CHECK_FALSE(renamed == group);
}

TEST_CASE("a value cannot pose as another field in the digest", "[parameters]") {
  // In the canonical text `alpha = 552` is followed by `eta = 576`.
  CHECK_FALSE(
      parse_or_refuse(GroupText("cnt-mini").without("eta").set("alpha", R"("552\neta = 576")")));
  CHECK_FALSE(parse_or_refuse(
      GroupText("cnt-mini").without("alpha").without("eta").set(R"("alpha = 552\neta")", 576)));
}

TEST_CASE("every missing field is named", "[parameters]") {
  for (const std::string& field : kNumbers) {
    check_refused(GroupText("cnt-toy").without(field), "'" + field + "' is missing");
  }
  check_refused(GroupText("cnt-toy").without("adder"), "'adder' is missing");
  for (const std::string field : {"gamma", "alpha", "tau"}) {
    check_refused(GroupText("cnt-toy-paper").without(field), "'" + field + "' is missing");
  }
}

TEST_CASE("no group says of itself how secure it is, but old keys may", "[parameters][security]") {
  const std::string claim = "estimated_security";
  for (const std::string& name : ParameterSet::names()) {
    CAPTURE(name);
    CHECK_FALSE(ParameterSet::named(name).has(claim));
  }
  const ParameterSet group = ParameterSet::named("cnt-mini");
  const ParameterSet claiming = GroupText("cnt-mini").set(claim, 128).parse();
  CHECK_FALSE(claiming.flaw().has_value());
  CHECK(claiming.digest() != group.digest());
  CHECK(estimate_of(claiming) == estimate_of(group));
  // It excuses no other value, and no file may have it.
  CHECK(GroupText("cnt-mini").set(claim, 128).set("rho", 11).parse().flaw().has_value());
  const TemporaryDirectory folder;
  const std::filesystem::path path = folder / "own.toml";
  std::ofstream(path) << group.to_toml();
  CHECK(ParameterSet::from_file(path) == group);
  std::ofstream(path) << claiming.to_toml();
  CHECK_THROWS_WITH(
      ParameterSet::from_file(path),
      Catch::Matchers::ContainsSubstring("own.toml") &&
          Catch::Matchers::ContainsSubstring("remove the field 'estimated_security'"));
}

TEST_CASE("a value of the wrong type is refused", "[parameters]") {
  for (const std::string& field : kNumbers) {
    check_refused(field, R"("many")", "'" + field + "' must be an integer");
    for (const std::string value :
         {"1.5", "26.0", "true", "[26]", "1979-05-27", "inf", "{x = 1}"}) {
      check_refused(field, value, "field '" + field + "'");
    }
  }
  check_refused("adder", "3", "'adder' must be a word");
}

TEST_CASE("a number out of its range is refused with the range", "[parameters]") {
  for (const std::string& field : kNumbers) {
    for (const std::string value : {"-1", "-9223372036854775808", "9223372036854775807", "0"}) {
      std::string message = field;
      message.append(" = ").append(value).append(" must be between");
      check_refused(field, value, message);
    }
    check_refused(field, "9223372036854775808", "line ");
  }
  check_refused("key_noise_percent", "29", "between 30 and 100");
  check_refused("key_noise_percent", "101", "between 30 and 100");
  check_refused("theta", "1024", "between 2 and 1023");
  check_refused("precision", "16", "between 1 and 15");
  check_refused(GroupText("cnt-toy-paper").set("gamma", "9223372036854775807"), "must be between");
  check_refused(GroupText("cnt-toy-paper").set("alpha", "14"), "must be between");
  check_refused(GroupText("cnt-toy-paper").set("tau", "0"), "must be between");
}

TEST_CASE("numbers that do not fit each other are refused", "[parameters]") {
  check_refused("Theta", "151", "Theta = 151 must be a multiple of theta = 15");
  check_refused("kappa", "147461", "kappa = 147461 must be between gamma + 6 = 147462");
  CHECK_NOTHROW(GroupText("cnt-toy").set("kappa", "147462").set("key_noise_percent", 50).parse());
  check_refused("eta", "33", "eta = 33 must be at least rho + 8 = 34");
  check_refused("gamma", "1239", "gamma = 1239 must be at least eta + 3 q0_prime_bits = 1240");
  check_refused("q0_prime_bits", "42", "q0_prime_bits = 42 must be more than lambda = 42");
  check_refused(GroupText("cnt-toy").set("lambda", 8).set("q0_prime_bits", 16),
                "q0_prime_bits = 16 is too small: of about 2955 primes of that size q0 takes 9154");
  check_refused(GroupText("cnt-toy").set("lambda", 8).set("q0_prime_bits", 31), "not square-free");
  check_refused("alpha", "14", "alpha = 14 must be at least 15");
  check_refused("tau", "157", "alpha * tau = 146952 must be at least gamma = 147456");
  check_refused("rho_prime", "990", "past the 982.0 that can be refreshed");
  check_refused("rho_prime", "982", "past the 982.0 that can be refreshed");  // could be decrypted
  CHECK_NOTHROW(GroupText("cnt-toy").head("name", "\"own\"").set("rho_prime", 980).parse());
  check_refused("alpha", "960", "past the 982.0 that can be refreshed");
  check_refused(GroupText("cnt-toy").set("theta", 16).set("Theta", 160),
                "theta must stay below 2^precision");
  check_refused(GroupText("cnt-toy").set("theta", 1023).set("Theta", 1023), "2^precision");
  // What is too small there is kappa: 2^-7 of roundings' 1/2 - 127/256 = 2^-8 is left.
  const GroupText edge = GroupText("cnt-toy").set("theta", 127).set("Theta", 127);
  check_refused(GroupText(edge).set("precision", 7).set("kappa", 147456 + 6),
                "kappa = 147462 must be at least gamma + 8 = 147464: theta = 127");
  check_refused(GroupText(edge).set("precision", 7).set("kappa", 147456 + 7), "gamma + 8");
  CHECK_THROWS_MATCHES(GroupText(edge).set("precision", 7).set("kappa", 147456 + 8).parse(), Error,
                       !HasCode(ErrorCode::invalid_parameters, "kappa"));
}

TEST_CASE("groups with a special modulus that cannot work are refused", "[parameters]") {
  const GroupText toy("cnt-toy-special");
  CHECK_NOTHROW(GroupText(toy).head("name", "\"own\"").set("q0_offset_bits", 100).parse());
  check_refused(GroupText(toy).set("q0_prime_bits", 84),
                "q0_prime_bits and q0_offset_bits exclude each other");
  check_refused(GroupText(toy).without("q0_rough_bits"), "'q0_rough_bits' is missing");
  check_refused(GroupText(toy).without("q0_offset_bits"), "'q0_prime_bits' is missing");
  check_refused(GroupText(toy).set("q0_offset_bits", 31), "between 32 and 1024");
  check_refused(GroupText(toy).set("q0_offset_bits", 1025), "between 32 and 1024");
  check_refused(GroupText(toy).set("q0_rough_bits", 7), "between 8 and 24");
  check_refused(GroupText(toy).set("q0_rough_bits", 25), "between 8 and 24");
  check_refused(GroupText(toy).set("gamma", 2103),
                "gamma = 2103 must be at least 2 (eta + q0_offset_bits) = 2104");
}

TEST_CASE("a kappa far above gamma is not blamed on another field", "[parameters]") {
  const auto above = GENERATE(std::size_t{1} << 31, (std::size_t{1} << 32) - 1000,
                              (std::size_t{1} << 33) + (std::size_t{1} << 31));
  const std::string kappa = std::to_string(147456 + above);
  CAPTURE(kappa);
  check_refused("kappa", kappa, "kappa = " + kappa);
}

TEST_CASE("an adder that does not bootstrap is refused with the numbers", "[parameters]") {
  for (const std::string adder : {"seq2", "seq1", "csa"}) {
    check_refused("adder", '"' + adder + '"', "the adder '" + adder + "' leaves up to");
  }
  check_refused("adder", R"("seq2")", "past the 982.0 that can be refreshed");
  for (const std::string adder : {"ctr", "ctr2", "sym"}) {
    CHECK_NOTHROW(GroupText("cnt-toy").set("adder", '"' + adder + '"').parse());
  }
  // At Toy, ctr needs the limit on the noise of key-bit sums; sym does not.
  check_refused("key_noise_percent", "100", "the adder 'ctr' leaves up to");
  CHECK_NOTHROW(
      GroupText("cnt-toy").set("adder", R"("sym")").set("key_noise_percent", 100).parse());
  check_refused(GroupText("cmnt-toy-paper").set("key_noise_percent", 99), "must be 100");
}

TEST_CASE("an unknown adder is refused with those that there are", "[parameters]") {
  for (const std::string adder : {"kogge-stone", "", "CTR", "ctr "}) {
    check_refused("adder", '"' + adder + '"', "ctr2");
  }
}

TEST_CASE("the three strings at the top are checked", "[parameters]") {
  for (const std::string key : {"name", "scheme", "purpose"}) {
    check_refused(GroupText("cnt-toy").without_head(key), "the string '" + key + "' is missing");
    check_refused(GroupText("cnt-toy").head(key, "5"), "the string '" + key + "' is missing");
  }
  check_refused(GroupText("cnt-toy").head("purpose", R"("fun")"), "not 'fun'");
  for (const std::string name : {"", "CNT", "a b", "a/b", "../x", "a.b", "a_b", "\\u00e9",
                                 "a23456789012345678901234567890123"}) {
    check_refused(GroupText("cnt-toy").head("name", '"' + name + '"'), "1 to 31 characters");
  }
  CHECK_NOTHROW(GroupText("cnt-toy").head("name", R"("a234567890123456789012345678901")").parse());
}

TEST_CASE("an unknown scheme is refused with those that there are", "[parameters]") {
  for (const std::string scheme : {"rsa", "", "CNT"}) {
    check_refused(GroupText("cnt-toy").head("scheme", '"' + scheme + '"'), "cnt");
  }
}

TEST_CASE("a field is value, unit and source, nothing less and nothing more", "[parameters]") {
  const auto field = [](const std::string& lines) {
    return GroupText("cnt-toy").set_table("rho", lines);
  };
  check_refused(field("unit = \"bits\"\nsource = \"x\"\n"), "'value'");
  check_refused(field("value = 26\nsource = \"x\"\n"), "'unit' is missing");
  check_refused(field("value = 26\nunit = \"bits\"\n"), "'source' is missing");
  check_refused(field("value = 26\nunit = 1\nsource = \"x\"\n"), "'unit'");
  check_refused(field("value = 26\nunit = \"bits\"\nsource = \"x\"\nvalues = 3\n"), "'values'");
  check_refused(field("value = 26\nunit = \"bits\"\nsource = \"x\"\n[rho.more]\n"),
                "a table header");
  check_refused(GroupText("cnt-toy").head("version", "1"), "'version' must be a table");
  check_refused(GroupText("cnt-toy").head("rho_bits", "[1]"), "'rho_bits' must be a table");
}

TEST_CASE("duplicates are refused with their line", "[parameters]") {
  const std::string text = GroupText("cnt-toy").text();
  check_text_refused(text + "\n[rho]\nvalue = 1\nunit = \"bits\"\nsource = \"x\"\n", "line ");
  check_text_refused("name = \"x\"\n" + text, "line ");
  check_refused(GroupText("cnt-toy").set_table("rho", "value = 26\nvalue = 26\n"), "line ");
}

TEST_CASE("text that is not TOML is refused with a line", "[parameters]") {
  check_text_refused(R"({"name": "cnt-toy"})", "line 1");
  check_text_refused("name = \"cnt-toy\"\nscheme", "line 2");
  check_text_refused("<html></html>", "line 1");
  check_text_refused(
      "\x89"
      "FHE\r\n\x1a\n",
      "the text");
  check_text_refused(std::string("name = \"a\0b\"", 12), "the text");
  check_text_refused(std::string(100, '\0'), "the text");
  check_text_refused("name = \"unterminated", "line 1");
  check_text_refused("", "'name' is missing");
  check_text_refused("# only a comment", "'name' is missing");
}

TEST_CASE("deeply nested text is refused, not followed", "[parameters]") {
  std::string dotted = "a";
  while (dotted.size() + 6 < kMaxFileBytes) dotted += ".a";
  check_text_refused(dotted + " = 1", "the text");
  check_text_refused('[' + dotted + ']', "the text");
  check_text_refused("a = " + std::string(60000, '['), "the text");
  std::string tables = "a = ";
  for (int depth = 0; depth < 12000; ++depth) tables += "{a = ";
  check_text_refused(tables, "the text");
}

TEST_CASE("text and lines have a limit", "[parameters]") {
  const std::string group = ParameterSet::named("cnt-mini").to_toml();
  check_text_refused(padded(group, kMaxFileBytes + 1), "65536 bytes");
  CHECK_NOTHROW(ParameterSet::from_toml(group + '#' + std::string(1023, '.'), "the text"));
  check_text_refused(group + '#' + std::string(1024, '.'), "longer than 1024 bytes");
}

TEST_CASE("table headers without a name are refused with their line", "[parameters]") {
  for (const std::string header : {"[=]", "[.a]", "[#]", "[[=]]", "[", "[ ", " [ ]", "[]"}) {
    check_text_refused("name = \"x\"\n" + header + "\n", "line 2");
  }
}

TEST_CASE("extreme values of every field are refused or accepted in little time", "[parameters]") {
  for (const std::string& field : kNumbers) {
    for (const std::string value : {"1", "2", "16", "1023", "65536", "1048576", "8589934592"}) {
      CAPTURE(field, value);
      static_cast<void>(parse_or_refuse(GroupText("cnt-toy").set(field, value)));
    }
  }
}

TEST_CASE("a parameter file is read like a text, up to 64 KiB", "[parameters]") {
  const TemporaryDirectory directory;
  const ParameterSet group = ParameterSet::named("cnt-mini");
  write_text(directory / "ok.toml", group.to_toml());
  CHECK(ParameterSet::from_file(directory / "ok.toml") == group);
  CHECK(ParameterSet::resolve((directory / "ok.toml").string()) == group);

  write_text(directory / "full.toml", padded(group.to_toml(), kMaxFileBytes));
  CHECK(ParameterSet::from_file(directory / "full.toml") == group);
  write_text(directory / "long.toml", padded(group.to_toml(), kMaxFileBytes + 1));
  CHECK_THROWS_MATCHES(ParameterSet::from_file(directory / "long.toml"), Error,
                       HasCode(ErrorCode::invalid_parameters, "65536 bytes"));
  CHECK_THROWS_MATCHES(ParameterSet::from_file(directory / "none.toml"), Error,
                       HasCode(ErrorCode::io, "none.toml"));
  CHECK_THROWS_MATCHES(ParameterSet::from_file(directory.path()), Error, HasCode(ErrorCode::io));
  write_text(directory / "bad.toml", "name = ");
  CHECK_THROWS_MATCHES(ParameterSet::from_file(directory / "bad.toml"), Error,
                       HasCode(ErrorCode::invalid_parameters, "bad.toml"));
}

TEST_CASE("benchmark groups give sizes and no keys", "[parameters]") {
  for (const std::string& name : kBenchmarkGroups) {
    CAPTURE(name);
    const ParameterSet group = ParameterSet::named(name);
    CHECK(cnt::EncryptionSizes(group).alpha >= cnt::kSparseOnes);
    CHECK_THROWS_MATCHES(KeyGenerator(group), Error,
                         HasCode(ErrorCode::invalid_parameters, "benchmark"));
  }
  // The sizes of the FPGA papers.
  const cnt::EncryptionSizes toy(ParameterSet::named("cnt-toy-paper"));
  CHECK(toy.gamma == 150000);
  CHECK(toy.alpha == 936);
  CHECK(toy.tau == 158);
  const cnt::EncryptionSizes large(ParameterSet::named("cnt-large-paper"));
  CHECK(large.alpha == 2556);
  CHECK(large.tau == 7695);
}

TEST_CASE("sizes for benchmarks can be read from groups for keys too", "[parameters]") {
  for (const Reference& row : kReferences) {
    const cnt::EncryptionSizes sizes(ParameterSet::named(row.name));
    CHECK(sizes.gamma == row.gamma);
    CHECK(sizes.alpha == row.alpha);
    CHECK(sizes.tau == row.tau);
  }
}

TEST_CASE("fields are read by kind and range", "[parameters]") {
  const ParameterSet group = ParameterSet::named("cnt-toy");
  CHECK(group.number("rho", 26, 26) == 26);
  CHECK(group.word("adder") == "ctr");
  CHECK(group.has("rho"));
  CHECK_FALSE(group.has("Rho"));
  const auto refuses = [](const std::string& part) {
    return HasCode(ErrorCode::invalid_parameters, part);
  };
  CHECK_THROWS_MATCHES(group.number("rho", 27, 30), Error, refuses("between 27 and 30"));
  CHECK_THROWS_MATCHES(group.number("rho", 1, 25), Error, refuses("between 1 and 25"));
  CHECK_THROWS_MATCHES(group.number("none", 1, 2), Error, refuses("'none' is missing"));
  CHECK_THROWS_MATCHES(group.number("adder", 1, 2), Error, refuses("must be an integer"));
  CHECK_THROWS_MATCHES(group.word("rho"), Error, refuses("must be a word"));
  CHECK_THROWS_MATCHES(group.word("none"), Error, refuses("'none' is missing"));
}

}  // namespace fhe::test
