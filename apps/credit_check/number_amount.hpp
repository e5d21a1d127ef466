// SPDX-License-Identifier: Apache-2.0
// Amounts and answers of customers as numbers in slots, as they are encrypted by who holds the key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libfhe/scheme/she/parameters.hpp"
#include "libfhe/scheme/she/slots.hpp"

namespace fhe::credit_check {

// An amount has a digit for each product that the group allows one after the other, and one more.
class AmountDigits {
 public:
  explicit AmountDigits(const she::Parameters& parameters);

  [[nodiscard]] std::size_t count() const { return count_; }
  // How many values a digit has, and the largest amount with so many digits.
  [[nodiscard]] std::size_t values() const { return std::size_t{1} << bits_; }
  [[nodiscard]] std::uint64_t largest() const { return (std::uint64_t{1} << count_ * bits_) - 1; }

  // Throws Error(invalid_argument) for an amount that has more digits.
  void require(std::uint64_t amount) const;

  // Digit i, the lowest first.
  [[nodiscard]] std::size_t digit(std::uint64_t amount, std::size_t i) const {
    return amount >> (i * bits_) & (values() - 1);
  }

  // A threshold table of amounts, one in each slot: row i values() + a says by 1 in which slots
  // digit i is at most a. Throws as require().
  [[nodiscard]] std::vector<she::SlotNumbers> thresholds(
      const std::vector<std::uint64_t>& amounts) const;

 private:
  std::size_t count_;
  std::size_t bits_;
};

}  // namespace fhe::credit_check
