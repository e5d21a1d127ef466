// SPDX-License-Identifier: Apache-2.0
// Secret randomness, and the samplers for every distribution that the schemes draw from.
//
// SystemRandom is OpenSSL's PRIVATE generator (RAND_priv_bytes), which is separate from the one
// that public seeds come from and reseeds itself after a fork. Nothing secret is ever drawn from a
// publicly seeded stream. TestRandom is for reproducible tests only: everything made with it
// carries a test mark, in memory and in files.
//
// Samplers by rejection keep at least every second draw on average. After 256 draws in a row that
// they could not keep they throw Error(randomness): the source is stuck.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "libfhe/arith/integer.hpp"
#include "libfhe/export.hpp"
#include "libfhe/secret/vector.hpp"

namespace fhe {

// A source of secret bytes. One thread at a time; SystemRandom may be used by any number.
class FHE_EXPORT SecretRandom {
 public:
  virtual ~SecretRandom() = default;

  // Fills `out` with independent uniform bytes. Throws Error(randomness) on failure.
  virtual void fill(std::span<std::byte> out) = 0;

  // A source for work item `index` of a parallel loop, independent of this one and of the other
  // items. What a test seed leads to then does not depend on the order of execution.
  [[nodiscard]] virtual std::unique_ptr<SecretRandom> split(std::uint64_t index) const = 0;

  // Whether anyone who knows a test seed can predict the bytes.
  [[nodiscard]] virtual bool is_test() const = 0;
};

// OpenSSL's private generator: the source of every real secret.
class FHE_EXPORT SystemRandom final : public SecretRandom {
 public:
  void fill(std::span<std::byte> out) override;
  [[nodiscard]] std::unique_ptr<SecretRandom> split(std::uint64_t index) const override;
  [[nodiscard]] bool is_test() const override { return false; }
};

// A deterministic stream made from a test seed: SHA-256("fhe test randomness" || seed) keys
// AES-128-CTR. split(i) is TestRandom(seed || "/" || decimal i), whatever was drawn before.
class FHE_EXPORT TestRandom final : public SecretRandom {
 public:
  // The stream of this seed, from its start.
  explicit TestRandom(std::string_view seed);
  ~TestRandom() override;
  void fill(std::span<std::byte> out) override;
  [[nodiscard]] std::unique_ptr<SecretRandom> split(std::uint64_t index) const override;
  [[nodiscard]] bool is_test() const override { return true; }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Fills `out` from OpenSSL's PUBLIC generator: for seeds that are published.
FHE_EXPORT void fill_public(std::span<std::byte> out);

// Uniform in [0, 2^bits).
FHE_EXPORT Integer uniform_bits(SecretRandom& random, std::size_t bits);

// Uniform in [0, bound), by rejection. Requires bound >= 1.
FHE_EXPORT Integer uniform_below(SecretRandom& random, const Integer& bound);

// Uniform in (-2^bits, 2^bits), the 2^(bits+1) - 1 integers of absolute value below 2^bits.
FHE_EXPORT Integer uniform_centered(SecretRandom& random, std::size_t bits);

// Uniform in [0, bound), by rejection. Requires bound >= 1.
FHE_EXPORT std::uint32_t uniform_index(SecretRandom& random, std::uint32_t bound);

// `count` distinct positions below `bound` in increasing order, every set being equally likely.
// Requires count <= bound.
FHE_EXPORT SecretIndices distinct_positions(SecretRandom& random, std::size_t count,
                                            std::uint32_t bound);

// The same, filling all of `positions`.
FHE_EXPORT void distinct_positions(SecretRandom& random, std::uint32_t bound,
                                   std::span<std::uint32_t> positions);

// A prime that is uniform among the primes in [low, high), except that the primality test fails
// with a probability far below 2^-80 (Baillie-PSW and one Miller-Rabin round on random candidates).
// Requires that the interval holds a prime; throws Error(invalid_argument) if it seems not to.
FHE_EXPORT Integer uniform_prime(SecretRandom& random, const Integer& low, const Integer& high);

// A uniform prime of exactly `bits` >= 2 bits.
FHE_EXPORT Integer uniform_prime(SecretRandom& random, std::size_t bits);

}  // namespace fhe
