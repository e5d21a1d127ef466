// SPDX-License-Identifier: Apache-2.0
// What the keys and ciphertexts of a group are like: sizes, and noise that grows with each product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fhe::bench {

// The noise after `depth` products one on another.
struct NoiseStep {
  unsigned depth = 0;
  double bound_bits = 0;                // proven, or what the scheme says instead
  std::optional<double> measured_bits;  // with the secret key; none past the limit

  friend bool operator==(const NoiseStep&, const NoiseStep&) = default;
};

// A ciphertext that is squared until its bit would be lost; the last step is past the limit.
struct NoiseChain {
  std::string start;  // "fresh" or "recrypted"
  std::vector<NoiseStep> steps;

  friend bool operator==(const NoiseChain&, const NoiseChain&) = default;
};

struct GroupFacts {
  std::string group;
  std::string scheme;
  std::size_t modulus_bits = 0;        // a ciphertext is one number below the modulus
  std::uint64_t public_key_bytes = 0;  // of the files
  std::uint64_t secret_key_bytes = 0;
  double decrypt_limit_bits = 0;
  double refresh_limit_bits = 0;
  std::vector<NoiseChain> chains;

  [[nodiscard]] double ciphertext_bytes() const { return static_cast<double>(modulus_bits) / 8; }

  friend bool operator==(const GroupFacts&, const GroupFacts&) = default;
};

}  // namespace fhe::bench
