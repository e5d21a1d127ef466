// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/ciphertext_facts.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace fhe::cli {

NoiseBound largest_noise(const std::vector<Ciphertext>& ciphertexts) {
  NoiseBound largest;
  for (const Ciphertext& c : ciphertexts) largest = std::max(largest, c.noise());
  return largest;
}

std::string counted(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string seconds_by_slot(double seconds, std::size_t slots) {
  constexpr double kMilli = 1e3;
  if (slots == 1) return "";
  const double milliseconds = seconds * kMilli / static_cast<double>(slots);
  return fmt::format(", {:.3g} ms in each of {} slots", milliseconds, slots);
}

}  // namespace fhe::cli
