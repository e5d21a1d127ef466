// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/cmnt/public_material.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "libfhe/scheme/dghv/key_sections.hpp"

namespace fhe::cmnt {

namespace {

constexpr std::string_view kRows = "x.0";
constexpr std::string_view kColumns = "x.1";

// An element is uniform below x0: this much shorter is one key in 2^50 at most.
constexpr std::size_t kMissingBits = 64;

std::optional<std::string> elements_flaw(std::string_view section,
                                         std::span<const Integer> elements,
                                         const Parameters& parameters, const Integer& x0) {
  if (std::ranges::any_of(elements, [&x0](const Integer& x) { return x >= x0; })) {
    return "a public element is not below the modulus x0";
  }
  if (auto flaw = dghv::list_flaw(section, elements, parameters.beta, parameters.gamma)) {
    return flaw;
  }
  const auto is_short = [&](const Integer& x) {
    return bit_length(x) + kMissingBits < parameters.gamma;
  };
  if (std::ranges::none_of(elements, is_short)) return std::nullopt;
  return fmt::format("a value of {} is too short to hide a bit", section);
}

}  // namespace

CmntPublicMaterial::CmntPublicMaterial(const Parameters& parameters, Integer x0, Elements elements,
                                       dghv::SquashedKey squashed)
    : parameters_(parameters),
      x0_(std::move(x0)),
      rows_(std::move(elements.rows)),
      columns_(std::move(elements.columns), parameters.gamma),
      squashed_(std::move(squashed)) {}

std::shared_ptr<const CmntPublicMaterial> CmntPublicMaterial::read(const Parameters& p,
                                                                   ContainerReader& in) {
  in.require_sections(
      dghv::with_sigma({"params", "seed", dghv::modulus_section(p), "u0", kRows, kColumns}, p));
  const StreamSeed seed = dghv::read_seed(in);
  Integer x0 = dghv::read_modulus(in, p);
  std::vector<Integer> solved = dghv::read_u0(in, p);
  Elements elements{.rows = dghv::read_list(in, kRows, p.beta, p.gamma),
                    .columns = dghv::read_list(in, kColumns, p.beta, p.gamma)};
  auto key = std::make_shared<const CmntPublicMaterial>(
      p, std::move(x0), std::move(elements), dghv::read_squashed(in, p, seed, std::move(solved)));
  if (const auto flaw = key->flaw()) throw in.malformed(*flaw);
  return key;
}

std::optional<std::string> CmntPublicMaterial::flaw() const {
  if (auto flaw = dghv::modulus_flaw(x0_, parameters_)) return flaw;
  if (auto flaw = elements_flaw(kRows, rows_, parameters_, x0_)) return flaw;
  if (auto flaw = elements_flaw(kColumns, columns_.elements(), parameters_, x0_)) return flaw;
  if (auto flaw = dghv::equal_values_flaw("x.0 and x.1", {rows_, columns_.elements()})) {
    return flaw;
  }
  return dghv::squashed_flaw(parameters_, squashed_);
}

void CmntPublicMaterial::write(SectionWriter& out) const {
  dghv::write_seed(out, squashed_.seed);
  dghv::write_modulus(out, parameters_, x0_);
  dghv::write_u0(out, parameters_, squashed_);
  dghv::write_list(out, kRows, rows_, parameters_.gamma);
  dghv::write_list(out, kColumns, columns_.elements(), parameters_.gamma);
  dghv::write_sigma(out, parameters_, squashed_);
}

std::vector<std::uint64_t> CmntPublicMaterial::section_bytes(const Parameters& p) {
  const std::uint64_t elements = dghv::list_bytes(p.beta, p.gamma);
  std::vector<std::uint64_t> bytes{dghv::seed_bytes(), dghv::modulus_bytes(p), dghv::u0_bytes(p),
                                   elements, elements};
  std::ranges::copy(dghv::sigma_bytes(p), std::back_inserter(bytes));
  return bytes;
}

std::shared_ptr<const KeyContext> CmntPublicMaterial::make_context(
    std::shared_ptr<const PublicMaterial> self, const KeyId& id, const BackendPtr& backend,
    const RecryptOptions& options) const {
  return std::make_shared<const cmnt::CmntKeyContext>(
      std::static_pointer_cast<const CmntPublicMaterial>(std::move(self)), id, backend, options);
}

}  // namespace fhe::cmnt
