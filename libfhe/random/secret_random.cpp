// SPDX-License-Identifier: Apache-2.0
#include "libfhe/random/secret_random.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <openssl/rand.h>

#include "libfhe/openssl_errors.hpp"
#include "libfhe/random/aes_ctr.hpp"
#include "libfhe/random/prime_search.hpp"
#include "libfhe/random/rejection.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe {

namespace {

using RandomFunction = int (*)(unsigned char*, int);

void fill_from_openssl(std::span<std::byte> out, RandomFunction generate) {
  require_openssl();
  while (!out.empty()) {
    const auto piece = out.first(std::min(out.size(), kMostOpenSslBytes));
    if (generate(reinterpret_cast<unsigned char*>(piece.data()), static_cast<int>(piece.size())) !=
        1) {
      throw_openssl_failure(ErrorCode::randomness,
                            "OpenSSL's random generator failed and produced nothing");
    }
    out = out.subspan(piece.size());
  }
}

}  // namespace

void SystemRandom::fill(std::span<std::byte> out) {
  fill_from_openssl(out, RAND_priv_bytes);
}

std::unique_ptr<SecretRandom> SystemRandom::split(std::uint64_t) const {
  return std::make_unique<SystemRandom>();
}

void fill_public(std::span<std::byte> out) {
  fill_from_openssl(out, RAND_bytes);
}

struct TestRandom::State {
  std::string seed;
  AesKeyStream stream;
};

TestRandom::TestRandom(std::string_view seed) {
  const std::string labelled = "fhe test randomness" + std::string(seed);
  state_ = std::make_unique<State>(
      State{std::string(seed), AesKeyStream(AesCtr::keyed_by(std::as_bytes(std::span(labelled))))});
}

TestRandom::~TestRandom() = default;

void TestRandom::fill(std::span<std::byte> out) {
  state_->stream.fill(out);
}

std::unique_ptr<SecretRandom> TestRandom::split(std::uint64_t index) const {
  return std::make_unique<TestRandom>(fmt::format("{}/{}", state_->seed, index));
}

void uniform_bits(SecretRandom& random, std::size_t bits, std::span<Limb> limbs) {
  random.fill(std::as_writable_bytes(limbs));
  if (bits % kLimbBits != 0) limbs.back() &= ~Limb{0} >> (kLimbBits - bits % kLimbBits);
}

Integer uniform_bits(SecretRandom& random, std::size_t bits) {
  SecretVector<Limb> limbs(limbs_for_bits(bits));
  uniform_bits(random, bits, limbs);
  return from_limbs(limbs);
}

Error stuck_randomness() {
  return {ErrorCode::randomness,
          fmt::format("the random generator is stuck: {} draws in a row were out of range; nothing "
                      "was produced",
                      kMaxRejections)};
}

Integer uniform_below(SecretRandom& random, const Integer& bound) {
  if (bound < 1)
    throw Error(ErrorCode::invalid_argument, "uniform_below needs a bound of at least 1");
  const std::size_t bits = bit_length(bound - 1);
  for (int draw = 0; draw < kMaxRejections; ++draw) {
    SecretInteger candidate(uniform_bits(random, bits));
    if (candidate.value() < bound) return std::move(candidate.value());
  }
  throw stuck_randomness();
}

Integer uniform_centered(SecretRandom& random, std::size_t bits) {
  const Integer radius = power_of_two(bits);
  return uniform_below(random, 2 * radius - 1) - (radius - 1);
}

namespace {

// Takes a uniform word to a uniform index below the bound, or rejects it (Lemire): the multiples of
// 2^32 in [0, bound * 2^32) divide the products word * bound into `bound` classes by their upper
// halves, of floor(2^32 / bound) or one more each. Without the lower halves below 2^32 mod bound
// all classes are of one size.
std::optional<std::uint32_t> index_of(std::uint32_t word, std::uint32_t bound) {
  const std::uint64_t product = std::uint64_t{word} * bound;
  const auto low = static_cast<std::uint32_t>(product);
  if (low < bound && low < (0 - bound) % bound) return std::nullopt;
  return static_cast<std::uint32_t>(product >> 32);
}

}  // namespace

std::uint32_t uniform_index(SecretRandom& random, std::uint32_t bound) {
  if (bound < 1)
    throw Error(ErrorCode::invalid_argument, "uniform_index needs a bound of at least 1");
  for (int draw = 0; draw < kMaxRejections; ++draw) {
    std::uint32_t word = 0;
    random.fill(std::as_writable_bytes(std::span(&word, 1)));
    if (const auto index = index_of(word, bound)) return *index;
  }
  throw stuck_randomness();
}

void distinct_positions(SecretRandom& random, std::uint32_t bound,
                        std::span<std::uint32_t> positions) {
  const std::size_t count = positions.size();
  if (count > bound) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} distinct positions do not exist below {}", count, bound));
  }
  // Floyd's algorithm: for j = bound - count .. bound - 1 take a uniform t <= j, or j when t is
  // already taken. The words for all t are drawn together, to where the positions go. `count` is
  // small (15), so looking through all of them is fast.
  random.fill(std::as_writable_bytes(positions));
  for (std::size_t k = 0; k < count; ++k) {
    const auto j = static_cast<std::uint32_t>(bound - count + k);
    const auto index = index_of(positions[k], j + 1);
    const std::uint32_t candidate = index ? *index : uniform_index(random, j + 1);
    bool taken = false;
    for (const std::uint32_t position : positions.first(k)) taken |= position == candidate;
    positions[k] = taken ? j : candidate;
  }
  std::ranges::sort(positions);
}

SecretIndices distinct_positions(SecretRandom& random, std::size_t count, std::uint32_t bound) {
  SecretIndices positions(count);
  distinct_positions(random, bound, positions);
  return positions;
}

bool is_probable_prime(const Integer& candidate) {
  // From 24 on, GMP's repetitions are Miller-Rabin rounds on top of one Baillie-PSW test.
  constexpr int kRepetitions = 25;
  return mpz_probab_prime_p(candidate.get_mpz_t(), kRepetitions) != 0;
}

std::size_t prime_attempts(std::size_t bits) {
  return 100 * (bits + 1);
}

Error no_prime_found(std::size_t bits) {
  return {ErrorCode::invalid_argument,
          fmt::format("no prime found in an interval of {}-bit integers", bits)};
}

Integer uniform_prime(SecretRandom& random, const Integer& low, const Integer& high) {
  if (low < 0 || high <= low)
    throw Error(ErrorCode::invalid_argument, "an empty interval of primes");
  const std::size_t attempts = prime_attempts(bit_length(high));
  for (std::size_t i = 0; i < attempts; ++i) {
    SecretInteger candidate(low + uniform_below(random, high - low));
    if (is_probable_prime(candidate.value())) return std::move(candidate.value());
  }
  throw no_prime_found(bit_length(high));
}

Integer uniform_prime(SecretRandom& random, std::size_t bits) {
  if (bits < 2) throw Error(ErrorCode::invalid_argument, "a prime has at least 2 bits");
  return uniform_prime(random, power_of_two(bits - 1), power_of_two(bits));
}

}  // namespace fhe
