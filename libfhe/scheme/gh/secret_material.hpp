// SPDX-License-Identifier: Apache-2.0
// The secret key of GH. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/scheme/gh/fixed_point_ratio.hpp"
#include "libfhe/scheme/gh/parameters.hpp"
#include "libfhe/scheme/scheme.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::gh {

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
