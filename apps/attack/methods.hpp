// SPDX-License-Identifier: Apache-2.0
// The attacks of this laboratory by name, beside those of the estimator
// (libfhe/security/attacks.hpp) that they are.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "apps/attack/decryption_oracle.hpp"
#include "apps/attack/finding.hpp"
#include "apps/attack/published.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::attack {

// What is attacked.
struct Target {
  PublishedNumbers numbers;
  std::optional<std::size_t> model_dimension;  // of the orthogonal lattice, as the estimator says
  std::optional<std::size_t> samples;          // how many to take instead
  std::size_t block = 2;  // the largest block size of BKZ, where it is used; 2 for LLL alone
  Integer ciphertext;     // to be opened by attacks that find no key
  // So many new ciphertexts of its bit, by sparse encryption; empty where there is none.
  std::function<std::vector<Integer>(std::size_t count)> encrypt_sparse;
  DecryptionOracle owner;  // of the key, if there is one who answers
};

// An attack.
struct Method {
  std::string_view name;     // on the command line
  std::string_view model;    // what the estimator calls it
  std::string_view summary;  // a line for the help
  bool (*applies)(const Target& target);
  // Requires that it applies. Throws Error(invalid_argument) for sizes that are hopeless here,
  // Error(stopped).
  Finding (*run)(const Target& target, const Monitor& monitor);
};

// All of them.
[[nodiscard]] std::span<const Method> methods();

// The largest lattice that this laboratory reduces.
inline constexpr std::size_t kMostDimensions = 400;

}  // namespace fhe::attack
