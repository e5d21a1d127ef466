// SPDX-License-Identifier: Apache-2.0
// Ciphertexts that remember what they were refreshed to: the right bits, and few recryptions.
#include "libfhe/gate/shared_ciphertext.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "libfhe/circuit/bits.hpp"
#include "libfhe/circuit/word.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"

namespace fhe::test {

namespace {

using EncryptedBit = Bit<const Evaluator>;
using EncryptedWord = Word<const Evaluator>;

struct Party {
  explicit Party(const std::string& group, RefreshPolicy policy = RefreshPolicy::automatic())
      : keys(test_keys(group)),
        encryptor(test_encryptor(keys, "shared")),
        evaluator(keys.public_key, open_backend(), std::move(policy)),
        decryptor(keys.secret_key) {}

  [[nodiscard]] SharedCiphertext shared(bool bit) const {
    return SharedCiphertext(encryptor.encrypt(bit));
  }
  [[nodiscard]] EncryptedWord word(std::uint64_t number, std::size_t width) const {
    return {evaluator, encryptor.encrypt(bits_of(number, width))};
  }
  [[nodiscard]] bool bit(const SharedCiphertext& c) const {
    return decryptor.decrypt(static_cast<Ciphertext>(c));
  }
  [[nodiscard]] std::uint64_t number(const EncryptedWord& word) const {
    return number_of(decryptor.decrypt(word.values()));
  }
  // Those of the calls of `compute`.
  template <class Compute>
  std::uint64_t recryptions_of(const Compute& compute) const {
    const std::uint64_t before = evaluator.counts().recryptions;
    compute();
    return evaluator.counts().recryptions - before;
  }

  const KeyPair& keys;
  Encryptor encryptor;
  Evaluator evaluator;
  Decryptor decryptor;
};

}  // namespace

TEST_CASE("shared ciphertexts have the truth tables of their gates", "[gate][shared]") {
  for (const std::string group : {"cnt-mini", "cmnt-mini", "gh-mini"}) {
    const Party party(group);
    const Evaluator& evaluator = party.evaluator;
    for (const bool x : {false, true}) {
      for (const bool y : {false, true}) {
        const SharedCiphertext a = party.shared(x);
        const SharedCiphertext b = party.shared(y);
        for (int round = 0; round < 3; ++round) {  // before and after a and b were refreshed
          CHECK(party.bit(evaluator.xor_gate(a, b)) == (x != y));
          CHECK(party.bit(evaluator.and_gate(a, b)) == (x && y));
          CHECK(party.bit(evaluator.not_gate(a)) == !x);
          CHECK_FALSE(party.bit(evaluator.xor_gate(a, a)));
          CHECK(party.bit(evaluator.and_gate(a, a)) == x);
          const SharedCiphertext sum = evaluator.xor_gate(a, evaluator.not_gate(b));
          CHECK(party.bit(evaluator.and_gate(sum, evaluator.xor_gate(sum, a))) ==
                (x == y && (x == y) != x));
        }
      }
    }
  }
}

TEST_CASE("an operand of many gates is refreshed once", "[gate][shared]") {
  const Party party("cnt-toy");
  const SharedCiphertext a = party.shared(true);
  const SharedCiphertext copy = a;
  const double noise = static_cast<Ciphertext>(a).noise().bits();
  const auto gate = [&](const SharedCiphertext& x, const SharedCiphertext& y) {
    return party.recryptions_of([&] { CHECK(party.bit(party.evaluator.and_gate(x, y))); });
  };
  CHECK(gate(a, party.shared(true)) == 2);
  CHECK(gate(a, party.shared(true)) == 1);
  CHECK(gate(copy, party.shared(true)) == 1);
  CHECK(gate(copy, a) == 0);
  CHECK(static_cast<Ciphertext>(copy).noise().bits() < noise);
  const SharedCiphertext zero = party.evaluator.not_gate(a);
  CHECK(party.recryptions_of([&] { CHECK_FALSE(party.bit(party.evaluator.and_gate(zero, a))); }) ==
        0);
}

TEST_CASE("a term of many sums is refreshed instead of them", "[gate][shared]") {
  const Party party("cnt-toy");
  const SharedCiphertext a = party.shared(true);
  const auto recryptions_of_sum_with = [&](const SharedCiphertext& other) {
    const SharedCiphertext sum = party.evaluator.xor_gate(other, a);
    return party.recryptions_of(
        [&] { CHECK(party.bit(party.evaluator.and_gate(sum, sum)) != party.bit(other)); });
  };
  std::vector<std::uint64_t> recryptions;
  std::vector<SharedCiphertext> others;
  for (int i = 0; i < 5; ++i) {
    others.push_back(party.shared(i % 2 == 0));
    recryptions.push_back(recryptions_of_sum_with(others.back()));
  }
  // Two sums themselves, then the term and what is added to it, then what is added to it.
  CHECK(recryptions == std::vector<std::uint64_t>{1, 1, 2, 1, 1});
  CHECK(recryptions_of_sum_with(others[0]) == 1);
  CHECK(recryptions_of_sum_with(others[3]) == 0);
  CHECK(recryptions_of_sum_with(party.evaluator.not_gate(others[3])) == 0);
}

TEST_CASE("terms whose sum could not be multiplied are not refreshed for it", "[gate][shared]") {
  const Party party("cmnt-mini-paper");
  const NoiseRule rule = party.evaluator.noise_rule();
  const NoiseBound refreshed = party.evaluator.key().refreshed_noise();
  const NoiseBound sum_of_three = rule.sum(rule.sum(refreshed, refreshed), refreshed);
  REQUIRE(rule.product(refreshed, refreshed) <= rule.refresh_limit);
  REQUIRE(rule.product(sum_of_three, sum_of_three) > rule.refresh_limit);
  const auto recrypted = [&] {
    return SharedCiphertext(party.evaluator.recrypt(party.encryptor.encrypt(true)));
  };
  const SharedCiphertext product = party.evaluator.and_gate(recrypted(), recrypted());
  const SharedCiphertext sum =
      party.evaluator.xor_gate(party.evaluator.xor_gate(product, recrypted()), recrypted());
  CHECK(party.recryptions_of([&] { CHECK(party.bit(party.evaluator.and_gate(sum, sum))); }) == 1);
}

TEST_CASE("long sums and long chains of sums stay right", "[gate][shared]") {
  const Party party("cnt-mini");
  SharedCiphertext sum = party.shared(true);
  bool expected = true;
  for (int i = 0; i < 40; ++i) {
    const SharedCiphertext next = party.shared(i % 3 == 0);
    sum = party.evaluator.xor_gate(sum, next);
    expected = expected != (i % 3 == 0);
    if (i % 5 == 4) CHECK(party.bit(party.evaluator.and_gate(sum, sum)) == expected);
    CHECK(party.bit(sum) == expected);
  }
}

TEST_CASE("a sum of eight remembers its terms, and a longer one does not", "[gate][shared]") {
  const Party party("cnt-toy");
  const Evaluator& evaluator = party.evaluator;
  std::vector<SharedCiphertext> terms;
  for (int i = 0; i < 9; ++i) terms.push_back(party.shared(true));
  SharedCiphertext eight = terms[0];
  for (std::size_t i = 1; i < 8; ++i) eight = evaluator.xor_gate(eight, terms[i]);
  const SharedCiphertext nine = evaluator.xor_gate(eight, terms[8]);
  for (const SharedCiphertext& term : terms) {
    CHECK(party.recryptions_of([&] { CHECK(party.bit(evaluator.and_gate(term, term))); }) == 1);
  }
  const auto recryptions_of_product = [&](const SharedCiphertext& sum, bool expected) {
    return party.recryptions_of(
        [&] { CHECK(party.bit(evaluator.and_gate(sum, terms[0])) == expected); });
  };
  CHECK(recryptions_of_product(eight, false) == 0);
  CHECK(recryptions_of_product(nine, true) == 1);
}

TEST_CASE("operators on words recrypt less than gates that forget", "[gate][shared]") {
  const Party party("cnt-toy");
  const auto count = [&](const auto& compute) { return party.recryptions_of(compute); };
  const EncryptedWord x = party.word(0xbeef, 16);
  const EncryptedWord y = party.word(0x1dea, 16);
  const std::uint64_t distance = count([&] {
    const EncryptedWord d = mux(x < y, y - x, x - y);
    const EncryptedWord smaller = min(x, y);
    CHECK(party.number(d) == 0xbeef - 0x1dea);
    CHECK(party.number(smaller) == 0x1dea);
  });
  const std::uint64_t adder = count([&] {
    CHECK(party.number(party.word(0xdeadbeef, 32) + party.word(0x12345678, 32)) == 0xf0e21567);
  });
  const std::uint64_t comparator = count(
      [&] { CHECK(party.decryptor.decrypt((party.word(5, 32) < party.word(7, 32)).value())); });
  const std::uint64_t product =
      count([&] { CHECK(party.number(party.word(201, 8) * party.word(77, 8)) == 201 * 77 % 256); });
  CAPTURE(distance, adder, comparator, product);
  CHECK(distance <= 122);   // 188 if each gate refreshed for itself; 76 planned
  CHECK(adder <= 62);       // 62; 62
  CHECK(comparator <= 64);  // 64; 64
  CHECK(product <= 58);     // 114
}

TEST_CASE("operators find common items with less recryptions than gates that forget",
          "[gate][shared][long]") {
  const Party party("cnt-toy");
  std::vector<EncryptedWord> mine;
  std::vector<EncryptedWord> theirs;
  for (std::uint64_t i = 0; i < 8; ++i) {
    mine.push_back(party.word(i * 500, 12));
    theirs.push_back(party.word(i * 750, 12));
  }
  const std::uint64_t common = party.recryptions_of([&] {
    for (std::uint64_t i = 0; i < 8; ++i) {
      EncryptedBit found = EncryptedBit::known(party.evaluator, false);
      for (const EncryptedWord& other : theirs) found |= mine[i] == other;
      CHECK(party.decryptor.decrypt(found.value()) == (i % 3 == 0 && i * 500 < 6000));
    }
  });
  CHECK(common <= 992);  // 1520 if each gate refreshed for itself; 944 planned
}

TEST_CASE("threads share bits that gates refresh", "[gate][shared]") {
  const Party party("cnt-mini");
  const EncryptedWord x = party.word(11, 4);
  const EncryptedWord y = party.word(6, 4);
  std::array<std::uint64_t, 4> numbers{};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    threads.emplace_back([&, i] { numbers.at(i) = party.number(i % 2 == 0 ? x * y : max(y, x)); });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(numbers == std::array<std::uint64_t, 4>{2, 11, 2, 11});
}

TEST_CASE("shared ciphertexts keep to the policy, and to the key", "[gate][shared]") {
  const Party never("cnt-toy", RefreshPolicy::never());
  CHECK_THROWS_MATCHES(never.evaluator.and_gate(never.shared(true), never.shared(true)), Error,
                       HasCode(ErrorCode::noise_exceeded, "never"));
  CHECK(never.bit(never.evaluator.xor_gate(never.shared(true), never.shared(false))));

  const Party automatic("cnt-toy");
  int asked = 0;
  const Party asking("cnt-toy", RefreshPolicy::callback([&](const Ciphertext& c) {
                       ++asked;
                       return automatic.evaluator.recrypt(c);
                     }));
  const SharedCiphertext a = asking.shared(true);
  CHECK(asking.bit(asking.evaluator.and_gate(a, asking.shared(true))));
  const int once = asked;
  CHECK(asking.bit(asking.evaluator.and_gate(a, a)));
  CHECK(asked == once);

  const Party other("cnt-mini");
  CHECK_THROWS_MATCHES(automatic.evaluator.xor_gate(a, other.shared(true)), Error,
                       HasCode(ErrorCode::wrong_key));
  CHECK_THROWS_MATCHES(asking.evaluator.and_gate(other.shared(true), other.shared(true)), Error,
                       HasCode(ErrorCode::wrong_key));
  const SharedCiphertext huge(Ciphertext(automatic.keys.public_key.modulus(), NoiseBound(),
                                         automatic.keys.public_key.id()));
  CHECK_THROWS_MATCHES(automatic.evaluator.not_gate(huge), Error,
                       HasCode(ErrorCode::invalid_argument));
}

}  // namespace fhe::test
