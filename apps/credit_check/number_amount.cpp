// SPDX-License-Identifier: Apache-2.0
#include "apps/credit_check/number_amount.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "libfhe/error.hpp"

namespace fhe::credit_check {

namespace {

constexpr std::size_t kMostDigits = 3;

// Many values make long tables: 256, 2 times 128 or 3 times 64 ciphertexts.
std::size_t bits_for(std::size_t digits) {
  return digits == 1 ? 8 : digits == 2 ? 7 : 6;
}

}  // namespace

AmountDigits::AmountDigits(const she::Parameters& parameters)
    : count_(std::min(parameters.depth + 1, kMostDigits)), bits_(bits_for(count_)) {}

void AmountDigits::require(std::uint64_t amount) const {
  if (amount <= largest()) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("amount {} is larger than {}, the largest that is compared with these "
                          "parameters",
                          amount, largest()));
}

std::vector<she::SlotNumbers> AmountDigits::thresholds(
    const std::vector<std::uint64_t>& amounts) const {
  std::vector<she::SlotNumbers> rows(count_ * values(), she::SlotNumbers(amounts.size()));
  for (std::size_t j = 0; j < amounts.size(); ++j) {
    require(amounts[j]);
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t a = digit(amounts[j], i); a < values(); ++a) rows[i * values() + a][j] = 1;
    }
  }
  return rows;
}

}  // namespace fhe::credit_check
