// SPDX-License-Identifier: Apache-2.0
// What a modulus-switching key holds. Not installed.
#pragma once

#include <cstddef>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/random/public_stream.hpp"
#include "libfhe/scheme/dghv/modulus_switch.hpp"
#include "libfhe/scheme/dghv/parameters.hpp"

namespace fhe::dghv {

// With W = eta' + 1 the bits of an expanded entry: y_i = Y_i / 2^kappa' in [0, 2^W) and
//   sum_i s_i Y_i = round(2^(eta' + kappa') / p)   mod 2^(W + kappa'),
// s in {0,1}^Theta with s_0 = 1, all Y_i but Y_0 from a public stream. Element i * W + b of the
// other stream hides round(s_i 2^b p' / 2^W) + r under p'.
struct ModulusSwitch::Contents {
  std::size_t rho;      // of the group,
  std::size_t lambda;   // of the group,
  std::size_t gamma;    // of the group
  std::size_t old_eta;  // eta, bits of p
  std::size_t new_eta;  // eta', bits of p'
  std::size_t Theta;
  KeyId source;
  Integer source_modulus;
  KeyId target;
  Integer target_modulus;
  StreamSeed seed{};
  Integer Y0{};
  std::vector<Integer> corrections{};

  [[nodiscard]] std::size_t entry_bits() const { return new_eta + 1; }
  [[nodiscard]] std::size_t fraction_bits() const { return gamma + 2; }
  [[nodiscard]] std::size_t Y_bits() const { return entry_bits() + fraction_bits(); }
  [[nodiscard]] std::size_t elements() const { return Theta * entry_bits(); }
  [[nodiscard]] std::size_t correction_bits() const { return new_eta + lambda; }
  [[nodiscard]] PublicStream Y_stream() const {
    return {seed, StreamPurpose::switch_squash, 1, Theta - 1, Y_bits()};
  }
  [[nodiscard]] PublicStream bit_stream() const {
    return {seed, StreamPurpose::switch_bits, 0, elements(), gamma};
  }
};

// Whether a key may have this Theta: at least 2, and fewer than 2^32 elements.
[[nodiscard]] inline bool is_switch_length(std::size_t Theta, std::size_t new_eta) {
  return Theta >= 2 && Theta <= (std::size_t{1} << 32) / (new_eta + 1);
}

}  // namespace fhe::dghv
