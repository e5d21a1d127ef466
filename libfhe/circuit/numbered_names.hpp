// SPDX-License-Identifier: Apache-2.0
// Names of a file as numbers, in the order in which they come. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fhe {

// A hash function that nobody outside the process knows. Whoever writes a file chooses its names:
// under a hash that is known, as std::hash is, all of them could be made to collide, and each would
// be compared with all before it.
//
// It is the value at a secret point of a polynomial whose coefficients are the name's length and
// its bytes, 7 at a time, modulo 2^61 - 1. Two names collide at as many points at most as they have
// coefficients, out of 2^61.
class SecretHash {
 public:
  // The point is drawn once in a process. Throws Error(randomness).
  SecretHash();

  [[nodiscard]] std::size_t operator()(std::string_view name) const;

 private:
  std::uint64_t point_;
};

// Numbers names from 0 on. The names are kept by their places and must outlive this.
class NumberedNames {
 public:
  // The number of a name; a new one gets the next.
  [[nodiscard]] std::uint32_t number_of(std::string_view name);

  // The number that a name has already.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const;

  // The name of a number that number_of() gave.
  [[nodiscard]] std::string_view name(std::uint32_t number) const { return names_.at(number); }

  [[nodiscard]] std::size_t size() const { return names_.size(); }

 private:
  std::vector<std::string_view> names_;
  std::unordered_map<std::string_view, std::uint32_t, SecretHash> numbers_;
};

}  // namespace fhe
