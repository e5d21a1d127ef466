// SPDX-License-Identifier: Apache-2.0
// The example applications with numbers in slots: at 128 bits, and on a tiny group at the edges of
// what they take.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/private_search/client.hpp"
#include "apps/private_search/server.hpp"
#include "tests/apps/program.hpp"
#include "tests/support/errors.hpp"

namespace fhe::test {

namespace {

Arguments with_numbers(const std::string& group, Arguments arguments) {
  arguments.insert(arguments.end(), {"--params", group});
  return arguments;
}

const std::string kSixteen = "199,250,85,120,45,310,999,15,640,75,5,430,88,260,512,101";

}  // namespace

TEST_CASE("apps: ballots at 128 bits are counted", "[apps][slots]") {
  const std::string group = "she-128-ballot";
  check_result("ballot", with_numbers(group, {"--votes", "ynyynn"}), "3 yes, 3 no: a tie");
  check_result("ballot", with_numbers(group, {"--votes", "ynyy,nnny,nnnn"}),
               "3 yes, 1 no: accepted; 1 yes, 3 no: rejected; 0 yes, 4 no: rejected");
  check_misuse("ballot", with_numbers(group, {"--votes", ""}), "this one 0");
  check_misuse("ballot", with_numbers(group, {"--votes", "yy,y"}), "2 voters and 1");
  const Outcome secret_key = run_application("ballot", with_numbers("she-128-d0", {}));
  CHECK(secret_key.exit_code == 3);
  CHECK_THAT(secret_key.err, Catch::Matchers::ContainsSubstring("no public keys"));
}

TEST_CASE("apps: entries are looked up at 128 bits, with one-hot and two-dimensional indices",
          "[apps][slots]") {
  const auto look_up = [](const std::string& group, const std::string& indices,
                          const std::string& result) {
    check_result("private_lookup", with_numbers(group, {"--table", kSixteen, "--index", indices}),
                 result);
  };
  look_up("she-128-d0", "6,0,15", "entry 6 is 999, entry 0 is 199, entry 15 is 101");
  look_up("she-128-d1-field", "6,0,15", "entry 6 is 999, entry 0 is 199, entry 15 is 101");
  look_up("she-128-d1", "14", "entry 14 is 512");
}

TEST_CASE("apps: every entry of tables of any size is looked up in slots", "[apps][slots]") {
  const auto look_up_all = [](const std::vector<std::uint64_t>& table) {
    for (std::size_t first = 0; first < table.size(); first += 5) {  // she-mini has five slots
      std::vector<std::string> indices;
      std::vector<std::string> results;
      for (std::size_t i = first; i < std::min(first + 5, table.size()); ++i) {
        indices.push_back(fmt::format("{}", i));
        results.push_back(fmt::format("entry {} is {}", i, table[i]));
      }
      check_result(
          "private_lookup",
          with_numbers("she-mini", {"--table", fmt::format("{}", fmt::join(table, ",")), "--index",
                                    fmt::format("{}", fmt::join(indices, ","))}),
          fmt::format("{}", fmt::join(results, ", ")));
    }
  };
  look_up_all({7, 0});
  look_up_all({1, 2, 3});
  look_up_all({0, 0, 0, 1, 18446744073709551615U, 3});
  look_up_all({9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 11, 12, 13, 14, 15, 16, 17});
  check_misuse("private_lookup", with_numbers("she-mini", {"--index", "0,1,2,3,4,5"}),
               "1 to 5 entries at once");
  check_misuse("private_lookup",
               with_numbers("she-mini", {"--table", kSixteen, "--tables", "2", "--index", "1"}),
               "in one table");
}

TEST_CASE("apps: keywords are found at 128 bits, whichever side is encrypted", "[apps][slots]") {
  const Arguments words{"--keyword", "cherry,kiwi,apple", "--list", "apple,banana,cherry,fig"};
  const std::string found =
      "'cherry' found at position 3, 'kiwi' not found, 'apple' found at position 1";
  check_result("private_search", with_numbers("she-128-d0", words), found);
  Arguments of_list = words;
  of_list.insert(of_list.end(), {"--encrypt", "list"});
  check_result("private_search", with_numbers("she-128-d1-field", of_list), found);
  check_result("private_search",
               with_numbers("she-128-d1", {"--keyword", "fig", "--list", "kiwi,fig"}),
               "found at position 2");
}

TEST_CASE("apps: sets intersect at 128 bits, by products of differences", "[apps][slots]") {
  const Arguments sets{"--answer", "membership", "--keyword", "17,4,99,6", "--list", "4,5,6,17,18"};
  check_result("private_search", with_numbers("she-128-d1-field", sets),
               "'17' in the list, '4' in the list, '99' not in the list, '6' in the list");
  check_misuse("private_search", with_numbers("she-128-d0", sets), "modulo a prime");
  check_misuse("private_search",
               with_numbers("she-128-d1-field", {"--answer", "membership", "--keyword", "abc"}),
               "too long for one number");
  Arguments of_list = sets;
  of_list.insert(of_list.end(), {"--encrypt", "list"});
  check_misuse("private_search", with_numbers("she-128-d1-field", of_list), "must know");
  check_misuse("private_search", {"--keyword", "a,b"}, "take a she group");
  check_misuse("private_search", {"--answer", "membership"}, "take a she group");
  check_misuse("private_search", with_numbers("she-mini", {"--keyword", "a,b,c,d,e,f"}),
               "6 keywords in ciphertexts of 5 slots");
  check_misuse("private_search", with_numbers("she-mini", {"--keyword", "a,b,a"}), "twice");
}

TEST_CASE("apps: a search in slots takes no product for differences, and one less than factors",
          "[apps][slots]") {
  const apps::Setting setting{ParameterSet::named("she-128-d1-field"), open_backend()};
  using private_search::KeywordParts;
  const KeywordParts parts = KeywordParts::single(she::Parameters(setting.parameters));
  const private_search::NumberClient client(setting, parts);
  const private_search::NumberServer server(setting.parameters, setting.backend, parts);
  const she::CompressedSlots query = client.encrypt({"b", "x", "e"});
  const private_search::KeywordList list{"a", "b", "c", "d", "e"};
  using Holds = std::vector<std::vector<bool>>;
  CHECK(client.decrypt(server.differences(query, list), 3) == Holds{{false, false, false},
                                                                    {true, false, false},
                                                                    {false, false, false},
                                                                    {false, false, false},
                                                                    {false, false, true}});
  CHECK(setting.backend->counts().multiplications == 0);
  CHECK(client.decrypt(server.products(query, list), 3) ==
        Holds{{true, false, false}, {false, false, false}, {false, false, true}});
  CHECK(setting.backend->counts().multiplications == 2);
  const private_search::NumberServer other(
      setting.parameters, setting.backend,
      KeywordParts::whole(she::Parameters(setting.parameters)));
  CHECK_THROWS_MATCHES(other.differences(query, list), Error,
                       HasCode(ErrorCode::invalid_argument, "1 ciphertexts for keywords in 3"));
  const private_search::NumberClient stranger(setting, parts);
  CHECK_THROWS_MATCHES(stranger.decrypt(server.differences(query, {"a"}), 3), Error,
                       HasCode(ErrorCode::wrong_key));
}

TEST_CASE("apps: balances are compared and customers scored at 128 bits", "[apps][slots]") {
  check_result(
      "credit_check",
      with_numbers("she-128-d1", {"--balance", "4999,5000,5001,0,16383", "--limit", "5000"}),
      "approved, approved, declined, approved, declined");
  check_result("credit_check",
               with_numbers("she-128-d0", {"--balance", "42,201,43", "--limit", "42", "--weights",
                                           "20,-5,7", "--profiles", "1,2,3,9,0,9,0,9,0"}),
               "approved, declined, declined; scores 31, 243, -45");
  check_misuse("credit_check", with_numbers("she-128-d1", {"--balance", "16384"}),
               "amount 16384 is larger than 16383");
  check_misuse("credit_check", with_numbers("she-128-d1", {"--limit", "16384"}),
               "amount 16384 is larger than 16383");
  check_misuse("credit_check", with_numbers("she-128-d1", {"--limit", "1,2"}), "with one limit");
  check_misuse("credit_check", with_numbers("she-128-d1", {"--weights", "1", "--profiles", "1"}),
               "numbers modulo 2 are too small");
  check_misuse("credit_check", {"--weights", "1", "--profiles", "1"}, "take a she group");
  check_misuse("credit_check", with_numbers("she-128-d0", {"--weights", "1,100"}), "--weights");
  check_misuse("credit_check", with_numbers("she-128-d1-field", {"--weights", "1,2"}),
               "0 numbers in profiles, 2 weights");
}

TEST_CASE("apps: balances are compared in slots at the edges of digits", "[apps][slots]") {
  constexpr std::uint64_t kLargest = (1 << 18) - 1;  // three digits of six bits at depth 2
  for (const std::uint64_t limit : std::vector<std::uint64_t>{
           0, 1, 63, 64, 65, 4095, 4096, 4159, 4160, 5000, 258'048, 262'142, 262'143}) {
    std::vector<std::uint64_t> balances{0, limit, kLargest - limit};
    if (limit > 0) balances.push_back(limit - 1);
    if (limit < kLargest) balances.push_back(limit + 1);
    std::vector<std::string> decisions;
    for (const std::uint64_t balance : balances) {
      decisions.emplace_back(balance <= limit ? "approved" : "declined");
    }
    check_result("credit_check",
                 with_numbers("she-mini", {"--balance", fmt::format("{}", fmt::join(balances, ",")),
                                           "--limit", fmt::format("{}", limit)}),
                 fmt::format("{}", fmt::join(decisions, ", ")));
  }
}

}  // namespace fhe::test
