#include "accel/solinas/ifma/shape.hpp"

#include <initializer_list>

#include "accel/solinas/ifma/primes.hpp"
#include "accel/solinas/ifma/tables.hpp"

namespace fhe::solinas::ifma {

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

}  // namespace

Shape fastest_shape(std::size_t min_limbs) {
  Shape best{4, 1, 8};
  static_assert(Shape{4, 1, 8}.limbs() == kMaxLimbs);
  for (const unsigned middle : {1U, 3U, 5U, 9U, 15U}) {
    for (unsigned top = 1; top <= kMaxTop; ++top) {
      for (unsigned depth = 2; depth <= 9; ++depth) {
        const Shape shape{top, middle, depth};
        if (shape.limbs() < min_limbs || !has_roots(shape)) continue;
        if (cost(shape) < cost(best)) best = shape;
      }
    }
  }
  return best;
}

}  // namespace fhe::solinas::ifma
