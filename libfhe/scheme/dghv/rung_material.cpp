// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/rung_material.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/scheme/dghv/key_sections.hpp"

namespace fhe::dghv {

namespace {

constexpr std::string_view kSection = "rung";

[[noreturn]] void unsupported(const char* what) {
  throw Error(
      ErrorCode::unsupported,
      fmt::format("keys made by modulus switching cannot {}; they compute and decrypt", what));
}

NoiseRule rule_of(const Parameters& parameters) {
  return {
      .decrypt_limit = decrypt_limit(parameters.eta), .refresh_limit = {}, .product_growth = {}};
}

class RungKeyContext final : public KeyContext {
 public:
  RungKeyContext(KeyId id, const RungPublic& key, const BackendPtr& backend)
      : id_(std::move(id)), rule_(rule_of(key.parameters())), ring_(backend->ring(key.modulus())) {}

  [[nodiscard]] const Ring& ring() const override { return *ring_; }
  [[nodiscard]] const KeyId& id() const override { return id_; }
  [[nodiscard]] NoiseRule noise_rule() const override { return rule_; }
  [[nodiscard]] NoiseBound fresh_noise() const override { unsupported("encrypt"); }
  [[nodiscard]] NoiseBound refreshed_noise() const override { unsupported("recrypt"); }
  [[nodiscard]] std::vector<Ciphertext> encrypt(const std::vector<bool>&, const EncryptOptions&,
                                                SecretRandom&, const Monitor&) const override {
    unsupported("encrypt");
  }
  [[nodiscard]] std::vector<Ciphertext> recrypt_all(const std::vector<Ciphertext>&,
                                                    const Monitor&) const override {
    unsupported("recrypt");
  }

 private:
  KeyId id_;
  NoiseRule rule_;
  std::shared_ptr<const Ring> ring_;
};

void write_eta(SectionWriter& out, const Parameters& parameters) {
  out.begin_section(kSection);
  out.write_u32(static_cast<std::uint32_t>(parameters.eta));
}

// The parameters of the rung, from those of its group.
Parameters rung_parameters(const Parameters& group, ContainerReader& in) {
  if (group.slots > 1) throw in.malformed("groups with several slots have no rungs");
  in.open_section(kSection, sizeof(std::uint32_t), sizeof(std::uint32_t));
  const std::size_t eta = in.read_u32();
  const std::size_t smallest = smallest_rung_eta(group.rho);
  if (eta < smallest || eta >= group.eta) {
    throw in.malformed(
        fmt::format("the prime of a rung of this group has {} to {} bits, and this one has {}",
                    smallest, group.eta - 1, eta));
  }
  in.close_section();
  Parameters parameters = group;
  parameters.eta = eta;
  return parameters;
}

}  // namespace

std::size_t smallest_rung_eta(std::size_t rho) {
  return rho + 8;
}

bool is_of_rung(const ContainerReader& in) {
  return std::ranges::count(in.sections(), kSection, &SectionEntry::name) > 0;
}

RungSecret::RungSecret(Parameters parameters, SecretPrimes primes, Integer x0)
    : PrimeSecret(std::move(primes), std::move(x0)), parameters_(std::move(parameters)) {}

std::unique_ptr<const RungSecret> RungSecret::read(const Parameters& group, ContainerReader& in) {
  in.require_sections({"params", kSection, "p", modulus_section(group)});
  Parameters parameters = rung_parameters(group, in);
  SecretIntegers primes = read_primes(in, parameters);
  Integer x0 = read_modulus(in, parameters);
  if (const auto flaw = primes_flaw(parameters, primes.span(), x0)) throw in.malformed(*flaw);
  auto key = std::make_unique<const RungSecret>(std::move(parameters),
                                                SecretPrimes(std::move(primes)), std::move(x0));
  if (const auto flaw = key->flaw()) throw in.malformed(*flaw);
  return key;
}

NoiseRule RungSecret::noise_rule() const {
  return rule_of(parameters_);
}

std::optional<std::string> RungSecret::flaw() const {
  return flaw_of_primes(parameters_);
}

void RungSecret::write(SectionWriter& out) const {
  write_eta(out, parameters_);
  write_primes(out, parameters_, primes().span());
  write_modulus(out, parameters_, modulus());
}

RungPublic::RungPublic(Parameters parameters, Integer x0)
    : parameters_(std::move(parameters)), x0_(std::move(x0)) {}

std::shared_ptr<const RungPublic> RungPublic::read(const Parameters& group, ContainerReader& in) {
  in.require_sections({"params", kSection, modulus_section(group)});
  Parameters parameters = rung_parameters(group, in);
  Integer x0 = read_modulus(in, parameters);
  auto key = std::make_shared<const RungPublic>(std::move(parameters), std::move(x0));
  if (const auto flaw = key->flaw()) throw in.malformed(*flaw);
  return key;
}

std::optional<std::string> RungPublic::flaw() const {
  return modulus_flaw(x0_, parameters_);
}

void RungPublic::write(SectionWriter& out) const {
  write_eta(out, parameters_);
  write_modulus(out, parameters_, x0_);
}

std::shared_ptr<const KeyContext> RungPublic::make_context(
    std::shared_ptr<const PublicMaterial> /*self*/, const KeyId& id, const BackendPtr& backend,
    const RecryptOptions& /*options*/) const {
  return std::make_shared<const RungKeyContext>(id, *this, backend);
}

}  // namespace fhe::dghv
