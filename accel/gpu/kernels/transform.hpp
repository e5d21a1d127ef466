// SPDX-License-Identifier: Apache-2.0
// Number-theoretic transforms of 2^8 to 2^22 points modulo p, in two passes over memory.
//
// With n = n1 n2, j = j1 n2 + j2 and w a root of unity of order n,
//
//   X(k1 + n1 k2) = sum_j2 w2^(j2 k2)  w^(j2 k1)  sum_j1 w1^(j1 k1) x(j1 n2 + j2),
//
// w1 = w^n2, w2 = w^n1: the first pass transforms columns of n1 points and multiplies by w^(j2 k1),
// the second one transforms rows of n2 points. Either happens in the memory of a block, in steps of
// up to 16 points: decimation in frequency forward, in time backward. Nothing is put into order:
// the inverse takes the values where the forward transform leaves them.
//
// One step of r = 2^q points on parts of L = r s points: the values at j, j + s, ..., j + (r - 1) s
// become their transform, whose frequency k is multiplied by w_L^(j k) and stands at j + k s. The
// parts of the next step have s points.
#pragma once

#include "accel/gpu/kernels/field.hpp"

namespace fhe::gpu {

constexpr unsigned kLeastLogLength = 8;
constexpr unsigned kMostLogLength = 22;

// Powers of a root w of order 2^22 with w^(2^18) = 2^12, in two tables of 2^11: w^(2^11 i) and w^i.
constexpr unsigned kLogTable = 11;
constexpr unsigned kTableWords = 2U << kLogTable;

struct Roots {
  const Word* table;

  // w^exponent, for an exponent below 2^22.
  FHE_KERNEL Word power(Word exponent) const {
    const Word low = exponent & ((1U << kLogTable) - 1);
    const Word coarse = table[exponent >> kLogTable];
    return low == 0 ? coarse : field_multiply(coarse, table[(1U << kLogTable) + low]);
  }
  // The root of order 2^log_order to the power of `exponent`, or of -exponent.
  FHE_KERNEL Word power(Word exponent, unsigned log_order, bool is_inverse) const {
    const Word mask = (Word{1} << kMostLogLength) - 1;
    const Word scaled = (exponent << (kMostLogLength - log_order)) & mask;
    return power(is_inverse ? (Word{0} - scaled) & mask : scaled);
  }
};

// How a transform of 2^log_length points is cut.
struct TransformShape {
  unsigned log_columns;  // of the points of a column, n1
  unsigned log_rows;     // of the points of a row, n2

  FHE_KERNEL static constexpr TransformShape of(unsigned log_length) {
    return {(log_length + 1) / 2, log_length / 2};
  }
};

// The transforms of up to 16 points: in natural order at j in, at the reversed bits of the
// frequency out.
template <unsigned kPoints>
FHE_KERNEL void butterflies(Word* x) {
  FHE_UNROLL
  for (unsigned length = kPoints; length > 1; length /= 2) {
    FHE_UNROLL
    for (unsigned first = 0; first < kPoints; first += length) {
      FHE_UNROLL
      for (unsigned j = 0; j < length / 2; ++j) {
        const Word a = x[first + j];
        const Word b = x[first + j + length / 2];
        x[first + j] = field_add(a, b);
        x[first + j + length / 2] = field_shift(field_subtract(a, b), 192 / length * j);
      }
    }
  }
}

// Backward, without the division by the number of points.
template <unsigned kPoints>
FHE_KERNEL void inverse_butterflies(Word* x) {
  FHE_UNROLL
  for (unsigned length = 2; length <= kPoints; length *= 2) {
    FHE_UNROLL
    for (unsigned first = 0; first < kPoints; first += length) {
      FHE_UNROLL
      for (unsigned j = 0; j < length / 2; ++j) {
        const Word a = x[first + j];
        const Word b = field_shift(x[first + j + length / 2], j == 0 ? 0 : 192 - 192 / length * j);
        x[first + j] = field_add(a, b);
        x[first + j + length / 2] = field_subtract(a, b);
      }
    }
  }
}

FHE_KERNEL unsigned reversed_bits(unsigned x, unsigned bits) {
  unsigned result = 0;
  FHE_UNROLL
  for (unsigned i = 0; i < bits; ++i) result |= (x >> i & 1) << (bits - 1 - i);
  return result;
}

// The steps of a pass over 2^log_points: as many of 16 points as fit, then one of the rest.
constexpr unsigned kLogStep = 4;
constexpr unsigned kMostSteps = 3;

FHE_KERNEL unsigned log_step(unsigned log_points, unsigned step) {
  if (step * kLogStep >= log_points) return 0;
  const unsigned left = log_points - step * kLogStep;
  return left < kLogStep ? left : kLogStep;
}

// Which frequency stands at a place when all steps are done.
FHE_KERNEL unsigned frequency_at(unsigned place, unsigned log_points) {
  unsigned frequency = 0;
  unsigned done = 0;
  for (unsigned step = 0; step < kMostSteps; ++step) {
    const unsigned bits = log_step(log_points, step);
    const unsigned digit = place >> (log_points - done - bits) & ((1U << bits) - 1);
    frequency |= digit << done;
    done += bits;
  }
  return frequency;
}

// One pass, in place: over columns, or over rows.
struct TransformPass {
  struct Item {
    Word* values;         // of `transforms` transforms, one behind the other
    const Word* roots;    // see Roots
    Word transforms;      // how many
    unsigned log_length;  // of a transform
    unsigned is_columns;  // else over rows
    unsigned is_inverse;  // else forward
    Word scale;           // what the values are multiplied by at the end of an inverse of columns
  };
  struct Registers {};
  static constexpr unsigned kThreads = 256;
  static constexpr unsigned kShared = kThreads << kLogStep;
  static constexpr unsigned kPhases = kMostSteps + 2;

  // Transforms that one block does: of parts of its points.
  FHE_KERNEL static constexpr Word blocks(Word transforms, unsigned log_length, bool is_columns) {
    const TransformShape shape = TransformShape::of(log_length);
    const unsigned log_points = is_columns ? shape.log_columns : shape.log_rows;
    const Word parts = transforms << (log_length - log_points);
    const Word each = kShared >> log_points;
    return (parts + each - 1) / each;
  }

  template <unsigned kPhase>
  FHE_KERNEL static void run(const Launch<Item>& launch, Place place, Registers& /*registers*/,
                             Word* shared) {
    const Pass pass(launch.item(place), place.block % launch.blocks_each);
    if constexpr (kPhase == 0) {
      pass.load(place.thread, shared);
    } else if constexpr (kPhase == kPhases - 1) {
      pass.store(place.thread, shared);
    } else {
      const unsigned step = kPhase - 1;
      pass.step(pass.item.is_inverse ? kMostSteps - 1 - step : step, place.thread, shared);
    }
  }

 private:
  // The part of a pass that one block does.
  struct Pass {
    const Item& item;
    TransformShape shape;
    unsigned log_points;
    Word first;      // the number of its first part
    unsigned parts;  // how many it has: the last block may have fewer than fit

    FHE_KERNEL Pass(const Item& i, unsigned block)
        : item(i),
          shape(TransformShape::of(i.log_length)),
          log_points(i.is_columns ? shape.log_columns : shape.log_rows),
          first(Word{block} * (kShared >> log_points)) {
      const Word left = (i.transforms << (i.log_length - log_points)) - first;
      const unsigned at_most = kShared >> log_points;
      parts = left < at_most ? static_cast<unsigned>(left) : at_most;
    }

    FHE_KERNEL unsigned points() const { return parts << log_points; }

    // Parts in shared memory stand one behind the other. Neighbouring threads take neighbouring
    // words of global memory.
    template <class Body>
    FHE_KERNEL void for_each_point(unsigned thread, const Body& body) const {
      for (unsigned i = thread; i < points(); i += kThreads) {
        const unsigned part = item.is_columns ? i % parts : i >> log_points;
        const unsigned point = item.is_columns ? i / parts : i & ((1U << log_points) - 1);
        body(first + part, point, (part << log_points) + point);
      }
    }

    FHE_KERNEL Word* global(Word part, unsigned point) const {
      if (!item.is_columns) return item.values + (part << log_points) + point;
      const Word column = part & ((Word{1} << shape.log_rows) - 1);
      const Word transform = part >> shape.log_rows;
      return item.values + (transform << item.log_length) + (Word{point} << shape.log_rows) +
             column;
    }

    // w^(j2 k1) of the formula above, inverted for an inverse.
    FHE_KERNEL Word twiddle(Word part, unsigned point) const {
      const Word column = part & ((Word{1} << shape.log_rows) - 1);
      return Roots{item.roots}.power(column * frequency_at(point, log_points), item.log_length,
                                     item.is_inverse != 0);
    }

    FHE_KERNEL void load(unsigned thread, Word* shared) const {
      for_each_point(thread, [&](Word part, unsigned point, unsigned at) {
        const Word value = *global(part, point);
        shared[at] = item.is_columns && item.is_inverse
                         ? field_multiply(value, twiddle(part, point))
                         : value;
      });
    }

    FHE_KERNEL void store(unsigned thread, const Word* shared) const {
      for_each_point(thread, [&](Word part, unsigned point, unsigned at) {
        Word value = shared[at];
        if (item.is_columns) {
          value = field_multiply(value, item.is_inverse ? item.scale : twiddle(part, point));
        }
        *global(part, point) = value;
      });
    }

    FHE_KERNEL void step(unsigned number, unsigned thread, Word* shared) const {
      switch (log_step(log_points, number)) {
        case 4:
          return step_of<4>(number, thread, shared);
        case 3:
          return step_of<3>(number, thread, shared);
        case 2:
          return step_of<2>(number, thread, shared);
        case 1:
          return step_of<1>(number, thread, shared);
        default:
          return;
      }
    }

    template <unsigned kBits>
    FHE_KERNEL void step_of(unsigned number, unsigned thread, Word* shared) const {
      constexpr unsigned kPoints = 1U << kBits;
      const unsigned log_part = log_points - number * kLogStep;  // of L
      const unsigned log_stride = log_part - kBits;              // of s
      for (unsigned i = thread; i < points() >> kBits; i += kThreads) {
        const unsigned j = i & ((1U << log_stride) - 1);
        Word* const at = shared + ((i >> log_stride) << log_part) + j;
        Word x[kPoints];
        if (item.is_inverse) {
          FHE_UNROLL
          for (unsigned k = 0; k < kPoints; ++k) {
            x[reversed_bits(k, kBits)] = turned(at[k << log_stride], j * k, log_part);
          }
          inverse_butterflies<kPoints>(x);
          FHE_UNROLL
          for (unsigned k = 0; k < kPoints; ++k) at[k << log_stride] = x[k];
        } else {
          FHE_UNROLL
          for (unsigned k = 0; k < kPoints; ++k) x[k] = at[k << log_stride];
          butterflies<kPoints>(x);
          FHE_UNROLL
          for (unsigned k = 0; k < kPoints; ++k) {
            at[k << log_stride] = turned(x[reversed_bits(k, kBits)], j * k, log_part);
          }
        }
      }
    }

    // Multiplied by w_L^exponent, or inversely.
    FHE_KERNEL Word turned(Word value, unsigned exponent, unsigned log_part) const {
      if (exponent == 0) return value;
      return field_multiply(value,
                            Roots{item.roots}.power(exponent, log_part, item.is_inverse != 0));
    }
  };
};

}  // namespace fhe::gpu
