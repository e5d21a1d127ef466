// SPDX-License-Identifier: Apache-2.0
// Numbers in slots under a secret key: arithmetic against plain numbers modulo Q, up to the limit
// of the noise, with the worst that can be drawn, and what is refused.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "libfhe/scheme/she/compressed_slots.hpp"
#include "libfhe/scheme/she/keys.hpp"
#include "libfhe/scheme/she/parameters.hpp"
#include "libfhe/scheme/she/public_key.hpp"
#include "libfhe/scheme/she/secret_slots.hpp"
#include "libfhe/scheme/she/slots.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/monitors.hpp"

namespace fhe::test {

namespace {

using she::Arithmetic;
using she::SlotNumbers;
using she::Slots;

const std::vector<std::string> kSlotGroups{"she-128-d0",
                                           "she-128-d1",
                                           "she-128-d1-tight",
                                           "she-128-d1-field",
                                           "she-128-d1-field-tight",
                                           "she-128-d2",
                                           "she-128-d2-tight",
                                           "she-128-d2-bits"};

she::SecretKey slots_key(const std::string& group, const std::string& seed = "slots") {
  return she::KeyGenerator(ParameterSet::named(group)).generate(TestSeed{seed});
}

she::Encryptor slots_encryptor(const she::SecretKey& key, const std::string& seed = "owner") {
  return {key, std::make_shared<TestRandom>(seed)};
}

Integer number_of(std::uint64_t value) {
  return Integer(static_cast<unsigned long>(value));
}

// a x + y modulo Q, slot by slot.
SlotNumbers plain_sum(const SlotNumbers& x, std::int64_t a, const SlotNumbers& y, std::uint64_t q) {
  const auto modulus = static_cast<std::int64_t>(q);
  const auto factor = static_cast<std::uint64_t>((a % modulus + modulus) % modulus);
  SlotNumbers result(x.size());
  for (std::size_t j = 0; j < x.size(); ++j) result[j] = (x[j] * factor + y[j]) % q;
  return result;
}

SlotNumbers plain_product(const SlotNumbers& x, const SlotNumbers& y, std::uint64_t q) {
  SlotNumbers result;
  for (std::size_t j = 0; j < x.size(); ++j) result.push_back(x[j] * y[j] % q);
  return result;
}

// A ciphertext and what it must decrypt to.
struct Known {
  Slots slots;
  SlotNumbers numbers;
};

// Encrypts as whoever can under a group: the owner of the key, or everybody.
class AnyEncryptor {
 public:
  explicit AnyEncryptor(const std::string& group, const std::string& seed = "any") {
    const she::KeyGenerator generator(ParameterSet::named(group));
    const auto random = std::make_shared<TestRandom>(seed);
    if (she::Parameters(ParameterSet::named(group)).has_public_keys()) {
      she::KeyPair keys = generator.generate_pair(TestSeed{"slots"});
      voter_.emplace(keys.public_key, open_backend(), random);
      key_.emplace(std::move(keys.secret_key));
    } else {
      key_.emplace(generator.generate(TestSeed{"slots"}));
      owner_.emplace(*key_, random);
    }
  }

  [[nodiscard]] const she::SecretKey& key() const { return *key_; }
  [[nodiscard]] Known encrypt(SlotNumbers numbers) const {
    const Slots slots = owner_ ? owner_->encrypt(numbers) : voter_->encrypt(numbers.front());
    return {slots, std::move(numbers)};
  }

 private:
  std::optional<she::SecretKey> key_;
  std::optional<she::Encryptor> owner_;
  std::optional<she::PublicEncryptor> voter_;
};

// Random operations in chains: each takes the result of the one before, until its noise would be
// beyond the limit. The other operand of a product is a unit of Z/Q in every slot, and no operation
// forgets what it is given: a result that were wrong in a slot would make all that follow wrong. So
// the last of a chain, decrypted and compared with plain numbers, speaks for all of them.
class RandomChains {
 public:
  // One operation in `rare` makes more noise than a sum with a new ciphertext does.
  RandomChains(const std::string& group, unsigned seed, std::size_t rare = 8)
      : encryptor_(group, "chains " + std::to_string(seed)),
        decryptor_(encryptor_.key()),
        arithmetic_(encryptor_.key().group()),
        rare_(rare),
        draws_(seed) {}

  // Makes at least as many operations, in whole chains, and decrypts one result in `checked` and
  // the last of each chain.
  void run(std::size_t operations, std::size_t checked) {
    constexpr std::size_t kChainsOfStock = 512;
    while (operations_ < operations) {
      if (chains_ % kChainsOfStock == 0) restock();
      grow_chain(checked);
    }
  }

  [[nodiscard]] std::size_t chains() const { return chains_; }
  // The most room that the last of a chain had left below the limit, in bits.
  [[nodiscard]] double room() const { return room_; }

 private:
  std::size_t draw(std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(draws_);
  }
  [[nodiscard]] std::uint64_t q() const { return arithmetic_.parameters().plaintext; }
  std::uint64_t unit() {
    for (;;) {
      const std::uint64_t number = draw(q());
      if (std::gcd(number, q()) == 1) return number;
    }
  }

  // A unit of either sign, as often short as long.
  std::int64_t constant() {
    const std::uint64_t number = unit() >> draw(16) | 1;
    const std::int64_t a = std::gcd(number, q()) == 1 ? static_cast<std::int64_t>(number) : 1;
    return draw(2) == 0 ? a : -a;
  }

  void restock() {
    constexpr std::size_t kStock = 4;
    stock_.clear();
    units_.clear();
    for (std::size_t i = 0; i < kStock; ++i) {
      SlotNumbers numbers(arithmetic_.parameters().slots);
      for (std::uint64_t& number : numbers) number = draw(q());
      stock_.push_back(encryptor_.encrypt(numbers));
      for (std::uint64_t& number : numbers) number = unit();
      units_.push_back(encryptor_.encrypt(numbers));
    }
  }

  void grow_chain(std::size_t checked) {
    Known x = stock_[draw(stock_.size())];
    const auto extend = [&](auto operation) {
      while (std::optional<Known> made = unless_refused([&] { return (this->*operation)(x); })) {
        x = *std::move(made);
        if (++operations_ % checked == 0) check(x);
      }
    };
    extend(&RandomChains::next);
    extend(&RandomChains::tripled);
    check(x);
    room_ = std::max(room_, static_cast<double>(arithmetic_.parameters().eta - 2) -
                                she::noise_bits(x.slots.noise()));
    ++chains_;
  }

  template <class Operation>
  static std::optional<Known> unless_refused(const Operation& operation) {
    try {
      return operation();
    } catch (const Error& error) {
      INFO(error.what());
      REQUIRE(error.code() == ErrorCode::noise_exceeded);
      return std::nullopt;
    }
  }

  Known next(const Known& x) { return draw(rare_) == 0 ? noisy(x) : quiet(x); }

  Known quiet(const Known& x) {
    const Known& y = stock_[draw(stock_.size())];
    const auto a = static_cast<std::int64_t>(draw(2 * q())) - static_cast<std::int64_t>(q());
    const SlotNumbers zeros(x.numbers.size());
    switch (draw(5)) {
      case 0:
        return {arithmetic_.add(x.slots, y.slots), plain_sum(x.numbers, 1, y.numbers, q())};
      case 1:
        return {arithmetic_.subtract(x.slots, y.slots), plain_sum(y.numbers, -1, x.numbers, q())};
      case 2:
        return {arithmetic_.subtract(y.slots, x.slots), plain_sum(x.numbers, -1, y.numbers, q())};
      case 3:
        return {arithmetic_.add_constant(x.slots, a),
                plain_sum(SlotNumbers(zeros.size(), 1), a, x.numbers, q())};
      default:
        return {arithmetic_.negate(x.slots), plain_sum(x.numbers, -1, zeros, q())};
    }
  }

  Known noisy(const Known& x) {
    const Known& y = units_[draw(units_.size())];
    const std::int64_t a = constant();
    switch (draw(4)) {
      case 0:
        return tripled(x);
      case 1:
        return {arithmetic_.multiply_constant(x.slots, a),
                plain_sum(x.numbers, a, SlotNumbers(x.numbers.size()), q())};
      case 2:
        check(x);  // a square forgets a sign
        return {arithmetic_.square(x.slots), plain_product(x.numbers, x.numbers, q())};
      default:
        return {arithmetic_.multiply(x.slots, y.slots), plain_product(x.numbers, y.numbers, q())};
    }
  }

  // Three is a unit for all Q here.
  Known tripled(const Known& x) {
    return {arithmetic_.sum({x.slots, x.slots, x.slots}),
            plain_sum(x.numbers, 3, SlotNumbers(x.numbers.size()), q())};
  }

  void check(const Known& x) const { REQUIRE(decryptor_.decrypt(x.slots) == x.numbers); }

  AnyEncryptor encryptor_;
  she::Decryptor decryptor_;
  Arithmetic arithmetic_;
  std::size_t rare_;
  std::mt19937_64 draws_;
  std::vector<Known> stock_;  // any numbers
  std::vector<Known> units_;  // units of Z/Q
  std::size_t operations_ = 0;
  std::size_t chains_ = 0;
  double room_ = 0;
};

// The worst that encryption can draw: in every slot the largest number, with the largest noise of
// one sign, in a ciphertext of full length.
Known worst_case(const she::SecretKey& key, bool negative) {
  const she::SecretSlots& secret = *key.contents();
  const she::Parameters& p = secret.parameters();
  const Integer noise = (power_of_two(p.rho) - 1) * (negative ? -1 : 1);
  const std::vector<Integer> residues(
      p.slots, number_of(p.plaintext) * noise + number_of(negative ? 1 : p.plaintext - 1));
  const SecretInteger combined = secret.combine(residues, {});
  const Integer multiples = (power_of_two(p.gamma) - 1 - combined.value()) / secret.product();
  return {Slots(combined.value() + multiples * secret.product(), p.fresh_noise(), key.id()),
          SlotNumbers(p.slots, negative ? 1 : p.plaintext - 1)};
}

// All that the group is made for, on worst cases: sums of two, products, sums of 2^k of them.
void check_worst_case(const std::string& group) {
  CAPTURE(group);
  const she::SecretKey key = slots_key(group);
  const Arithmetic arithmetic(key.group());
  const she::Parameters& p = arithmetic.parameters();
  const she::Decryptor decryptor(key);
  for (const bool negative : {false, true}) {
    Known x = worst_case(key, negative);
    REQUIRE(decryptor.decrypt(x.slots) == x.numbers);
    CHECK(bit_length(x.slots.value()) == p.gamma);
    const auto doubled = [&] {
      x = {arithmetic.add(x.slots, x.slots),
           plain_sum(x.numbers, 2, SlotNumbers(p.slots), p.plaintext)};
    };
    doubled();
    for (std::size_t level = 0; level < std::max<std::size_t>(p.depth, 1); ++level) {
      if (p.depth > 0) {
        x = {arithmetic.square(x.slots), plain_product(x.numbers, x.numbers, p.plaintext)};
      }
      for (std::size_t i = 0; i < p.additions; ++i) doubled();
    }
    CHECK(x.slots.noise() == p.intended_noise());
    CHECK(decryptor.decrypt(x.slots) == x.numbers);
    // The bound is close: what was drawn is the worst but for the number.
    CHECK(she::noise_bits(x.slots.noise()) - she::noise_bits(she::measure_noise(key, x.slots)) <
          0.01 + (negative ? 8 : 0));
    // What does not fit any more is refused.
    while (2 * x.slots.noise() <= p.noise_limit()) doubled();
    CHECK(decryptor.decrypt(x.slots) == x.numbers);
    CHECK_THROWS_MATCHES(arithmetic.add(x.slots, x.slots), Error,
                         HasCode(ErrorCode::noise_exceeded, "nothing is computed"));
  }
}

// Of two products integers are so long that chains with more sums than products take minutes.
void check_long_chains(const std::string& group) {
  const bool is_long = she::Parameters(ParameterSet::named(group)).depth == 2;
  RandomChains chains(group, 2, is_long ? 64 : 8);
  chains.run(100'000, 5000);
  CHECK(chains.chains() > 100);
  CHECK(chains.room() < 2);
}

}  // namespace

TEST_CASE("the groups of slots have the sizes of their rules", "[slots]") {
  for (const std::string& name : kSlotGroups) {
    CAPTURE(name);
    const she::Parameters p(ParameterSet::named(name));
    CHECK(p.intended_noise() <= p.noise_limit());
    CHECK(2 * p.intended_noise() > p.noise_limit() / 8);
    CHECK(p.gamma % kLimbBits == 0);
    // Chen-Nguyen's rival without a modulus, and the orthogonal lattice.
    const double length = static_cast<double>(p.gamma);
    const double slots = static_cast<double>(p.slots);
    const double gap = static_cast<double>(p.eta - p.rho);
    CHECK(static_cast<double>(p.rho) + std::log2(length) - std::log2(slots) >= 128);
    CHECK(length - slots * gap >= 46.47 * gap * gap);
  }
  CHECK(she::Parameters(ParameterSet::named("she-128-d1")).gamma == 1908160);
  CHECK(she::Parameters(ParameterSet::named("she-128-d2")).gamma == 14264512);
  CHECK(she::Parameters(ParameterSet::named("she-128-d1")).most_factors() == 2);
  CHECK(she::Parameters(ParameterSet::named("she-128-d2")).most_factors() == 4);
}

TEST_CASE("groups of slots that could fail are refused", "[slots]") {
  const auto refused = [](const std::string& field, const std::string& value,
                          const std::string& what) {
    CAPTURE(field, value);
    CHECK_THROWS_MATCHES(GroupText("she-mini").set(field, value).head("name", "\"mine\"").parse(),
                         Error, HasCode(ErrorCode::invalid_parameters, what));
  };
  CHECK_NOTHROW(GroupText("she-mini").head("name", "\"mine\"").parse());
  refused("eta", "57", "eta = 57 must be at least 58");
  refused("depth", "3", "eta = 60 must be at least");
  refused("gamma", "319", "gamma = 319 must be at least slots eta + 2 lambda = 320");
  refused("plaintext", "1", "plaintext = 1");
  refused("slots", "0", "slots = 0");
  refused("tau", "10", "tau and alpha go together");
  refused("adder", "\"ctr\"", "unknown field 'adder'");
  CHECK_THROWS_MATCHES(GroupText("she-mini").head("purpose", "\"scheme\"").parse(), Error,
                       HasCode(ErrorCode::invalid_parameters, "cannot have the purpose 'scheme'"));
  CHECK_THROWS_MATCHES(GroupText("cnt-mini").head("purpose", "\"slots\"").parse(), Error,
                       HasCode(ErrorCode::invalid_parameters, "cannot have the purpose 'slots'"));
}

TEST_CASE("groups of bits and of slots have key generators of their own", "[slots]") {
  CHECK_THROWS_MATCHES(KeyGenerator(ParameterSet::named("she-mini")), Error,
                       HasCode(ErrorCode::invalid_parameters, "she-mini"));
  CHECK_THROWS_MATCHES(she::KeyGenerator(ParameterSet::named("cnt-mini")), Error,
                       HasCode(ErrorCode::invalid_parameters, "cnt-mini"));
  CHECK_THROWS_MATCHES(Arithmetic(ParameterSet::named("cnt-mini")), Error,
                       HasCode(ErrorCode::invalid_parameters));
}

TEST_CASE("keys of slots are what their seeds say, and real ones differ", "[slots]") {
  const she::SecretKey key = slots_key("she-mini");
  CHECK(key.id().test_key);
  CHECK(key.id() == slots_key("she-mini").id());
  CHECK_FALSE(key.id() == slots_key("she-mini", "other").id());
  const she::KeyGenerator generator(ParameterSet::named("she-mini"));
  const she::SecretKey real = generator.generate();
  CHECK_FALSE(real.id().test_key);
  CHECK_FALSE(real.id() == generator.generate().id());
  CHECK_THROWS_MATCHES(slots_encryptor(real), Error, HasCode(ErrorCode::invalid_argument));
  REQUIRE(real.contents()->primes().size() == 5);
  for (const Integer& p : real.contents()->primes()) {
    CHECK(bit_length(p) == 60);
    CHECK(mpz_probab_prime_p(p.get_mpz_t(), 20) != 0);
  }
}

TEST_CASE("primes with a common factor are a flaw", "[slots]") {
  const ParameterSet p = ParameterSet::named("she-mini");
  const auto flaw_of = [&](const std::vector<std::string>& texts) {
    SecretIntegers primes(texts.size());
    for (std::size_t j = 0; j < texts.size(); ++j) primes[j] = Integer(texts[j]);
    return she::SecretSlots(p, std::move(primes), {}).flaw();
  };
  // The next primes after 2^59, and a multiple of 3 twice.
  const std::string a = "576460752303423619";
  const std::string b = "576460752303423649";
  CHECK(flaw_of({a, b, "576460752303423733", "576460752303423737", "576460752303423751"}) ==
        std::nullopt);
  CHECK(flaw_of({a, b, a, "576460752303423737", "576460752303423751"}) != std::nullopt);
  CHECK(flaw_of({"576460752303423489", b, "576460752303423495", "576460752303423737",
                 "576460752303423751"}) != std::nullopt);
}

TEST_CASE("slots decrypt to what was encrypted, whole and compressed", "[slots]") {
  for (const std::string group : {"she-mini", "she-128-d0", "she-128-d1-field"}) {
    CAPTURE(group);
    const she::SecretKey key = slots_key(group);
    const she::Encryptor encryptor = slots_encryptor(key);
    const she::Parameters p(key.group());
    SlotNumbers numbers(p.slots);
    for (std::size_t j = 0; j < p.slots; ++j) numbers[j] = (j * j + 7) % p.plaintext;
    SlotNumbers few = numbers;
    few.resize(3);
    SlotNumbers filled = few;
    filled.resize(p.slots);
    const std::vector<SlotNumbers> rows{numbers, few, {}, SlotNumbers(p.slots, p.plaintext - 1)};
    const std::vector<SlotNumbers> expected{numbers, filled, SlotNumbers(p.slots), rows[3]};

    const she::CompressedSlots compressed = encryptor.encrypt_compressed(rows);
    REQUIRE(compressed.size() == 4);
    for (const Integer& correction : compressed.corrections()) {
      CHECK(correction >= 0);
      CHECK(bit_length(correction) <= p.correction_bits());
    }
    const std::vector<Slots> whole = compressed.expand(key.group());
    CHECK(she::Decryptor(key).decrypt_all(whole) == expected);
    for (const Slots& x : whole) {
      CHECK(x.noise() == p.fresh_noise());
      CHECK(she::measure_noise(key, x) <= x.noise());
      CHECK(bit_length(x.value()) <= p.gamma);
      CHECK(bit_length(x.value()) > p.gamma - 64);
    }
    CHECK(she::Decryptor(key).decrypt_all(encryptor.encrypt_all(rows)) == expected);
  }
}

TEST_CASE("no two encryptions in slots are alike", "[slots]") {
  const she::SecretKey key = she::KeyGenerator(ParameterSet::named("she-mini")).generate();
  const she::Encryptor encryptor(key);
  const Slots one = encryptor.encrypt({1, 2, 3});
  CHECK(one.value() != encryptor.encrypt({1, 2, 3}).value());
  // A source that repeats itself still draws other secrets for other numbers.
  const she::SecretKey test_key = slots_key("she-mini");
  const auto seeds = [&](const SlotNumbers& numbers) {
    return slots_encryptor(test_key).encrypt_compressed({numbers}).seed();
  };
  CHECK(seeds({1, 2, 3}) == seeds({1, 2, 3}));
  CHECK(seeds({1, 2, 3}) != seeds({1, 2, 4}));
}

TEST_CASE("new ciphertexts keep their bound where the largest word is drawn often", "[slots]") {
  // Words of two bits, of which the largest stands for no noise.
  const ParameterSet group = GroupText("she-mini").head("name", "\"own\"").set("rho", 1).parse();
  const she::SecretKey key = she::KeyGenerator(group).generate(TestSeed{"short words"});
  for (const Slots& x : slots_encryptor(key).encrypt_all(std::vector<SlotNumbers>(20))) {
    CHECK(she::measure_noise(key, x) <= x.noise());
  }
}

TEST_CASE("real keys are not made of a group that is broken and claims more", "[slots]") {
  const GroupText mini = GroupText("she-mini").head("name", "\"own\"");
  const ParameterSet broken = GroupText(mini).set("lambda", 100).parse();
  CHECK_THROWS_MATCHES(she::KeyGenerator(broken).generate(), Error,
                       HasCode(ErrorCode::invalid_parameters, "only test keys are made of it"));
  CHECK_NOTHROW(she::KeyGenerator(broken).generate(TestSeed{"test"}));
  CHECK_NOTHROW(she::KeyGenerator(mini.parse()).generate());
}

TEST_CASE("numbers that do not fit are refused", "[slots]") {
  const she::SecretKey key = slots_key("she-mini");
  const she::Encryptor encryptor = slots_encryptor(key);
  CHECK_THROWS_MATCHES(encryptor.encrypt({0, 10}), Error,
                       HasCode(ErrorCode::invalid_argument, "modulus 10"));
  CHECK_THROWS_MATCHES(encryptor.encrypt(SlotNumbers(6)), Error,
                       HasCode(ErrorCode::invalid_argument, "6 numbers are more than the 5 slots"));
}

TEST_CASE("every number and every constant of a small group", "[slots]") {
  const she::SecretKey key = slots_key("she-mini");
  const she::Encryptor encryptor = slots_encryptor(key);
  const she::Decryptor decryptor(key);
  const Arithmetic arithmetic(key.group());
  for (std::uint64_t m = 0; m < 10; ++m) {
    const SlotNumbers numbers{m, 0, 9, 5, m};
    const Slots x = encryptor.encrypt(numbers);
    for (std::int64_t a = -25; a <= 25; ++a) {
      CAPTURE(m, a);
      CHECK(decryptor.decrypt(arithmetic.add_constant(x, a)) ==
            plain_sum(SlotNumbers(5, 1), a, numbers, 10));
      const Slots product = arithmetic.multiply_constant(x, a);
      CHECK(decryptor.decrypt(product) == plain_sum(numbers, a, SlotNumbers(5), 10));
      CHECK(product.noise() <= 8 * x.noise());
    }
    for (std::uint64_t n = 0; n < 10; ++n) {
      const Slots y = encryptor.encrypt(SlotNumbers(5, n));
      CHECK(decryptor.decrypt(arithmetic.multiply(x, y)) ==
            plain_product(numbers, SlotNumbers(5, n), 10));
    }
  }
  const Slots x = encryptor.encrypt({3});
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();  // 2 modulo 10
  CHECK(decryptor.decrypt(arithmetic.multiply_constant(x, kLeast))[0] == 6);
  CHECK(decryptor.decrypt(arithmetic.add_constant(x, kLeast))[0] == 5);
}

TEST_CASE("sums of many slots are what they say", "[slots]") {
  const she::SecretKey key = slots_key("she-mini");
  const she::Encryptor encryptor = slots_encryptor(key);
  const she::Decryptor decryptor(key);
  const Arithmetic arithmetic(key.group());
  std::vector<SlotNumbers> rows;
  for (std::uint64_t i = 0; i < 7; ++i) rows.push_back({i, 9 - i, 2 * i % 10, 1, 0});
  const std::vector<Slots> xs = encryptor.encrypt_all(rows);
  const std::vector<Slots> ys(xs.rbegin(), xs.rend());
  const std::vector<std::int64_t> as{1, -1, 2, 0, 7, -12, 100};
  SlotNumbers sum(5);
  SlotNumbers weighted(5);
  SlotNumbers inner(5);
  for (std::size_t i = 0; i < xs.size(); ++i) {
    sum = plain_sum(rows[i], 1, sum, 10);
    weighted = plain_sum(rows[i], as[i], weighted, 10);
    inner = plain_sum(plain_product(rows[i], rows[6 - i], 10), 1, inner, 10);
  }
  CHECK(decryptor.decrypt(arithmetic.sum(xs)) == sum);
  CHECK(decryptor.decrypt(arithmetic.weighted_sum(xs, as)) == weighted);
  CHECK(decryptor.decrypt(arithmetic.inner_sum(xs, ys)) == inner);
  CHECK(arithmetic.sum(xs).noise() == 7 * xs[0].noise());
  CHECK(arithmetic.inner_sum(xs, ys).noise() == 7 * xs[0].noise() * xs[0].noise());
  const HasCode invalid(ErrorCode::invalid_argument);
  CHECK_THROWS_MATCHES(arithmetic.sum({}), Error, invalid);
  CHECK_THROWS_MATCHES(arithmetic.inner_sum({}, {}), Error, invalid);
  CHECK_THROWS_MATCHES(arithmetic.weighted_sum(xs, {1, 2}), Error, invalid);
  CHECK_THROWS_MATCHES(arithmetic.inner_sum(xs, {xs[0]}), Error, invalid);
  CHECK_THROWS_MATCHES(arithmetic.inner_sum({xs[0]}, xs), Error, invalid);
}

// Constants of as many bits leave one bound.
TEST_CASE("bounds on noise do not state the constants", "[slots]") {
  const she::SecretKey key = slots_key("she-128-d0");
  const Arithmetic arithmetic(key.group());
  const std::vector<Slots> xs = slots_encryptor(key).encrypt_all({{1, 2}, {3}, {4, 5}});
  const Slots& x = xs.front();
  const Integer fresh = x.noise();
  const auto half = static_cast<std::int64_t>(arithmetic.parameters().plaintext / 2);
  const std::vector<std::int64_t> powers{1, 2, 4, 8, 16, 1024};
  for (const std::int64_t power : powers) {
    for (const std::int64_t a : {power, -power, power / 2 + 1}) {
      CAPTURE(power, a);
      CHECK(arithmetic.multiply_constant(x, a).noise() == fresh * Integer(power));
      CHECK(arithmetic.add_constant(x, a).noise() == fresh + Integer(half));
    }
  }
  CHECK(arithmetic.add_constant(x, 0).noise() == arithmetic.add_constant(x, half).noise());
  CHECK(arithmetic.weighted_sum(xs, {1, -1, 1}).noise() == 4 * fresh);
  CHECK(arithmetic.weighted_sum(xs, {5, 1, -2}).noise() == 8 * fresh);
  CHECK(arithmetic.weighted_sum(xs, {5, 1, -3}).noise() == 16 * fresh);
  CHECK(arithmetic.weighted_sum(xs, {3, 0, 4}).noise() == 8 * fresh);
  CHECK(arithmetic.sum(xs).noise() == 3 * fresh);
  const std::vector<Slots> mixed{x, arithmetic.sum(xs)};
  CHECK(arithmetic.weighted_sum(mixed, {7, 5}).noise() == 3 * 8 * fresh);
}

// Rounding takes nothing that fits: the limit is public too.
TEST_CASE("rounded bounds refuse nothing that decrypts", "[slots]") {
  const she::SecretKey key = slots_key("she-128-d0");
  const Arithmetic arithmetic(key.group());
  const Integer limit = arithmetic.parameters().noise_limit();
  const Slots x = slots_encryptor(key).encrypt({1, 2});
  const auto claiming = [&](const Integer& noise) { return Slots(x.value(), noise, x.key()); };
  const HasCode refused(ErrorCode::noise_exceeded);
  CHECK(arithmetic.multiply_constant(claiming(limit / 5), 5).noise() == limit);
  CHECK(arithmetic.weighted_sum({claiming(limit / 5)}, {-5}).noise() == limit);
  CHECK_THROWS_MATCHES(arithmetic.multiply_constant(claiming(limit / 5 + 1), 5), Error, refused);
  CHECK(arithmetic.add_constant(claiming(limit - 5), 5).noise() == limit);
  CHECK_THROWS_MATCHES(arithmetic.add_constant(claiming(limit - 5), 6), Error, refused);
}

// Weights that add up to 2^k at every level, after constants of half of Q.
TEST_CASE("constants fit into the depth that every group is made for", "[slots]") {
  for (const std::string& name : kSlotGroups) {
    CAPTURE(name);
    const ParameterSet group = ParameterSet::named(name);
    const Arithmetic arithmetic(group);
    const she::Parameters& p = arithmetic.parameters();
    const KeyId id{group.name(), {}, true};
    // The values do not matter; short ones take no time.
    Slots x(1, p.fresh_noise(), id);
    x = arithmetic.add_constant(x, 1);
    for (std::size_t level = 0; level < std::max<std::size_t>(p.depth, 1); ++level) {
      if (p.depth > 0) x = arithmetic.square(x);
      const auto whole = std::int64_t{1} << std::min<std::size_t>(p.additions, 30);
      const std::int64_t part = std::min(whole, static_cast<std::int64_t>(p.plaintext) / 2);
      std::vector<Slots> xs(static_cast<std::size_t>(whole / part), x);
      x = arithmetic.weighted_sum(
          xs, std::vector<std::int64_t>(xs.size(), std::max<std::int64_t>(part - 1, 1)));
    }
    CHECK(x.noise() <= p.intended_noise());
  }
}

TEST_CASE("what could fail to decrypt is refused before it is computed", "[slots]") {
  const she::SecretKey key = slots_key("she-mini");
  const BackendPtr backend = open_backend();
  const Arithmetic arithmetic(key.group(), backend);
  Slots x = slots_encryptor(key).encrypt({1, 2, 3});
  while (2 * x.noise() <= arithmetic.parameters().noise_limit()) x = arithmetic.add(x, x);
  const HasCode refused(ErrorCode::noise_exceeded, "58 bits: nothing is computed");
  const auto multiplications = backend->counts().multiplications;
  const std::vector<Slots> xs{x, x};
  CHECK_THROWS_MATCHES(arithmetic.add(x, x), Error, refused);
  CHECK_THROWS_MATCHES(arithmetic.subtract(x, x), Error, refused);
  CHECK_THROWS_MATCHES(arithmetic.multiply(x, x), Error, refused);
  CHECK_THROWS_MATCHES(arithmetic.square(x), Error, refused);
  CHECK_THROWS_MATCHES(arithmetic.multiply_constant(x, 2), Error, refused);
  CHECK_THROWS_MATCHES(arithmetic.sum(xs), Error, refused);
  CHECK_THROWS_MATCHES(arithmetic.weighted_sum(xs, {1, -1}), Error, refused);
  CHECK_THROWS_MATCHES(arithmetic.inner_sum(xs, xs), Error, refused);
  // Each product would decrypt, and their sum would not.
  const Slots half(x.value(), sqrt(arithmetic.parameters().noise_limit()), x.key());
  CHECK_THROWS_MATCHES(arithmetic.inner_sum({half, half}, {half, half}), Error, refused);
  CHECK(backend->counts().multiplications == multiplications);
  CHECK_NOTHROW(arithmetic.inner_sum({half}, {half}));
  const Slots full(x.value(), arithmetic.parameters().noise_limit(), x.key());
  CHECK_THROWS_MATCHES(arithmetic.add_constant(full, 1), Error, refused);
  CHECK_NOTHROW(arithmetic.negate(full));
}

TEST_CASE("slots that claim what cannot be are refused", "[slots]") {
  const she::SecretKey key = slots_key("she-mini");
  const Arithmetic arithmetic(key.group());
  const she::Decryptor decryptor(key);
  const she::Parameters& p = arithmetic.parameters();
  const Slots x = slots_encryptor(key).encrypt({1, 2, 3});
  const auto refused = [&](const Integer& value, const Integer& noise, ErrorCode code) {
    const Slots forged(value, noise, x.key());
    CHECK_THROWS_MATCHES(arithmetic.negate(forged), Error, HasCode(code));
    CHECK_THROWS_MATCHES(arithmetic.add(x, forged), Error, HasCode(code));
    CHECK_THROWS_MATCHES(decryptor.decrypt(forged), Error, HasCode(code));
    CHECK_THROWS_MATCHES(she::measure_noise(key, forged), Error, HasCode(code));
  };
  refused(x.value(), -1, ErrorCode::invalid_argument);
  refused(x.value(), p.noise_limit() + 1, ErrorCode::noise_exceeded);
  refused(power_of_two(p.most_bits()), 1, ErrorCode::invalid_argument);
  refused(-power_of_two(p.most_bits()), 1, ErrorCode::invalid_argument);
  const Slots longest(power_of_two(p.most_bits()) - 1, 1, x.key());
  CHECK_THROWS_MATCHES(arithmetic.multiply(longest, x), Error,
                       HasCode(ErrorCode::invalid_argument, "claims less noise than it has"));

  // With less noise than there is, also in one slot only, nothing is decrypted.
  const Integer noise = she::measure_noise(key, x);
  CHECK_NOTHROW(decryptor.decrypt(Slots(x.value(), noise, x.key())));
  const std::vector<Slots> forged{x, Slots(x.value(), noise - 1, x.key())};
  CHECK_THROWS_MATCHES(decryptor.decrypt_all(forged), Error,
                       HasCode(ErrorCode::noise_exceeded, "ciphertext 1 of 2, counted from 0"));
  CHECK_THROWS_MATCHES(decryptor.decrypt(Slots(x.value() / 3, noise, x.key())), Error,
                       HasCode(ErrorCode::noise_exceeded));
}

TEST_CASE("slots of different keys and groups never mix", "[slots]") {
  const she::SecretKey key = slots_key("she-mini");
  const she::SecretKey other = slots_key("she-mini", "other");
  const Slots x = slots_encryptor(key).encrypt({1});
  const Slots y = slots_encryptor(other).encrypt({1});
  const Arithmetic arithmetic(key.group());
  const HasCode wrong(ErrorCode::wrong_key);
  CHECK_THROWS_MATCHES(arithmetic.add(x, y), Error, wrong);
  CHECK_THROWS_MATCHES(arithmetic.multiply(x, y), Error, wrong);
  CHECK_THROWS_MATCHES(arithmetic.sum({x, x, y}), Error, wrong);
  CHECK_THROWS_MATCHES(arithmetic.inner_sum({x, x}, {x, y}), Error, wrong);
  CHECK_THROWS_MATCHES(she::Decryptor(key).decrypt(y), Error, wrong);
  const ParameterSet field = ParameterSet::named("she-128-d1-field");
  CHECK_THROWS_MATCHES(Arithmetic(field).negate(x), Error, wrong);
  const she::CompressedSlots compressed = slots_encryptor(key).encrypt_compressed({{1}});
  CHECK_THROWS_MATCHES(compressed.expand(field), Error, wrong);
  const she::CompressedSlots altered(compressed.seed(), {power_of_two(310)}, compressed.key());
  CHECK_THROWS_MATCHES(altered.expand(key.group()), Error,
                       HasCode(ErrorCode::invalid_argument, "310 bits: it was altered"));
}

TEST_CASE("work on slots can be stopped", "[slots]") {
  const Monitor stopped = stopped_monitor();
  const HasCode is_stopped(ErrorCode::stopped);
  const she::KeyGenerator generator(ParameterSet::named("she-mini"));
  CHECK_THROWS_MATCHES(generator.generate(stopped), Error, is_stopped);
  const she::SecretKey key = slots_key("she-mini");
  const she::Encryptor encryptor = slots_encryptor(key);
  CHECK_THROWS_MATCHES(encryptor.encrypt({1}, stopped), Error, is_stopped);
  const Slots x = encryptor.encrypt({1});
  const Arithmetic arithmetic(key.group());
  CHECK_THROWS_MATCHES(arithmetic.sum({x}, stopped), Error, is_stopped);
  CHECK_THROWS_MATCHES(arithmetic.inner_sum({x}, {x}, stopped), Error, is_stopped);
  CHECK_THROWS_MATCHES(she::Decryptor(key).decrypt_all({x}, stopped), Error, is_stopped);
}

TEST_CASE("the worst that can be drawn decrypts at the allowed depth", "[slots]") {
  for (const std::string group :
       {"she-mini", "she-128-d0", "she-128-d1", "she-128-d1-field", "she-128-d2-bits"}) {
    check_worst_case(group);
  }
}

TEST_CASE("the worst that can be drawn decrypts in every group of slots", "[slots][long]") {
  for (const std::string& group : kSlotGroups) check_worst_case(group);
}

TEST_CASE("random slot operations agree with plain numbers", "[slots]") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    RandomChains chains("she-mini", seed);
    chains.run(600, 1);
    CHECK(chains.chains() > 5);
    CHECK(chains.room() < 2);
  }
  for (const std::string group :
       {"she-128-d0", "she-128-d1", "she-128-d1-field", "she-128-d2-bits", "she-128-ballot"}) {
    CAPTURE(group);
    RandomChains(group, 1).run(100, 30);
  }
}

TEST_CASE("100,000 random slot operations agree with plain numbers: she-128-d0", "[slots][long]") {
  check_long_chains("she-128-d0");
}

TEST_CASE("100,000 random slot operations agree with plain numbers: she-128-d1", "[slots][long]") {
  check_long_chains("she-128-d1");
}

TEST_CASE("100,000 random slot operations agree with plain numbers: she-128-d1-tight",
          "[slots][long]") {
  check_long_chains("she-128-d1-tight");
}

TEST_CASE("100,000 random slot operations agree with plain numbers: she-128-d1-field",
          "[slots][long]") {
  check_long_chains("she-128-d1-field");
}

TEST_CASE("100,000 random slot operations agree with plain numbers: she-128-d1-field-tight",
          "[slots][long]") {
  check_long_chains("she-128-d1-field-tight");
}

TEST_CASE("100,000 random slot operations agree with plain numbers: she-128-d2", "[slots][long]") {
  check_long_chains("she-128-d2");
}

TEST_CASE("100,000 random slot operations agree with plain numbers: she-128-d2-tight",
          "[slots][long]") {
  check_long_chains("she-128-d2-tight");
}

TEST_CASE("100,000 random slot operations agree with plain numbers: she-128-d2-bits",
          "[slots][long]") {
  check_long_chains("she-128-d2-bits");
}

TEST_CASE("100,000 random slot operations agree with plain numbers: she-128-ballot",
          "[slots][long]") {
  check_long_chains("she-128-ballot");
}

}  // namespace fhe::test
