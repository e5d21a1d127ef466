// SPDX-License-Identifier: Apache-2.0
// The top binary digit of a number that is encrypted modulo 32, as a formula of 10 products over
// any algebra: ciphertexts, plain integers, bounds. Not installed.
//
// Let b be any integer, with binary digits b_0, b_1, ... of b mod 32, and a any integer of the same
// parity. For e >= 1 the polynomial
//
//   f_e(x) = sum_{k=1..e} (-2)^(k-1) binomial(x, k)      f_1 = x,  f_2 = 2 x - x^2,
//                                                        3 f_3 = 10 x - 9 x^2 + 2 x^3, ...
//
// takes an integer to its parity modulo 2^e, since sum_{k>=0} (-2)^k binomial(x, k) = (-1)^x. So
// the digits come off one after the other, each as an integer of which only the parity is known:
//
//   y_1 = (b - f_2(a)) / 2                                   = b_1 mod 2
//   y_2 = (b - f_3(a) - 2 f_2(y_1)) / 4                      = b_2 mod 2
//   y_3 = (b - f_4(a) - 2 f_3(y_1) - 4 f_2(y_2)) / 8         = b_3 mod 2
//   y_4 = (b - f_5(a) - 2 f_4(y_1) - 4 f_3(y_2) - 8 f_2(y_3)) / 16 = b_4 mod 2
//
// The divisions leave no remainder. (The idea of extracting digits is that of Cheon, Han, Kim,
// Faster bootstrapping of FHE over the integers, ICISC 2019.)
#pragma once

#include <array>
#include <initializer_list>

namespace fhe::dghv {

// A multiple of a value.
template <class Value>
struct Multiple {
  long times;
  const Value& value;
};

// A product of two values, and whether it is a factor of later ones; or a multiple of one.
template <class Value>
struct Product {
  const Value& left;
  const Value& right;
  bool is_factor = false;
};
template <class Value>
struct MultipleOfProduct {
  long times;
  const Value& left;
  const Value& right;
};

// y_4 from encryptions, values or bounds of a and b. An Algebra has
//
//   Value                                      the type of its values
//   products(Product...) -> std::array<Value>  products that do not depend on each other
//   quotient(multiples, d) -> Value            (the sum of multiples of values) / d, a factor of
//                                              later products
//   quotient(multiples, products, d) -> Value  the same with multiples of products in the sum
//
// where d is 2, 12, 24 or 240. 10 products in 4 rounds; the 4 of the last one only add up.
template <class Algebra>
typename Algebra::Value top_digit(const Algebra& algebra, const typename Algebra::Value& a,
                                  const typename Algebra::Value& b) {
  using Value = typename Algebra::Value;
  using Times = std::initializer_list<Multiple<Value>>;
  using Pair = Product<Value>;

  const auto [a2] = algebra.products(Pair{a, a, true});
  const Value y1 = algebra.quotient(Times{{1, b}, {-2, a}, {1, a2}}, 2);

  const auto [a3, y1_2] = algebra.products(Pair{a2, a}, Pair{y1, y1, true});
  const Value y2 =
      algebra.quotient(Times{{3, b}, {-10, a}, {9, a2}, {-2, a3}, {-12, y1}, {6, y1_2}}, 12);

  const auto [a4, y1_3, y2_2] = algebra.products(Pair{a2, a2}, Pair{y1_2, y1}, Pair{y2, y2});
  const Value y3 = algebra.quotient(Times{{3, b},
                                          {-16, a},
                                          {20, a2},
                                          {-8, a3},
                                          {1, a4},
                                          {-20, y1},
                                          {18, y1_2},
                                          {-4, y1_3},
                                          {-24, y2},
                                          {12, y2_2}},
                                    24);

  return algebra.quotient(Times{{15, b},
                                {-128, a},
                                {200, a2},
                                {-110, a3},
                                {25, a4},
                                {-160, y1},
                                {200, y1_2},
                                {-80, y1_3},
                                {-200, y2},
                                {180, y2_2},
                                {-240, y3}},
                          {{-2, a4, a}, {10, y1_2, y1_2}, {-40, y2_2, y2}, {120, y3, y3}}, 240);
}

}  // namespace fhe::dghv
