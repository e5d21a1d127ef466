// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/counts/montgomery.hpp"

#include <span>

#include "apps/bench/counts/carries.hpp"

namespace fhe::bench {

Words words_from(const Integer& x, std::size_t count) {
  Words words;
  words.reserve(count);
  for (const Limb limb : limbs_of(x)) words.emplace_back(limb);
  words.resize(count);
  return words;
}

Integer integer_from(const Words& x) {
  std::vector<Limb> limbs;
  limbs.reserve(x.size());
  for (const CountedWord word : x) limbs.push_back(word.value());
  return from_limbs(limbs);
}

MontgomeryModulus::MontgomeryModulus(const Integer& modulus, std::size_t words)
    : modulus_(words_from(modulus, words)) {
  const Integer r = power_of_two(kLimbBits * words);
  Integer inverse;
  mpz_invert(inverse.get_mpz_t(), modulus.get_mpz_t(), r.get_mpz_t());
  inverse_ = words_from(r - inverse, words);
}

Words MontgomeryModulus::interleaved(const Words& a, const Words& b) const {
  const std::size_t words = modulus_.size();
  Words sum(words + 1);  // stays below 2 N
  for (std::size_t i = 0; i < words; ++i) {
    CountedWord carry;
    for (std::size_t j = 0; j < words; ++j) sum[j] = multiply_add(a[j], b[i], sum[j], carry);
    const CountedWord top = sum[words] + carry;
    const CountedWord above = less(top, carry);

    const CountedWord factor = CountedWord::multiply(sum[0], inverse_[0]).low();
    carry = CountedWord();
    multiply_add(factor, modulus_[0], sum[0], carry);  // its low word is 0
    for (std::size_t j = 1; j < words; ++j) {
      sum[j - 1] = multiply_add(factor, modulus_[j], sum[j], carry);
    }
    sum[words - 1] = top + carry;
    sum[words] = above + less(sum[words - 1], carry);
  }
  return corrected(std::move(sum));
}

Words MontgomeryModulus::by_products(const Words& a, const Words& b, Multiply multiply) const {
  const auto words = static_cast<std::ptrdiff_t>(modulus_.size());
  const Words product = multiply(a, b);
  Words factor = multiply(Words(product.begin(), product.begin() + words), inverse_);
  factor.resize(modulus_.size());
  Words sum = multiply(factor, modulus_);
  sum.push_back(add_to(sum, product));
  return corrected(Words(sum.begin() + words, sum.end()));
}

Words MontgomeryModulus::corrected(Words x) const {
  Words difference = x;
  const CountedWord borrow = subtract_from(difference, modulus_);
  Words& result = borrow.value() != 0 ? x : difference;
  result.pop_back();
  return std::move(result);
}

}  // namespace fhe::bench
