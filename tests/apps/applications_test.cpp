// SPDX-License-Identifier: Apache-2.0
// The example applications as their users meet them, on the small groups.
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "libfhe/scheme/parameters.hpp"
#include "tests/apps/program.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

const std::string kMini = "cnt-mini";

// The arguments of a run on a group.
Arguments on(const std::string& group, Arguments arguments) {
  arguments.insert(arguments.end(), {"--params", group});
  return arguments;
}

}  // namespace

TEST_CASE("apps: an encrypted keyword is found in a plain list", "[apps]") {
  const std::string list = "apple,banana,cherry";
  const auto search = [&](const std::string& keyword, const std::string& result) {
    check_result("private_search", on(kMini, {"--keyword", keyword, "--list", list}), result);
  };
  search("apple", "found at position 1");
  search("cherry", "found at position 3");
  search("appl", "not found");
  search("applf", "not found");
  check_result("private_search", on("gh-mini", {"--keyword", "b", "--list", "a,b"}),
               "found at position 2");
  check_result("private_search", on("cmnt-mini", {"--keyword", "12345678", "--list", "1234567"}),
               "not found");
}

TEST_CASE("apps: a group of one's own is taken from its file", "[apps]") {
  const TemporaryDirectory folder;
  std::string text = ParameterSet::named(kMini).to_toml();
  text.replace(text.find(kMini), kMini.size(), "my-own");
  const std::string path = (folder / "own.toml").string();
  std::ofstream(path) << text;
  check_result("private_search", on(path, {"--keyword", "b", "--list", "a,b"}),
               "found at position 2");
}

TEST_CASE("apps: a plain keyword is found in an encrypted list", "[apps]") {
  const Arguments of_list{"--encrypt", "list", "--list", "x-1,x-2,x_2"};
  const auto search = [&](const std::string& keyword, const std::string& result) {
    Arguments arguments = of_list;
    arguments.insert(arguments.end(), {"--keyword", keyword});
    check_result("private_search", on(kMini, arguments), result);
  };
  search("x-2", "found at position 2");
  search("x_2", "found at position 3");
  search("x.2", "not found");
}

TEST_CASE("apps: keywords and lists that are none are refused", "[apps]") {
  const std::string name = "private_search";
  check_misuse(name, {"--keyword", ""}, "empty");
  check_misuse(name, {"--keyword", "ninechars"}, "too long: 9 characters, at most 8");
  check_misuse(name, {"--keyword", "Fig"}, "only a-z");
  check_misuse(name, {"--keyword", "fig", "--list", "a,b,a"}, "'a' stands in the list twice");
  check_misuse(name, {"--keyword", "fig", "--list", "a,muchtoolong"}, "too long");
  check_misuse(name, {"--encrypt", "nothing"}, "nothing");
  std::string many = "a0";
  for (int i = 1; i <= 64; ++i) many += ",a" + std::to_string(i);
  check_misuse(name, {"--list", many}, "1 to 64 keywords, this one 65");
}

TEST_CASE("apps: an entry of a table is looked up", "[apps]") {
  const auto look_up = [](const std::string& group, const std::string& table,
                          const std::string& index, const std::string& entry) {
    check_result("private_lookup", on(group, {"--table", table, "--index", index}),
                 "entry " + index + " is " + entry);
  };
  look_up(kMini, "7,0,5,255,3", "0", "7");
  look_up(kMini, "7,0,5,255,3", "1", "0");
  look_up(kMini, "7,0,5,255,3", "3", "255");
  look_up(kMini, "7,0,5,255,3", "4", "3");
  look_up(kMini, "0,0", "1", "0");
  look_up(kMini, "1,18446744073709551615", "1", "18446744073709551615");
  look_up("gh-mini", "1,2,3,4", "2", "3");
}

TEST_CASE("apps: tables and indices that do not fit are refused", "[apps]") {
  const std::string name = "private_lookup";
  check_misuse(name, {"--table", "1,2,3", "--index", "3"}, "past the end of the table");
  check_misuse(name, {"--index", "-1"}, "--index");
  check_misuse(name, {"--index", "010"}, "--index");
  check_misuse(name, {"--table", "1"}, "2 to 256 entries, not 1");
  check_misuse(name, {"--table", "1,x"}, "--table");
  check_misuse(name, {"--table", "1,18446744073709551616"}, "--table");
  std::string many = "0";
  for (int i = 1; i <= 256; ++i) many += ",0";
  check_misuse(name, {"--table", many}, "not 257");
}

TEST_CASE("apps: ballots are counted", "[apps]") {
  const auto vote = [](const std::string& group, const std::string& votes,
                       const std::string& result) {
    check_result("ballot", on(group, {"--votes", votes}), result);
  };
  vote(kMini, "y", "1 yes, 0 no: accepted");
  vote(kMini, "n", "0 yes, 1 no: rejected");
  vote(kMini, "yn", "1 yes, 1 no: a tie");
  vote(kMini, "yyyyyyyy", "8 yes, 0 no: accepted");
  vote(kMini, "nnnyynynnnyn", "4 yes, 8 no: rejected");
  vote("gh-mini", "ynyyn", "3 yes, 2 no: accepted");
  check_misuse("ballot", {"--votes", ""}, "1 to 256 voters, this one 0");
  check_misuse("ballot", {"--votes", "yes"}, "a letter y (yes) or n (no)");
  check_misuse("ballot", {"--votes", std::string(257, 'y')}, "this one 257");
}

TEST_CASE("apps: a balance is compared with a limit", "[apps]") {
  const auto compare = [](const std::string& group, const std::string& balance,
                          const std::string& limit, const std::string& decision) {
    check_result("credit_check", on(group, {"--balance", balance, "--limit", limit}), decision);
  };
  compare(kMini, "4999", "5000", "approved");
  compare(kMini, "5000", "5000", "approved");
  compare(kMini, "5001", "5000", "declined");
  compare(kMini, "0", "0", "approved");
  compare(kMini, "4294967295", "4294967294", "declined");
  compare(kMini, "2147483647", "2147483648", "approved");
  compare("gh-mini", "17", "16", "declined");
  check_misuse("credit_check", {"--balance", "4294967296"}, "--balance");
  check_misuse("credit_check", {"--limit", "-1"}, "--limit");
  check_misuse("credit_check", {"--limit", ""}, "--limit");
  check_misuse("credit_check", {"--limit", "much"}, "--limit");
}

TEST_CASE("apps: every slot of a ciphertext has a ballot, a customer, a table, a keyword",
          "[apps][slots]") {
  const std::string slots = "bdghv-mini";  // of 4
  check_result("ballot", on(slots, {"--votes", "ynyy,nnny,yyyy"}),
               "3 yes, 1 no: accepted; 1 yes, 3 no: rejected; 4 yes, 0 no: accepted");
  check_result("ballot", on(slots, {"--votes", "yn"}), "1 yes, 1 no: a tie");
  check_misuse("ballot", on(slots, {"--votes", "y,y,y,y,y"}), "room for 1 to 4 questions, not 5");
  check_misuse("ballot", on(slots, {"--votes", "yy,y"}), "2 voters and 1");
  check_misuse("ballot", on(kMini, {"--votes", "y,y"}), "1 to 1 questions, not 2");

  check_result("credit_check", on(slots, {"--balance", "5,6,4294967295", "--limit", "6,5,0"}),
               "approved, declined, declined");
  check_misuse("credit_check", on(slots, {"--balance", "5,6", "--limit", "6"}),
               "2 balances and 1 limits");
  check_misuse("credit_check", on(kMini, {"--balance", "5,6", "--limit", "6,7"}), "not 2");

  const std::string tables = "7,1,5,255,3,9,0,6,2,8,4,10,11,12,13,14";
  check_result("private_lookup", on(slots, {"--table", tables, "--tables", "4", "--index", "3"}),
               "entry 3 is 255, entry 3 is 6, entry 3 is 10, entry 3 is 14");
  check_result("private_lookup",
               on(slots, {"--table", tables, "--tables", "4", "--index", "0,1,2,3"}),
               "entry 0 is 7, entry 1 is 9, entry 2 is 4, entry 3 is 14");
  check_result("private_lookup", on(slots, {"--table", tables, "--index", "15,0,9"}),
               "entry 15 is 14, entry 0 is 7, entry 9 is 8");
  check_misuse("private_lookup", on(slots, {"--table", tables, "--tables", "5"}),
               "16 entries are not 5 tables");
  check_misuse("private_lookup", on(slots, {"--table", tables, "--tables", "8", "--index", "1"}),
               "1 to 4 entries at once");

  const std::string list = "apple,banana,cherry,damson,elder,fig";  // in two rounds
  for (const auto& [keyword, result] :
       std::vector<std::pair<std::string, std::string>>{{"apple", "found at position 1"},
                                                        {"damson", "found at position 4"},
                                                        {"elder", "found at position 5"},
                                                        {"fig", "found at position 6"},
                                                        {"grape", "not found"}}) {
    check_result("private_search", on(slots, {"--keyword", keyword, "--list", list}), result);
  }
  check_result("private_search",
               on(slots, {"--keyword", "fig", "--list", list, "--encrypt", "list"}),
               "found at position 6");
}

TEST_CASE("apps: common options are checked and explained", "[apps]") {
  for (const std::string name : {"private_search", "private_lookup", "ballot", "credit_check"}) {
    check_misuse(name, {"--params", "none-such"}, "none-such");
    check_misuse(name, {"--backend", "none-such"}, "none-such");
    check_misuse(name, {"--threads", "0"}, "--threads");
    check_misuse(name, {"surplus"}, "surplus");
    const Outcome help = run_application(name, {"--help"});
    CHECK(help.exit_code == 0);
    CHECK_THAT(help.out, Catch::Matchers::ContainsSubstring("--params"));
  }
}

}  // namespace fhe::test
