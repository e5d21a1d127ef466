// SPDX-License-Identifier: Apache-2.0
// Parameters of CMNT (Coron, Mandal, Naccache, Tibouchi: Fully Homomorphic Encryption over the
// Integers with Shorter Public Keys, Crypto 2011, ePrint 2011/441). Not installed.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "libfhe/scheme/dghv/parameters.hpp"

namespace fhe::cmnt {

struct Parameters : dghv::Parameters {
  std::size_t beta;       // public elements x_{i,b}: i = 1..beta, b = 0, 1
  std::size_t alpha;      // weights b_ij of encryption, bits
  std::size_t rho_prime;  // noise r added by encryption, bits

  // Reads and checks a group; its field `squash` is the word "blocks" or "product", see
  // dghv::SquashForm. Throws Error(invalid_parameters).
  explicit Parameters(const ParameterSet& group);

  // What the fields are called in a group.
  static std::vector<std::string_view> field_names();

  // |m + 2r + 2 sum b_ij r_i0 r_j1| <= 1 + 2 (2^rho' - 1) + 2 beta^2 (2^alpha - 1)(2^rho - 1)^2.
  [[nodiscard]] NoiseBound fresh_noise() const;

  // As Scheme::problems.
  [[nodiscard]] security::Problems problems() const;
};

}  // namespace fhe::cmnt
