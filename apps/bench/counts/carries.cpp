#include "apps/bench/counts/carries.hpp"

namespace fhe::bench {

Word add_to(std::span<Word> sum, std::span<const Word> addend) {
  Word carry;
  std::size_t i = 0;
  for (; i < addend.size(); ++i) {
    const Word partial = sum[i] + addend[i];
    const Word first_carry = less(partial, addend[i]);
    sum[i] = partial + carry;
    carry = first_carry + less(sum[i], carry);
  }
  for (; i < sum.size() && carry.value() != 0; ++i) {
    sum[i] += carry;
    carry = less(sum[i], carry);
  }
  return carry;
}

Word subtract_from(std::span<Word> difference, std::span<const Word> subtrahend) {
  Word borrow;
  std::size_t i = 0;
  for (; i < subtrahend.size(); ++i) {
    const Word first_borrow = less(difference[i], subtrahend[i]);
    const Word partial = difference[i] - subtrahend[i];
    const Word second_borrow = less(partial, borrow);
    difference[i] = partial - borrow;
    borrow = first_borrow + second_borrow;
  }
  for (; i < difference.size() && borrow.value() != 0; ++i) {
    const Word next_borrow = less(difference[i], borrow);
    difference[i] -= borrow;
    borrow = next_borrow;
  }
  return borrow;
}

}  // namespace fhe::bench
