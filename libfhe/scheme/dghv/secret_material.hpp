// SPDX-License-Identifier: Apache-2.0
// The secret key of the DGHV family: the prime p of each slot and its squashed key s. Not
// installed.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/scheme/dghv/parameters.hpp"
#include "libfhe/scheme/dghv/secret_divisor.hpp"
#include "libfhe/scheme/dghv/secret_primes.hpp"
#include "libfhe/scheme/scheme.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::dghv {

// Why no key can have these primes and this modulus, as PublicMaterial::flaw(), as far as their
// lengths and their last bits say; PrimeSecret requires that there is nothing.
std::optional<std::string> primes_flaw(const Parameters& parameters,
                                       std::span<const Integer> primes, const Integer& x0);

// What decrypts: the secret primes, one for each slot, and the modulus x0, a multiple of them.
//
// Decryption is m = ([c]_p mod 2) in each slot, [c]_p the centred residue, whose size is compared
// with the claimed noise. All of it in time and memory accesses that depend on the sizes alone, see
// SecretDivisor; tests/secrets checks that. Modulo one prime after the other, and not modulo pi
// first: with chunk forms that is a few products of long numbers in all, whereas what is faster
// than linear modulo pi looks at the limbs.
class PrimeSecret : public SecretMaterial {
 public:
  [[nodiscard]] const Integer& modulus() const override { return x0_; }
  [[nodiscard]] Decryption decrypt(const Integer& c, NoiseBound claim) const override;
  [[nodiscard]] NoiseBound measure_noise(const Integer& c) const override;
  [[nodiscard]] std::vector<NoiseBound> measure_slot_noise(const Integer& c) const override;

  // With residues by Backend::chunk_form.
  [[nodiscard]] std::shared_ptr<const SecretContext> make_context(
      std::shared_ptr<const SecretMaterial> self, const Backend& backend) const override;

  // The primes; and pi, their product, or p where there is one slot.
  [[nodiscard]] const SecretPrimes& primes() const { return primes_; }
  [[nodiscard]] const Integer& p() const { return primes_.product(); }

  // The centred residue [c]_p = 2r + m of a slot. Requires 0 <= c <= x0. The last step, which drops
  // leading zeros, takes a time that depends on the noise.
  [[nodiscard]] SecretInteger noise(const Integer& c, std::size_t slot = 0) const;

  // The same for the values of this key, and also that the primes divide x0.
  [[nodiscard]] std::optional<std::string> flaw_of_primes(const Parameters& parameters) const;

 protected:
  // Requires odd primes.
  PrimeSecret(SecretPrimes primes, Integer x0);

 private:
  SecretPrimes primes_;
  Integer x0_;
  std::vector<SecretDivisor> divisors_;
};

// The secret key of a scheme with recryption: (p, s), or one such pair for each slot.
class DghvSecretMaterial final : public PrimeSecret {
 public:
  // `ones` are the positions of the ones of the secret bits of each slot: one in each of
  // parameters.boxes(). Requires as many primes and lists of ones as there are slots.
  DghvSecretMaterial(Parameters parameters, SecretPrimes primes, std::vector<SecretIndices> ones,
                     Integer x0);

  // Throws Error(malformed_file) when the values do not fit each other.
  static std::unique_ptr<const DghvSecretMaterial> read(const Parameters& parameters,
                                                        ContainerReader& in);

  [[nodiscard]] std::size_t slots() const override { return parameters_.slots; }
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

  // Made when it is first asked for, and kept: for one slot nothing, at bdghv-large 60 MB.
  [[nodiscard]] const ChineseRemainders& remainders(const Monitor& monitor) const;

  [[nodiscard]] const Parameters& parameters() const { return parameters_; }
  [[nodiscard]] const SecretIndices& ones(std::size_t slot = 0) const { return ones_[slot]; }
  [[nodiscard]] std::span<const SecretIndices> all_ones() const { return ones_; }

 private:
  Parameters parameters_;
  std::vector<SecretIndices> ones_;
  mutable std::mutex guard_;
  mutable std::optional<ChineseRemainders> remainders_;
};

}  // namespace fhe::dghv
