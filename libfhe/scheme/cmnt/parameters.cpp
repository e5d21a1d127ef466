// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/cmnt/parameters.hpp"

#include <fmt/format.h>

namespace fhe::cmnt {

namespace {

dghv::SquashForm squash_form(const ParameterSet& group) {
  const std::string word = group.word("squash");
  if (word == "blocks") return dghv::SquashForm::blocks;
  if (word == "product") return dghv::SquashForm::product;
  throw group.invalid(fmt::format("squash is 'blocks' or 'product', not '{}'", word));
}

}  // namespace

Parameters::Parameters(const ParameterSet& group)
    : dghv::Parameters(group, squash_form(group)),
      beta(group.number("beta", 1, 1 << 12)),
      alpha(group.number("alpha", 1, 1 << 16)),
      rho_prime(group.number("rho_prime", 1, 1 << 16)) {
  if (fresh_noise() > noise_rule().refresh_limit) {
    throw group.invalid(
        fmt::format("a new encryption has up to {:.1f} bits of noise, past the {:.1f} "
                    "that can be refreshed; alpha, beta or rho_prime is too large",
                    fresh_noise().bits(), noise_rule().refresh_limit.bits()));
  }
}

std::vector<std::string_view> Parameters::field_names() {
  std::vector<std::string_view> names = dghv::Parameters::field_names();
  names.insert(names.end(), {"squash", "beta", "alpha", "rho_prime", "refreshed_noise"});
  return names;
}

security::Problems Parameters::problems() const {
  security::Problems problems = shared_problems(2 * beta, fresh_noise());
  const auto products = static_cast<double>(beta * beta);
  problems.knapsack = {
      .count = products, .bits = static_cast<double>(alpha), .gamma = static_cast<double>(gamma)};
  problems.conditions->entropy_bits = products * static_cast<double>(alpha);
  problems.conditions->hashed_bits = static_cast<double>(gamma);
  return problems;
}

NoiseBound Parameters::fresh_noise() const {
  const Integer element = power_of_two(rho) - 1;
  const Integer weighted =
      static_cast<unsigned long>(beta * beta) * (power_of_two(alpha) - 1) * element * element;
  return NoiseBound::from_magnitude(1 + 2 * (power_of_two(rho_prime) - 1) + 2 * weighted);
}

}  // namespace fhe::cmnt
