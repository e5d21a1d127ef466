// SPDX-License-Identifier: Apache-2.0
// The sizes that `fhe params` prints: against the files of a key, and against the memory of a
// recryption.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "libfhe/scheme/sizes.hpp"
#include "tests/catch.hpp"
#include "tests/cli/workplace.hpp"
#include "tests/support/sanitizers.hpp"

namespace fhe::test {

namespace {

using Catch::Matchers::ContainsSubstring;
using Json = nlohmann::json;

constexpr const char* kSizeFields[] = {"ciphertext_bytes", "public_key_bytes", "secret_key_bytes",
                                       "exact_sizes", "recryption_memory_bytes"};

Json group_in(const Json& list, const std::string& name) {
  return *std::ranges::find_if(list, [&](const Json& group) { return group["name"] == name; });
}

// The peak of `fhe recrypt` lies where the estimate says. The room is wide on purpose: processors
// without AVX-512 IFMA take other transforms, debug builds are larger programs, and allocators
// differ. Still, an estimate without the encrypted bits fails, and at large sizes one without the
// key.
void check_memory(const Workplace& place, const std::string& group) {
  CAPTURE(group);
  place.succeed({"keygen", "--params", group, "--out", group, "--threads", "1"});
  const std::string key = group + "/public.fhe";
  place.succeed({"encrypt", "--key", key, "--bits", "1", "--out", "x.fhe"});
  const Json report = Json::parse(
      place
          .succeed({"recrypt", "--key", key, "x.fhe", "--out", "y.fhe", "--threads", "1", "--json"})
          .out);
  if (kSanitized) return;
  constexpr double kMega = 1e6;
  const double peak = report.at("peak_memory_bytes").get<double>() / kMega;
  const KeySizes sizes = sizes_of(ParameterSet::named(group)).value();
  const double estimate = static_cast<double>(sizes.recryption_memory) / kMega;
  CAPTURE(peak, estimate);
  CHECK(peak > 0.55 * estimate);
  CHECK(peak < 1.3 * estimate + 8);
}

// Groups for benchmarks have no sizes; those of numbers in slots have no recryption, and a public
// key where they have elements of one.
bool is_missing(const Json& group, const std::string& field) {
  if (group["purpose"] != "slots") return group["purpose"] == "benchmark";
  return field == "recryption_memory_bytes" ||
         (field == "public_key_bytes" && group["name"] != "she-128-ballot" &&
          group["name"] != "she-128-tally");
}

}  // namespace

TEST_CASE("cli: params list shows the sizes of every group", "[cli][sizes]") {
  const Workplace place;
  const std::string text = place.succeed({"params", "list"}).out;
  const std::vector<std::string> lines = lines_of(text);
  CHECK_THAT(lines.front(), ContainsSubstring("CIPHERTEXT") && ContainsSubstring("PUBLIC KEY") &&
                                ContainsSubstring("SECRET KEY") && ContainsSubstring("MEMORY"));
  for (const std::string& line : lines) CHECK(line.size() <= 120);
  const auto line_of = [&](const std::string& name) {
    return *std::ranges::find_if(lines, [&](const auto& x) { return x.starts_with(name + " "); });
  };
  CHECK_THAT(line_of("gh-32768"), ContainsSubstring(" 1.58 MB ") && ContainsSubstring(" 2.25 GB "));
  CHECK_THAT(line_of("cnt-toy-paper"), !ContainsSubstring("B "));
  const Json list = Json::parse(place.succeed({"params", "list", "--json"}).out)["groups"];
  for (const Json& group : list) {
    for (const char* field : kSizeFields) {
      INFO(group["name"] << ' ' << field);
      CHECK(group.at(field).is_null() == is_missing(group, field));
    }
  }
  const Json mini = group_in(list, "cnt-mini");
  CHECK(mini["public_key_bytes"] == place.read("keys/public.fhe").size());
  CHECK(mini["secret_key_bytes"] == place.read("keys/secret.fhe").size());
  place.encrypt("10", "x.fhe");
  const auto ciphertext = mini["ciphertext_bytes"].get<std::uint64_t>();
  CHECK(kCiphertextsFileBytes + 2 * ciphertext == place.read("x.fhe").size());
}

TEST_CASE("cli: params show has the sizes of the list", "[cli][sizes]") {
  const Workplace place;
  const Json list = Json::parse(place.succeed({"params", "list", "--json"}).out)["groups"];
  for (const std::string name : {"cnt-toy", "gh-512", "cnt-toy-paper"}) {
    CAPTURE(name);
    const Json group = group_in(list, name);
    const Json shown = Json::parse(place.succeed({"params", "show", name, "--json"}).out);
    for (const char* field : kSizeFields) CHECK(shown.at(field) == group.at(field));
  }
  CHECK_THAT(place.succeed({"params", "show", "cnt-toy"}).out,
             ContainsSubstring("public key  79.1 kB (79092 bytes)\n"));
  CHECK_THAT(place.succeed({"params", "show", "gh-512"}).out,
             ContainsSubstring("public key  about 17.3 MB ("));
  CHECK_THAT(place.succeed({"params", "show", "cnt-toy-paper"}).out,
             ContainsSubstring("public key  -\n"));
}

TEST_CASE("cli: a recryption takes the memory that params list states", "[cli][sizes]") {
  const Workplace place;
  check_memory(place, GENERATE("cnt-small", "cmnt-small", "gh-512"));
}

TEST_CASE("cli: a large recryption takes the memory that params list states",
          "[cli][sizes][long]") {
  const Workplace place;
  check_memory(place, GENERATE("cnt-medium", "cnt-large", "cmnt-medium", "cmnt-large",
                               "cmnt-small-paper", "cmnt-medium-paper", "gh-2048", "gh-8192"));
}

}  // namespace fhe::test
