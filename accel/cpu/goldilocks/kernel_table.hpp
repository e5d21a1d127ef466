// SPDX-License-Identifier: Apache-2.0
// What a kernel does, as a table of functions on raw memory: one table per instruction set.
//
// `points` is always the whole array of a transform in the layout of pass_plan.hpp. Ranges:
//   forward    in: canonical; out: any words
//   multiply   in: any words; out: canonical
//   inverse    in: any words; out: canonical
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/goldilocks/pass_plan.hpp"

namespace fhe::cpu::goldilocks {

inline constexpr std::size_t kGroup = 8 * kLeaf;  // leaves that the widest kernel takes at once

struct KernelTable {
  std::size_t lanes;

  // The root pass on columns [first, first + count); count is at most kBlock and does not cross a
  // block. With `half` the upper half of the points is taken as zero and not read.
  void (*forward_root)(const PassPlan& passes, std::uint64_t* points, std::size_t first,
                       std::size_t count, bool half);
  void (*inverse_root)(const PassPlan& passes, std::uint64_t* points, std::size_t first,
                       std::size_t count);

  // All passes below the root on the points [first, first + count): a multiple of the root's
  // children and of kGroup points.
  void (*forward_children)(const PassPlan& passes, std::uint64_t* points, std::size_t first,
                           std::size_t count);
  // The inverse, of the points times those of `other` unless it is null.
  void (*inverse_children)(const PassPlan& passes, std::uint64_t* points,
                           const std::uint64_t* other, std::size_t first, std::size_t count);

  // product[i] = a[i] * b[i]; sum[i] += a[i] * b[i] with sum[i] canonical. count is a multiple
  // of 8.
  void (*multiply)(std::uint64_t* product, const std::uint64_t* a, const std::uint64_t* b,
                   std::size_t count);
  void (*add_product)(std::uint64_t* sum, const std::uint64_t* a, const std::uint64_t* b,
                      std::size_t count);

  // The digits of `bits` bits of an integer, least significant first. Reads up to 16 bytes more
  // than the `count` digits take. count is a multiple of 8.
  void (*split)(std::uint64_t* digits, const std::uint64_t* limbs, std::size_t count,
                unsigned bits);

  // Limbs of sum coefficients[i] * 2^(bits i), without what exceeds them; what the coefficients
  // before (previous[0..7]) carry in is added, except for the last bit of it, which is `carry` (0
  // or 1). Returns the last carry bit out. count is a multiple of 64, 20 <= bits <= 28.
  unsigned (*join)(std::uint64_t* limbs, const std::uint64_t* coefficients,
                   const std::uint64_t* previous, std::size_t count, unsigned bits, unsigned carry);
};

const KernelTable& portable_kernels();
const KernelTable& avx2_kernels();
const KernelTable& avx512_kernels();
const KernelTable& ifma_kernels();

}  // namespace fhe::cpu::goldilocks
