// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/gh/embedding.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace fhe::gh {

namespace {

using Complex = std::complex<double>;

// exp(i pi k / n), k = 0 ... n-1.
std::vector<Complex> half_circle(std::size_t n) {
  std::vector<Complex> roots(n);
  for (std::size_t k = 0; k < n; ++k) {
    roots[k] = std::polar(1.0, std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
  }
  return roots;
}

// Strided coefficients become the values at the odd powers of exp(i pi / N), N = values.size():
// v(zeta_j) = v_even(zeta_j^2) + zeta_j v_odd(zeta_j^2), and zeta_(j+N/2) = -zeta_j.
void transform(std::span<const double> v, std::size_t stride, std::span<const Complex> roots,
               std::span<Complex> values) {
  if (values.size() == 1) {
    values[0] = v[0];
    return;
  }
  const std::size_t half = values.size() / 2;
  transform(v, 2 * stride, roots, values.first(half));
  transform(v.subspan(stride), 2 * stride, roots, values.last(half));
  const std::size_t step = roots.size() / values.size();
  for (std::size_t j = 0; j < half; ++j) {
    const Complex even = values[j];
    const Complex odd = values[half + j] * roots[(2 * j + 1) * step];
    values[j] = even + odd;
    values[half + j] = even - odd;
  }
}

double scaled(const Integer& x, std::size_t scale_bits) {
  long exponent = 0;
  const double mantissa = mpz_get_d_2exp(&exponent, x.get_mpz_t());
  return std::ldexp(mantissa, static_cast<int>(exponent - static_cast<long>(scale_bits)));
}

double euclidean_length(std::span<const double> v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

}  // namespace

Embedding::Embedding(const SecretIntegers& v, std::size_t scale_bits)
    : scale_bits_(scale_bits), values_(v.size()) {
  SecretVector<double> coefficients(v.size());
  for (std::size_t i = 0; i < v.size(); ++i) coefficients[i] = scaled(v[i], scale_bits);
  transform(coefficients, 1, half_circle(v.size()), values_);
  const double roundings = 16.0 * static_cast<double>(std::bit_width(v.size()));
  error_ = std::ldexp(
      roundings * std::sqrt(static_cast<double>(v.size())) * euclidean_length(coefficients), -53);
}

double Embedding::inverse_rms_log2() const {
  double sum = 0;
  for (const Complex& value : values_) {
    const double lower = std::abs(value) - error_;
    if (lower <= 0) return std::numeric_limits<double>::infinity();
    sum += 1 / (lower * lower);
  }
  // More than the roundings of the sum, n 2^-53 of it, and of the logarithm.
  const double slack = std::ldexp(1.0, -30);
  return std::log2(sum / static_cast<double>(values_.size())) / 2 -
         static_cast<double>(scale_bits_) + slack;
}

}  // namespace fhe::gh
