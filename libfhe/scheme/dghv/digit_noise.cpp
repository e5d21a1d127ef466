// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdlib>
#include <initializer_list>

#include "libfhe/scheme/dghv/digit_formula.hpp"
#include "libfhe/scheme/dghv/digit_program.hpp"

namespace fhe::dghv {

namespace {

// Bounds on absolute values: what the formula can reach.
struct Bounds {
  using Value = Integer;

  template <class... Pairs>
  [[nodiscard]] static std::array<Integer, sizeof...(Pairs)> products(const Pairs&... pairs) {
    return {Integer(pairs.left * pairs.right)...};
  }

  [[nodiscard]] static Integer quotient(std::initializer_list<Multiple<Integer>> multiples,
                                        unsigned long divisor) {
    return quotient(multiples, {}, divisor);
  }

  [[nodiscard]] static Integer quotient(std::initializer_list<Multiple<Integer>> multiples,
                                        std::initializer_list<MultipleOfProduct<Integer>> products,
                                        unsigned long divisor) {
    Integer sum;
    for (const auto& [times, value] : multiples) sum += std::abs(times) * value;
    for (const auto& [times, left, right] : products) sum += std::abs(times) * left * right;
    mpz_cdiv_q_ui(sum.get_mpz_t(), sum.get_mpz_t(), divisor);
    return sum;
  }
};

}  // namespace

NoiseBound digit_noise(NoiseBound a, NoiseBound b) {
  const Integer top = top_digit(Bounds(), a.magnitude(), b.magnitude());
  return NoiseBound::from_magnitude(top + 1);  // the last step adds c mod 2
}

}  // namespace fhe::dghv
