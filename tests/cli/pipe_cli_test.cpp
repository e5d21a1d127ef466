// SPDX-License-Identifier: Apache-2.0
// Keys and ciphertexts through pipes: from standard output of one command to standard input of
// another.
#include <string>
#include <thread>

#include <sys/stat.h>

#include "tests/cli/workplace.hpp"

namespace fhe::test {

namespace {

const std::string kPublic = "keys/public.fhe";
const std::string kSecret = "keys/secret.fhe";

// What the command writes to standard output.
std::string output_of(const Workplace& place, Arguments command, const std::string& input = {}) {
  command.insert(command.end(), {"--out", "-"});
  return place.succeed(command, input).out;
}

std::string sent_bits(const Workplace& place, const std::string& bits) {
  return output_of(place, {"encrypt", "--key", kPublic, "--bits", bits});
}

}  // namespace

TEST_CASE("pipes: ciphertexts go from command to command", "[cli]") {
  const Workplace place;
  const std::string sent = sent_bits(place, "1011");
  CHECK(place.succeed({"decrypt", "--key", kSecret, "-"}, sent).out == "1011\n");
  const std::string refreshed = output_of(place, {"recrypt", "--key", kPublic, "-"}, sent);
  const std::string inverted = output_of(place, {"eval", "--key", kPublic, "not", "-"}, refreshed);
  CHECK(place.succeed({"decrypt", "--key", kSecret, "/dev/stdin"}, inverted).out == "0100\n");

  // Two words of two bits, of which one comes through the pipe; the result is their first bits'
  // AND.
  place.write("and.txt", "1 5\n2 2 2\n1 1\n\n2 1 0 2 4 AND\n");
  place.write("x.fhe", sent_bits(place, "11"));
  const std::string result =
      output_of(place, {"run", "and.txt", "--key", kPublic, "--input", "-", "--input", "x.fhe"},
                sent_bits(place, "10"));
  CHECK(place.succeed({"decrypt", "--key", kSecret, "-"}, result).out == "1\n");

  const Outcome facts = place.succeed({"inspect", "-"}, sent);
  CHECK_THAT(facts.out, Catch::Matchers::ContainsSubstring("ciphertexts"));
  CHECK(place.succeed({"inspect", "-", "--key", kPublic}, sent).out.size() > facts.out.size());
  CHECK(place.succeed({"inspect", "-", "--secret", kSecret}, sent).out.size() > facts.out.size());
}

TEST_CASE("pipes: the owner's ciphertexts and keys come through them too", "[cli]") {
  const Workplace place;
  const std::string own = output_of(place, {"encrypt", "--secret-key", kSecret, "--bits", "110"});
  const std::string whole = output_of(place, {"expand", "--key", kPublic, "-"}, own);
  CHECK(whole.size() > own.size());
  CHECK(place.succeed({"decrypt", "--key", kSecret, "-"}, whole).out == "110\n");

  place.write("x.fhe", whole);
  const std::string key = place.read(kPublic);
  const std::string secret = place.read(kSecret);
  const std::string inverted = output_of(place, {"eval", "--key", "-", "not", "x.fhe"}, key);
  place.write("y.fhe", inverted);
  CHECK(place.succeed({"decrypt", "--key", "-", "y.fhe"}, secret).out == "001\n");
  CHECK_THAT(place.succeed({"inspect", "-"}, secret).out,
             Catch::Matchers::ContainsSubstring("secret key"));
  CHECK_THAT(place.succeed({"check", "--key", kPublic, "--secret", "-"}, secret).out,
             Catch::Matchers::ContainsSubstring("cnt-mini"));
}

TEST_CASE("pipes: one that has a name is read as it comes", "[cli]") {
  const Workplace place;
  const std::string sent = sent_bits(place, "10");
  REQUIRE(mkfifo(place.file("pipe").c_str(), 0600) == 0);
  std::thread writer([&] { place.write("pipe", sent); });
  const Outcome outcome = place.run({{"decrypt", "--key", kSecret, "pipe"}});
  writer.join();
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out == "10\n");
}

TEST_CASE("pipes: what is cut, empty or more than one object is refused", "[cli]") {
  const Workplace place;
  const std::string sent = sent_bits(place, "10");
  const auto refused = [&](const Arguments& command, const std::string& input,
                           const std::string& part) {
    check_failure(place, Launch{command, input}, kBadFile, part);
  };
  const Arguments decrypt{"decrypt", "--key", kSecret, "-"};
  refused(decrypt, "", "standard input is empty");
  refused(decrypt, sent.substr(0, 5), "'standard input', byte 0");
  refused(decrypt, sent.substr(0, sent.size() - 1), "truncated");
  refused(decrypt, sent + sent, "standard input goes on behind the object");
  refused(decrypt, place.read(kPublic), "holds a public key of bits (cnt-mini)");
  refused({"inspect", "-"}, sent.substr(0, sent.size() - 1), "truncated");
  refused({"inspect", "-"}, sent + " ", "ends at");
  refused({"recrypt", "--key", kPublic, "-", "--out", "x.fhe"}, sent + sent, "goes on");
  // Standard input is read to its end for the first of the two.
  refused({"decrypt", "--key", "-", "-"}, place.read(kSecret), "read before for another option");
  std::string altered = sent;
  altered.back() = static_cast<char>(altered.back() ^ 1);
  refused(decrypt, altered, "SHA-256");
  check_failure(place, Launch{{"decrypt", "--key", kSecret, "-", "--max-file-bytes", "100"}, sent},
                kUsage, "more than the limit");
  check_failure(place, Launch{{"inspect", "-", "--max-file-bytes", "100"}, sent}, kUsage,
                "more bytes than the limit");
}

}  // namespace fhe::test
