// SPDX-License-Identifier: Apache-2.0
// Encryptions that are prepared: right, each used once, and nobody else's.
#include "libfhe/scheme/zero_pool.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "libfhe/fhe.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"

namespace fhe::test {

namespace {

void prepare_and_wait(const Encryptor& encryptor, std::size_t count) {
  encryptor.prepare(count);
  while (encryptor.prepared() < count) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

Encryptor encryptor_of(const KeyPair& keys, const std::string& seed) {
  return {keys.public_key, open_backend(), std::make_shared<TestRandom>(seed)};
}

}  // namespace

TEST_CASE("prepared encryptions hold their bits", "[keys]") {
  for (const std::string group : {"cnt-mini", "cmnt-mini", "gh-mini", "cnt-toy"}) {
    CAPTURE(group);
    const KeyPair& keys = test_keys(group);
    const Encryptor encryptor(keys.public_key, open_backend(),
                              std::make_shared<TestRandom>("prepared " + group));
    CHECK(encryptor.prepared() == 0);
    prepare_and_wait(encryptor, 20);
    const std::vector<bool> bits{true, false, true, true, false};
    std::vector<Ciphertext> made = encryptor.encrypt(bits);
    made.push_back(encryptor.encrypt(true));
    CHECK(encryptor.prepared() == 14);
    const std::vector<bool> more(20, true);  // six of them without the pool
    for (Ciphertext& c : encryptor.encrypt(more)) made.push_back(std::move(c));
    CHECK(encryptor.prepared() == 0);
    std::vector<bool> expected = bits;
    expected.resize(made.size(), true);
    CHECK(Decryptor(keys.secret_key).decrypt(made) == expected);
    std::set<std::string> values;
    for (const Ciphertext& c : made) values.insert(c.value().get_str(16));
    CHECK(values.size() == made.size());
  }
}

TEST_CASE("a prepared encryption is one of zero and the bit", "[keys]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Encryptor one = encryptor_of(keys, "the same");
  const Encryptor other = encryptor_of(keys, "the same");
  prepare_and_wait(one, 3);
  prepare_and_wait(other, 3);
  for (int i = 0; i < 3; ++i) {
    const Integer difference = one.encrypt(true).value() - other.encrypt(false).value();
    CHECK(difference == 1);
  }
  CHECK(one.encrypt(false).value() == other.encrypt(false).value());  // from the source itself
}

TEST_CASE("threads and copies of an encryptor share what is prepared, and use it once", "[keys]") {
  const Encryptor encryptor = encryptor_of(test_keys("cnt-mini"), "shared");
  prepare_and_wait(encryptor, 100);
  std::vector<std::vector<Ciphertext>> made(4);
  std::vector<std::jthread> threads;
  for (auto& mine : made) {
    threads.emplace_back([&mine, copy = encryptor] {
      for (int i = 0; i < 25; ++i) mine.push_back(copy.encrypt(false));
    });
  }
  threads.clear();
  CHECK(encryptor.prepared() == 0);
  std::set<std::string> values;
  for (const auto& mine : made) {
    for (const Ciphertext& c : mine) values.insert(c.value().get_str(16));
  }
  CHECK(values.size() == 100);
}

TEST_CASE("what is prepared grows to what is asked for, while it is used", "[keys]") {
  const Encryptor encryptor = encryptor_of(test_keys("cnt-mini"), "again");
  prepare_and_wait(encryptor, 5);
  static_cast<void>(encryptor.encrypt(true));
  prepare_and_wait(encryptor, 5);
  prepare_and_wait(encryptor, 40);
  CHECK(encryptor.prepared() == 40);
  encryptor.prepare(3);
  CHECK(encryptor.prepared() == 40);
}

TEST_CASE("sparse encryption leaves prepared ones alone", "[keys]") {
  const Encryptor encryptor = encryptor_of(test_keys("cnt-mini"), "sparse");
  prepare_and_wait(encryptor, 2);
  static_cast<void>(encryptor.encrypt(true, {.sparse = true}));
  CHECK(encryptor.prepared() == 2);
}

TEST_CASE("too many prepared encryptions are refused", "[keys]") {
  const Encryptor encryptor = encryptor_of(test_keys("cnt-mini"), "many");
  CHECK_THROWS_MATCHES(encryptor.prepare(Encryptor::kMostPrepared + 1), Error,
                       HasCode(ErrorCode::invalid_argument, "65536"));
  CHECK(encryptor.prepared() == 0);
}

TEST_CASE("an encryptor that goes ends its preparations", "[keys]") {
  const KeyPair& keys = test_keys("cnt-small");
  encryptor_of(keys, "ends").prepare(Encryptor::kMostPrepared);  // hours of work
  const Encryptor other = encryptor_of(keys, "goes on");
  CHECK(Decryptor(keys.secret_key).decrypt(other.encrypt(true)));
}

TEST_CASE("a copy of the process takes nothing from a pool", "[keys]") {
  const TestRandom random("copied pool");
  ZeroPool pool(test_keys("cnt-mini").public_key.context(open_backend()), random);
  pool.fill(4);
  while (pool.ready() < 4) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) ::_exit(pool.take(4).empty() ? 0 : 1);
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(pool.take(4).size() == 4);
}

TEST_CASE("a copy of the process has no prepared encryptions", "[keys]") {
  std::optional<Encryptor> encryptor = encryptor_of(test_keys("cnt-mini"), "copied");
  prepare_and_wait(*encryptor, 10);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const bool none = encryptor->prepared() == 0;
    encryptor->prepare(5);
    const bool still_none = encryptor->prepared() == 0;
    encryptor.reset();
    ::_exit(none && still_none ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(encryptor->prepared() == 10);
}

}  // namespace fhe::test
