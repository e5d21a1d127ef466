// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/gh/secret_material.hpp"

#include <algorithm>
#include <bit>

#include "libfhe/scheme/gh/residue.hpp"
#include "libfhe/scheme/gh/sections.hpp"

namespace fhe::gh {

FixedPointRatio::FixedPointRatio(const Integer& w, const Integer& d, std::size_t fraction_bits)
    : modulus_limbs_(limbs_of(d).size()),
      fraction_limbs_(limbs_for_bits(fraction_bits + kLimbBits +
                                     static_cast<std::size_t>(std::bit_width(modulus_limbs_ + 1)))),
      digits_(modulus_limbs_ + fraction_limbs_ + 1) {
  const SecretInteger scaled(w << ((modulus_limbs_ + fraction_limbs_) * kLimbBits));
  const SecretInteger quotient(scaled.value() / d);
  std::ranges::copy(limbs_of(quotient.value()), digits_.data());
}

FixedPointRatio::NearestInteger FixedPointRatio::nearest(const Integer& c) const {
  const auto c_limbs = limbs_of(c);
  const auto fraction_size = static_cast<mp_size_t>(fraction_limbs_);
  SecretLimbs sum(fraction_limbs_ + 1);
  for (std::size_t i = 0; i < c_limbs.size(); ++i) {
    mpn_addmul_1(sum.data(), digits_.data() + (modulus_limbs_ - i), fraction_size + 1, c_limbs[i]);
  }
  const Limb above_half = sum[fraction_limbs_ - 1] >> (kLimbBits - 1);
  const Limb odd = (sum[fraction_limbs_] + above_half) & 1;

  // The fraction, negated above 1/2, and the most that the rounding errors add.
  SecretLimbs distance(fraction_limbs_);
  for (std::size_t i = 0; i < distance.size(); ++i) distance[i] = sum[i] ^ (0 - above_half);
  SecretLimbs scratch(static_cast<std::size_t>(mpn_sec_add_1_itch(fraction_size)));
  mpn_sec_add_1(distance.data(), distance.data(), fraction_size, above_half, scratch.data());
  mpn_sec_add_1(distance.data() + 1, distance.data() + 1, fraction_size - 1, modulus_limbs_ + 1,
                scratch.data());
  return {.odd = odd != 0, .distance = std::move(distance)};
}

namespace {

// The smallest noise that is told from 0 is 2^0, which is a distance of 2^-inverse_bits: this many
// bits further down the rounding errors disappear in those of NoiseBound.
constexpr std::size_t kRatioGuardBits = 64;

// w modulo d, which stands before d and has as many bytes.
struct StoredW {
  SecretInteger residue;
  std::uint64_t bytes;
};

StoredW read_w(const Parameters& parameters, ContainerReader& in) {
  in.open_section("w", 1, bytes_for_bits(parameters.max_determinant_bits()));
  const std::uint64_t bytes = in.section_bytes();
  SecretInteger residue(in.read_integer(8 * bytes));
  in.close_section();
  return {std::move(residue), bytes};
}

}  // namespace

GhSecretMaterial::GhSecretMaterial(const Parameters& parameters, SecretInteger w, Integer d)
    : parameters_(parameters),
      w_(std::move(w)),
      d_(std::move(d)),
      ratio_(w_.value(), d_, parameters.inverse_bits + kRatioGuardBits) {}

std::unique_ptr<const GhSecretMaterial> GhSecretMaterial::read(const Parameters& parameters,
                                                               ContainerReader& in) {
  in.require_sections({"params", "w", "d"});
  const StoredW stored = read_w(parameters, in);
  Integer d = read_determinant(parameters, in);
  if (stored.bytes != bytes_for_bits(bit_length(d)) || stored.residue.value() >= d) {
    throw in.malformed("section 'w': the secret w is not reduced modulo d");
  }
  SecretInteger w = centered(stored.residue.value(), d);
  auto key = std::make_unique<const GhSecretMaterial>(parameters, std::move(w), std::move(d));
  if (const auto flaw = key->flaw()) throw in.malformed(*flaw);
  return key;
}

std::optional<std::string> GhSecretMaterial::flaw() const {
  if (auto flaw = determinant_flaw(parameters_, d_)) return flaw;
  if (mpz_even_p(w().get_mpz_t()) != 0) return "the secret w is even";
  const SecretInteger scaled(w() << parameters_.inverse_bits);
  if (mpz_cmpabs(scaled.value().get_mpz_t(), d_.get_mpz_t()) > 0) {
    return "the secret w is longer than the parameters of the key allow";
  }
  return std::nullopt;
}

SecretMaterial::Decryption GhSecretMaterial::decrypt(const Integer& c, NoiseBound claim) const {
  // With Q the integer nearest to c |w| / d: [c w]_d = +-(c |w| - Q d), and w and d are odd.
  const FixedPointRatio::NearestInteger nearest = ratio_.nearest(c);
  const std::size_t scale = ratio_.unit_bits() - parameters_.inverse_bits;
  const Integer limit = claim.magnitude(scale) + power_of_two(scale - kRatioGuardBits);
  const bool bit = (mpz_odd_p(c.get_mpz_t()) != 0) != nearest.odd;
  return {.bits = {static_cast<std::uint8_t>(bit)},
          .within_claim = nearest.distance.at_most(limit) != 0};
}

NoiseBound GhSecretMaterial::measure_noise(const Integer& c) const {
  const SecretInteger distance = ratio_.nearest(c).distance.to_integer();
  const NoiseBound bound = NoiseBound::from_magnitude(distance.value());
  const auto scale = static_cast<std::uint32_t>(ratio_.unit_bits() - parameters_.inverse_bits) *
                     NoiseBound::kUnitsPerBit;
  return NoiseBound::from_units(std::max(bound.units(), scale) - scale);
}

SecretInteger GhSecretMaterial::noise(const Integer& c) const {
  return centered_product(c, w_.value(), d_);
}

void GhSecretMaterial::write(SectionWriter& out) const {
  const std::size_t bits = bit_length(d_);
  const SecretInteger residue(w() < 0 ? Integer(w() + d_) : w());
  out.begin_section("w");
  out.write_integer(residue.value(), bits);
  write_determinant(d_, out);
}

std::vector<std::uint64_t> GhSecretMaterial::section_bytes(std::size_t d_bits) {
  return {bytes_for_bits(d_bits), bytes_for_bits(d_bits)};
}

}  // namespace fhe::gh
