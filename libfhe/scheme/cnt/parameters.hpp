// SPDX-License-Identifier: Apache-2.0
// Parameters of CNT (Coron, Naccache, Tibouchi: Public Key Compression and Modulus Switching for
// Fully Homomorphic Encryption over the Integers, Eurocrypt 2012, ePrint 2011/440). Not installed.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "libfhe/scheme/dghv/parameters.hpp"

namespace fhe::cnt {

// Ones in each weight b_i of sparse encryption (Cao et al., low Hamming weight multiplication).
inline constexpr std::size_t kSparseOnes = 15;

struct Parameters : dghv::Parameters {
  std::size_t alpha;      // weights b_i of encryption, bits
  std::size_t tau;        // number of public elements x_i
  std::size_t rho_prime;  // noise r added by encryption, bits

  // Reads and checks a group that makes keys. Throws Error(invalid_parameters).
  explicit Parameters(const ParameterSet& group);

  // What the fields are called in a group.
  static std::vector<std::string_view> field_names();

  // |m + 2r + 2 sum b_i r_i| <= 1 + 2 (2^rho' - 1) + 2 tau (2^alpha - 1)(2^rho - 1).
  [[nodiscard]] NoiseBound fresh_noise() const;

  // As Scheme::problems.
  [[nodiscard]] security::Problems problems() const;
};

// The sizes of the raw encryption step sum_i X_i B_i mod X_0, which benchmark groups have too.
struct EncryptionSizes {
  std::size_t gamma;
  std::size_t alpha;
  std::size_t tau;

  explicit EncryptionSizes(const ParameterSet& group);
};

}  // namespace fhe::cnt
