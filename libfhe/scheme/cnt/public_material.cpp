// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/cnt/public_material.hpp"

#include <algorithm>
#include <iterator>

#include "libfhe/scheme/dghv/key_sections.hpp"

namespace fhe::cnt {

PublicStream element_stream(const Parameters& parameters, const StreamSeed& seed) {
  return {seed, StreamPurpose::public_elements, 1, parameters.tau, parameters.gamma};
}

CntPublicMaterial::CntPublicMaterial(Parameters parameters, Integer x0, std::vector<Integer> delta,
                                     dghv::SquashedKey squashed)
    : parameters_(std::move(parameters)),
      x0_(std::move(x0)),
      delta_(std::move(delta)),
      squashed_(std::move(squashed)) {}

PublicStream CntPublicMaterial::element_stream() const {
  return cnt::element_stream(parameters_, squashed_.seed);
}

std::shared_ptr<const CntPublicMaterial> CntPublicMaterial::read(const Parameters& p,
                                                                 ContainerReader& in) {
  in.require_sections(
      dghv::with_sigma({"params", "seed", dghv::modulus_section(p), "u0", "delta"}, p));
  const StreamSeed seed = dghv::read_seed(in);
  Integer x0 = dghv::read_modulus(in, p);
  std::vector<Integer> solved = dghv::read_u0(in, p);
  std::vector<Integer> delta = dghv::read_list(in, "delta", p.tau, p.correction_bits());
  auto key = std::make_shared<const CntPublicMaterial>(
      p, std::move(x0), std::move(delta), dghv::read_squashed(in, p, seed, std::move(solved)));
  if (const auto flaw = key->flaw()) throw in.malformed(*flaw);
  return key;
}

std::optional<std::string> CntPublicMaterial::flaw() const {
  const Parameters& p = parameters_;
  if (auto flaw = dghv::modulus_flaw(x0_, p)) return flaw;
  if (auto flaw = dghv::list_flaw("delta", delta_, p.tau, p.correction_bits())) return flaw;
  if (auto flaw = dghv::equal_values_flaw("delta", {delta_})) return flaw;
  return dghv::squashed_flaw(p, squashed_);
}

void CntPublicMaterial::write(SectionWriter& out) const {
  dghv::write_seed(out, squashed_.seed);
  dghv::write_modulus(out, parameters_, x0_);
  dghv::write_u0(out, parameters_, squashed_);
  dghv::write_list(out, "delta", delta_, parameters_.correction_bits());
  dghv::write_sigma(out, parameters_, squashed_);
}

std::vector<std::uint64_t> CntPublicMaterial::section_bytes(const Parameters& p) {
  std::vector<std::uint64_t> bytes{dghv::seed_bytes(), dghv::modulus_bytes(p), dghv::u0_bytes(p),
                                   dghv::list_bytes(p.tau, p.correction_bits())};
  std::ranges::copy(dghv::sigma_bytes(p), std::back_inserter(bytes));
  return bytes;
}

std::shared_ptr<const KeyContext> CntPublicMaterial::make_context(
    std::shared_ptr<const PublicMaterial> self, const KeyId& id, const BackendPtr& backend,
    const RecryptOptions& options) const {
  return std::make_shared<const cnt::CntKeyContext>(
      std::static_pointer_cast<const CntPublicMaterial>(std::move(self)), id, backend, options);
}

}  // namespace fhe::cnt
