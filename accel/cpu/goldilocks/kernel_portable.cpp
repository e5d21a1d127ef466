// SPDX-License-Identifier: Apache-2.0
// The kernels in portable C++.
#include "accel/cpu/bounds.hpp"
#include "accel/cpu/goldilocks/kernel_table.hpp"
#include "accel/cpu/goldilocks/lanes_portable.hpp"
#include "accel/cpu/goldilocks/passes.hpp"

namespace fhe::cpu::goldilocks {

namespace {

void split_portable(std::uint64_t* digits, const std::uint64_t* limbs, std::size_t count,
                    unsigned bits) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = i * bits;
    const std::uint64_t low = limbs[at / 64] >> (at % 64);
    const std::uint64_t high = limbs[at / 64 + 1] << 1 << (63 - at % 64);
    digits[i] = (low | high) & mask;
  }
}

// A coefficient is three parts d0 + d1 2^b + d2 2^(2b), d0, d1 < 2^b, d2 < 2^(64 - 2b) <= 2^24.
// The digits s_i = d0_i + d1_(i-1) + d2_(i-2) are below 2^25 (b = 20) or 2^(b + 2), and after
// v_i = (s_i mod 2^b) + floor(s_(i-1) / 2^b) < 2^b + 2^5 only single carries remain.
unsigned join_portable(std::uint64_t* limbs, const std::uint64_t* coefficients,
                       const std::uint64_t* previous, std::size_t count, unsigned bits,
                       unsigned carry) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  const auto middle = [&](std::uint64_t x) { return (x >> bits) & mask; };
  std::uint64_t before_last = previous[6];
  std::uint64_t last = previous[7];
  std::uint64_t sum = (last & mask) + middle(before_last) + (previous[5] >> (2 * bits));
  std::uint64_t limb = 0;
  unsigned filled = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t x = coefficients[i];
    const std::uint64_t high = sum >> bits;
    sum = (x & mask) + middle(last) + (before_last >> (2 * bits));
    before_last = last;
    last = x;
    const std::uint64_t digit = (sum & mask) + high + carry;
    verify("digit before the last carry < 2^b + 2^5 + 1", [&] { return digit <= mask + 33; });
    carry = static_cast<unsigned>(digit >> bits);
    limb |= (digit & mask) << filled;
    filled += bits;
    if (filled >= 64) {
      *limbs++ = limb;
      filled -= 64;
      limb = (digit & mask) >> (bits - filled);
    }
  }
  return carry;
}

}  // namespace

const KernelTable& portable_kernels() {
  static constexpr KernelTable kTable{
      kWidth,   forward_root, inverse_root,   forward_children, inverse_children,
      multiply, add_product,  split_portable, join_portable,
  };
  return kTable;
}

}  // namespace fhe::cpu::goldilocks
