// SPDX-License-Identifier: Apache-2.0
// Limits of files as users set them: what a command writes the next one reads.
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "libfhe/circuit/bristol.hpp"
#include "tests/catch.hpp"
#include "tests/cli/workplace.hpp"
#include "tests/support/circuits.hpp"

namespace fhe::test {

namespace {

// The command, within a limit.
Arguments within(Arguments command, const std::string& option, std::uint64_t limit) {
  command.insert(command.end(), {option, fmt::format("{}", limit)});
  return command;
}

}  // namespace

TEST_CASE("limits: every command that reads files has them", "[cli]") {
  const Workplace place;
  place.encrypt("0110", "x.fhe");
  place.write("adder.txt", to_bristol(adder_circuit(4)));
  const std::string key = "keys/public.fhe";
  const std::vector<Arguments> commands{
      {"encrypt", "--key", key, "--bits", "0110", "--out", "y.fhe"},
      {"eval", "--key", key, "not", "x.fhe", "--out", "y.fhe"},
      {"recrypt", "--key", key, "x.fhe", "--out", "y.fhe"},
      {"run", "adder.txt", "--key", key, "--input", "x.fhe", "--input", "x.fhe", "--out", "y.fhe"},
      {"decrypt", "--key", "keys/secret.fhe", "x.fhe"},
      {"inspect", "x.fhe", "--secret", "keys/secret.fhe"},
      {"inspect", "x.fhe", "--key", key}};
  for (const Arguments& command : commands) {
    CAPTURE(command.front());
    check_failure(place, within(command, "--max-file-bytes", 100), kUsage, "--max-file-bytes");
    check_failure(place, within(command, "--max-ciphertexts", 3), kUsage, "--max-ciphertexts");
    place.succeed(within(within(command, "--max-ciphertexts", 5), "--max-file-bytes", 1'000'000));
    std::filesystem::remove(place.file("y.fhe"));
    check_failure(place, within(command, "--max-ciphertexts", std::uint64_t{0}), kUsage);
  }
  check_failure(place, within({"circuit", "info", "adder.txt"}, "--max-file-bytes", 10), kUsage,
                "--max-file-bytes");
}

TEST_CASE("limits: a run that could not be resumed or read does not begin", "[cli]") {
  const Workplace place;
  place.encrypt("0110", "x.fhe");
  place.write("multiplier.txt", to_bristol(multiplier_circuit(4)));
  const Arguments run{"run",   "multiplier.txt", "--key", "keys/public.fhe", "--input",
                      "x.fhe", "--input",        "x.fhe", "--out",           "y.fhe"};
  check_failure(place, within(run, "--max-ciphertexts", 3), kUsage, "y.fhe would hold 4");
  Arguments with_checkpoint = run;
  with_checkpoint.insert(with_checkpoint.end(), {"--checkpoint", "saved.fhe"});
  check_failure(place, within(with_checkpoint, "--max-ciphertexts", 4), kUsage,
                "the checkpoint 'saved.fhe' would hold");
  place.succeed(within(with_checkpoint, "--max-ciphertexts", 100));
  CHECK(place.decrypt("y.fhe") == "0010\n");  // 6 times 6, modulo 16
}

TEST_CASE("limits: a key of any size is not overwritten", "[cli]") {
  const Workplace place;
  const std::string before = place.read("keys/public.fhe");
  check_failure(
      place,
      within({"encrypt", "--key", "keys/public.fhe", "--bits", "1", "--out", "keys/public.fhe"},
             "--max-file-bytes", 1),
      kUsage, "is a key");
  CHECK(place.read("keys/public.fhe") == before);
}

}  // namespace fhe::test
