// SPDX-License-Identifier: Apache-2.0
// The command-line tool as its users meet it: exit codes, messages, files, JSON.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "libfhe/scheme/files.hpp"
#include "libfhe/storage/container.hpp"
#include "tests/catch.hpp"
#include "tests/cli/workplace.hpp"

namespace fhe::test {

namespace {

using Json = nlohmann::json;
using Catch::Matchers::ContainsSubstring;

// Writes ciphertexts with any value and any noise bound under the key of the workplace.
void forge(const Workplace& place, const std::string& name, const Integer& value,
           NoiseBound noise) {
  const PublicKey key = load_public_key(place.file("keys/public.fhe"));
  ObjectHeader header = ContainerReader(place.file("keys/public.fhe")).header();
  header.kind = ObjectKind::ciphertexts;
  const std::size_t bits = bit_length(key.modulus());
  ContainerWriter out(place.file(name), header, 2);
  out.begin_section("meta");
  out.write_u64(1);
  out.write_u64(bits);
  out.write_u32(noise.units());
  out.begin_section("values");
  out.write_integer(value, bits);
  out.commit();
}

struct TruthTable {
  std::string gate;
  std::vector<std::string> inputs;  // one column for each input
  std::string output;
};

const std::vector<TruthTable>& truth_tables() {
  static const std::vector<TruthTable> tables{
      {"xor", {"0011", "0101"}, "0110"},
      {"xnor", {"0011", "0101"}, "1001"},
      {"and", {"0011", "0101"}, "0001"},
      {"nand", {"0011", "0101"}, "1110"},
      {"or", {"0011", "0101"}, "0111"},
      {"nor", {"0011", "0101"}, "1000"},
      {"not", {"01"}, "10"},
      {"mux", {"00001111", "00110011", "01010101"}, "01010011"},
      {"maj", {"00001111", "00110011", "01010101"}, "00010111"},
  };
  return tables;
}

// `fhe eval` of a table's gate, after its columns were encrypted.
Arguments eval_command(const Workplace& place, const TruthTable& table) {
  Arguments command{"eval", "--key", "keys/public.fhe", table.gate};
  for (std::size_t k = 0; k < table.inputs.size(); ++k) {
    const std::string name = fmt::format("in{}.fhe", k);
    place.encrypt(table.inputs[k], name);
    command.push_back(name);
  }
  command.insert(command.end(), {"--out", "out.fhe"});
  return command;
}

}  // namespace

TEST_CASE("cli: every gate has its truth table, also after recryption", "[cli]") {
  const Workplace place;
  for (const TruthTable& table : truth_tables()) {
    INFO(table.gate);
    place.succeed(eval_command(place, table));
    CHECK(place.decrypt("out.fhe") == table.output + "\n");
    place.succeed({"recrypt", "--key", "keys/public.fhe", "out.fhe", "--out", "fresh.fhe"});
    CHECK(place.decrypt("fresh.fhe") == table.output + "\n");
  }
}

TEST_CASE("cli: the whole way on cnt-toy", "[cli]") {
  const Workplace place;
  place.succeed({"keygen", "--params", "cnt-toy", "--out", "toy"});
  const std::string key = "toy/public.fhe";
  place.succeed({"encrypt", "--key", key, "--bits", "10", "--out", "a.fhe"});
  place.succeed({"encrypt", "--key", key, "--in", "-", "--out", "b.fhe", "--sparse"}, "1 1\n");
  place.succeed({"eval", "--key", key, "AND", "a.fhe", "b.fhe", "--out", "c.fhe"});
  place.succeed({"recrypt", "--key", key, "c.fhe", "--out", "d.fhe"});
  CHECK(place.succeed({"decrypt", "--key", "toy/secret.fhe", "d.fhe"}).out == "10\n");
  const std::string seen = place.succeed({"inspect", "d.fhe", "--secret", "toy/secret.fhe"}).out;
  CHECK_THAT(seen, ContainsSubstring("cnt-toy") && ContainsSubstring("within the limits") &&
                       ContainsSubstring("measured"));
}

TEST_CASE("cli: the whole way on both forms of cmnt-mini", "[cli]") {
  const Workplace place;
  for (const std::string group : {"cmnt-mini", "cmnt-mini-paper"}) {
    place.succeed({"keygen", "--params", group, "--out", group});
    const std::string key = group + "/public.fhe";
    place.succeed({"encrypt", "--key", key, "--bits", "1100", "--out", "a.fhe"});
    place.succeed({"encrypt", "--key", key, "--bits", "1010", "--out", "b.fhe"});
    check_failure(place, {"encrypt", "--key", key, "--bits", "1", "--out", "s.fhe", "--sparse"},
                  kFailure, "no sparse encryption");
    place.succeed({"eval", "--key", key, "nand", "a.fhe", "b.fhe", "--out", "c.fhe"});
    place.succeed({"recrypt", "--key", key, "c.fhe", "--out", "d.fhe"});
    CHECK(place.succeed({"decrypt", "--key", group + "/secret.fhe", "d.fhe"}).out == "0111\n");
    place.succeed({"recrypt", "--key", key, "d.fhe", "--out", "e.fhe", "--adder", "ctr2"});
    CHECK(place.succeed({"decrypt", "--key", group + "/secret.fhe", "e.fhe"}).out == "0111\n");
    const std::string seen =
        place.succeed({"inspect", "d.fhe", "--secret", group + "/secret.fhe"}).out;
    CHECK_THAT(seen, ContainsSubstring(group) && ContainsSubstring("within the limits") &&
                         ContainsSubstring("measured"));
    const std::string shown = place.succeed({"params", "show", group}).out;
    CHECK_THAT(shown, ContainsSubstring("security    ") && ContainsSubstring("squash"));
  }
}

TEST_CASE("cli: the whole way with slots", "[cli]") {
  const Workplace place;
  place.succeed({"keygen", "--params", "bdghv-mini", "--out", "slots", "--permutation", "3,0,1,2",
                 "--permutation", "network", "--permutation", "rotate:2"});
  const std::string key = "slots/public.fhe";
  const std::string secret = "slots/secret.fhe";
  CHECK_THAT(place.succeed({"inspect", key}).out, ContainsSubstring("sigma.z"));
  place.succeed({"encrypt", "--key", key, "--slots", "-", "--out", "a.fhe"},
                "10 1\n011\n\n 000\n111");
  place.succeed({"encrypt", "--key", key, "--bits", "110", "--out", "b.fhe"});
  CHECK(place.succeed({"decrypt", "--key", secret, "a.fhe"}).out == "101\n011\n000\n111\n");
  CHECK(place.succeed({"decrypt", "--key", secret, "--number", "a.fhe"}).out == "5\n6\n0\n7\n");
  CHECK(place.succeed({"decrypt", "--key", secret, "b.fhe"}).out == "110\n110\n110\n110\n");
  place.succeed({"eval", "--key", key, "AND", "a.fhe", "b.fhe", "--out", "c.fhe"});
  place.succeed({"eval", "--key", key, "add", "a.fhe", "b.fhe", "--out", "sums.fhe"});
  CHECK(place.succeed({"decrypt", "--key", secret, "--number", "sums.fhe"}).out == "0\n1\n3\n2\n");
  place.succeed({"recrypt", "--key", key, "c.fhe", "--out", "d.fhe"});
  CHECK(place.succeed({"decrypt", "--key", secret, "d.fhe"}).out == "100\n010\n000\n110\n");
  place.succeed({"encrypt", "--secret-key", secret, "--slots", "-", "--out", "e.fhe"},
                "1\n0\n0\n1\n");
  CHECK(place.succeed({"decrypt", "--key", secret, "e.fhe"}).out == "1\n0\n0\n1\n");
  const std::string seen = place.succeed({"inspect", "d.fhe", "--secret", secret}).out;
  CHECK_THAT(seen, ContainsSubstring("slots        4 in each"));
  place.succeed({"check", "--key", key, "--secret", secret});

  const auto refused = [&](const std::string& text, const std::string& part) {
    check_failure(place,
                  Launch{.arguments = {"encrypt", "--key", key, "--slots", "-", "--out", "f.fhe"},
                         .input = text},
                  2, part);
  };
  refused("10\n01\n11\n", "3 bits for a ciphertext of 4 slots");
  refused("10\n01\n1\n11\n", "slot 2 has 1 bits");
  refused("12\n", "line 1: character 2");
  refused("", "no bits");
}

TEST_CASE("cli: every slot has a number, a text and a constant of its own", "[cli]") {
  const Workplace place;
  place.succeed({"keygen", "--params", "bdghv-mini", "--out", "slots"});
  const std::string key = "slots/public.fhe";
  const std::string secret = "slots/secret.fhe";
  const auto decrypted = [&](const std::string& file, const std::string& form) {
    return place.succeed({"decrypt", "--key", secret, form, file}).out;
  };
  const auto encrypt = [&](Arguments arguments, const std::string& text, const std::string& out) {
    arguments.insert(arguments.begin(), {"encrypt", "--out", out, "--slots", "-"});
    place.succeed(arguments, text);
  };
  encrypt({"--key", key, "--as", "number", "--width", "5"}, "3\n 17\n\n-1\r\n0x0a", "a.fhe");
  CHECK(decrypted("a.fhe", "--number") == "3\n17\n31\n10\n");
  encrypt({"--secret-key", secret, "--as", "hex"}, "f0\n0F\n00\n81\n", "b.fhe");
  CHECK(decrypted("b.fhe", "--hex") == "0xf0\n0x0f\n0x00\n0x81\n");
  encrypt({"--secret-key", secret, "--as", "text"}, "ab\r\n c\n\n01\n--", "c.fhe");
  CHECK(decrypted("c.fhe", "--text") == "ab\n c\n01\n--\n");

  // Constants of slots: numbers for operations on numbers, bits for gates.
  place.write("k.txt", "1\n2\n3\n4\n");
  place.succeed({"eval", "--key", key, "add", "a.fhe", "--slots", "k.txt", "--out", "d.fhe"});
  CHECK(decrypted("d.fhe", "--number") == "4\n19\n2\n14\n");
  const std::string cost =
      place.succeed({"eval", "--key", key, "less", "a.fhe", "--slots", "k.txt", "--out", "e.fhe"})
          .out;
  CHECK(decrypted("e.fhe", "--number") == "0\n0\n0\n0\n");
  CHECK_THAT(cost, ContainsSubstring("ms in each of 4 slots"));
  place.succeed({"eval", "--key", key, "and", "a.fhe", "--slots", "-", "--out", "f.fhe"},
                "11111\n00000\n10001\n01010\n");
  CHECK(decrypted("f.fhe", "--number") == "3\n0\n17\n10\n");

  const std::string seen = place.succeed({"inspect", "a.fhe", "--secret", secret, "--json"}).out;
  const auto entry = Json::parse(seen).at("noise").at(0);
  CHECK(entry.at("measured_bits_by_slot").size() == 4);
  CHECK(entry.at("measured_bits") == *std::ranges::max_element(entry.at("measured_bits_by_slot")));
  CHECK_THAT(place.succeed({"inspect", "a.fhe", "--secret", secret}).out,
             ContainsSubstring("(slot "));
  CHECK_THAT(place.succeed({"params", "show", "bdghv-toy"}).out,
             ContainsSubstring("a slot      1.97 kB\n"));

  const auto refused = [&](const Arguments& arguments, const std::string& text,
                           const std::string& part) {
    check_failure(place, Launch{.arguments = arguments, .input = text}, 2, part);
  };
  const Arguments number{"encrypt", "--key",   key, "--slots", "-", "--as",
                         "number",  "--width", "4", "--out",   "x"};
  refused(number, "1\n2\n16\n3\n", "line 3: the number does not fit");
  refused(number, "1\n2\n3\n", "3 bits for a ciphertext of 4 slots");
  const Arguments text{"encrypt", "--key", key, "--slots", "-", "--as", "text", "--out", "x"};
  refused(text, "ab\nabc\nab\nab\n", "slot 1 has 24 bits and slot 0 has 16");
  const Arguments eval{"eval", "--key", key, "add", "a.fhe", "--slots", "-", "--out", "x"};
  refused(eval, "1\n2\n", "2 bits for a ciphertext of 4 slots");
  refused(eval, "", "no bits");
  refused({"eval", "--key", key, "not", "a.fhe", "--slots", "-", "--out", "x"}, "1\n",
          "--slots is one");
}

TEST_CASE("cli: a circuit runs on plain numbers in each slot", "[cli]") {
  const Workplace place;
  place.write("and.txt", "1 4\n2 2 1\n1 1\n\n2 1 0 2 3 AND\n");
  place.write("a.txt", "1\n1\n0\n");
  place.write("b.txt", "1\n0\n1\n");
  place.write("c.txt", "1\n0\n");
  const Arguments run{"run", "and.txt", "--plain", "--slots"};
  const auto with = [&](const std::string& a, const std::string& b) {
    Arguments arguments = run;
    arguments.insert(arguments.end(), {"--input", a, "--input", b});
    return arguments;
  };
  const std::string out = place.succeed(with("a.txt", "b.txt")).out;
  CHECK(lines_of(out).size() == 3);
  CHECK_THAT(out, ContainsSubstring("[0] = 0x1\n") && ContainsSubstring("[1] = 0x0\n") &&
                      ContainsSubstring("[2] = 0x0\n"));
  check_failure(place, with("a.txt", "c.txt"), 2, "a number for each slot in both");
  check_failure(place,
                {"run", "and.txt", "--slots", "--key", "keys/public.fhe", "--input", "a.txt",
                 "--input", "b.txt", "--out", "x"},
                2, "--slots is for --plain");
}

TEST_CASE("cli: keys with impossible permutations are not made", "[cli]") {
  const Workplace place;
  const auto refused = [&](const std::string& group, const std::string& permutation,
                           const std::string& part) {
    check_failure(place,
                  {"keygen", "--params", group, "--out", "none", "--permutation", permutation}, 2,
                  part);
  };
  refused("bdghv-mini", "1,0", "of 2 slots");
  refused("bdghv-mini", "1,0,2,x", "'x' is no number");
  refused("bdghv-mini", "1,1,2,3", "not 1 twice");
  refused("bdghv-mini", "rotate:4", "moves nothing");
  refused("cnt-mini", "1,0", "ciphertexts have 1");
}

TEST_CASE("cli: the whole way under GH", "[cli]") {
  const Workplace place;
  CHECK_THAT(place.succeed({"params", "list"}).out, ContainsSubstring("gh-32768"));
  CHECK_THAT(place.succeed({"params", "show", "gh-mini"}).out, ContainsSubstring("crest_bits"));
  place.succeed({"keygen", "--params", "gh-mini", "--out", "gh"});
  const std::string key = "gh/public.fhe";
  const std::string secret = "gh/secret.fhe";
  place.succeed({"encrypt", "--key", key, "--bits", "10", "--out", "a.fhe"});
  place.succeed({"encrypt", "--key", key, "--in", "-", "--out", "b.fhe"}, "1 1\n");
  place.succeed({"eval", "--key", key, "AND", "a.fhe", "b.fhe", "--out", "c.fhe"});
  place.succeed({"recrypt", "--key", key, "c.fhe", "--out", "d.fhe"});
  CHECK(place.succeed({"decrypt", "--key", secret, "d.fhe"}).out == "10\n");
  const std::string seen = place.succeed({"inspect", "d.fhe", "--secret", secret}).out;
  CHECK_THAT(seen, ContainsSubstring("gh-mini") && ContainsSubstring("within the limits") &&
                       ContainsSubstring("measured"));
  CHECK_THAT(place.succeed({"inspect", key}).out, ContainsSubstring("eta"));
  check_failure(place, {"encrypt", "--key", key, "--bits", "1", "--out", "e.fhe", "--sparse"},
                kFailure, "sparse");
  check_failure(place, {"decrypt", "--key", "keys/secret.fhe", "d.fhe"}, kBadFile, "gh-mini");
}

TEST_CASE("cli: bits come from an option, a file or standard input", "[cli]") {
  const Workplace place;
  place.write("bits.txt", "1 0\n\t1\r\n1");
  place.succeed({"encrypt", "--key", "keys/public.fhe", "--in", "bits.txt", "--out", "x.fhe"});
  CHECK(place.decrypt("x.fhe") == "1011\n");
  place.succeed({"encrypt", "--key", "keys/public.fhe", "--in", "-", "--out", "x.fhe"}, "0\n1\n");
  CHECK(place.decrypt("x.fhe") == "01\n");
  place.encrypt("1 1", "x.fhe");
  CHECK(place.decrypt("x.fhe") == "11\n");
}

TEST_CASE("cli: keys carry a warning, and test keys are marked and repeatable", "[cli]") {
  const Workplace place;
  const Arguments command{"keygen", "--params", "cnt-mini", "--test-seed", "a", "--out"};
  const auto into = [&](const std::string& directory) {
    Arguments with_directory = command;
    with_directory.push_back(directory);
    return place.succeed(with_directory).err;
  };
  CHECK_THAT(into("one"), ContainsSubstring("broken today") && ContainsSubstring("test key"));
  into("two");
  CHECK(place.read("one/public.fhe") == place.read("two/public.fhe"));
  CHECK(place.read("one/secret.fhe") == place.read("two/secret.fhe"));
  CHECK_THAT(place.succeed({"inspect", "one/public.fhe"}).out,
             ContainsSubstring("test key     yes"));
  CHECK_THAT(place.succeed({"inspect", "keys/public.fhe"}).out,
             ContainsSubstring("test key     no"));
  struct stat status {};
  REQUIRE(stat(place.file("keys/secret.fhe").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777U) == 0600U);
}

TEST_CASE("cli: keys are replaced only with --force", "[cli]") {
  const Workplace place;
  place.encrypt("1", "x.fhe");
  const std::string secret = place.read("keys/secret.fhe");
  check_failure(place, {"keygen", "--params", "cnt-mini", "--out", "keys"}, kUsage, "--force");
  CHECK(place.read("keys/secret.fhe") == secret);
  const std::vector<std::string> files = place.list();
  place.succeed({"keygen", "--params", "cnt-mini", "--out", "keys", "--force"});
  CHECK(place.list() == files);
  CHECK(place.read("keys/secret.fhe") != secret);
  check_failure(place, {"decrypt", "--key", "keys/secret.fhe", "x.fhe"}, kBadFile);
}

TEST_CASE("cli: ciphertexts never overwrite a key", "[cli]") {
  const Workplace place;
  const std::string secret = place.read("keys/secret.fhe");
  check_failure(place,
                {"encrypt", "--key", "keys/public.fhe", "--bits", "1", "--out", "keys/secret.fhe"},
                kUsage, "is a key");
  CHECK(place.read("keys/secret.fhe") == secret);
}

TEST_CASE("cli: every command speaks JSON", "[cli]") {
  const Workplace place;
  const auto json = [&](Arguments arguments) {
    arguments.emplace_back("--json");
    return Json::parse(place.succeed(arguments).out);
  };
  CHECK(json({"params", "list"})["groups"][0]["name"] == "cnt-mini");
  CHECK(json({"params", "show", "cnt-mini"})["fields"]["gamma"]["value"] == 9216);
  CHECK(json({"backends"})["backends"][0]["usable"] == true);
  const Json keys = json({"keygen", "--params", "cnt-mini", "--out", "other"});
  CHECK(keys["estimated_security_bits"] == 21);
  CHECK(keys["verdict"] == "broken today");
  CHECK(keys["public_key"]["bytes"] == place.read("other/public.fhe").size());
  CHECK(json({"encrypt", "--key", "keys/public.fhe", "--bits", "01", "--out",
              "x.fhe"})["ciphertexts"] == 2);
  const Json eval =
      json({"eval", "--key", "keys/public.fhe", "and", "x.fhe", "x.fhe", "--out", "y.fhe"});
  CHECK(eval["gates"] == 2);
  CHECK(eval["products"] == 2);
  CHECK(json({"recrypt", "--key", "keys/public.fhe", "y.fhe", "--out", "z.fhe"})["ciphertexts"] ==
        2);
  CHECK(json({"decrypt", "--key", "keys/secret.fhe", "z.fhe"}) == Json{{"bits", "01"}});
}

TEST_CASE("cli: inspect shows noise and limits", "[cli]") {
  const Workplace place;
  place.encrypt("01", "x.fhe");
  const auto inspect = [&](Arguments more) {
    more.insert(more.begin(), {"inspect", "x.fhe", "--json"});
    return Json::parse(place.succeed(more).out);
  };
  const Json alone = inspect({});
  CHECK(alone["kind"] == "ciphertexts");
  CHECK(alone["noise"].size() == 2);
  CHECK_FALSE(alone.contains("decrypt_limit_bits"));
  const Json with_public = inspect({"--key", "keys/public.fhe"});
  const Json with_secret = inspect({"--secret", "keys/secret.fhe"});
  CHECK(with_public["decrypt_limit_bits"] == with_secret["decrypt_limit_bits"]);
  for (const Json& noise : with_secret["noise"]) {
    CHECK(noise["decryptable"] == true);
    CHECK(noise["measured_bits"].get<double>() <= noise["bound_bits"].get<double>());
  }
}

TEST_CASE("cli: inspect of a secret key shows no secret", "[cli]") {
  const Workplace place;
  ContainerReader key(place.file("keys/secret.fhe"));
  key.open_section("p", 1, UINT64_MAX);
  const Integer p = key.read_integer(8 * key.section_bytes());
  for (const Arguments& more : {Arguments{}, Arguments{"--json"}}) {
    Arguments command{"inspect", "keys/secret.fhe"};
    command.insert(command.end(), more.begin(), more.end());
    const std::string seen = place.succeed(command).out;
    CHECK_THAT(seen, ContainsSubstring("secret key"));
    constexpr std::size_t kTelling = 8;
    CHECK(seen.find(p.get_str().substr(0, kTelling)) == std::string::npos);
    CHECK(seen.find(p.get_str(16).substr(0, kTelling)) == std::string::npos);
  }
}

TEST_CASE("cli: errors are JSON when JSON is asked for", "[cli]") {
  const Workplace place;
  const auto code = [&](const Arguments& arguments, int exit_code) {
    const Outcome outcome = place.run({arguments});
    CHECK(outcome.exit_code == exit_code);
    CHECK(is_error_line(outcome.err));
    const Json error = Json::parse(outcome.out)["error"];
    CHECK_FALSE(error["message"].get<std::string>().empty());
    return error["code"].get<std::string>();
  };
  CHECK(code({"decrypt", "--json"}, kUsage) == "usage");
  CHECK(code({"params", "show", "no\xffne", "--json"}, kUsage) == "unknown_name");
  CHECK(code({"inspect", "none.fhe", "--json"}, kIo) == "io");
}

TEST_CASE("cli: help and version", "[cli]") {
  const Workplace place;
  CHECK_THAT(place.succeed({"--help"}).out,
             ContainsSubstring("Exit codes:") && ContainsSubstring("130"));
  CHECK_THAT(place.succeed({"--version"}).out, ContainsSubstring("fhe "));
  for (const std::string command : {"keygen", "encrypt", "eval", "recrypt", "decrypt", "inspect",
                                    "attack", "backends", "params"}) {
    CHECK_THAT(place.succeed({command, "--help"}).out, ContainsSubstring("Example:"));
  }
}

TEST_CASE("cli: wrong command lines", "[cli]") {
  const Workplace place;
  place.encrypt("1", "one.fhe");
  place.encrypt("10", "two.fhe");
  check_failure(place, Arguments{}, kUsage);
  check_failure(place, {"frobnicate"}, kUsage);
  check_failure(place, {"decrypt", "--frobnicate"}, kUsage);
  check_failure(place, {"decrypt", "one.fhe"}, kUsage, "--key");
  check_failure(place, {"params", "show", "cnt-none"}, kUsage, "cnt-none");
  check_failure(place, {"keygen", "--params", "cnt-none", "--out", "new"}, kUsage, "cnt-mini");

  const std::string key = "keys/public.fhe";
  const auto encrypt = [&](Arguments more) {
    more.insert(more.begin(), {"encrypt", "--key", key, "--out", "x.fhe"});
    return more;
  };
  check_failure(place, encrypt({}), kUsage);
  check_failure(place, encrypt({"--bits", "1", "--in", "-"}), kUsage);
  check_failure(place, encrypt({"--bits", "1", "--backend", "abacus"}), kUsage, "ntl");
  check_failure(place, encrypt({"--bits", "1", "--threads", "0"}), kUsage);
  check_failure(place, encrypt({"--bits", "1", "--threads", "many"}), kUsage);

  const auto eval = [&](Arguments more) {
    more.insert(more.begin(), {"eval", "--key", key, "--out", "x.fhe"});
    return more;
  };
  check_failure(place, eval({"nope", "one.fhe", "one.fhe"}), kUsage, "xor");
  check_failure(place, eval({"and", "one.fhe"}), kUsage, "2 inputs");
  check_failure(place, eval({"not", "one.fhe", "one.fhe"}), kUsage, "1 input");
  check_failure(place, eval({"and", "one.fhe", "two.fhe"}), kUsage, "equally many");
  check_failure(place, eval({"and", "one.fhe", "one.fhe", "--refresh", "maybe"}), kUsage);
  check_failure(place, {"recrypt", "--key", key, "one.fhe", "--out", "x.fhe", "--adder", "viper"},
                kUsage, "ctr2");
}

TEST_CASE("cli: texts that are not bits", "[cli]") {
  const Workplace place;
  const auto check = [&](const std::string& bits, const std::string& part) {
    Arguments command{"encrypt", "--key", "keys/public.fhe", "--out", "x.fhe", "--bits", bits};
    check_failure(place, command, kUsage, part);
    command[command.size() - 2] = "--in";
    command.back() = std::string("-");
    check_failure(place, Launch{command, bits}, kUsage, part);
  };
  check("102", "character 3");
  check("1 0 x", "character 5");
  check("1\xff", "character 2");
  check("", "no bits");
  check(" \n ", "no bits");
}

TEST_CASE("cli: files that are no ciphertexts", "[cli]") {
  const Workplace place;
  place.encrypt("1011", "x.fhe");
  const std::string good = place.read("x.fhe");
  const auto check = [&](const std::string& contents) {
    place.write("bad.fhe", contents);
    check_failure(place, {"decrypt", "--key", "keys/secret.fhe", "bad.fhe"}, kBadFile, "bad.fhe");
    check_failure(place, {"recrypt", "--key", "keys/public.fhe", "bad.fhe", "--out", "y.fhe"},
                  kBadFile, "bad.fhe");
  };
  check("");
  check("this is no container but a text of some length, longer than the fixed header is: " +
        std::string(200, 'x'));
  check(good.substr(0, 100));
  check(good.substr(0, good.size() - 1));
  check(good + "x");
  for (const std::size_t offset :
       {std::size_t{0}, std::size_t{9}, std::size_t{100}, std::size_t{200}, good.size() - 1}) {
    std::string altered = good;
    altered[offset] = static_cast<char>(altered[offset] ^ 1);
    check(altered);
  }
}

TEST_CASE("cli: a value that is not below the modulus", "[cli]") {
  const Workplace place;
  const Integer modulus = load_public_key(place.file("keys/public.fhe")).modulus();
  forge(place, "x.fhe", modulus, NoiseBound::from_bits(20));
  check_failure(place, {"decrypt", "--key", "keys/secret.fhe", "x.fhe"}, kBadFile, "x.fhe");
  check_failure(place, {"eval", "--key", "keys/public.fhe", "not", "x.fhe", "--out", "y.fhe"},
                kBadFile, "x.fhe");
  check_failure(place, {"inspect", "x.fhe", "--secret", "keys/secret.fhe"}, kBadFile, "x.fhe");
}

TEST_CASE("cli: keys and files in each other's place", "[cli]") {
  const Workplace place;
  place.encrypt("1", "x.fhe");
  const auto decrypt = [](const std::string& key, const std::string& file) {
    return Arguments{"decrypt", "--key", key, file};
  };
  const auto invert = [](const std::string& key, const std::string& file) {
    return Arguments{"eval", "--key", key, "not", file, "--out", "y.fhe"};
  };
  check_failure(place, decrypt("keys/public.fhe", "x.fhe"), kBadFile, "secret key");
  check_failure(place, decrypt("x.fhe", "x.fhe"), kBadFile, "secret key");
  check_failure(place, decrypt("keys/secret.fhe", "keys/public.fhe"), kBadFile);
  check_failure(place, invert("keys/secret.fhe", "x.fhe"), kBadFile, "public key");
  check_failure(place, invert("keys/public.fhe", "keys/secret.fhe"), kBadFile);
  for (const std::string group : {"cnt-mini", "cnt-toy"}) {
    place.succeed({"keygen", "--params", group, "--out", group});
    check_failure(place, decrypt(group + "/secret.fhe", "x.fhe"), kBadFile, group);
    check_failure(place, invert(group + "/public.fhe", "x.fhe"), kBadFile, group);
    check_failure(place, {"inspect", "x.fhe", "--secret", group + "/secret.fhe"}, kBadFile, group);
  }
}

TEST_CASE("cli: too much noise", "[cli]") {
  const Workplace place;
  const NoiseBound large = NoiseBound::from_bits(5000);
  forge(place, "noisy.fhe", 1, large);
  check_failure(place, {"decrypt", "--key", "keys/secret.fhe", "noisy.fhe"}, kNoise);
  check_failure(place, {"recrypt", "--key", "keys/public.fhe", "noisy.fhe", "--out", "y.fhe"},
                kNoise);
  const Integer modulus = load_public_key(place.file("keys/public.fhe")).modulus();
  forge(place, "forged.fhe", modulus / 3, NoiseBound::from_bits(1));
  check_failure(place, {"decrypt", "--key", "keys/secret.fhe", "forged.fhe"}, kNoise,
                "ciphertext 0 of 1");
  CHECK_THAT(place.succeed({"inspect", "forged.fhe", "--secret", "keys/secret.fhe"}).out,
             ContainsSubstring("PAST ITS BOUND"));
}

TEST_CASE("cli: a refusal to decrypt tells nothing about the noise", "[cli]") {
  const Workplace place;
  for (const std::string option : {"--verbose", "--json"}) {
    const auto answer_to = [&](const Integer& value) {
      forge(place, "forged.fhe", value, NoiseBound());
      const Outcome outcome =
          place.run({{"decrypt", "--key", "keys/secret.fhe", "forged.fhe", option}});
      CHECK(outcome.exit_code == kNoise);
      return outcome.out + outcome.err;
    };
    // Numbers below p are their own noise.
    const std::string answer = answer_to(2);
    CHECK(answer_to(power_of_two(100)) == answer);
    CHECK(answer_to(power_of_two(500) + 1) == answer);
    CHECK(answer_to(power_of_two(5000)) == answer);
  }
}

TEST_CASE("cli: without refreshing, products use the noise up", "[cli]") {
  const Workplace place;
  place.encrypt("1", "x.fhe");
  check_failure(place,
                {"eval", "--key", "keys/public.fhe", "and", "x.fhe", "x.fhe", "--out", "y.fhe",
                 "--refresh", "never"},
                kNoise);
}

TEST_CASE("cli: parameter files that cannot be used", "[cli]") {
  const Workplace place;
  place.write("bad.toml", "name = ");
  check_failure(place, {"params", "show", "./bad.toml"}, kBadFile, "bad.toml");
  check_failure(place, {"keygen", "--params", "./bad.toml", "--out", "new"}, kBadFile, "bad.toml");
  check_failure(place, {"keygen", "--params", "cnt-toy-paper", "--out", "new"}, kBadFile,
                "benchmark");
}

TEST_CASE("cli: files that cannot be read or written", "[cli]") {
  const Workplace place;
  place.encrypt("1", "x.fhe");
  std::filesystem::create_directory(place.file("directory"));
  check_failure(place, {"decrypt", "--key", "none.fhe", "x.fhe"}, kIo, "none.fhe");
  check_failure(place, {"decrypt", "--key", "keys/secret.fhe", "none.fhe"}, kIo, "none.fhe");
  check_failure(place, {"decrypt", "--key", "keys/secret.fhe", "directory"}, kIo, "directory");
  const auto encrypt_to = [](const std::string& out) {
    return Arguments{"encrypt", "--key", "keys/public.fhe", "--bits", "1", "--out", out};
  };
  for (const std::string out :
       {"none/y.fhe", "x.fhe/y.fhe", "directory", "directory/", "/proc/y.fhe", ""}) {
    INFO(out);
    check_failure(place, encrypt_to(out), kIo);
  }
  check_failure(place, {"encrypt", "--key", "keys/public.fhe", "--in", "none", "--out", "y.fhe"},
                kIo, "none");
  check_failure(place,
                {"encrypt", "--key", "keys/public.fhe", "--in", "directory", "--out", "y.fhe"}, kIo,
                "directory");
  check_failure(place, {"keygen", "--params", "cnt-mini", "--out", "x.fhe"}, kIo, "x.fhe");
  check_failure(place, {"keygen", "--params", "cnt-mini", "--out", "/proc/keys"}, kIo);
}

TEST_CASE("cli: a directory without permission to write", "[cli]") {
  if (geteuid() == 0) return;  // root may write everywhere
  const Workplace place;
  std::filesystem::create_directory(place.file("locked"));
  std::filesystem::permissions(place.file("locked"), std::filesystem::perms::owner_read |
                                                         std::filesystem::perms::owner_exec);
  check_failure(place,
                {"encrypt", "--key", "keys/public.fhe", "--bits", "1", "--out", "locked/y.fhe"},
                kIo, "locked");
  check_failure(place, {"keygen", "--params", "cnt-mini", "--out", "locked"}, kIo, "locked");
}

TEST_CASE("cli: a full disk", "[cli]") {
  const Workplace place;
  place.encrypt("1", "x.fhe");
  constexpr std::uint64_t kRoom = 1000;
  const auto check = [&](const Arguments& arguments) {
    check_failure(place, Launch{arguments, {}, {}, kRoom}, kIo);
  };
  check({"keygen", "--params", "cnt-mini", "--out", "new"});
  check({"keygen", "--params", "cnt-mini", "--out", "keys", "--force"});
  check({"encrypt", "--key", "keys/public.fhe", "--bits", "1", "--out", "y.fhe"});
  check({"eval", "--key", "keys/public.fhe", "not", "x.fhe", "--out", "y.fhe"});
  check({"recrypt", "--key", "keys/public.fhe", "x.fhe", "--out", "y.fhe"});
  CHECK(place.decrypt("x.fhe") == "1\n");
}

TEST_CASE("cli: output that does not arrive is an error", "[cli]") {
  const Workplace place;
  place.encrypt("1", "x.fhe");
  const auto check = [&](const Arguments& arguments) {
    check_failure(place, Launch{arguments, {}, "/dev/full"}, kIo, "standard output");
  };
  check({"decrypt", "--key", "keys/secret.fhe", "x.fhe"});
  check({"decrypt", "--key", "keys/secret.fhe", "x.fhe", "--json"});
  check({"params", "list"});
  check({"--help"});
  check({"--version"});
  // What was made is there, and is said.
  const Outcome outcome =
      Process(place, Launch{{"keygen", "--params", "cnt-mini", "--out", "new"}, {}, "/dev/full"})
          .wait();
  CHECK(outcome.exit_code == kIo);
  CHECK_THAT(outcome.err, ContainsSubstring("the keys in 'new' are made all the same"));
  place.succeed({"check", "--key", "new/public.fhe", "--secret", "new/secret.fhe"});
}

TEST_CASE("cli: ciphertexts go through links and into devices and streams", "[cli]") {
  const Workplace place;
  const auto encrypt_to = [](const std::string& out) {
    return Arguments{"encrypt", "--key", "keys/public.fhe", "--bits", "10", "--out", out};
  };
  std::filesystem::create_directory(place.file("elsewhere"));
  std::filesystem::create_symlink("elsewhere/x.fhe", place.file("link"));
  for (int time = 0; time < 2; ++time) place.succeed(encrypt_to("link"));
  CHECK(is_symlink(place.file("link")));
  CHECK(place.decrypt("elsewhere/x.fhe") == "10\n");

  place.succeed(encrypt_to("/dev/null"));
  CHECK(std::filesystem::is_character_file("/dev/null"));
  check_failure(place, encrypt_to("/dev/full"), kIo, "No space left");
  check_failure(place, Launch{encrypt_to("-"), {}, "/dev/full"}, kIo,
                "cannot write standard output: No space left");

  for (const std::string out : {"-", "/dev/stdout", "/dev/fd/1"}) {
    CAPTURE(out);
    const bool had_stdout = is_symlink(std::filesystem::path("/dev/stdout"));
    const Outcome outcome = place.succeed(encrypt_to(out));
    CHECK(is_symlink(std::filesystem::path("/dev/stdout")) == had_stdout);
    CHECK_THAT(outcome.err, ContainsSubstring("encrypted 2 bits"));
    place.write("piped.fhe", outcome.out);
    CHECK(place.decrypt("piped.fhe") == "10\n");
    for (const Arguments& command :
         {Arguments{"recrypt", "--key", "keys/public.fhe", "piped.fhe", "--out", out},
          Arguments{"eval", "--key", "keys/public.fhe", "not", "piped.fhe", "--out", out}}) {
      place.write("result.fhe", place.succeed(command).out);
      CHECK(place.decrypt("result.fhe") == (command.front() == "eval" ? "01\n" : "10\n"));
    }
  }
}

TEST_CASE("cli: keys are not written through links", "[cli]") {
  const Workplace place;
  std::filesystem::create_directory(place.file("linked"));
  for (const std::string key : {"public.fhe", "secret.fhe"}) {
    const auto link = place.file("linked/" + key);
    std::filesystem::create_symlink(place.file("keys/" + key), link);
    check_failure(place, {"keygen", "--params", "cnt-mini", "--out", "linked", "--force"}, kIo,
                  "is a link");
    std::filesystem::remove(link);
  }
}

TEST_CASE("cli: what a killed run has left is cleared away, with a line that says so", "[cli]") {
  const Workplace place;
  const std::string temporary = ".secret.fhe.0123456789abcdef.tmp";
  place.encrypt("1", "x.fhe");
  for (const Arguments& command :
       {Arguments{"keygen", "--params", "cnt-mini", "--out", "keys", "--force"},
        Arguments{"encrypt", "--key", "keys/public.fhe", "--bits", "1", "--out", "keys/c.fhe"},
        Arguments{"inspect", "keys/secret.fhe"},
        Arguments{"decrypt", "--key", "keys/secret.fhe", "keys/c.fhe"}}) {
    place.write("keys/" + temporary, "a secret");
    const std::string said = place.succeed(command).err;
    CHECK_THAT(said, ContainsSubstring("fhe: warning: removed what interrupted runs had left: ") &&
                         ContainsSubstring(temporary));
    CHECK_FALSE(exists(place.file("keys/" + temporary)));
  }
}

TEST_CASE("cli: an interrupted replacement of keys is completed at the next start", "[cli]") {
  const Workplace place;
  place.succeed({"keygen", "--params", "cnt-mini", "--out", "new"});
  const std::string end(1, '\0');
  const std::string secret = ".secret.fhe.0123456789abcdef.tmp";
  const std::string published = ".public.fhe.0123456789abcdef.tmp";
  std::filesystem::rename(place.file("new/secret.fhe"), place.file("keys/" + secret));
  std::filesystem::rename(place.file("new/public.fhe"), place.file("keys/" + published));
  place.write("keys/.fhe-pair", "fhe-pair 1\n" + secret + end + "secret.fhe" + end + published +
                                    end + "public.fhe" + end);
  const std::string new_public = place.read("keys/" + published);
  const Outcome outcome =
      place.run({{"keygen", "--params", "cnt-mini", "--out", "keys"}});  // refused: it is there
  CHECK(outcome.exit_code == kUsage);
  CHECK_THAT(outcome.err, ContainsSubstring("a replacement of keys had been interrupted"));
  CHECK(place.read("keys/public.fhe") == new_public);
  place.encrypt("10", "x.fhe");
  CHECK(place.decrypt("x.fhe") == "10\n");
  CHECK(place.list() ==
        std::vector<std::string>{"keys", "keys/public.fhe", "keys/secret.fhe", "new", "x.fhe"});
}

TEST_CASE("cli: an interrupted key generation leaves nothing behind", "[cli]") {
  const Workplace place;
  const std::vector<std::string> files = place.list();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Process keygen(place, {{"keygen", "--params", "cnt-large", "--out", "large"}});
    while (keygen.running() && keygen.error_output().empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    REQUIRE(keygen.running());
    const auto start = std::chrono::steady_clock::now();
    keygen.send(signal);
    const Outcome outcome = keygen.wait();
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
    CHECK(outcome.exit_code == kInterrupted);
    CHECK_THAT(outcome.err, ContainsSubstring("fhe: error: stopped"));
    CHECK(place.list() == files);
  }
}

}  // namespace fhe::test
