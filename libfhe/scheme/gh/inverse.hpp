// SPDX-License-Identifier: Apache-2.0
// Determinant and inverse in Z[x]/(x^n + 1) by halving the dimension. Not installed.
#pragma once

#include "libfhe/arith/backend.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::gh {

// With w = d / v in Z[x]/(x^n + 1): its two lowest coefficients.
struct ScaledInverse {
  Integer d;         // resultant(v, x^n + 1), the product of all v(zeta_j); positive unless v = 0
  SecretInteger w0;  // of w_0 + w_1 x + ...
  SecretInteger w1;
};

// Gentry and Halevi's halving (ePrint 2010/520, section 4). For any u and v of dimension N
//
//   v'(x^2) = v(x) v(-x),   u'(x^2) = even half of u(x) v(-x)
//
// have dimension N/2, v' the same determinant d, and d u'/v' the same lowest coefficient as d u/v.
// So log2 n steps take u = 1 to w_0 and u = 1/x = -x^(n-1) to w_1, while v becomes d. Each step is
// six products of half the dimension with twice the bits, on the backend, which sees v.
//
// Requires n = v.size() a power of two, at least 2. Advances `progress` by log2 n.
ScaledInverse scaled_inverse(const SecretIntegers& v, const Backend& backend, Progress& progress);

}  // namespace fhe::gh
