// SPDX-License-Identifier: Apache-2.0
// Which of OpenSSL's two generators is asked for what: secrets come from the private one, and from
// the public one only what is published. A program of its own, which is linked so that it counts
// the calls of both (--wrap).
#include <array>
#include <atomic>
#include <cstddef>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "libfhe/fhe.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/dghv/modulus_switch.hpp"
#include "libfhe/scheme/she/keys.hpp"
#include "libfhe/scheme/she/public_key.hpp"
#include "libfhe/scheme/she/randomizer.hpp"
#include "libfhe/storage/sealing.hpp"
#include "tests/catch.hpp"
#include "tests/support/key_fixtures.hpp"

namespace {

std::atomic<std::size_t> private_bytes = 0;
std::atomic<std::size_t> public_bytes = 0;

}  // namespace

extern "C" {

int __real_RAND_priv_bytes(unsigned char* out, int count);
int __real_RAND_bytes(unsigned char* out, int count);

int __wrap_RAND_priv_bytes(unsigned char* out, int count) {
  private_bytes += static_cast<std::size_t>(count);
  return __real_RAND_priv_bytes(out, count);
}

int __wrap_RAND_bytes(unsigned char* out, int count) {
  public_bytes += static_cast<std::size_t>(count);
  return __real_RAND_bytes(out, count);
}

}  // extern "C"

namespace fhe::test {

namespace {

// Does `work`, checks that it drew `published` bytes from the public generator and at least `least`
// from the private one, and returns what it made.
template <class Work>
auto drawing(std::size_t published, std::size_t least, const Work& work) {
  private_bytes = 0;
  public_bytes = 0;
  auto made = work();
  CHECK(public_bytes == published);
  CHECK(private_bytes >= least);
  return made;
}

constexpr std::size_t kSeed = sizeof(StreamSeed);
constexpr std::size_t kHedged = 32;  // what HedgedRandom takes of its source

}  // namespace

TEST_CASE("secret and public bytes are drawn from generators of their own", "[generators]") {
  std::array<std::byte, 100> bytes{};
  drawing(0, bytes.size(), [&] {
    SystemRandom().fill(bytes);
    SystemRandom().split(3)->fill(std::span(bytes).first(50));
    return 0;
  });
  drawing(bytes.size(), 0, [&] {
    fill_public(bytes);
    return 0;
  });
  CHECK(private_bytes == 0);
}

TEST_CASE("all of a key but its public seed comes from the private generator", "[generators]") {
  for (const std::string group : {"cnt-mini", "cnt-mini-digits", "cnt-mini-special", "cmnt-mini",
                                  "cmnt-mini-paper", "bdghv-mini", "gh-mini"}) {
    CAPTURE(group);
    const ParameterSet parameters = ParameterSet::named(group);
    const std::size_t prime = group == "gh-mini" ? 380 : parameters.number("eta", 1, 10000);
    const KeyPair keys =
        drawing(kSeed, prime / 8, [&] { return KeyGenerator(parameters).generate(); });
    const Encryptor encryptor(keys.public_key);
    drawing(0, kHedged, [&] { return encryptor.encrypt(true); });
    drawing(0, kHedged, [&] { return encryptor.encrypt(true, {.sparse = group == "cnt-mini"}); });
    if (group == "gh-mini") continue;
    const SecretEncryptor owner(keys.secret_key);
    drawing(0, kHedged, [&] { return owner.encrypt({true}); });
  }
}

TEST_CASE("prepared encryptions come from the private generator", "[generators]") {
  const KeyPair keys = KeyGenerator(ParameterSet::named("cnt-mini")).generate();
  const Encryptor encryptor(keys.public_key);
  drawing(0, kHedged, [&] {
    encryptor.prepare(3);
    while (encryptor.prepared() < 3) std::this_thread::yield();
    return encryptor.encrypt({true, true, true});
  });
}

TEST_CASE("all of a rung but its public seed comes from the private generator", "[generators]") {
  const KeyPair keys = KeyGenerator(ParameterSet::named("cnt-mini")).generate();
  const BackendPtr backend = open_backend();
  constexpr std::size_t kEta = 100;
  constexpr std::size_t kTheta = 5;
  // p', and 8 bytes for the noise of each hidden bit.
  drawing(kSeed, kEta / 8 + 8 * kTheta * (kEta + 1), [&] {
    return dghv::make_rung(keys.secret_key, {.eta = kEta, .Theta = kTheta}, backend);
  });
}

TEST_CASE("secrets of numbers in slots come from the private generator", "[generators]") {
  const ParameterSet group =
      GroupText("she-mini").head("name", "\"one-slot\"").set("slots", "1").parse();
  const std::size_t prime = group.number("eta", 1, 10000);
  const she::SecretKey key =
      drawing(0, prime / 8, [&] { return she::KeyGenerator(group).generate(); });
  const she::Encryptor owner(key);
  const std::vector<she::SlotNumbers> rows(she::zeros_needed(group, she::Hiding::estimated));
  const std::vector<she::Slots> zeros =
      drawing(0, kHedged, [&] { return owner.encrypt_all(rows); });
  const she::Randomizer randomizer(group, zeros);
  drawing(0, kHedged, [&] { return randomizer.randomize(zeros.front()); });

  const ParameterSet sums = tiny_tally().parse();
  const she::KeyPair keys =
      drawing(kSeed, prime / 8, [&] { return she::KeyGenerator(sums).generate_pair(); });
  const she::PublicEncryptor voter(keys.public_key);
  drawing(0, kHedged, [&] { return voter.encrypt(1); });
}

TEST_CASE("salts and nonces come from the public generator", "[generators]") {
  const SealParameters made = drawing(16 + 12, 0, [] { return SealParameters::draw({}); });
  CHECK(made.salt.size() + made.nonce.size() == 16 + 12);
  CHECK(private_bytes == 0);
}

}  // namespace fhe::test
