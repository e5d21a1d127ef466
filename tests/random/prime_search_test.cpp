// SPDX-License-Identifier: Apache-2.0
// Searches side by side find what uniform_prime() finds, whatever tells the composites.
#include "libfhe/random/prime_search.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "libfhe/arith/registry.hpp"
#include "libfhe/error.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/random/buffered_random.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"

namespace fhe::test {

namespace {

// A stream that can be repeated and does not say so.
class Unmarked final : public SecretRandom {
 public:
  explicit Unmarked(const std::string& seed) : random_(seed) {}
  void fill(std::span<std::byte> out) override { random_.fill(out); }
  [[nodiscard]] std::unique_ptr<SecretRandom> split(std::uint64_t index) const override {
    return random_.split(index);
  }
  [[nodiscard]] bool is_test() const override { return false; }

 private:
  TestRandom random_;
};

// Every byte is the same.
class Stuck final : public SecretRandom {
 public:
  explicit Stuck(std::byte value) : value_(value) {}
  void fill(std::span<std::byte> out) override { std::ranges::fill(out, value_); }
  [[nodiscard]] std::unique_ptr<SecretRandom> split(std::uint64_t) const override {
    return std::make_unique<Stuck>(value_);
  }
  [[nodiscard]] bool is_test() const override { return false; }

 private:
  std::byte value_;
};

// Asks for a stop at its first draw.
class StopsWhenDrawn final : public SecretRandom {
 public:
  explicit StopsWhenDrawn(std::stop_source stop) : stop_(std::move(stop)) {}
  void fill(std::span<std::byte> out) override {
    stop_.request_stop();
    random_.fill(out);
  }
  [[nodiscard]] std::unique_ptr<SecretRandom> split(std::uint64_t index) const override {
    return random_.split(index);
  }
  [[nodiscard]] bool is_test() const override { return true; }

 private:
  std::stop_source stop_;
  TestRandom random_{"stop"};
};

// A test with one answer to everything.
class OneAnswer final : public FermatTest {
 public:
  OneAnswer(std::size_t limbs, bool answer) : limbs_(limbs), answer_(answer) {}
  [[nodiscard]] std::size_t width() const override { return 5; }
  [[nodiscard]] std::vector<bool> passes(std::span<const Limb> numbers) const override {
    return std::vector<bool>(numbers.size() / limbs_, answer_);
  }

 private:
  std::size_t limbs_;
  bool answer_;
};

class BackendOfOneAnswer final : public Backend {
 public:
  explicit BackendOfOneAnswer(bool answer) : answer_(answer) {}
  [[nodiscard]] BackendInfo info() const override { return {}; }
  [[nodiscard]] Integer multiply(const Integer& x, const Integer& y) const override {
    return x * y;
  }
  [[nodiscard]] std::unique_ptr<FermatTest> fermat_test(std::size_t bits) const override {
    return std::make_unique<OneAnswer>(limbs_for_bits(bits), answer_);
  }

 private:
  bool answer_;
};

std::string seed_of(std::size_t bits, std::size_t index) {
  return "prime search " + std::to_string(bits) + "/" + std::to_string(index);
}

// `count` searches at once, from the same seeds as uniform_prime().
void check_primes(const Backend& backend, std::size_t bits, std::size_t count) {
  CAPTURE(bits, count);
  std::vector<std::unique_ptr<SecretRandom>> sources;
  std::vector<SecretRandom*> places;
  for (std::size_t i = 0; i < count; ++i) {
    sources.push_back(std::make_unique<TestRandom>(seed_of(bits, i)));
    places.push_back(sources.back().get());
  }
  const SecretIntegers primes = PrimeSearch(backend, bits).primes(places);
  REQUIRE(primes.size() == count);
  std::size_t different = 0;
  for (std::size_t i = 0; i < count; ++i) {
    TestRandom random(seed_of(bits, i));
    if (primes[i] != uniform_prime(random, bits)) ++different;
  }
  CHECK(different == 0);
}

}  // namespace

TEST_CASE("searches side by side find the primes of single ones", "[primes]") {
  for (const char* const name : {"auto", "ntl"}) {
    CAPTURE(name);
    const BackendPtr backend = open_backend(name);
    for (const std::size_t bits : {2U, 31U, 32U, 33U, 52U, 53U, 64U, 65U, 66U, 84U, 104U, 105U,
                                   124U, 128U, 129U, 144U, 157U, 320U}) {
      check_primes(*backend, bits, 70);
    }
    for (const std::size_t bits : {208U, 256U, 260U, 312U, 313U, 416U, 504U, 572U, 624U, 625U}) {
      check_primes(*backend, bits, 6);
    }
    check_primes(*backend, 84, 1);
    check_primes(*backend, 84, 1000);
    check_primes(*backend, 988, 2);
    check_primes(*backend, 84, 0);
  }
}

TEST_CASE("a search takes no composite that its test lets pass", "[primes]") {
  check_primes(BackendOfOneAnswer(true), 84, 20);
  check_primes(BackendOfOneAnswer(true), 144, 20);
}

TEST_CASE("a search for one prime finds that of uniform_prime()", "[primes]") {
  const BackendPtr backend = open_backend();
  for (const std::size_t bits : {40U, 84U, 576U, 988U}) {
    CAPTURE(bits);
    const PrimeSearch search(*backend, bits);
    for (std::size_t i = 0; i < 3; ++i) {
      TestRandom expected(seed_of(bits, i));
      const Integer prime = uniform_prime(expected, bits);
      Unmarked unmarked(seed_of(bits, i));
      BufferedRandom buffered(unmarked);
      Unmarked ahead(seed_of(bits, i));
      CHECK(search.prime(ahead).value() == uniform_prime(buffered, bits));
      // From a test seed nothing more is drawn than uniform_prime() takes.
      TestRandom random(seed_of(bits, i));
      CHECK(search.prime(random).value() == prime);
      CHECK(uniform_bits(random, 128) == uniform_bits(expected, 128));
    }
  }
}

TEST_CASE("a search is stopped between two candidates", "[primes]") {
  const PrimeSearch hopeless(BackendOfOneAnswer(false), 84);
  const PrimeSearch by_division(*open_backend("ntl"), 84);
  for (const PrimeSearch* const search : {&hopeless, &by_division}) {
    std::stop_source stop;
    StopsWhenDrawn random(stop);
    const std::vector<SecretRandom*> sources(2, &random);
    CHECK_THROWS_MATCHES(search->primes(sources, Monitor{stop.get_token(), {}}), Error,
                         HasCode(ErrorCode::stopped));
  }
}

TEST_CASE("a search that finds nothing ends", "[primes]") {
  const HasCode is_refused(ErrorCode::invalid_argument);
  TestRandom random("no prime");
  SecretRandom* const source = &random;
  const PrimeSearch hopeless(BackendOfOneAnswer(false), 84);
  CHECK_THROWS_MATCHES(hopeless.primes(std::span(&source, 1)), Error, is_refused);
  for (const std::byte value : {std::byte{0}, std::byte{0xff}}) {
    Stuck stuck(value);
    CHECK_THROWS_MATCHES(PrimeSearch(*open_backend(), 84).prime(stuck), Error, is_refused);
  }
}

}  // namespace fhe::test
