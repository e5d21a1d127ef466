// SPDX-License-Identifier: Apache-2.0
// The public key of CMNT and its file sections. Not installed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "libfhe/arith/integer_stream.hpp"
#include "libfhe/scheme/cmnt/parameters.hpp"
#include "libfhe/scheme/dghv/squash.hpp"
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

}  // namespace fhe::cmnt
