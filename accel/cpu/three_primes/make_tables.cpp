// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/three_primes/make_tables.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <utility>

namespace fhe::cpu::three_primes {

namespace {

constexpr std::uint64_t kMask52 = (std::uint64_t{1} << 52) - 1;

// Digits of the constants of a recombination, low first.
constexpr int kDigitBits = 52;
constexpr int kRealDigitBits = 50;
using ThreeDigits = std::array<std::uint64_t, 3>;

// x y, for x y < 2^(3 kBits).
template <int kBits>
ThreeDigits digits(Wide x, std::uint64_t y) {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kBits) - 1;
  ThreeDigits result;
  Wide carry = 0;
  for (std::uint64_t& digit : result) {
    carry += Wide{static_cast<std::uint64_t>(x) & kMask} * y;
    digit = static_cast<std::uint64_t>(carry) & kMask;
    carry >>= kBits;
    x >>= kBits;
  }
  return result;
}

// A block begins some cache lines after the end of the one before it: without that, a column of
// blocks would fall into one set of the cache.
constexpr std::size_t kBlockGap = 24;

// 1 / p mod 2^52 for odd p, by Newton's iteration: p itself is right to 3 bits, then 6, 12, 24, ...
constexpr std::uint64_t inverse_2_52(std::uint64_t p) {
  std::uint64_t x = p;
  for (int i = 0; i < 5; ++i) x *= 2 - p * x;
  return x & kMask52;
}

// The factor of a multiplier of integers: 2^52 c mod p.
std::uint64_t integer_factor(const Field& field, std::uint64_t c) {
  return multiply_mod(c, (std::uint64_t{1} << 52) % field.p, field.p);
}

Multiplier integer_multiplier(const Field& field, std::uint64_t factor) {
  return {factor, (factor * field.p_inverse) & kMask52};
}

// For c < p.
Multiplier real_multiplier(const Field& field, std::uint64_t c) {
  const auto p = static_cast<double>(field.p);
  const double factor = c > field.p / 2 ? static_cast<double>(c) - p : static_cast<double>(c);
  return {std::bit_cast<std::uint64_t>(factor), std::bit_cast<std::uint64_t>(factor / p)};
}

// Multipliers of the powers of a root g of the given order: g^e = g^(e mod B) g^(e - e mod B), from
// two short tables; the second holds the factor 2^52 of integers as well.
class RootPowers {
 public:
  RootPowers(const Field& field, std::uint64_t root, std::uint64_t order)
      : field_(field), order_(order) {
    const std::uint64_t p = field.p;
    low_.push_back(1);
    while (low_.size() < kStep) low_.push_back(multiply_mod(low_.back(), root, p));
    const std::uint64_t step = multiply_mod(low_.back(), root, p);
    high_.push_back(field.form == Form::integers ? integer_factor(field, 1) : 1);
    while (high_.size() <= order / kStep) high_.push_back(multiply_mod(high_.back(), step, p));
  }

  // g^exponent, for an exponent below the order.
  [[nodiscard]] Multiplier at(std::uint64_t exponent) const {
    const std::uint64_t power =
        multiply_mod(high_[exponent / kStep], low_[exponent % kStep], field_.p);
    return field_.form == Form::integers ? integer_multiplier(field_, power)
                                         : real_multiplier(field_, power);
  }

  [[nodiscard]] std::uint64_t order() const { return order_; }

 private:
  static constexpr std::uint64_t kStep = 512;
  const Field& field_;
  std::uint64_t order_;
  std::vector<std::uint64_t> low_;
  std::vector<std::uint64_t> high_;
};

struct LevelMultipliers {
  std::vector<Multiplier> forward;
  std::vector<Multiplier> inverse;
};

// Splits the nodes x^(rQ) - g^e, for the e in `exponents`, and replaces these by those of the
// parts.
LevelMultipliers split_nodes(const RootPowers& powers, unsigned radix,
                             std::vector<std::uint64_t>& exponents) {
  const std::uint64_t order = powers.order();
  LevelMultipliers level;
  level.forward.reserve(exponents.size() * (radix - 1));
  level.inverse.reserve(exponents.size() * (radix - 1));
  const auto add = [&](std::uint64_t exponent) {
    level.forward.push_back(powers.at(exponent % order));
    level.inverse.push_back(powers.at((order - exponent % order) % order));
  };
  std::vector<std::uint64_t> parts;
  parts.reserve(exponents.size() * radix);
  for (const std::uint64_t exponent : exponents) {
    const std::uint64_t v = exponent / radix;
    if (radix == 4) {
      add(2 * v);
      add(v);
      add(v + order / 4);
      for (const unsigned turn : {0U, 2U, 1U, 3U}) parts.push_back((v + turn * order / 4) % order);
    } else {
      for (unsigned k = 1; k < radix; ++k) add(k * v);
      for (unsigned k = 0; k < radix; ++k) parts.push_back((v + k * (order / radix)) % order);
    }
  }
  exponents.swap(parts);
  return level;
}

std::vector<unsigned> radices(const Shape& shape) {
  std::vector<unsigned> list;
  unsigned rest = shape.middle;
  for (; rest % 5 == 0; rest /= 5) list.push_back(5);
  for (; rest % 3 == 0; rest /= 3) list.push_back(3);
  list.insert(list.end(), shape.depth, 4);
  return list;
}

}  // namespace

Multiplier make_multiplier(const Field& field, std::uint64_t c) {
  c %= field.p;
  return field.form == Form::integers ? integer_multiplier(field, integer_factor(field, c))
                                      : real_multiplier(field, c);
}

Field make_field(const Prime& prime, int bits, Form form) {
  const std::uint64_t p = prime.p;
  Field field{};
  field.p = p;
  field.p_inverse = inverse_2_52(p);
  field.bits = bits;
  field.gap = (std::uint64_t{1} << bits) - p;
  field.reciprocal = 1 / static_cast<double>(p);
  field.form = form;

  const auto set = [&](Multiplier& where, std::uint64_t c) { where = make_multiplier(field, c); };
  const auto minus = [&](std::uint64_t x, std::uint64_t y) { return (x + p - y) % p; };
  const auto plus = [&](std::uint64_t x, std::uint64_t y) { return (x + y) % p; };
  const std::uint64_t half = (p + 1) / 2;
  const std::uint64_t quarter = multiply_mod(half, half, p);
  const std::uint64_t third = power_mod(prime.root, kRootOrder / 3, p);
  const std::uint64_t fourth = power_mod(prime.root, kRootOrder / 4, p);
  const std::uint64_t w = power_mod(prime.root, kRootOrder / 5, p);
  const std::uint64_t w2 = multiply_mod(w, w, p);
  const std::uint64_t w3 = multiply_mod(w2, w, p);
  const std::uint64_t w4 = multiply_mod(w3, w, p);
  const std::uint64_t sine_one = multiply_mod(minus(w, w4), half, p);
  const std::uint64_t sine_two = multiply_mod(minus(w2, w3), half, p);
  set(field.third, third);
  set(field.fourth, fourth);
  set(field.fourth_inverse, p - fourth);
  set(field.minus_quarter, p - quarter);
  set(field.root_five, multiply_mod(minus(plus(w, w4), plus(w2, w3)), quarter, p));
  set(field.sine_two, sine_two);
  set(field.sine_difference, minus(sine_one, sine_two));
  set(field.sine_sum, plus(sine_one, sine_two));
  return field;
}

OwnedTables::OwnedTables(const Prime& prime, int bits, const Shape& shape, Form form)
    : tables_{.field = make_field(prime, bits, form),
              .top = shape.top,
              .block_limbs = shape.block_limbs(),
              .stride = shape.block_limbs() + kBlockGap,
              .level_count = 0,
              .levels = nullptr} {
  const std::uint64_t order = shape.limbs() / 8;
  const RootPowers powers(tables_.field, power_mod(prime.root, kRootOrder / order, prime.p), order);
  std::vector<std::uint64_t> exponents;
  for (unsigned k = 0; k < shape.top; ++k) exponents.push_back(k * (order / shape.top));
  for (const unsigned radix : radices(shape)) {
    LevelMultipliers level = split_nodes(powers, radix, exponents);
    multipliers_.push_back(std::move(level.forward));
    multipliers_.push_back(std::move(level.inverse));
    const std::size_t last = multipliers_.size() - 1;
    levels_.push_back({radix, multipliers_[last - 1].data(), multipliers_[last].data()});
  }
  tables_.level_count = levels_.size();
  tables_.levels = levels_.data();
}

Recombination make_recombination(const PrimeSet& set,
                                 const std::array<const Tables*, kPrimes>& tables, bool products) {
  Recombination r{};
  r.slack = recombination_slack(set);
  const Wide two = Wide{set.primes[0].p} * set.primes[1].p;
  const ThreeDigits product = digits<kDigitBits>(two, set.primes[2].p);
  const ThreeDigits real_product = digits<kRealDigitBits>(two, set.primes[2].p);
  std::ranges::copy(real_product, r.real_product);
  for (std::size_t k = 0; k < kPrimes; ++k) {
    const Field& field = tables[k]->field;
    const std::uint64_t p = field.p;
    const std::uint64_t p_next = set.primes[(k + 1) % kPrimes].p;
    const std::uint64_t p_last = set.primes[(k + 2) % kPrimes].p;
    const Wide cofactor = Wide{p_next} * p_last;
    const std::uint64_t points = tables[k]->top * tables[k]->block_limbs / 8;
    const std::uint64_t undo =
        multiply_mod(points % p, static_cast<std::uint64_t>(cofactor % p), p);
    const bool has_factor = products && field.form == Form::integers;
    const std::uint64_t lost = has_factor ? (std::uint64_t{1} << 52) % p : 1;
    r.field[k] = field;
    r.scale[k] = make_multiplier(field, multiply_mod(lost, inverse_mod(undo, p), p));
    std::copy_n(digits<kDigitBits>(cofactor, 1).begin(), 2, r.cofactor[k]);
    std::copy_n(digits<kRealDigitBits>(cofactor, 1).begin(), 2, r.real_cofactor[k]);
  }
  for (std::size_t q = 1; q < 8; ++q) {  // from 2^156 = 0 on
    std::uint64_t borrow = 0;
    for (std::size_t digit = 0; digit < 3; ++digit) {
      const std::uint64_t left = r.minus[digit][q - 1] - product[digit] - borrow;
      r.minus[digit][q] = left & kMask52;
      borrow = left >> 63;
    }
  }
  return r;
}

}  // namespace fhe::cpu::three_primes
