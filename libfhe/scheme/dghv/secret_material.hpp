// SPDX-License-Identifier: Apache-2.0
// The secret key of the DGHV family: the prime p and the squashed key s. Not installed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/scheme/dghv/parameters.hpp"
#include "libfhe/scheme/dghv/secret_divisor.hpp"
#include "libfhe/scheme/scheme.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::dghv {

// What decrypts: the secret prime p and the modulus x0, a multiple of it.
//
// Decryption is m = ([c]_p mod 2), [c]_p the centred residue, whose size is compared with the
// claimed noise. All of it in time and memory accesses that depend on the sizes alone, see
// SecretDivisor; tests/secrets checks that.
class PrimeSecret : public SecretMaterial {
 public:
  [[nodiscard]] const Integer& modulus() const override { return x0_; }
  [[nodiscard]] Decryption decrypt(const Integer& c, NoiseBound claim) const override;
  [[nodiscard]] NoiseBound measure_noise(const Integer& c) const override;

  // With residues by Backend::chunk_form.
  [[nodiscard]] std::shared_ptr<const SecretContext> make_context(
      std::shared_ptr<const SecretMaterial> self, const Backend& backend) const override;

  [[nodiscard]] const Integer& p() const { return p_.value(); }

  // The centred residue [c]_p = 2r + m. Requires 0 <= c <= x0. The last step, which drops leading
  // zeros, takes a time that depends on the noise.
  [[nodiscard]] SecretInteger noise(const Integer& c) const;

 protected:
  // Requires an odd p >= 3.
  PrimeSecret(SecretInteger p, Integer x0);

 private:
  SecretInteger p_;
  Integer x0_;
  SecretDivisor divisor_;
};

// The secret key (p, s) of a scheme with recryption.
class DghvSecretMaterial final : public PrimeSecret {
 public:
  // `ones` are the positions of the ones of the secret bits: one in each of parameters.boxes().
  DghvSecretMaterial(Parameters parameters, SecretInteger p, SecretIndices ones, Integer x0);

  // Throws Error(malformed_file) when the values do not fit each other.
  static std::unique_ptr<const DghvSecretMaterial> read(const Parameters& parameters,
                                                        ContainerReader& in);

  [[nodiscard]] NoiseRule noise_rule() const override { return parameters_.noise_rule(); }
  // As encrypt_compressed().
  [[nodiscard]] CompressedCiphertexts encrypt(const std::vector<bool>& bits, const KeyId& id,
                                              const Backend& backend, SecretRandom& random,
                                              const Monitor& monitor) const override;
  [[nodiscard]] std::optional<std::string> flaw() const override;
  void write(SectionWriter& out) const override;
  [[nodiscard]] std::size_t section_count() const override { return 3; }
  // Bytes of what `write` writes, section by section.
  static std::vector<std::uint64_t> section_bytes(const Parameters& parameters);

  [[nodiscard]] const Parameters& parameters() const { return parameters_; }
  [[nodiscard]] const SecretIndices& ones() const { return ones_; }

 private:
  Parameters parameters_;
  SecretIndices ones_;
};

}  // namespace fhe::dghv
