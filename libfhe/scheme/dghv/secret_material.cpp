// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/secret_material.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "libfhe/scheme/dghv/compression.hpp"
#include "libfhe/scheme/dghv/key_sections.hpp"

namespace fhe::dghv {

namespace {

// Their number, and their positions.
std::uint64_t ones_bytes(std::size_t ones) {
  constexpr std::uint64_t kNumberBytes = 4;
  return kNumberBytes * (1 + ones);
}

SecretIndices read_ones(const Parameters& parameters, ContainerReader& in) {
  const std::size_t boxes = parameters.boxes().size();
  const std::uint64_t bytes = ones_bytes(boxes);
  in.open_section("s", bytes, bytes);
  if (in.read_u32() != boxes) {
    throw in.malformed(fmt::format("the secret bits must have {} ones", boxes));
  }
  SecretIndices ones = in.read_u32s(boxes);
  in.close_section();
  return ones;
}

constexpr const char* kNoMultiple = "the modulus x0 is not an odd multiple of p";

bool fit(const Parameters& parameters, const Integer& p, const Integer& x0) {
  return bit_length(p) == parameters.eta && bit_length(x0) == parameters.gamma &&
         mpz_odd_p(p.get_mpz_t()) != 0 && mpz_odd_p(x0.get_mpz_t()) != 0;
}

SecretContext::Decryption decryption(const SecretDivisor::Centered& residue, NoiseBound claim) {
  return {.bit = (residue.magnitude[0] & 1) != 0,
          .within_claim = residue.magnitude.at_most(claim.magnitude()) != 0};
}

// A key with a divisor of its own.
class PrimeContext final : public SecretContext {
 public:
  PrimeContext(std::shared_ptr<const SecretMaterial> key, SecretDivisor divisor)
      : key_(std::move(key)), divisor_(std::move(divisor)) {}

  [[nodiscard]] Decryption decrypt(const Integer& c, NoiseBound claim) const override {
    return decryption(divisor_.centered_residue(c), claim);
  }

 private:
  std::shared_ptr<const SecretMaterial> key_;
  SecretDivisor divisor_;
};

bool one_in_each(const std::vector<Box>& boxes, const SecretIndices& ones) {
  return std::ranges::equal(boxes, ones, [](const Box& box, std::uint32_t one) {
    return one >= box.first && one - box.first < box.size;
  });
}

}  // namespace

DghvSecretMaterial::DghvSecretMaterial(Parameters parameters, SecretInteger p, SecretIndices ones,
                                       Integer x0)
    : PrimeSecret(std::move(p), std::move(x0)),
      parameters_(std::move(parameters)),
      ones_(std::move(ones)) {}

std::unique_ptr<const DghvSecretMaterial> DghvSecretMaterial::read(const Parameters& parameters,
                                                                   ContainerReader& in) {
  in.require_sections({"params", "p", "s", modulus_section(parameters)});
  const std::uint64_t p_bytes = bytes_for_bits(parameters.eta);
  in.open_section("p", p_bytes, p_bytes);
  SecretInteger p(in.read_integer(parameters.eta));
  in.close_section();
  SecretIndices ones = read_ones(parameters, in);
  Integer x0 = read_modulus(in, parameters);
  // p must be what the divisor needs before there is a key that could be asked for its flaw.
  if (!fit(parameters, p.value(), x0)) throw in.malformed(kNoMultiple);
  auto key = std::make_unique<const DghvSecretMaterial>(parameters, std::move(p), std::move(ones),
                                                        std::move(x0));
  if (const auto flaw = key->flaw()) throw in.malformed(*flaw);
  return key;
}

CompressedCiphertexts DghvSecretMaterial::encrypt(const std::vector<bool>& bits, const KeyId& id,
                                                  const Backend& backend, SecretRandom& random,
                                                  const Monitor& monitor) const {
  return encrypt_compressed(parameters_, p(), bits, id, backend, random, monitor);
}

std::optional<std::string> DghvSecretMaterial::flaw() const {
  if (!one_in_each(parameters_.boxes(), ones_)) {
    return "the secret bits do not have exactly one 1 in each box";
  }
  if (!fit(parameters_, p(), modulus()) || noise(modulus()).value() != 0) return kNoMultiple;
  return std::nullopt;
}

PrimeSecret::PrimeSecret(SecretInteger p, Integer x0)
    : p_(std::move(p)), x0_(std::move(x0)), divisor_(p_.value(), limbs_of(x0_).size()) {}

SecretInteger PrimeSecret::noise(const Integer& c) const {
  const SecretDivisor::Centered residue = divisor_.centered_residue(c);
  SecretInteger magnitude = residue.magnitude.to_integer();
  return residue.negative == 0 ? std::move(magnitude) : SecretInteger(-magnitude.value());
}

SecretContext::Decryption PrimeSecret::decrypt(const Integer& c, NoiseBound claim) const {
  return decryption(divisor_.centered_residue(c), claim);
}

std::shared_ptr<const SecretContext> PrimeSecret::make_context(
    std::shared_ptr<const SecretMaterial> self, const Backend& backend) const {
  auto form = backend.chunk_form(bit_length(x0_), limbs_of(p()).size() * kLimbBits);
  if (form == nullptr) return self;
  return std::make_shared<const PrimeContext>(
      std::move(self), SecretDivisor(p(), limbs_of(x0_).size(), std::move(form)));
}

NoiseBound PrimeSecret::measure_noise(const Integer& c) const {
  return NoiseBound::from_magnitude(noise(c).value());
}

void DghvSecretMaterial::write(SectionWriter& out) const {
  out.begin_section("p");
  out.write_integer(p(), parameters_.eta);
  out.begin_section("s");
  out.write_u32(static_cast<std::uint32_t>(ones_.size()));
  out.write_u32s(ones_);
  write_modulus(out, parameters_, modulus());
}

std::vector<std::uint64_t> DghvSecretMaterial::section_bytes(const Parameters& p) {
  return {bytes_for_bits(p.eta), ones_bytes(p.boxes().size()), modulus_bytes(p)};
}

}  // namespace fhe::dghv
