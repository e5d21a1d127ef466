// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "accel/cpu/three_primes/make_tables.hpp"
#include "accel/cpu/three_primes/primes.hpp"
#include "accel/cpu/three_primes/tables.hpp"

namespace fhe::cpu::three_primes {

namespace {

// Time of one level over all three transforms of a product, per limb, that of radix 4 being 1; all
// that does not depend on the levels (residues, products of points, digits) is kFixedCost.
constexpr double kFixedCost = 4.6;

constexpr double top_cost(unsigned radix) {
  constexpr double kCost[] = {0, 0, 0.1, 0.2, 0.25, 0.6, 0.35};
  return kCost[radix];
}

constexpr double middle_cost(unsigned middle) {
  constexpr double kThree = 0.9;
  constexpr double kFive = 1.7;
  switch (middle) {
    case 3:
      return kThree;
    case 5:
      return kFive;
    case 9:
      return 2 * kThree;
    case 15:
      return kThree + kFive;
    default:
      return 0;
  }
}

double cost(const Shape& shape) {
  return static_cast<double>(shape.limbs()) *
         (kFixedCost + top_cost(shape.top) + middle_cost(shape.middle) + shape.depth);
}

// Whether the roots of unity that the levels need are there.
constexpr bool has_roots(const Shape& shape) {
  return kRootOrder % (shape.limbs() / 8) == 0;
}

// All shapes, by length.
std::vector<Shape> all_shapes() {
  std::vector<Shape> shapes;
  for (const unsigned middle : {1U, 3U, 5U, 9U, 15U}) {
    for (unsigned top = 1; top <= kMaxTop; ++top) {
      for (unsigned depth = 2; depth <= 9; ++depth) {
        const Shape shape{top, middle, depth};
        if (shape.limbs() <= kMaxLimbs && has_roots(shape)) shapes.push_back(shape);
      }
    }
  }
  std::ranges::sort(shapes, {}, &Shape::limbs);
  return shapes;
}

// The shapes that are the fastest for some size, by length: each is faster than all longer ones.
std::vector<Shape> best_shapes() {
  const std::vector<Shape> all = all_shapes();
  std::vector<Shape> best;
  for (std::size_t i = all.size(); i-- > 0;) {
    if (best.empty() || cost(all[i]) < cost(best.back())) best.push_back(all[i]);
  }
  std::ranges::reverse(best);
  return best;
}

}  // namespace

Shape fastest_shape(std::size_t min_limbs) {
  static const auto* const best = new std::vector<Shape>(best_shapes());  // used until the end
  return *std::ranges::lower_bound(*best, min_limbs, {}, &Shape::limbs);
}

}  // namespace fhe::cpu::three_primes
