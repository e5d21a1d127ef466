// SPDX-License-Identifier: Apache-2.0
// The compressed public key of CNT and its file sections. Not installed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "libfhe/scheme/adder/adder.hpp"
#include "libfhe/scheme/cnt/parameters.hpp"
#include "libfhe/scheme/dghv/squash.hpp"
#include "libfhe/scheme/key_context_of.hpp"
#include "libfhe/scheme/scheme.hpp"

namespace fhe::cnt {

// (seed, x0, u_0, delta, delta'): x_i = chi_i - delta_i, sigma_i = chi'_i - delta'_i.
class CntPublicMaterial final : public PublicMaterial {
 public:
  CntPublicMaterial(Parameters parameters, Integer x0, std::vector<Integer> delta,
                    dghv::SquashedKey squashed);

  // Throws Error(malformed_file) when a value is impossible.
  static std::shared_ptr<const CntPublicMaterial> read(const Parameters& parameters,
                                                       ContainerReader& in);

  [[nodiscard]] const Integer& modulus() const override { return x0_; }
  [[nodiscard]] std::optional<std::string> flaw() const override;
  void write(SectionWriter& out) const override;
  [[nodiscard]] std::size_t section_count() const override {
    return section_bytes(parameters_).size();
  }
  // Bytes of what `write` writes, section by section.
  static std::vector<std::uint64_t> section_bytes(const Parameters& parameters);
  [[nodiscard]] std::shared_ptr<const KeyContext> make_context(
      std::shared_ptr<const PublicMaterial> self, const KeyId& id, const BackendPtr& backend,
      const RecryptOptions& options) const override;

  [[nodiscard]] const Parameters& parameters() const { return parameters_; }
  [[nodiscard]] const std::vector<Integer>& delta() const { return delta_; }
  [[nodiscard]] const dghv::SquashedKey& squashed() const { return squashed_; }

  // chi_1, ..., chi_tau.
  [[nodiscard]] PublicStream element_stream() const;

 private:
  Parameters parameters_;
  Integer x0_;
  std::vector<Integer> delta_;
  dghv::SquashedKey squashed_;
};

// chi_1, ..., chi_tau under a seed.
PublicStream element_stream(const Parameters& parameters, const StreamSeed& seed);

// Key generation of CNT with compressed public key (CNT 2012, ePrint 2011/440).
//
// 1. p, q0, x0 = p q0;  2. x_i = chi_i - delta_i = r_i mod p;  3. s with one 1 per block, u_0
// solved;
// 4. sigma_i = chi'_i - delta'_i encrypts s_i; for digit keys another set of them does so modulo
// 32. All secrets come from `random`, the chi and u from the public `seed` alone.
KeyMaterial generate_keys(const Parameters& parameters, const Backend& backend,
                          const StreamSeed& seed, SecretRandom& random, const Monitor& monitor);

// A CNT public key on a backend: encryption and recryption.
class CntKeyContext final : public KeyContextOf<CntPublicMaterial> {
 public:
  CntKeyContext(const std::shared_ptr<const CntPublicMaterial>& key, KeyId id,
                const BackendPtr& backend, const RecryptOptions& options);

  // c = m + 2r + 2 sum_{i=1..tau} b_i x_i mod x0, r uniform in (-2^rho', 2^rho'), b_i uniform in
  // [0, 2^alpha) (sparse: uniform of weight 15). The factor 2 of r and of the sum keeps the parity
  // of the noise equal to m.
  [[nodiscard]] std::vector<Ciphertext> encrypt(const std::vector<bool>& bits,
                                                const EncryptOptions& options, SecretRandom& random,
                                                const Monitor& monitor) const override;

  [[nodiscard]] std::vector<Ciphertext> recrypt_all(const std::vector<Ciphertext>& cs,
                                                    const Monitor& monitor) const override;

 private:
  [[nodiscard]] std::vector<Integer> random_sums(std::size_t count, const EncryptOptions& options,
                                                 SecretRandom& random,
                                                 const Monitor& monitor) const;

  std::optional<AdderProgram> adder_;  // none: by digits
};

}  // namespace fhe::cnt
