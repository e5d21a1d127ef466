// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/bdghv/parameters.hpp"

#include <fmt/format.h>

namespace fhe::bdghv {

namespace {

// The ones of block 0 stand at the indices of the slots.
void check_block(const Parameters& p, const ParameterSet& group) {
  if (p.block() >= p.slots) return;
  throw group.invalid(
      fmt::format("Theta / theta = {} must be at least slots = {}: the first block has an element "
                  "to be solved for each slot",
                  p.block(), p.slots));
}

void check_encryption(const Parameters& p, const ParameterSet& group) {
  if (p.alpha * (p.tau + 1) <= p.gamma) {
    throw group.invalid(
        fmt::format("tau = {} must be at least gamma / alpha = {}", p.tau, p.gamma / p.alpha));
  }
  const NoiseBound fresh = p.fresh_noise();
  const NoiseBound limit = p.noise_rule().refresh_limit;
  if (fresh <= limit) return;
  throw group.invalid(
      fmt::format("a new encryption has up to {:.1f} bits of noise, past the {:.1f} that can be "
                  "refreshed; alpha, alpha_prime or rho_prime is too large",
                  fresh.bits(), limit.bits()));
}

}  // namespace

Parameters::Parameters(const ParameterSet& group)
    : dghv::Parameters(group),
      alpha(group.number("alpha", 1, 1 << 16)),
      alpha_prime(group.number("alpha_prime", 1, 1 << 16)),
      tau(group.number("tau", 1, std::size_t{1} << 24)),
      rho_prime(group.number("rho_prime", 2, 1 << 16)) {
  if (special || digits) {
    throw group.invalid("a group with slots has neither a special modulus nor adder = 'digits'");
  }
  check_block(*this, group);
  check_encryption(*this, group);
}

std::vector<std::string_view> Parameters::field_names() {
  std::vector<std::string_view> names = dghv::Parameters::field_names();
  names.insert(names.end(), {"slots", "alpha", "alpha_prime", "tau", "rho_prime"});
  return names;
}

NoiseBound Parameters::unit_sum_noise(std::size_t count) const {
  return NoiseBound::from_magnitude(
      2 * static_cast<unsigned long>(count) * (power_of_two(rho) - 1) + 1);
}

security::Problems Parameters::problems() const {
  // The x'_i and Pi_i: the x_i have more noise.
  security::Problems problems = shared_problems(2 * slots, fresh_noise());
  problems.conditions->entropy_bits = static_cast<double>(weight_bits() * tau);
  problems.conditions->hashed_bits = static_cast<double>(gamma);
  return problems;
}

NoiseBound Parameters::fresh_noise() const {
  const Integer pi_noise = power_of_two(noise_weight_bits()) *
                           (power_of_two(rho_prime + 1) +
                            2 * static_cast<unsigned long>(slots) * (power_of_two(rho) - 1));
  const Integer x_noise = power_of_two(weight_bits()) * static_cast<unsigned long>(tau) * 2 *
                          (power_of_two(rho_prime - 1) - 1);
  return unit_sum_noise(slots) + NoiseBound::from_magnitude(pi_noise + x_noise);
}

}  // namespace fhe::bdghv
