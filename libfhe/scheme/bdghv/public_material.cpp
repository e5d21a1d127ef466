// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/bdghv/public_material.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/scheme/dghv/key_sections.hpp"

namespace fhe::bdghv {

namespace {

constexpr std::string_view kX = "delta";
constexpr std::string_view kUnits = "delta.x'";
constexpr std::string_view kNoise = "delta.Pi";
constexpr std::string_view kPermutations = "zeta";
constexpr std::string_view kPermutedSigma = "sigma.z";

std::vector<std::string_view> section_names(const Parameters& parameters, bool has_permutations) {
  std::vector<std::string_view> names = dghv::with_sigma(
      {"params", "seed", dghv::modulus_section(parameters), "u0", kX, kUnits, kNoise}, parameters);
  if (has_permutations) names.insert(names.end(), {kPermutations, kPermutedSigma});
  return names;
}

void write_permutations(SectionWriter& out, std::span<const SlotPermutation> permutations) {
  out.begin_section(kPermutations);
  out.write_u32(static_cast<std::uint32_t>(permutations.size()));
  for (const SlotPermutation& permutation : permutations) out.write_u32s(permutation.sources());
}

std::vector<SlotPermutation> read_permutations(const Parameters& parameters, ContainerReader& in) {
  const auto bytes = [&](std::size_t count) { return 4 * (1 + count * parameters.slots); };
  in.open_section(kPermutations, bytes(1), bytes(kMostPermutations));
  const std::size_t count = in.read_u32();
  if (in.section_bytes() != bytes(count)) {
    throw in.malformed(fmt::format("the section does not hold {} permutations of {} slots", count,
                                   parameters.slots));
  }
  std::vector<SlotPermutation> permutations;
  try {
    for (std::size_t k = 0; k < count; ++k) {
      const SecretIndices sources = in.read_u32s(parameters.slots);
      permutations.emplace_back(std::vector<std::uint32_t>(sources.begin(), sources.end()));
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_argument) throw;
    throw in.malformed(error.what());
  }
  in.close_section();
  return permutations;
}

PermutedKeyBits read_permuted(const Parameters& parameters, ContainerReader& in) {
  PermutedKeyBits permuted{.permutations = read_permutations(parameters, in), .sigma = {}};
  permuted.sigma =
      dghv::read_list(in, kPermutedSigma, permuted.permutations.size() * parameters.key_bits(),
                      parameters.correction_bits());
  return permuted;
}

Elements read_elements(const Parameters& p, ContainerReader& in) {
  Elements elements;
  elements.x = dghv::read_list(in, kX, p.tau, p.correction_bits());
  elements.units = dghv::read_list(in, kUnits, p.slots, p.correction_bits());
  elements.noise = dghv::read_list(in, kNoise, p.slots, p.correction_bits());
  return elements;
}

// Of lists of elements, or of one kind of them, with the names of their sections.
std::optional<std::string> elements_flaw(const Parameters& p, const Elements& elements) {
  const std::size_t bits = p.correction_bits();
  if (auto flaw = dghv::list_flaw(kX, elements.x, p.tau, bits)) return flaw;
  if (auto flaw = dghv::list_flaw(kUnits, elements.units, p.slots, bits)) return flaw;
  if (auto flaw = dghv::list_flaw(kNoise, elements.noise, p.slots, bits)) return flaw;
  return dghv::equal_values_flaw(kX, {elements.x, elements.units, elements.noise});
}

}  // namespace

PublicStream x_stream(const Parameters& parameters, const StreamSeed& seed) {
  return {seed, StreamPurpose::public_elements, 1, parameters.tau, parameters.gamma};
}

PublicStream unit_stream(const Parameters& parameters, const StreamSeed& seed) {
  return {seed, StreamPurpose::slot_units, 0, parameters.slots, parameters.gamma};
}

PublicStream noise_stream(const Parameters& parameters, const StreamSeed& seed) {
  return {seed, StreamPurpose::slot_noise, 0, parameters.slots, parameters.gamma};
}

PublicStream permuted_stream(const Parameters& parameters, const StreamSeed& seed,
                             std::size_t permutation) {
  return {seed, StreamPurpose::permuted_key_bits,
          static_cast<std::uint32_t>(permutation * parameters.key_bits()), parameters.key_bits(),
          parameters.gamma};
}

BdghvPublicMaterial::BdghvPublicMaterial(Parameters parameters, Integer x0, Elements elements,
                                         dghv::SquashedKey squashed, PermutedKeyBits permuted)
    : parameters_(std::move(parameters)),
      x0_(std::move(x0)),
      elements_(std::move(elements)),
      squashed_(std::move(squashed)),
      permuted_(std::move(permuted)) {}

std::shared_ptr<const BdghvPublicMaterial> BdghvPublicMaterial::read(const Parameters& p,
                                                                     ContainerReader& in) {
  const bool has_permutations = std::ranges::any_of(
      in.sections(), [](const SectionEntry& entry) { return entry.name == kPermutations; });
  in.require_sections(section_names(p, has_permutations));
  const StreamSeed seed = dghv::read_seed(in);
  Integer x0 = dghv::read_modulus(in, p);
  std::vector<Integer> solved = dghv::read_u0(in, p);
  Elements elements = read_elements(p, in);
  dghv::SquashedKey squashed = dghv::read_squashed(in, p, seed, std::move(solved));
  PermutedKeyBits permuted = has_permutations ? read_permuted(p, in) : PermutedKeyBits();
  auto key = std::make_shared<const BdghvPublicMaterial>(p, std::move(x0), std::move(elements),
                                                         std::move(squashed), std::move(permuted));
  if (const auto flaw = key->flaw()) throw in.malformed(*flaw);
  return key;
}

std::optional<std::string> BdghvPublicMaterial::flaw() const {
  const Parameters& p = parameters_;
  if (auto flaw = dghv::modulus_flaw(x0_, p)) return flaw;
  if (auto flaw = elements_flaw(p, elements_)) return flaw;
  if (auto flaw = dghv::squashed_flaw(p, squashed_)) return flaw;
  const std::size_t permuted_bits = permuted_.permutations.size() * p.key_bits();
  if (auto flaw =
          dghv::list_flaw(kPermutedSigma, permuted_.sigma, permuted_bits, p.correction_bits())) {
    return flaw;
  }
  return dghv::equal_values_flaw(kPermutedSigma, {squashed_.sigma, permuted_.sigma});
}

void BdghvPublicMaterial::write(SectionWriter& out) const {
  const std::size_t bits = parameters_.correction_bits();
  dghv::write_seed(out, squashed_.seed);
  dghv::write_modulus(out, parameters_, x0_);
  dghv::write_u0(out, parameters_, squashed_);
  dghv::write_list(out, kX, elements_.x, bits);
  dghv::write_list(out, kUnits, elements_.units, bits);
  dghv::write_list(out, kNoise, elements_.noise, bits);
  dghv::write_sigma(out, parameters_, squashed_);
  if (permuted_.permutations.empty()) return;
  write_permutations(out, permuted_.permutations);
  dghv::write_list(out, kPermutedSigma, permuted_.sigma, bits);
}

std::size_t BdghvPublicMaterial::section_count() const {
  return section_names(parameters_, !permuted_.permutations.empty()).size() - 1;
}

std::vector<std::uint64_t> BdghvPublicMaterial::section_bytes(const Parameters& p) {
  const std::size_t bits = p.correction_bits();
  std::vector<std::uint64_t> bytes{dghv::seed_bytes(),
                                   dghv::modulus_bytes(p),
                                   dghv::u0_bytes(p),
                                   dghv::list_bytes(p.tau, bits),
                                   dghv::list_bytes(p.slots, bits),
                                   dghv::list_bytes(p.slots, bits)};
  std::ranges::copy(dghv::sigma_bytes(p), std::back_inserter(bytes));
  return bytes;
}

std::shared_ptr<const KeyContext> BdghvPublicMaterial::make_context(
    std::shared_ptr<const PublicMaterial> self, const KeyId& id, const BackendPtr& backend,
    const RecryptOptions& options) const {
  return std::make_shared<const BdghvKeyContext>(
      std::static_pointer_cast<const BdghvPublicMaterial>(std::move(self)), id, backend, options);
}

std::span<const Integer> BdghvPublicMaterial::permuted_sigma(std::size_t permutation) const {
  const std::size_t count = parameters_.key_bits();
  return std::span(permuted_.sigma).subspan(permutation * count, count);
}

}  // namespace fhe::bdghv
