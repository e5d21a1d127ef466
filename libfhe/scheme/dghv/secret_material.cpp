// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/secret_material.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "libfhe/arith/integer_functions.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/scheme/dghv/compression.hpp"
#include "libfhe/scheme/dghv/key_sections.hpp"

namespace fhe::dghv {

namespace {

// Their number, and their positions, slot by slot.
std::uint64_t ones_bytes(const Parameters& parameters) {
  constexpr std::uint64_t kNumberBytes = 4;
  return kNumberBytes * (1 + parameters.slots * parameters.boxes().size());
}

std::vector<SecretIndices> read_ones(const Parameters& parameters, ContainerReader& in) {
  const std::uint64_t bytes = ones_bytes(parameters);
  const std::size_t boxes = parameters.boxes().size();
  in.open_section("s", bytes, bytes);
  if (in.read_u32() != parameters.slots * boxes) {
    throw in.malformed(fmt::format("the secret bits must have {} ones", parameters.slots * boxes));
  }
  std::vector<SecretIndices> ones;
  for (std::size_t j = 0; j < parameters.slots; ++j) ones.push_back(in.read_u32s(boxes));
  in.close_section();
  return ones;
}

constexpr const char* kNoMultiple = "the modulus x0 is not an odd multiple of p";

bool is_odd(const Integer& x) {
  return mpz_odd_p(x.get_mpz_t()) != 0;
}

using Divisors = std::vector<SecretDivisor>;

// In all slots, on all threads.
SecretContext::Decryption decryption(const Divisors& divisors, const Integer& c, NoiseBound claim) {
  const Integer bound = claim.magnitude();
  std::vector<Limb> within(divisors.size());
  SecretContext::Decryption result{.bits = std::vector<std::uint8_t>(divisors.size()),
                                   .within_claim = false};
  parallel_for(divisors.size(), [&](std::size_t j) {
    const CenteredResidue residue = divisors[j].centered_residue(c);
    result.bits[j] = static_cast<std::uint8_t>(residue.magnitude[0] & 1);
    within[j] = residue.magnitude.at_most(bound);
  });
  Limb all = 1;
  for (const Limb one : within) all &= one;
  result.within_claim = all != 0;
  return result;
}

// A key with divisors of its own.
class PrimeContext final : public SecretContext {
 public:
  PrimeContext(std::shared_ptr<const SecretMaterial> key, Divisors divisors)
      : key_(std::move(key)), divisors_(std::move(divisors)) {}

  [[nodiscard]] Decryption decrypt(const Integer& c, NoiseBound claim) const override {
    return decryption(divisors_, c, claim);
  }

 private:
  std::shared_ptr<const SecretMaterial> key_;
  Divisors divisors_;
};

// A divisor for each prime, made on all threads, with the forms that `make_form` makes.
template <class MakeForm>
Divisors divisors_of(const SecretPrimes& primes, const Integer& x0, const MakeForm& make_form) {
  std::vector<std::optional<SecretDivisor>> made(primes.size());
  parallel_for(primes.size(), [&](std::size_t j) {
    made[j].emplace(primes[j], limbs_of(x0).size(), make_form());
  });
  Divisors divisors;
  for (std::optional<SecretDivisor>& divisor : made) divisors.push_back(*std::move(divisor));
  return divisors;
}

bool one_in_each(const std::vector<Box>& boxes, const SecretIndices& ones, std::size_t slot) {
  const auto is_in = [slot](const Box& box, std::uint32_t one) {
    return one >= box.first && one - box.first < box.size &&
           (!box.known || one - box.first == slot);
  };
  return std::ranges::equal(boxes, ones, is_in);
}

}  // namespace

DghvSecretMaterial::DghvSecretMaterial(Parameters parameters, SecretPrimes primes,
                                       std::vector<SecretIndices> ones, Integer x0)
    : PrimeSecret(std::move(primes), std::move(x0)),
      parameters_(std::move(parameters)),
      ones_(std::move(ones)) {}

std::unique_ptr<const DghvSecretMaterial> DghvSecretMaterial::read(const Parameters& parameters,
                                                                   ContainerReader& in) {
  in.require_sections({"params", "p", "s", modulus_section(parameters)});
  SecretIntegers primes = read_primes(in, parameters);
  std::vector<SecretIndices> ones = read_ones(parameters, in);
  Integer x0 = read_modulus(in, parameters);
  if (const auto flaw = primes_flaw(parameters, primes.span(), x0)) throw in.malformed(*flaw);
  auto key = std::make_unique<const DghvSecretMaterial>(parameters, SecretPrimes(std::move(primes)),
                                                        std::move(ones), std::move(x0));
  if (const auto flaw = key->flaw()) throw in.malformed(*flaw);
  return key;
}

CompressedCiphertexts DghvSecretMaterial::encrypt(const std::vector<bool>& bits, const KeyId& id,
                                                  const Backend& backend, SecretRandom& random,
                                                  const Monitor& monitor) const {
  return encrypt_compressed(parameters_, remainders(monitor), bits, id, backend, random, monitor);
}

const ChineseRemainders& DghvSecretMaterial::remainders(const Monitor& monitor) const {
  const std::lock_guard lock(guard_);
  // While the lock is held, this thread must not take up a body that asks for them too.
  if (!remainders_) without_other_work([&] { remainders_.emplace(primes(), monitor); });
  return *remainders_;
}

std::optional<std::string> DghvSecretMaterial::flaw() const {
  const std::vector<Box> boxes = parameters_.boxes();
  for (std::size_t j = 0; j < ones_.size(); ++j) {
    if (!one_in_each(boxes, ones_[j], j)) {
      return "the secret bits do not have exactly one 1 in each box";
    }
  }
  return flaw_of_primes(parameters_);
}

std::optional<std::string> primes_flaw(const Parameters& parameters,
                                       std::span<const Integer> primes, const Integer& x0) {
  const auto fits = [&](const Integer& p) { return bit_length(p) == parameters.eta && is_odd(p); };
  if (std::ranges::all_of(primes, fits) && all_different({primes}) &&
      bit_length(x0) == parameters.gamma && is_odd(x0)) {
    return std::nullopt;
  }
  return kNoMultiple;
}

std::optional<std::string> PrimeSecret::flaw_of_primes(const Parameters& parameters) const {
  if (auto flaw = primes_flaw(parameters, primes_.span(), x0_)) return flaw;
  std::atomic<bool> is_multiple = true;
  parallel_for(primes_.size(), [&](std::size_t j) {
    if (noise(x0_, j).value() != 0) is_multiple = false;
  });
  if (!is_multiple) return kNoMultiple;
  return std::nullopt;
}

PrimeSecret::PrimeSecret(SecretPrimes primes, Integer x0)
    : primes_(std::move(primes)),
      x0_(std::move(x0)),
      divisors_(divisors_of(primes_, x0_, [] { return nullptr; })) {}

SecretInteger PrimeSecret::noise(const Integer& c, std::size_t slot) const {
  const CenteredResidue residue = divisors_[slot].centered_residue(c);
  SecretInteger magnitude = residue.magnitude.to_integer();
  return residue.negative == 0 ? std::move(magnitude) : SecretInteger(-magnitude.value());
}

SecretContext::Decryption PrimeSecret::decrypt(const Integer& c, NoiseBound claim) const {
  return decryption(divisors_, c, claim);
}

std::shared_ptr<const SecretContext> PrimeSecret::make_context(
    std::shared_ptr<const SecretMaterial> self, const Backend& backend) const {
  const auto make_form = [&] {
    return backend.chunk_form(bit_length(x0_), limbs_of(primes_[0]).size() * kLimbBits);
  };
  if (make_form() == nullptr) return self;
  return std::make_shared<const PrimeContext>(std::move(self),
                                              divisors_of(primes_, x0_, make_form));
}

NoiseBound PrimeSecret::measure_noise(const Integer& c) const {
  return std::ranges::max(measure_slot_noise(c));
}

std::vector<NoiseBound> PrimeSecret::measure_slot_noise(const Integer& c) const {
  std::vector<NoiseBound> measured(primes_.size());
  parallel_for(primes_.size(), [&](std::size_t j) {
    measured[j] = NoiseBound::from_magnitude(noise(c, j).value());
  });
  return measured;
}

void DghvSecretMaterial::write(SectionWriter& out) const {
  write_primes(out, parameters_, primes().span());
  out.begin_section("s");
  out.write_u32(static_cast<std::uint32_t>(ones_.size() * ones_.front().size()));
  for (const SecretIndices& ones : ones_) out.write_u32s(ones);
  write_modulus(out, parameters_, modulus());
}

std::vector<std::uint64_t> DghvSecretMaterial::section_bytes(const Parameters& p) {
  return {primes_bytes(p), ones_bytes(p), modulus_bytes(p)};
}

}  // namespace fhe::dghv
