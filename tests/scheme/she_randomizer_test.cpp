// SPDX-License-Identifier: Apache-2.0
// Answers to which random encryptions of zero are added: their numbers, their noise, what they do
// not show, and what is refused.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libfhe/random/hedged_random.hpp"
#include "libfhe/scheme/she/keys.hpp"
#include "libfhe/scheme/she/randomizer.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/monitors.hpp"

namespace fhe::test {

namespace {

using she::Randomizer;
using she::SlotNumbers;
using she::Slots;

// The owner of a key, who publishes encryptions of zero, and a server that has them.
class Hidden {
 public:
  explicit Hidden(const ParameterSet& group, she::Hiding hiding = she::Hiding::estimated)
      : key(she::KeyGenerator(group).generate(TestSeed{"hidden"})),
        owner(key, std::make_shared<TestRandom>("hidden")),
        arithmetic(group),
        zeros(owner.encrypt_all(std::vector<SlotNumbers>(she::zeros_needed(group, hiding)))),
        randomizer(group, zeros, she::kZeroWeightBits, std::make_shared<TestRandom>("server")) {
    for (const Slots& zero : zeros) modulus = std::max(modulus, zero.value());
  }

  she::SecretKey key;
  she::Encryptor owner;
  she::Arithmetic arithmetic;
  std::vector<Slots> zeros;
  Randomizer randomizer;
  Integer modulus;
};

ParameterSet one_slot() {
  return GroupText("she-mini").head("name", "\"one-slot\"").set("slots", "1").parse();
}

// 2^w N + |A|/M + 2 times the noise of a new ciphertext more, rounded up to a power of two.
void check_bound(const Hidden& hidden, const Slots& answer, const Slots& made) {
  const she::Parameters& p = hidden.arithmetic.parameters();
  const Integer times = abs(answer.value()) / hidden.modulus + 2 +
                        Integer(static_cast<unsigned long>((hidden.zeros.size() - 1) << 8));
  const Integer exact = answer.noise() + times * p.fresh_noise();
  Integer rounded = p.fresh_noise();
  while (rounded < exact) rounded *= 2;
  CHECK(made.noise() == rounded);
  CHECK(she::measure_noise(hidden.key, made) <= exact);
}

// How far the mean of T / M over many T is from 1/2, in deviations of the mean of uniform numbers.
double bias(const std::vector<Slots>& made, const Integer& modulus) {
  double sum = 0;
  for (const Slots& x : made) sum += Integer(1000000 * x.value() / modulus).get_d() / 1e6;
  const double count = static_cast<double>(made.size());
  return (sum / count - 0.5) * std::sqrt(12 * count);
}

}  // namespace

TEST_CASE("hidden answers have the numbers of the answers", "[slots][hiding]") {
  for (const ParameterSet& group : {one_slot(), ParameterSet::named("she-mini")}) {
    CAPTURE(group.name());
    const Hidden hidden(group);
    const she::Decryptor decryptor(hidden.key);
    const std::vector<Slots> xs = hidden.owner.encrypt_all({{3}, {9}, {0}, {7}});
    const std::vector<std::vector<std::int64_t>> weights{
        {1, 0, 0, 0}, {-5, 4, 3, -2}, {-1, -1, -1, -1}, {0, 0, 0, 0}, {5, 5, 5, 5}};
    std::vector<Slots> answers;
    for (const auto& as : weights) answers.push_back(hidden.arithmetic.weighted_sum(xs, as));
    const std::vector<Slots> made = hidden.randomizer.randomize_all(answers);
    REQUIRE(made.size() == answers.size());
    CHECK(decryptor.decrypt_all(made) == decryptor.decrypt_all(answers));
    for (std::size_t i = 0; i < made.size(); ++i) {
      CAPTURE(i);
      CHECK(made[i].value() >= 0);
      CHECK(made[i].value() < hidden.modulus);
      CHECK(made[i].key() == hidden.key.id());
      check_bound(hidden, answers[i], made[i]);
    }
    CHECK(made.front().noise() == made.back().noise());
  }
}

// Neither the size of an answer nor its leading bits are left.
TEST_CASE("hidden answers are spread evenly, whatever was hidden", "[slots][hiding]") {
  const Hidden hidden(one_slot());
  const Slots x = hidden.owner.encrypt({3});
  for (const std::int64_t constant : {0, 1, -5, 5}) {
    CAPTURE(constant);
    Slots answer = hidden.arithmetic.multiply_constant(x, constant);
    for (int doubled = 0; doubled < 12; ++doubled) answer = hidden.arithmetic.add(answer, answer);
    const auto made = hidden.randomizer.randomize_all(std::vector<Slots>(2000, answer));
    CHECK(std::abs(bias(made, hidden.modulus)) < 5);
    CHECK(std::ranges::adjacent_find(made, {}, &Slots::value) == made.end());
  }
}

TEST_CASE("hiding is the formula, drawn in a fixed order", "[slots][hiding]") {
  const Hidden hidden(one_slot());
  const Slots x = hidden.arithmetic.negate(hidden.owner.encrypt({3}));
  constexpr std::size_t kBits = 8;
  const auto made =
      Randomizer(hidden.key.group(), hidden.zeros, kBits, std::make_shared<TestRandom>("formula"))
          .randomize(x)
          .value();
  TestRandom source("formula");
  const std::vector<Limb> facts{1, kBits};  // the answer is negative
  const std::vector<std::span<const Limb>> rows{limbs_of(x.value()), limbs_of(hidden.modulus),
                                                facts};
  HedgedRandom random(source, encryption_context(x.key().digest, rows));
  std::vector<Limb> weights(hidden.zeros.size() - 1);
  random.fill(std::as_writable_bytes(std::span(weights)));
  Integer sum = x.value();
  auto weight = weights.begin();
  for (const Slots& zero : hidden.zeros) {
    if (zero.value() == hidden.modulus) continue;
    const Integer top(*weight++ >> (kLimbBits - kBits));
    sum += (top - (1 << (kBits - 1))) * zero.value();
  }
  CHECK((made - sum) % hidden.modulus == 0);
}

TEST_CASE("weights follow from the answer and from the source", "[slots][hiding]") {
  const Hidden hidden(one_slot());
  const Slots x = hidden.owner.encrypt({3});
  const Slots y = hidden.arithmetic.multiply_constant(x, 3);
  const auto made = [&](const Slots& answer, const std::string& seed = "state") {
    return Randomizer(hidden.key.group(), hidden.zeros, she::kZeroWeightBits,
                      std::make_shared<TestRandom>(seed))
        .randomize(answer)
        .value();
  };
  CHECK(made(x) == made(x));
  CHECK(made(x) != made(x, "other"));
  const Integer shift = made(y) - made(x) - (y.value() - x.value());
  CHECK(shift % hidden.modulus != 0);
  const Integer mirrored = made(hidden.arithmetic.negate(x)) - made(x) + 2 * x.value();
  CHECK(mirrored % hidden.modulus != 0);
}

TEST_CASE("as many zeros as are proven to hide say so", "[slots][hiding]") {
  CHECK(Hidden(one_slot()).randomizer.hiding() == she::Hiding::estimated);
  CHECK(Hidden(one_slot(), she::Hiding::proven).randomizer.hiding() == she::Hiding::proven);
  CHECK(she::zeros_needed(one_slot(), she::Hiding::proven) == (512 + 21 + 7) / 8 + 1);
  CHECK(she::zeros_needed(one_slot(), she::Hiding::proven, 32) == 64 + 21 + 1);
}

TEST_CASE("what would hide nothing, or not decrypt, is refused", "[slots][hiding]") {
  const Hidden hidden(one_slot());
  const ParameterSet& group = hidden.key.group();
  const auto refused = [&](const std::vector<Slots>& zeros, const std::string& what) {
    CHECK_THROWS_MATCHES(Randomizer(group, zeros), Error,
                         HasCode(ErrorCode::invalid_argument, what));
  };
  std::vector<Slots> zeros = hidden.zeros;
  zeros.pop_back();
  refused(zeros, "the owner of the key must publish " + std::to_string(hidden.zeros.size()));
  refused({}, "fewer than two");
  zeros.push_back(zeros.front());
  refused(zeros, "are equal");
  zeros.back() = hidden.arithmetic.add(zeros[1], zeros[2]);
  refused(zeros, "no new ciphertext");
  zeros.back() = hidden.arithmetic.negate(hidden.zeros.back());
  refused(zeros, "no new ciphertext");
  CHECK_THROWS_MATCHES(Randomizer(group, hidden.zeros, 0), Error,
                       HasCode(ErrorCode::invalid_argument, "weights of 0 bits"));
  CHECK_THROWS_MATCHES(Randomizer(group, hidden.zeros, 33), Error,
                       HasCode(ErrorCode::invalid_argument, "1 to 32"));
  CHECK_THROWS_MATCHES(Randomizer(ParameterSet::named("she-mini"), hidden.zeros), Error,
                       HasCode(ErrorCode::wrong_key));
  const she::SecretKey other = she::KeyGenerator(group).generate();
  const std::vector<Slots> others =
      she::Encryptor(other).encrypt_all(std::vector<SlotNumbers>(hidden.zeros.size()));
  zeros.back() = others.back();
  CHECK_THROWS_MATCHES(Randomizer(group, zeros), Error, HasCode(ErrorCode::wrong_key));
  CHECK_THROWS_MATCHES(hidden.randomizer.randomize(others.front()), Error,
                       HasCode(ErrorCode::wrong_key));
  CHECK_THROWS_MATCHES(
      Randomizer(group, others, she::kZeroWeightBits, std::make_shared<TestRandom>("test")), Error,
      HasCode(ErrorCode::invalid_argument, "real key"));
  CHECK_THROWS_MATCHES(hidden.randomizer.randomize_all(hidden.zeros, stopped_monitor()), Error,
                       HasCode(ErrorCode::stopped));
  const Slots product = hidden.arithmetic.square(hidden.zeros.front());
  CHECK_THROWS_MATCHES(hidden.randomizer.randomize(product), Error,
                       HasCode(ErrorCode::noise_exceeded, "the hidden answer"));
}

TEST_CASE("groups whose answers cannot be hidden are refused with the figures", "[slots][hiding]") {
  const auto refused = [](const std::string& group, const std::string& what) {
    CAPTURE(group);
    CHECK_THROWS_MATCHES(she::zeros_needed(ParameterSet::named(group), she::Hiding::estimated),
                         Error, HasCode(ErrorCode::unsupported, what));
  };
  refused("she-128-d0", "157.4 bits of noise, and numbers decrypt up to 148");
  refused("she-128-d1", "18292 encryptions of zero, which are 2397.9 MB");
}

TEST_CASE("sums of votes are hidden at full size", "[slots][hiding]") {
  const ParameterSet group = ParameterSet::named("she-128-tally");
  const she::KeyPair keys = she::KeyGenerator(group).generate_pair(TestSeed{"hidden"});
  const she::Arithmetic arithmetic(group);
  const std::size_t count = she::zeros_needed(group, she::Hiding::proven, 16);
  const std::vector<Slots> zeros =
      she::Encryptor(keys.secret_key, std::make_shared<TestRandom>("z"))
          .encrypt_all(std::vector<SlotNumbers>(count));
  const Randomizer randomizer(group, zeros, 16);
  CHECK(randomizer.hiding() == she::Hiding::proven);
  const she::PublicEncryptor voter(keys.public_key);
  const Slots sum = arithmetic.sum(voter.encrypt_all({1, 0, 1, 65535, 7}));
  const Slots made = randomizer.randomize(sum);
  CHECK(she::Decryptor(keys.secret_key).decrypt(made) == SlotNumbers{8});
  CHECK(she::measure_noise(keys.secret_key, made) <= made.noise());
}

}  // namespace fhe::test
