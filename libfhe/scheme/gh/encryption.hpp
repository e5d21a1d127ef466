// SPDX-License-Identifier: Apache-2.0
// GH encryption of many bits at once. Not installed.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/gh/noise_polynomial.hpp"
#include "libfhe/scheme/gh/parameters.hpp"
#include "libfhe/scheme/gh/powers.hpp"

namespace fhe::gh {

// `count` polynomials, one after the other from `random`: what they are does not depend on the
// number of threads that use them.
std::vector<NoisePolynomial> draw_noise(const Parameters& parameters, std::size_t count,
                                        SecretRandom& random);

// c_i = bit_of(i) + 2 u_i(r) mod d, in parallel. `phase` is the name for the monitor.
std::vector<Integer> encrypt_bits(const Powers& powers, const std::vector<NoisePolynomial>& noise,
                                  const std::function<bool(std::size_t)>& bit_of,
                                  std::string_view phase, const Monitor& monitor);

}  // namespace fhe::gh
