// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/goldilocks/tables.hpp"

#include <bit>

#include "accel/cpu/goldilocks/field.hpp"

namespace fhe::cpu::goldilocks {

namespace {

constexpr unsigned kLeafBits = 4;
constexpr unsigned kLevelBits = 4;     // of every radix but the first: 16
constexpr unsigned kMaxRootBits = 6;   // of a first radix 2^k
constexpr unsigned kMaxThirdBits = 4;  // of a first radix 3 * 2^k

// Powers of a root of unity, two multiplications each: root^e = root^(e mod s) * (root^s)^(e / s).
class Powers {
 public:
  Powers(std::uint64_t root, std::size_t order) : order_(order) {
    std::size_t steps = 1;
    while (steps * steps < order) steps *= 2;
    shift_ = static_cast<unsigned>(std::countr_zero(steps));
    small_ = first_powers(root, steps);
    large_ = first_powers(power(root, steps), order / steps + 1);
  }

  [[nodiscard]] std::uint64_t operator()(std::size_t exponent) const {
    return multiply(small_[exponent & (small_.size() - 1)], large_[exponent >> shift_]);
  }
  [[nodiscard]] std::uint64_t inverse(std::size_t exponent) const {
    return (*this)(exponent == 0 ? 0 : order_ - exponent);
  }

 private:
  static std::vector<std::uint64_t> first_powers(std::uint64_t base, std::size_t count) {
    std::vector<std::uint64_t> result(count);
    std::uint64_t value = 1;
    for (std::uint64_t& x : result) {
      x = value;
      value = multiply(value, base);
    }
    return result;
  }

  std::size_t order_;
  unsigned shift_ = 0;
  std::vector<std::uint64_t> small_;
  std::vector<std::uint64_t> large_;
};

// to[i * step] = first * base^i for i < count.
void write_powers(std::uint64_t* to, std::size_t step, std::size_t count, std::uint64_t first,
                  std::uint64_t base) {
  for (std::size_t i = 0; i < count; ++i) {
    to[i * step] = first;
    first = multiply(first, base);
  }
}

}  // namespace

std::vector<unsigned> radices(std::size_t points) {
  const auto bits = static_cast<unsigned>(std::countr_zero(points)) - kLeafBits;
  const bool third = points >> std::countr_zero(points) == 3;
  const unsigned at_root = third ? kMaxThirdBits : kMaxRootBits;
  const unsigned others = bits <= at_root ? 0 : (bits - at_root + kLevelBits - 1) / kLevelBits;
  std::vector<unsigned> result(1 + others, 1U << kLevelBits);
  result[0] = (third ? 3U : 1U) << (bits - others * kLevelBits);
  return result;
}

std::vector<std::size_t> node_exponents(const std::vector<unsigned>& levels) {
  std::vector<std::size_t> exponents{0};
  for (const unsigned radix : levels) {
    const std::size_t nodes = exponents.size();
    std::vector<std::size_t> children;
    children.reserve(nodes * radix);
    for (const std::size_t exponent : exponents) {
      for (unsigned place = 0; place < radix; ++place) {
        children.push_back(exponent + nodes * frequency(radix, place));
      }
    }
    exponents.swap(children);
  }
  return exponents;
}

Tables::Tables(std::size_t points, std::size_t lanes) {
  const Powers powers(root_of_unity(points), points);
  const auto allocate = [this](std::size_t words) { return memory_.emplace_back(words).data(); };

  passes_.points = points;
  std::vector<unsigned> above;
  std::size_t size = points;
  for (const unsigned radix : radices(points)) {
    Level& level = passes_.levels[passes_.depth++];
    level.radix = radix;
    level.child = size / radix;
    if (!above.empty()) {
      const std::vector<std::size_t> exponents = node_exponents(above);
      std::uint64_t* factors = allocate(exponents.size() * radix);
      std::uint64_t* inverse_factors = allocate(exponents.size() * radix);
      level.factors = factors;
      level.inverse_factors = inverse_factors;
      for (const std::size_t exponent : exponents) {
        write_powers(factors, 1, radix, 1, powers(exponent * level.child));
        write_powers(inverse_factors, 1, radix, 1, powers.inverse(exponent * level.child));
        factors += radix;
        inverse_factors += radix;
      }
    }
    above.push_back(radix);
    size = level.child;
  }

  const std::uint64_t scale = inverse(points);
  std::uint64_t* factors = allocate(points);
  std::uint64_t* inverse_factors = allocate(points);
  passes_.leaf_factors = factors;
  passes_.inverse_leaf_factors = inverse_factors;
  std::size_t leaf = 0;
  for (const std::size_t exponent : node_exponents(above)) {
    const std::size_t at = leaf / lanes * lanes * kLeaf + leaf % lanes;
    write_powers(factors + at, lanes, kLeaf, 1, powers(exponent));
    write_powers(inverse_factors + leaf * kLeaf, 1, kLeaf, scale, powers.inverse(exponent));
    ++leaf;
  }
}

}  // namespace fhe::cpu::goldilocks
