// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/she/parameters.hpp"

#include <fmt/format.h>

#include "libfhe/scheme/she/numbers.hpp"
#include "libfhe/scheme/she/slots.hpp"

namespace fhe::she {

namespace {

constexpr std::size_t kMostSlots = std::size_t{1} << 16;
constexpr std::size_t kMostPlaintext = std::size_t{1} << 32;
constexpr std::size_t kMostDepth = 8;
constexpr std::size_t kMostAdditions = 64;
constexpr std::size_t kMostElements = std::size_t{1} << 24;
constexpr std::size_t kMostWeightBits = 64;

void check_noise(const Parameters& p, const ParameterSet& group) {
  if (p.intended_noise() <= p.noise_limit()) return;
  throw group.invalid(
      fmt::format("eta = {} must be at least {}, so that sums of 2^{} at each of {} levels decrypt",
                  p.eta, bit_length(p.intended_noise() - 1) + 2, p.additions, p.depth));
}

// Corrections must be shorter than what they correct, or the integers would not look uniform.
void check_length(const Parameters& p, const ParameterSet& group) {
  const std::size_t least = p.correction_bits() + p.lambda;
  if (p.gamma >= least) return;
  throw group.invalid(
      fmt::format("gamma = {} must be at least slots eta + 2 lambda = {}", p.gamma, least));
}

// What a key takes in memory follows from the longest ciphertext, and a decryption's time from how
// many times longer it is than the primes together.
void check_memory(const Parameters& p, const ParameterSet& group) {
  constexpr std::size_t kMostBits = std::size_t{1} << 29;
  constexpr std::size_t kMostTimes = std::size_t{1} << 14;
  if (p.most_bits() > kMostBits) {
    throw group.invalid(
        fmt::format("ciphertexts of up to {} bits are longer than the {} that keys "
                    "are made for",
                    p.most_bits(), kMostBits));
  }
  if (p.most_bits() / (p.slots * p.eta) > kMostTimes) {
    throw group.invalid(
        fmt::format("ciphertexts of up to {} bits are more than {} times as long as "
                    "the primes, which have {} bits: give more slots",
                    p.most_bits(), kMostTimes, p.slots * p.eta));
  }
}

// Bits of a sum of elements, as a whole: all of them are to be hidden by the weights.
std::size_t bits_of_sum(const Parameters& p) {
  return p.gamma + p.alpha + bit_length(to_integer(p.tau));
}

// The leftover hash lemma for sums that are not reduced (public_key.hpp).
void check_public_keys(const Parameters& p, const ParameterSet& group) {
  if (!p.has_public_keys()) return;
  if (p.slots != 1 || p.depth != 0) {
    throw group.invalid("a group with public keys has one slot, and depth 0");
  }
  const std::size_t least = bits_of_sum(p) + 2 * p.lambda;
  if (p.alpha * p.tau >= least) return;
  throw group.invalid(
      fmt::format("alpha tau = {} must be at least gamma + alpha + log2(tau) + 2 lambda = {}",
                  p.alpha * p.tau, least));
}

std::size_t optional_number(const ParameterSet& group, std::string_view field, std::size_t high) {
  return group.has(field) ? group.number(field, 1, high) : 0;
}

}  // namespace

Parameters::Parameters(const ParameterSet& group)
    : lambda(group.number("lambda", 1, 512)),
      slots(group.number("slots", 1, kMostSlots)),
      plaintext(group.number("plaintext", 2, kMostPlaintext)),
      rho(group.number("rho", 1, 1 << 12)),
      eta(group.number("eta", 8, 1 << 13)),
      gamma(group.number("gamma", 8, std::size_t{1} << 28)),
      depth(group.number("depth", 0, kMostDepth)),
      additions(group.number("additions", 0, kMostAdditions)),
      tau(optional_number(group, "tau", kMostElements)),
      alpha(optional_number(group, "alpha", kMostWeightBits)) {
  if ((tau == 0) != (alpha == 0)) throw group.invalid("the fields tau and alpha go together");
  check_noise(*this, group);
  check_length(*this, group);
  check_memory(*this, group);
  check_public_keys(*this, group);
}

std::vector<std::string_view> Parameters::field_names() {
  return {"lambda", "slots", "plaintext", "rho",   "eta",
          "gamma",  "depth", "additions", "alpha", "tau"};
}

Integer Parameters::fresh_noise() const {
  return to_integer(plaintext) * power_of_two(rho) - 1;
}

Integer Parameters::public_noise() const {
  const Integer element = to_integer(plaintext) * (power_of_two(rho) - 1);
  return to_integer(tau) * (power_of_two(alpha) - 1) * element + to_integer(plaintext - 1);
}

Integer Parameters::noise_limit() const {
  return power_of_two(eta - 2);
}

Integer Parameters::intended_noise() const {
  const Integer sums = power_of_two(additions);
  if (has_public_keys()) return sums * public_noise();
  Integer noise = 2 * fresh_noise();
  if (depth == 0) return sums * noise;
  for (std::size_t level = 0; level < depth; ++level) noise = sums * noise * noise;
  return noise;
}

security::Problems Parameters::problems() const {
  const auto real = [](std::size_t number) { return static_cast<double>(number); };
  security::Problems problems;
  problems.samples = {.rho = real(rho),
                      .eta = real(eta),
                      .gamma = real(gamma),
                      .slots = real(slots),
                      .modulus_public = false};
  problems.conditions = {
      .claimed_bits = real(lambda),
      .noise_bits = noise_bits(has_public_keys() ? public_noise() : fresh_noise()),
      .noise_limit_bits = real(eta - 2)};
  if (has_public_keys()) {
    problems.conditions->entropy_bits = real(alpha * tau);
    problems.conditions->hashed_bits = real(bits_of_sum(*this));
  }
  return problems;
}

std::size_t Parameters::most_factors() const {
  const Integer limit = noise_limit();
  const Integer fresh = fresh_noise();
  std::size_t factors = 0;
  for (Integer noise = fresh; noise <= limit; noise *= fresh) ++factors;
  return factors;
}

std::size_t Parameters::most_bits() const {
  return most_factors() * gamma + eta;
}

}  // namespace fhe::she
