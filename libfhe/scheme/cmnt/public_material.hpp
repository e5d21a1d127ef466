// SPDX-License-Identifier: Apache-2.0
// The public key of CMNT and its file sections. Not installed.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "libfhe/arith/integer_stream.hpp"
#include "libfhe/scheme/adder/adder.hpp"
#include "libfhe/scheme/cmnt/parameters.hpp"
#include "libfhe/scheme/dghv/squash.hpp"
#include "libfhe/scheme/key_context_of.hpp"
#include "libfhe/scheme/scheme.hpp"

namespace fhe::cmnt {

// The 2 beta public elements x_{i,b} = p q_{i,b} + r_{i,b} mod x0, stored in full.
struct Elements {
  std::vector<Integer> rows;     // x_{i,0}: factors of the sums of a row
  std::vector<Integer> columns;  // x_{j,1}
};

// (seed, x0, u_0, x, delta'): sigma_i = chi'_i - delta'_i.
class CmntPublicMaterial final : public PublicMaterial {
 public:
  CmntPublicMaterial(const Parameters& parameters, Integer x0, Elements elements,
                     dghv::SquashedKey squashed);

  // Throws Error(malformed_file) when a value is impossible.
  static std::shared_ptr<const CmntPublicMaterial> read(const Parameters& parameters,
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
  // x_{i,0} and x_{j,1}.
  [[nodiscard]] std::span<const Integer> rows() const { return rows_; }
  [[nodiscard]] const StoredStream& columns() const { return columns_; }
  [[nodiscard]] const dghv::SquashedKey& squashed() const { return squashed_; }

 private:
  Parameters parameters_;
  Integer x0_;
  std::vector<Integer> rows_;
  StoredStream columns_;
  dghv::SquashedKey squashed_;
};

// Key generation of CMNT (ePrint 2011/441).
//
// 1. p, q0, x0 = p q0;  2. the secret bits with one 1 in each box;  3. x_{i,b} = p q_{i,b} +
// r_{i,b} mod x0 with q_{i,b} uniform in [0, q0) and r_{i,b} in (-2^rho, 2^rho);  4. u_0 solved;
// 5. sigma_i = chi'_i - delta'_i encrypts secret bit i; for digit keys another set of them does so
// modulo 32. All secrets come from `random`, the u and chi' from the public `seed` alone.
KeyMaterial generate_keys(const Parameters& parameters, const Backend& backend,
                          const StreamSeed& seed, SecretRandom& random, const Monitor& monitor);

// A CMNT public key on a backend: encryption and recryption.
class CmntKeyContext final : public KeyContextOf<CmntPublicMaterial> {
 public:
  CmntKeyContext(const std::shared_ptr<const CmntPublicMaterial>& key, KeyId id,
                 const BackendPtr& backend, const RecryptOptions& options);

  // c = m + 2r + 2 sum_{i,j=1..beta} b_ij x_{i,0} x_{j,1} mod x0 with r uniform in
  // (-2^rho', 2^rho') and b_ij uniform in [0, 2^alpha), computed by rows:
  //
  //   sum_i x_{i,0} S_i,     S_i = sum_j b_ij x_{j,1} mod x0,
  //
  // beta^2 products alpha x gamma, beta products gamma x gamma, one long reduction. The S_i of a
  // batch are made in one pass over the x_{j,1}. Throws Error(unsupported) for sparse weights: with
  // alpha of 42 to 72 bits and beta^2 of them, they would save nothing.
  [[nodiscard]] std::vector<Ciphertext> encrypt(const std::vector<bool>& bits,
                                                const EncryptOptions& options, SecretRandom& random,
                                                const Monitor& monitor) const override;

  // Prepares the x_{i,0} for their products; the first encryption does it otherwise.
  void prepare_encryption(const Monitor& monitor) const override {
    monitor.throw_if_stopped();
    static_cast<void>(rows());
  }

  [[nodiscard]] std::vector<Ciphertext> recrypt_all(const std::vector<Ciphertext>& cs,
                                                    const Monitor& monitor) const override;

 private:
  // x_{i,0}, prepared when they are first needed.
  [[nodiscard]] const std::vector<Operand>& rows() const;
  [[nodiscard]] std::vector<Integer> random_sums(std::size_t count, SecretRandom& random,
                                                 const Monitor& monitor) const;

  std::optional<AdderProgram> adder_;  // none: by digits
  mutable std::once_flag rows_made_;
  mutable std::vector<Operand> rows_;
};

}  // namespace fhe::cmnt
