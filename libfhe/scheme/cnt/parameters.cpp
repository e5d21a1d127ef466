// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/cnt/parameters.hpp"

#include <fmt/format.h>

namespace fhe::cnt {

Parameters::Parameters(const ParameterSet& group)
    : dghv::Parameters(group),
      alpha(group.number("alpha", 1, 1 << 16)),
      tau(group.number("tau", 1, std::size_t{1} << 24)),
      rho_prime(group.number("rho_prime", 1, 1 << 16)) {
  if (alpha < kSparseOnes) {
    throw group.invalid(fmt::format(
        "alpha = {} must be at least {}: sparse weights have as many ones", alpha, kSparseOnes));
  }
  if (alpha * tau < gamma) {
    throw group.invalid(
        fmt::format("alpha * tau = {} must be at least gamma = {}: the leftover hash "
                    "lemma needs that much randomness in an encryption",
                    alpha * tau, gamma));
  }
  if (fresh_noise() > noise_rule().refresh_limit) {
    throw group.invalid(
        fmt::format("a new encryption has up to {:.1f} bits of noise, past the {:.1f} "
                    "that can be refreshed; alpha or rho_prime is too large",
                    fresh_noise().bits(), noise_rule().refresh_limit.bits()));
  }
}

std::vector<std::string_view> Parameters::field_names() {
  std::vector<std::string_view> names = dghv::Parameters::field_names();
  names.insert(names.end(), {"alpha", "tau", "rho_prime"});
  return names;
}

security::Problems Parameters::problems() const {
  security::Problems problems = shared_problems(tau, fresh_noise());
  problems.conditions->entropy_bits = static_cast<double>(alpha * tau);
  problems.conditions->hashed_bits = static_cast<double>(gamma);
  problems.sparse = {.tau = static_cast<double>(tau),
                     .alpha = static_cast<double>(alpha),
                     .ones = kSparseOnes,
                     .elements = *problems.samples,
                     .noise = static_cast<double>(rho_prime)};
  return problems;
}

NoiseBound Parameters::fresh_noise() const {
  const Integer weighted =
      static_cast<unsigned long>(tau) * (power_of_two(alpha) - 1) * (power_of_two(rho) - 1);
  return NoiseBound::from_magnitude(1 + 2 * (power_of_two(rho_prime) - 1) + 2 * weighted);
}

EncryptionSizes::EncryptionSizes(const ParameterSet& group)
    : gamma(group.number("gamma", 64, std::size_t{1} << 33)),
      alpha(group.number("alpha", kSparseOnes, 1 << 16)),
      tau(group.number("tau", 1, std::size_t{1} << 24)) {}

}  // namespace fhe::cnt
