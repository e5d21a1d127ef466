// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/counts/carries.hpp"

namespace fhe::bench {

CountedWord add_to(std::span<CountedWord> sum, std::span<const CountedWord> addend) {
  CountedWord carry;
  std::size_t i = 0;
  for (; i < addend.size(); ++i) {
    const CountedWord partial = sum[i] + addend[i];
    const CountedWord first_carry = less(partial, addend[i]);
    sum[i] = partial + carry;
    carry = first_carry + less(sum[i], carry);
  }
  for (; i < sum.size() && carry.value() != 0; ++i) {
    sum[i] += carry;
    carry = less(sum[i], carry);
  }
  return carry;
}

CountedWord subtract_from(std::span<CountedWord> difference,
                          std::span<const CountedWord> subtrahend) {
  CountedWord borrow;
  std::size_t i = 0;
  for (; i < subtrahend.size(); ++i) {
    const CountedWord first_borrow = less(difference[i], subtrahend[i]);
    const CountedWord partial = difference[i] - subtrahend[i];
    const CountedWord second_borrow = less(partial, borrow);
    difference[i] = partial - borrow;
    borrow = first_borrow + second_borrow;
  }
  for (; i < difference.size() && borrow.value() != 0; ++i) {
    const CountedWord next_borrow = less(difference[i], borrow);
    difference[i] -= borrow;
    borrow = next_borrow;
  }
  return borrow;
}

}  // namespace fhe::bench
