// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "apps/attack/attacks.hpp"
#include "apps/attack/meeting.hpp"
#include "libfhe/error.hpp"

namespace fhe::attack {

namespace {

using Integers = std::vector<Integer>;

// A coefficient in the number of a choice: two bits.
constexpr std::size_t kCoefficientBits = 2;
constexpr std::uint64_t kPlus = 1;
constexpr std::uint64_t kMinus = 2;

double log_choices(double n, double k) {
  double bits = k;  // the signs
  for (double i = 0; i < k; ++i) bits += std::log2((n - i) / (i + 1));
  return bits;
}

// All ways to give `nonzeros` of the coefficients first, first + 1, ..., end - 1 a sign.
void add_signed(std::vector<Choice>& choices, const std::vector<std::uint64_t>& words,
                std::size_t first, std::size_t end, std::size_t nonzeros, const Choice& before) {
  if (nonzeros == 0) {
    choices.push_back(before);
    return;
  }
  // The number of the first coefficient of a half is in its lowest bits.
  for (std::size_t i = first; i + nonzeros <= end; ++i) {
    const std::size_t at = kCoefficientBits * (i % (words.size() / 2));
    add_signed(choices, words, i + 1, end, nonzeros - 1,
               {before.sum + words[i], before.number | kPlus << at});
    add_signed(choices, words, i + 1, end, nonzeros - 1,
               {before.sum - words[i], before.number | kMinus << at});
  }
}

// The choices of either half, sorted.
Halves signed_halves(const std::vector<std::uint64_t>& words, std::size_t nonzeros) {
  Halves halves;
  const std::size_t n = words.size();
  add_signed(halves.left, words, 0, n / 2, nonzeros / 2, {0, 0});
  add_signed(halves.right, words, n / 2, n, nonzeros - nonzeros / 2, {0, 0});
  return sorted(std::move(halves));
}

// What a choice in a half of the powers stands for.
Integer value_of(std::uint64_t number, const Integers& powers, std::size_t first) {
  Integer sum = 0;
  for (std::size_t i = first; number != 0; ++i, number >>= kCoefficientBits) {
    if ((number & kPlus) != 0) sum += powers[i];
    if ((number & kMinus) != 0) sum -= powers[i];
  }
  return sum;
}

// Whether half of c is a sum of a choice in either half.
bool is_sum_of(const Integer& c, const Halves& halves, const Integers& powers,
               const IdealNumbers& key) {
  const Integer half = (c % 2 == 0 ? c : Integer(c + key.d)) / 2;
  const auto found =
      first_meeting(halves, 0 - leading_word(half, key.d),
                    [&](const Choice& a, const Choice& b) -> std::optional<bool> {
                      const Integer sum = value_of(a.number, powers, 0) +
                                          value_of(b.number, powers, powers.size() / 2);
                      return (half - sum) % key.d == 0 ? std::optional(true) : std::nullopt;
                    });
  return found.has_value();
}

}  // namespace

Finding ideal_noise_meet(const IdealNumbers& key, const Integer& ciphertext,
                         const Monitor& monitor) {
  if (key.n > kMostHalved || key.n % 2 != 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("this search is for noise of at most {} coefficients, and there are {}",
                            kMostHalved, key.n));
  }
  const std::size_t places = key.n / 2;
  const std::size_t chosen = key.nonzeros - key.nonzeros / 2;
  const double list_bits = log_choices(static_cast<double>(places), static_cast<double>(chosen));
  require_listable(list_bits, "the noise");
  Finding finding{.samples = 1};
  const Integers powers = powers_of(1, key, key.n);
  std::vector<std::uint64_t> words;
  for (const Integer& power : powers) words.push_back(leading_word(power, key.d));
  const Halves halves = finding.step(
      fmt::format("all 2^{:.1f} choices of half of the nonzeros are summed up and sorted",
                  list_bits),
      [&] { return signed_halves(words, key.nonzeros); });
  finding.bit =
      finding.step("two that sum to the ciphertext, in one of its rotations, are looked for",
                   [&]() -> std::optional<bool> {
                     Integer c = ciphertext;
                     for (const Integer& power : powers) {
                       monitor.throw_if_stopped();
                       if (is_sum_of(c, halves, powers, key)) return false;
                       Integer less = c - power;  // where the plaintext is 1
                       if (less < 0) less += key.d;
                       if (is_sum_of(less, halves, powers, key)) return true;
                       c = c * key.r % key.d;
                     }
                     return std::nullopt;
                   });
  return finding;
}

}  // namespace fhe::attack
