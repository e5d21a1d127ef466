// SPDX-License-Identifier: Apache-2.0
#include "apps/support/narrator.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace fhe::apps {

namespace {

double seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

Narrator::Narrator(std::string_view title, const Setting& setting) {
  const std::size_t slots = slots_of(setting);
  fmt::print("{}\nParameters {} (for study: not secure{}), backend {}.\n\n", title,
             setting.parameters.name(),
             slots == 1 ? "" : fmt::format("; {} bits in each ciphertext", slots),
             setting.backend->info().name);
}

void Narrator::announce(std::string_view party, std::string_view what) {
  fmt::print("{:2}. {:<10}{} ", ++steps_, party, what);
  std::fflush(stdout);
}

void Narrator::print_duration(Clock::duration duration) {
  fmt::print("({:.3f} s)\n", seconds(duration));
}

void Narrator::cost(const GateCounts& counts) const {
  fmt::print("\nThe server computed {} ANDs and {} recryptions; all steps took {:.2f} s.\n",
             counts.products, counts.recryptions, seconds(Clock::now() - start_));
}

bool Narrator::conclude(std::string_view result, bool right) const {
  fmt::print("Result: {}\nCheck: {}\n", result,
             right ? "the plain computation gives the same."
                   : "WRONG, the plain computation gives another result.");
  return right;
}

}  // namespace fhe::apps
