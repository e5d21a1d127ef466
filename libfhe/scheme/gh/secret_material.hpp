// SPDX-License-Identifier: Apache-2.0
// The secret key of GH. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/scheme/gh/parameters.hpp"
#include "libfhe/scheme/scheme.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::gh {

// A secret fraction |w|/d, and its multiples modulo 2 in linear time.
//
// Decryption asks for the integer next to c |w|/d, modulo 2, and for the distance to it, relative
// to a power of two: a few digits of the product of c and of the expansion of |w|/d around the
// point. With B = 2^64, N the limbs of d, G those kept of the fraction, and F = floor(|w|/d
// B^(N+G)),
//
//   c |w|/d B^G = sum_i c_i floor(F / B^(N-i)) + error,      0 <= error < (N+1) B,
//
// where each term counts modulo B^(G+1) only: N times G+1 products of limbs.
class FixedPointRatio {
 public:
  // Requires |w| < d. The error is below 2^-fraction_bits. The one division that this takes is
  // GMP's: its time depends on the sizes and, slightly, on the values.
  FixedPointRatio(const Integer& w, const Integer& d, std::size_t fraction_bits);

  struct NearestInteger {
    bool odd;
    SecretLimbs distance;  // in units of 2^-unit_bits(), rounded up
  };

  // The integer nearest to c |w|/d. Requires 0 <= c < d. When the distance comes out as 1/2 or more
  // it may be the other neighbour. Time and memory accesses depend on the lengths of c and d alone.
  [[nodiscard]] NearestInteger nearest(const Integer& c) const;

  [[nodiscard]] std::size_t unit_bits() const { return fraction_limbs_ * kLimbBits; }

 private:
  std::size_t modulus_limbs_;   // N
  std::size_t fraction_limbs_;  // G
  SecretLimbs digits_;          // of F, N + G + 1 with leading zeros
};

// (w, d): m = [c w]_d mod 2, [.]_d the centred residue. The noise is measured as
// |[c w]_d| / d 2^inverse_bits, which is never above the norm of parameters.hpp.
//
// Decryption computes a few digits of c w / d around the point, in time linear in the length of d;
// neither the time nor the memory accesses depend on w or on the noise (tests/secrets). Up to
// decrypt_limit the bit is that of the centred residue; just past it, within 2^-64 units of noise
// from d/2, either may come. What is done once for a key, its generation, reading and the ratio
// w / d, is GMP's and takes a time that depends, slightly, on the values.
class GhSecretMaterial final : public SecretMaterial {
 public:
  // Requires a centred odd w, |w| < d/2, and an odd d.
  GhSecretMaterial(const Parameters& parameters, SecretInteger w, Integer d);

  // The sections `w` (as the residue in [0, d)) and `d`, of the same length. Throws
  // Error(malformed_file) when the values are impossible: w must be as short as inverse_bits says.
  static std::unique_ptr<const GhSecretMaterial> read(const Parameters& parameters,
                                                      ContainerReader& in);

  [[nodiscard]] const Integer& modulus() const override { return d_; }
  [[nodiscard]] NoiseRule noise_rule() const override { return parameters_.noise_rule(); }
  [[nodiscard]] Decryption decrypt(const Integer& c, NoiseBound claim) const override;
  [[nodiscard]] NoiseBound measure_noise(const Integer& c) const override;
  [[nodiscard]] std::optional<std::string> flaw() const override;
  void write(SectionWriter& out) const override;
  [[nodiscard]] std::size_t section_count() const override { return 2; }
  // Bytes of what `write` writes, section by section, for a d of so many bits.
  static std::vector<std::uint64_t> section_bytes(std::size_t d_bits);

  [[nodiscard]] const Integer& w() const { return w_.value(); }

  // The centred residue [c w]_d, in full: by GMP, in time that depends on the sizes and, slightly,
  // on the values. Requires 0 <= c < d.
  [[nodiscard]] SecretInteger noise(const Integer& c) const;

 private:
  Parameters parameters_;
  SecretInteger w_;
  Integer d_;
  FixedPointRatio ratio_;  // |w| / d
};

}  // namespace fhe::gh
