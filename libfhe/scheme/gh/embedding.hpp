// SPDX-License-Identifier: Apache-2.0
// The complex values of a secret polynomial at the roots of x^n + 1. Not installed.
#pragma once

#include <complex>
#include <cstddef>
#include <span>

#include "libfhe/arith/integer.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::gh {

// 2^-scale_bits v(zeta_j) at zeta_j = exp(i pi (2j+1) / n), j = 0 ... n-1, in double precision, by
// a fast Fourier transform. The values are overwritten when they go.
class Embedding {
 public:
  // Requires n = v.size() a power of two and coefficients that are doubles after the scaling.
  Embedding(const SecretIntegers& v, std::size_t scale_bits);

  [[nodiscard]] std::span<const std::complex<double>> values() const { return values_; }

  // No value is further than this from the exact one. A level of the transform adds an error of at
  // most e = m + 4u (sqrt(2) + m) relative to the Euclidean length of all values, u = 2^-53, m < 7u
  // the error of a root of unity (Higham, Accuracy and Stability, section 24.1), and rounding the
  // coefficients 2u; that length is sqrt(n) |v|. So 16 (log2 n + 1) u sqrt(n) |v| bounds the error
  // of all values together.
  [[nodiscard]] double error() const { return error_; }

  // An upper bound of log2 rms_j 1/|v(zeta_j)|, unscaled, above it by the effect of error() and
  // less than 2^-29; infinite when a value may be 0.
  [[nodiscard]] double inverse_rms_log2() const;

 private:
  std::size_t scale_bits_;
  SecretVector<std::complex<double>> values_;
  double error_ = 0;
};

}  // namespace fhe::gh
