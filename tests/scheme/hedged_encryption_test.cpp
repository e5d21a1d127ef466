// SPDX-License-Identifier: Apache-2.0
// Encryption from a generator that is restored: the same draws for other plaintexts would show the
// plaintexts as the difference of the ciphertexts, or lose the key.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "libfhe/scheme/keys.hpp"
#include "libfhe/scheme/she/keys.hpp"
#include "tests/catch.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/oracle.hpp"

namespace fhe::test {

namespace {

// The generator of a machine that is restored again and again from one snapshot: the same stream
// from every object.
class RestoredRandom final : public SecretRandom {
 public:
  explicit RestoredRandom(std::string seed) : seed_(std::move(seed)), stream_(seed_) {}
  void fill(std::span<std::byte> out) override { stream_.fill(out); }
  [[nodiscard]] std::unique_ptr<SecretRandom> split(std::uint64_t index) const override {
    return std::make_unique<RestoredRandom>(seed_ + "/" + std::to_string(index));
  }
  [[nodiscard]] bool is_test() const override { return false; }

 private:
  std::string seed_;
  TestRandom stream_;
};

// Ciphertexts of plaintexts, with a source.
template <class Plain>
using Encrypt =
    std::function<std::vector<Integer>(const std::vector<Plain>&, std::shared_ptr<SecretRandom>)>;

// Encrypts some plaintexts and others from a source whose state is the same both times: no
// difference of two ciphertexts may be one of plaintexts, which are short.
template <class Source, class Plain>
void check_restored(const Encrypt<Plain>& encrypt, const std::vector<Plain>& plain,
                    const std::vector<Plain>& others, const Integer& modulus) {
  const std::vector<Integer> first = encrypt(plain, std::make_shared<Source>("snapshot"));
  const std::vector<Integer> second = encrypt(others, std::make_shared<Source>("snapshot"));
  REQUIRE(first.size() == plain.size());
  REQUIRE(second.size() == plain.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    const Integer distance = oracle::mod(first[i] - second[i], modulus);
    CHECK(bit_length(distance) > 64);
    CHECK(bit_length(modulus - distance) > 64);
  }
}

// With a test source only the key and the plaintexts keep draws apart; with another one, also the
// moment.
template <class Plain>
void check_hedged(const Encrypt<Plain>& encrypt, const std::vector<Plain>& plain,
                  const std::vector<Plain>& others, const Integer& modulus) {
  check_restored<TestRandom>(encrypt, plain, others, modulus);
  check_restored<RestoredRandom>(encrypt, plain, others, modulus);
  check_restored<RestoredRandom>(encrypt, plain, plain, modulus);
  const auto again = [&] { return encrypt(plain, std::make_shared<TestRandom>("snapshot")); };
  CHECK(again() == again());
}

std::vector<Integer> values_of(const std::vector<Ciphertext>& cs) {
  std::vector<Integer> values;
  for (const Ciphertext& c : cs) values.push_back(c.value());
  return values;
}

std::vector<Integer> values_of(const std::vector<she::Slots>& cs) {
  std::vector<Integer> values;
  for (const she::Slots& c : cs) values.push_back(c.value());
  return values;
}

const std::vector<bool> kSnapshotBits{true, false, false, true};
const std::vector<bool> kOtherBits{false, false, true, true};

}  // namespace

TEST_CASE("a restored generator does not show the bits of public encryptions", "[hedged]") {
  struct Case {
    std::string group;
    bool sparse;
  };
  for (const auto& [group, sparse] :
       {Case{"cnt-mini", false}, Case{"cnt-mini", true}, Case{"cmnt-mini", false},
        Case{"bdghv-mini", false}, Case{"gh-mini", false}}) {
    CAPTURE(group, sparse);
    const KeyPair& keys = test_keys(group);
    const Encrypt<bool> encrypt = [&](const std::vector<bool>& bits,
                                      std::shared_ptr<SecretRandom> random) {
      const Encryptor encryptor(keys.public_key, open_backend(), std::move(random));
      return values_of(encryptor.encrypt(bits, {.sparse = sparse}));
    };
    check_hedged(encrypt, kSnapshotBits, kOtherBits, keys.public_key.modulus());
  }
}

// Constants are added to encryptions of zero, which must depend on them.
TEST_CASE("a restored generator does not show the bits of slots", "[hedged]") {
  const KeyPair& keys = test_keys("bdghv-mini");
  const Encrypt<SlotBits> encrypt = [&](const std::vector<SlotBits>& rows,
                                        std::shared_ptr<SecretRandom> random) {
    const Encryptor encryptor(keys.public_key, open_backend(), std::move(random));
    std::vector<Integer> values = values_of(encryptor.encrypt_slots(rows));
    const auto constants = keys.public_key.context(open_backend())->constants(rows, {});
    for (std::size_t i = 0; i < values.size(); ++i) values[i] -= constants[i].value();
    return values;
  };
  check_hedged(encrypt, {{true, false, false, true}, {false, false, true, true}},
               {{true, false, true, true}, {false, true, true, true}}, keys.public_key.modulus());
}

// In a smaller batch of the same bits, one stands at another place.
TEST_CASE("a restored generator does not repeat in a batch of another size", "[hedged]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const auto made = [&](const std::vector<bool>& bits) {
    return values_of(test_encryptor(keys, "snapshot").encrypt(bits));
  };
  const Integer difference = made({true, false}).front() - made({true}).front();
  CHECK(bit_length(difference) > bit_length(keys.public_key.modulus()) / 2);
}

TEST_CASE("a restored generator makes other zeros to be kept", "[hedged]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const auto made = [&](bool bit) {
    const Encryptor encryptor(keys.public_key, open_backend(),
                              std::make_shared<RestoredRandom>("snapshot"));
    encryptor.prepare(2);
    while (encryptor.prepared() < 2) std::this_thread::yield();
    return encryptor.encrypt(bit).value();
  };
  CHECK(bit_length(made(true) - made(false)) > 64);
}

TEST_CASE("a restored generator does not show the difference of two votes", "[hedged]") {
  const ParameterSet group =
      ParameterSet::resolve(FHE_TEST_DATA_DIR "/../verifier/groups/tally-mini.toml");
  const she::KeyPair keys = she::KeyGenerator(group).generate_pair(TestSeed{"hedged"});
  const Encrypt<std::uint64_t> encrypt = [&](const std::vector<std::uint64_t>& numbers,
                                             std::shared_ptr<SecretRandom> random) {
    const she::PublicEncryptor encryptor(keys.public_key, open_backend(), std::move(random));
    return values_of(encryptor.encrypt_all(numbers));
  };
  check_hedged<std::uint64_t>(encrypt, {1, 0, 7, 3}, {0, 0, 9, 3}, power_of_two(4096));
}

}  // namespace fhe::test
