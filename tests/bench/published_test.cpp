// SPDX-License-Identifier: Apache-2.0
#include "apps/study/published.hpp"

#include <cmath>
#include <set>

#include "libfhe/scheme/parameters.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"

namespace fhe::test {

namespace {

using namespace bench;
using Catch::Matchers::WithinRel;

// A small file of which tests spoil one line.
std::string with_time(const std::string& lines) {
  return "[papers]\np = { short = \"P\", title = \"A paper\" }\n"
         "[platforms]\nm = { name = \"A machine\", kind = \"FPGA\" }\n"
         "[[time]]\noperation = \"keygen\"\nwhere = \"Table 1\"\n" +
         lines;
}

void check_refused(const std::string& toml, const std::string& part) {
  INFO(toml);
  CHECK_THROWS_MATCHES(Published(toml, "t.toml"), Error, HasCode(ErrorCode::malformed_file, part));
}

void check_origin(const Origin& origin) {
  INFO(origin.system << ", " << origin.paper.short_name << ", " << origin.where);
  CHECK_FALSE(origin.paper.title.empty());
  CHECK_FALSE(origin.paper.short_name.empty());
  CHECK_FALSE(origin.where.empty());
}

void check_group(const std::string& group) {
  INFO(group);
  CHECK_NOTHROW(ParameterSet::named(group));
}

double published_time(const std::string& group, const std::string& operation,
                      const std::string& where) {
  for (const PublishedTime& time : published_times(group, operation)) {
    if (time.origin.where == where) return time.seconds;
  }
  return 0;
}

}  // namespace

TEST_CASE("published: every figure has a source, a system and a group that exists", "[bench]") {
  const Published& all = published();
  CHECK(all.times.size() > 90);
  CHECK(all.products.size() == 10);
  CHECK(all.sizes.size() == 16);
  CHECK(all.designs.size() == 17);
  CHECK(all.encryptions.size() == 8);
  CHECK(all.speedups.size() == 3);
  for (const PublishedTime& time : all.times) {
    check_origin(time.origin);
    CHECK_FALSE(time.origin.system.empty());
    check_group(time.group);
    CHECK((time.seconds > 1e-5 && time.seconds < 1e5));
  }
  for (const PublishedProduct& product : all.products) {
    check_origin(product.origin);
    CHECK((product.best_seconds() > 1e-5 && product.best_seconds() < 1));
  }
  for (const PublishedSize& size : all.sizes) {
    check_origin(size.origin);
    check_group(size.group);
    CHECK((size.bytes > 1e4 && size.bytes < 1e10));
  }
  for (const HardwareDesign& design : all.designs) {
    check_origin(design.origin);
    CHECK((design.hertz > 1e8 && design.hertz < 1e9));
  }
  for (const PublishedSpeedup& speedup : all.speedups) {
    check_origin(speedup.origin);
    CHECK(speedup.lowest < speedup.highest);
  }
}

TEST_CASE("published: figures are those of the tables", "[bench]") {
  CHECK(published_time("cnt-large", "encrypt_dense", "Table 10, benchmark software [9]") == 435);
  CHECK(published_time("cnt-toy-paper", "encrypt_dense", "Table 10") == 0.00336);
  CHECK_THAT(published_time("cnt-small", "encrypt_sparse", "Table 7"), WithinRel(0.010857, 1e-9));
  CHECK(published_times("cnt-small", "no such operation").empty());
  CHECK(published_times("engine", "product_786432").empty());
  CHECK(published_group("cnt-toy-paper") == "cnt-toy");
  CHECK(published_group("cnt-toy") == "cnt-toy");
}

TEST_CASE("published: cycles and clocks give the printed times", "[bench]") {
  for (const HardwareEncryption& encryption : published().encryptions) {
    const bool sparse = encryption.operation == "encrypt_sparse";
    const double printed =
        published_time(encryption.group, encryption.operation, sparse ? "Table 7" : "Table 10");
    INFO(encryption.group << " " << encryption.operation);
    CHECK_THAT(encryption.seconds(), WithinRel(printed, 0.02));
  }
  for (const PublishedProduct& product : published().products) {
    if (!product.cycles || !product.seconds) continue;
    CHECK_THAT(product.cycles->seconds(), WithinRel(*product.seconds, 0.01));
  }
}

TEST_CASE("published: encryptions go from the smallest group to the largest", "[bench]") {
  std::vector<std::string> groups;
  for (const HardwareEncryption& e : published().encryptions) groups.push_back(e.group);
  const std::vector<std::string> by_size{"cnt-toy", "cnt-small", "cnt-medium", "cnt-large"};
  CHECK(std::vector(groups.begin(), groups.begin() + 4) == by_size);
  CHECK(std::vector(groups.begin() + 4, groups.end()) == by_size);
}

TEST_CASE("published: entries that lack something are refused by name", "[bench]") {
  const std::string good = "paper = \"p\"\nplatform = \"m\"\nunit = \"ms\"\nvalues = { g = 2 }\n";
  const Published fine(with_time(good), "t.toml");
  REQUIRE(fine.times.size() == 1);
  CHECK(fine.times[0].seconds == 0.002);
  CHECK(fine.times[0].origin.platform == Platform::fpga);
  CHECK_FALSE(fine.times[0].origin.recalled);

  const auto spoilt = [&](const std::string& from, const std::string& to) {
    std::string lines = good;
    return with_time(lines.replace(lines.find(from), from.size(), to));
  };
  check_refused(spoilt("paper = \"p\"", "paper = \"q\""), "[[time]] number 1: unknown paper 'q'");
  check_refused(spoilt("paper = \"p\"", ""), "'paper'");
  check_refused(spoilt("platform = \"m\"", "platform = \"n\""), "unknown platform 'n'");
  check_refused(spoilt("\"ms\"", "\"minutes\""), "unknown unit 'minutes'");
  check_refused(spoilt("{ g = 2 }", "{ g = -2 }"), "not a positive number");
  check_refused(spoilt("{ g = 2 }", "{ g = \"2\" }"), "not a positive number");
  check_refused(spoilt("{ g = 2 }", "{ g = inf }"), "not a positive number");
  check_refused(spoilt("{ g = 2 }", "{}"), "'values' is missing");
  check_refused(spoilt("{ g = 2 }", "2"), "'values' is missing");
  check_refused("[[time]\n", "t.toml: line 1");
  check_refused("time = [1]\n", "is no table");
}

}  // namespace fhe::test
