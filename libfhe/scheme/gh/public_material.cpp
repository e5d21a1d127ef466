// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/gh/public_material.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "libfhe/arith/integer_functions.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/scheme/gh/sections.hpp"

namespace fhe::gh {

namespace {

std::uint64_t residues_bytes(std::size_t count, std::size_t bits) {
  return std::uint64_t{count} * bytes_for_bits(bits);
}

// `count` integers of as many bits as d, one after the other.
std::vector<Integer> read_residues(std::string_view section, std::size_t count, const Integer& d,
                                   ContainerReader& in) {
  const std::size_t bits = bit_length(d);
  const std::uint64_t bytes = residues_bytes(count, bits);
  in.open_section(section, bytes, bytes);
  std::vector<Integer> values(count);
  for (Integer& value : values) value = in.read_integer(bits);
  in.close_section();
  return values;
}

void write_residues(std::string_view section, const std::vector<Integer>& values, const Integer& d,
                    SectionWriter& out) {
  out.begin_section(section);
  for (const Integer& value : values) out.write_integer(value, bit_length(d));
}

bool all_below(const Integer& d, std::span<const Integer> values) {
  return std::ranges::all_of(values, [&d](const Integer& x) { return x >= 0 && x < d; });
}

}  // namespace

std::optional<std::string> key_bits_flaw(const std::vector<Integer>& eta) {
  const auto tells_itself = [](const Integer& x) { return x <= 1; };
  if (std::ranges::none_of(eta, tells_itself) && all_different({eta})) return std::nullopt;
  return "an encrypted key bit is 0, 1 or equal to another one, and so tells the bit";
}

GhPublicMaterial::GhPublicMaterial(Parameters parameters, Integer d, Integer r,
                                   SquashedKey squashed)
    : parameters_(std::move(parameters)),
      d_(std::move(d)),
      r_(std::move(r)),
      squashed_(std::move(squashed)) {}

std::shared_ptr<const GhPublicMaterial> GhPublicMaterial::read(const Parameters& p,
                                                               ContainerReader& in) {
  in.require_sections({"params", "d", "r", "x", "eta"});
  Integer d = read_determinant(p, in);
  Integer r = std::move(read_residues("r", 1, d, in).front());
  SquashedKey squashed;
  squashed.x = read_residues("x", p.s, d, in);
  squashed.eta = read_residues("eta", p.s * p.c, d, in);
  auto key =
      std::make_shared<const GhPublicMaterial>(p, std::move(d), std::move(r), std::move(squashed));
  if (const auto flaw = key->flaw()) throw in.malformed(*flaw);
  return key;
}

std::optional<std::string> GhPublicMaterial::flaw() const {
  if (auto flaw = determinant_flaw(parameters_, d_)) return flaw;
  if (!all_below(d_, std::span(&r_, 1)) || !all_below(d_, squashed_.x) ||
      !all_below(d_, squashed_.eta)) {
    return "a value is not below the modulus";
  }
  if (power(*open_backend()->ring(d_), r_, parameters_.n) != d_ - 1) {
    return fmt::format("r is not a root of x^{} + 1 modulo d", parameters_.n);
  }
  return key_bits_flaw(squashed_.eta);
}

void GhPublicMaterial::write(SectionWriter& out) const {
  write_determinant(d_, out);
  write_residues("r", {r_}, d_, out);
  write_residues("x", squashed_.x, d_, out);
  write_residues("eta", squashed_.eta, d_, out);
}

std::vector<std::uint64_t> GhPublicMaterial::section_bytes(const Parameters& p,
                                                           std::size_t d_bits) {
  return {residues_bytes(1, d_bits), residues_bytes(1, d_bits), residues_bytes(p.s, d_bits),
          residues_bytes(p.s * p.c, d_bits)};
}

std::shared_ptr<const KeyContext> GhPublicMaterial::make_context(
    std::shared_ptr<const PublicMaterial> self, const KeyId& id, const BackendPtr& backend,
    const RecryptOptions& options) const {
  return std::make_shared<const gh::GhKeyContext>(
      std::static_pointer_cast<const GhPublicMaterial>(std::move(self)), id, backend, options);
}

}  // namespace fhe::gh
