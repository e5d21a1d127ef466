// SPDX-License-Identifier: Apache-2.0
// The compressed public key of CNT and its file sections. Not installed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "libfhe/scheme/cnt/parameters.hpp"
#include "libfhe/scheme/dghv/squash.hpp"
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

}  // namespace fhe::cnt
