// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/counts/karatsuba.hpp"

#include <algorithm>
#include <span>

#include "apps/bench/counts/carries.hpp"

namespace fhe::bench {

namespace {

using Input = std::span<const CountedWord>;

// The paper's: "larger than three words".
constexpr std::size_t kSchoolbookWords = 3;

void multiply_schoolbook(std::span<CountedWord> product, Input a, Input b) {
  std::ranges::fill(product, CountedWord());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CountedWord carry;
    for (std::size_t j = 0; j < b.size(); ++j) {
      product[i + j] = multiply_add(a[i], b[j], product[i + j], carry);
    }
    product[i + b.size()] = carry;
  }
}

// low + high, one word longer than the longer of them, which is `low`.
Words sum_of_halves(Input low, Input high) {
  Words sum(low.begin(), low.end());
  sum.push_back(add_to(sum, high));
  return sum;
}

// x = xl + 2^(64 h) xh: a b = L + 2^(64 h) (M - L - H) + 2^(128 h) H, M = (al + ah)(bl + bh).
void multiply(std::span<CountedWord> product, Input a, Input b) {
  const std::size_t words = a.size();
  if (words <= kSchoolbookWords) return multiply_schoolbook(product, a, b);
  const std::size_t half = (words + 1) / 2;
  const std::span<CountedWord> low = product.first(2 * half);
  const std::span<CountedWord> high = product.subspan(2 * half);
  multiply(low, a.first(half), b.first(half));
  multiply(high, a.subspan(half), b.subspan(half));
  Words middle(2 * (half + 1));
  multiply(middle, sum_of_halves(a.first(half), a.subspan(half)),
           sum_of_halves(b.first(half), b.subspan(half)));
  subtract_from(middle, low);
  subtract_from(middle, high);
  // What does not fit above the middle is zero.
  add_to(product.subspan(half), Input(middle).first(std::min(middle.size(), 2 * words - half)));
}

}  // namespace

Words multiply_karatsuba(const Words& a, const Words& b) {
  Words product(a.size() + b.size());
  multiply(product, a, b);
  return product;
}

}  // namespace fhe::bench
