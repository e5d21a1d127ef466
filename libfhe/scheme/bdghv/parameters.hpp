// SPDX-License-Identifier: Apache-2.0
// Parameters of batch DGHV (Cheon, Coron, Kim, Lee, Lepoint, Tibouchi, Yun: Batch Fully Homomorphic
// Encryption over the Integers, Eurocrypt 2013, ePrint 2013/036). Not installed.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "libfhe/scheme/dghv/parameters.hpp"

namespace fhe::bdghv {

struct Parameters : dghv::Parameters {
  std::size_t alpha;        // weights b_i of encryption, bits
  std::size_t alpha_prime;  // weights b'_i, bits
  std::size_t tau;          // number of public elements x_i
  std::size_t rho_prime;    // noise of the x_i, bits

  // Reads and checks a group. Throws Error(invalid_parameters).
  explicit Parameters(const ParameterSet& group);

  // What the fields are called in a group.
  static std::vector<std::string_view> field_names();

  // Weights are drawn from [0, 2^(alpha+1)) and [0, 2^(alpha'+1)). The paper draws as many, from
  // (-2^alpha, 2^alpha): the difference is the public constant 2^alpha sum x_i, which hides nothing
  // and whose sum would take a pass of its own over the key. It costs one bit of the bound below.
  [[nodiscard]] std::size_t weight_bits() const { return alpha + 1; }
  [[nodiscard]] std::size_t noise_weight_bits() const { return alpha_prime + 1; }

  // Bound on the noise, in any slot, of the sum of `count` elements x'_i, one of which may be the
  // slot's own: |sum (2 r'_ij + [i=j])| <= 2 count (2^rho - 1) + 1.
  [[nodiscard]] NoiseBound unit_sum_noise(std::size_t count) const;

  // Bound on the noise of c = sum m_i x'_i + sum b'_i Pi_i + sum b_i x_i, in slot j the sum of
  //   |m'| <= unit_sum_noise(l),
  //   |sum b'_i (2 w_ij + [i=j] 2^(rho'+1))| < 2^(alpha'+1) (2^(rho'+1) + 2 l (2^rho - 1)),
  //   |sum b_i 2 r_ij|                       < 2^(alpha+1) tau 2 (2^(rho'-1) - 1).
  // It is 2^(eta - lambda + 2) but for a tenth of a bit in the published groups.
  [[nodiscard]] NoiseBound fresh_noise() const;

  // As Scheme::problems.
  [[nodiscard]] security::Problems problems() const;
};

}  // namespace fhe::bdghv
