// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/three_primes/make_tables.hpp"

#include <initializer_list>
#include <utility>

namespace fhe::cpu::three_primes {

namespace {

constexpr std::uint64_t kMask52 = (std::uint64_t{1} << 52) - 1;

// A block begins some cache lines after the end of the one before it: without that, a column of
// blocks would fall into one set of the cache.
constexpr std::size_t kBlockGap = 24;

// 1 / p mod 2^52 for odd p, by Newton's iteration: p itself is right to 3 bits, then 6, 12, 24, ...
constexpr std::uint64_t inverse_2_52(std::uint64_t p) {
  std::uint64_t x = p;
  for (int i = 0; i < 5; ++i) x *= 2 - p * x;
  return x & kMask52;
}

// Multipliers of the powers of a root g of the given order: g^e = g^(e mod B) g^(e - e mod B), from
// two short tables; the second holds the factor 2^52 as well.
class RootPowers {
 public:
  RootPowers(const Field& field, std::uint64_t root, std::uint64_t order)
      : p_(field.p), p_inverse_(field.p_inverse), order_(order) {
    low_.push_back(1);
    while (low_.size() < kStep) low_.push_back(multiply_mod(low_.back(), root, p_));
    const std::uint64_t step = multiply_mod(low_.back(), root, p_);
    high_.push_back(make_multiplier(field, 1).factor);
    while (high_.size() <= order / kStep) high_.push_back(multiply_mod(high_.back(), step, p_));
  }

  // g^exponent, for an exponent below the order.
  [[nodiscard]] Multiplier at(std::uint64_t exponent) const {
    const std::uint64_t factor = multiply_mod(high_[exponent / kStep], low_[exponent % kStep], p_);
    return {factor, (factor * p_inverse_) & kMask52};
  }

  [[nodiscard]] std::uint64_t order() const { return order_; }

 private:
  static constexpr std::uint64_t kStep = 512;
  std::uint64_t p_;
  std::uint64_t p_inverse_;
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
  const std::uint64_t radix = (std::uint64_t{1} << 52) % field.p;
  const std::uint64_t factor = multiply_mod(c % field.p, radix, field.p);
  return {factor, (factor * field.p_inverse) & kMask52};
}

Field make_field(const Prime& prime, int bits) {
  const std::uint64_t p = prime.p;
  Field field{};
  field.p = p;
  field.p_inverse = inverse_2_52(p);
  field.bits = bits;
  field.gap = (std::uint64_t{1} << bits) - p;

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

OwnedTables::OwnedTables(const Prime& prime, int bits, const Shape& shape)
    : tables_{.field = make_field(prime, bits),
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
  r.bits = set.bits;
  r.slack = recombination_slack(set);
  // 2^156 = 0, so that the digits of minus come by subtraction.
  std::uint64_t product[3] = {1, 0, 0};
  for (std::size_t k = 0; k < kPrimes; ++k) {
    const Field& field = tables[k]->field;
    const std::uint64_t p = field.p;
    const std::uint64_t p_next = set.primes[(k + 1) % kPrimes].p;
    const std::uint64_t p_last = set.primes[(k + 2) % kPrimes].p;
    const Wide cofactor = Wide{p_next} * p_last;
    const std::uint64_t points = tables[k]->top * tables[k]->block_limbs / 8;
    const std::uint64_t undo =
        multiply_mod(points % p, static_cast<std::uint64_t>(cofactor % p), p);
    const std::uint64_t lost = products ? (std::uint64_t{1} << 52) % p : 1;
    r.p[k] = p;
    r.scale[k] = make_multiplier(field, multiply_mod(lost, inverse_mod(undo, p), p));
    r.cofactor[k][0] = static_cast<std::uint64_t>(cofactor) & kMask52;
    r.cofactor[k][1] = static_cast<std::uint64_t>(cofactor >> 52);
    Wide carry = 0;
    for (std::uint64_t& digit : product) {
      carry += Wide{digit} * p;
      digit = static_cast<std::uint64_t>(carry) & kMask52;
      carry >>= 52;
    }
  }
  for (std::size_t q = 1; q < 8; ++q) {
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
