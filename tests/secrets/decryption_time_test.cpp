// SPDX-License-Identifier: Apache-2.0
// The time of a decryption does not tell the bit or the noise, also on kernels that valgrind cannot
// run (constant_time.cpp). Pairs of ciphertexts that differ in nothing but the one or the other are
// decrypted in turn, hundreds of pairs in random order, and the times of both sides compared by
// Welch's t. It is a leak where t is far beyond chance on the same side three times in a row:
// single tests with few ciphertexts find such differences that are of the ciphertexts, not of what
// is secret.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libfhe/arith/registry.hpp"
#include "libfhe/error.hpp"
#include "tests/catch.hpp"
#include "tests/support/key_fixtures.hpp"

namespace fhe::test {

namespace {

constexpr std::size_t kPairs = 300;
constexpr std::size_t kSamples = 60'000;
constexpr int kRepetitions = 3;
constexpr double kLeak = 15;  // chance alone reaches 5 in none of a million tests

// Parts of the fastest samples that are looked at each by itself: what disturbs is slow.
constexpr std::array<double, 9> kCrops{0.1, 0.25, 0.4, 0.55, 0.7, 0.8, 0.9, 0.97, 1};
using Statistics = std::array<double, kCrops.size()>;

using Pair = std::array<Ciphertext, 2>;

struct Sample {
  double time;
  std::size_t side;
};

class Moments {
 public:
  void add(double x) {
    ++count_;
    const double difference = x - mean_;
    mean_ += difference / count_;
    squares_ += difference * (x - mean_);
  }
  [[nodiscard]] double mean() const { return mean_; }
  [[nodiscard]] double variance_of_mean() const { return squares_ / (count_ - 1) / count_; }

 private:
  double count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

// Welch's t of the two sides, of the fastest samples.
double welch(std::span<const Sample> samples) {
  std::array<Moments, 2> sides;
  for (const Sample& sample : samples) sides.at(sample.side).add(sample.time);
  return (sides[0].mean() - sides[1].mean()) /
         std::sqrt(sides[0].variance_of_mean() + sides[1].variance_of_mean() + 1e-12);
}

template <class Decrypt>
Statistics measured(const std::vector<Pair>& pairs, const Decrypt& decrypt,
                    std::mt19937_64& random) {
  using Clock = std::chrono::steady_clock;
  std::vector<Sample> samples(kSamples);
  for (Sample& sample : samples) {
    sample.side = random() % 2;
    // A copy, so that both sides stand where the last ones stood.
    const Ciphertext c = pairs[random() % pairs.size()].at(sample.side);
    const Clock::time_point start = Clock::now();
    decrypt(c);
    sample.time = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  }
  std::ranges::sort(samples, {}, &Sample::time);
  Statistics statistics{};
  for (std::size_t i = 0; i < kCrops.size(); ++i) {
    const auto count = static_cast<std::size_t>(kCrops.at(i) * static_cast<double>(kSamples));
    statistics.at(i) = welch(std::span(samples).first(count));
  }
  return statistics;
}

// Whether one of the crops shows the same leak in every repetition.
template <class Decrypt>
bool leaks(const std::vector<Pair>& pairs, const Decrypt& decrypt) {
  std::mt19937_64 random(pairs.size());
  std::array<int, kCrops.size()> above{};
  std::array<int, kCrops.size()> below{};
  for (int repetition = 1; repetition <= kRepetitions; ++repetition) {
    const Statistics statistics = measured(pairs, decrypt, random);
    for (std::size_t i = 0; i < statistics.size(); ++i) {
      above.at(i) += statistics.at(i) > kLeak ? 1 : 0;
      below.at(i) += statistics.at(i) < -kLeak ? 1 : 0;
    }
    if (std::ranges::max(above) < repetition && std::ranges::max(below) < repetition) return false;
  }
  return true;
}

Ciphertext moved(const Ciphertext& c, const Integer& by) {
  return {c.value() + by, c.noise(), c.key()};
}

// c, and c + 1 of the other bit.
std::vector<Pair> pairs_of_bits(const KeyPair& keys) {
  std::vector<Pair> pairs;
  for (const Ciphertext& c :
       test_encryptor(keys, "bits").encrypt(std::vector<bool>(kPairs, false))) {
    pairs.push_back({c, moved(c, 1)});
  }
  return pairs;
}

// c, and the ciphertext of the same bit without noise.
std::vector<Pair> pairs_of_noise(const KeyPair& keys) {
  std::vector<Pair> pairs;
  for (const Ciphertext& c :
       test_encryptor(keys, "noise").encrypt(std::vector<bool>(kPairs, true))) {
    const SecretInteger noise = dghv_part(keys.secret_key).noise(c.value());
    pairs.push_back({c, moved(c, 1 - noise.value())});
  }
  return pairs;
}

// The backend without kernels, and the engine with each kernel that this machine runs.
std::vector<std::string> backends() {
  std::vector<std::string> names{"ntl"};
  for (const BackendFactory& factory : registered_backends()) {
    if (factory.name != "solinas") continue;
    for (const std::string& variant : factory.variants) names.push_back("solinas:" + variant);
  }
  std::erase_if(names, [](const std::string& name) {
    try {
      static_cast<void>(open_backend(name));
      return false;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unsupported) throw;
      return true;
    }
  });
  return names;
}

}  // namespace

TEST_CASE("a decryption that spends time on the bit or the noise is found out",
          "[time][long][alone]") {
  const KeyPair& keys = test_keys("cnt-toy");
  const Decryptor decryptor(keys.secret_key);
  std::uint64_t work = 0;
  CHECK(leaks(pairs_of_bits(keys), [&](const Ciphertext& c) {
    if (!decryptor.decrypt(c)) return;
    for (std::uint64_t i = 0; i < 500; ++i) work = work * 3 + i;
  }));
  CHECK(work != 0);
}

TEST_CASE("the time of a decryption tells neither the bit nor the noise", "[time][long][alone]") {
  const KeyPair& keys = test_keys("cnt-toy");
  const std::vector<Pair> bits = pairs_of_bits(keys);
  const std::vector<Pair> noise = pairs_of_noise(keys);
  for (const std::string& name : backends()) {
    DYNAMIC_SECTION(name) {
      const Decryptor decryptor(keys.secret_key, open_backend(name));
      const auto decrypt = [&](const Ciphertext& c) { static_cast<void>(decryptor.decrypt(c)); };
      CHECK_FALSE(leaks(bits, decrypt));
      CHECK_FALSE(leaks(noise, decrypt));
    }
  }
}

}  // namespace fhe::test
