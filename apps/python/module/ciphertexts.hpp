// SPDX-License-Identifier: Apache-2.0
// Lists of ciphertexts of one key. Immutable, and cheap to take parts of.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/compressed_ciphertexts.hpp"

namespace fhe::python {

// Some ciphertexts. A value; copies and parts share what they hold.
class Ciphertexts {
 public:
  explicit Ciphertexts(std::vector<Ciphertext> ciphertexts);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const Ciphertext& at(std::size_t index) const { return *entries_.at(index); }
  // As a vector of their own.
  [[nodiscard]] std::vector<Ciphertext> values() const;

  // Those at these places. Throws Error(invalid_argument) for a place that there is not.
  [[nodiscard]] Ciphertexts take(const std::vector<std::size_t>& places) const;
  // Those of all, one after the other.
  [[nodiscard]] static Ciphertexts joined(const std::vector<Ciphertexts>& parts);

 private:
  Ciphertexts() = default;
  std::vector<std::shared_ptr<const Ciphertext>> entries_;
};

}  // namespace fhe::python
