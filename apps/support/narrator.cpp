// SPDX-License-Identifier: Apache-2.0
#include "apps/support/narrator.hpp"

#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "libfhe/scheme/security.hpp"
#include "libfhe/scheme/she/parameters.hpp"

namespace fhe::apps {

namespace {

double seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

std::string about_bits(const Setting& setting) {
  const std::size_t slots = slots_of(setting);
  return fmt::format("for study: not secure{}",
                     slots == 1 ? "" : fmt::format("; {} bits in each ciphertext", slots));
}

std::string about_numbers(const Setting& setting) {
  const security::Estimate estimate = estimate_of(setting.parameters).value();
  const she::Parameters p(setting.parameters);
  return fmt::format(
      "{}: {}; {} in each ciphertext, modulo {}",
      estimate.verdict() == security::Verdict::passes_128 ? "meant to be secure" : "not secure",
      security::in_words(estimate.verdict()),
      p.slots == 1 ? "a number" : fmt::format("{} numbers", p.slots), p.plaintext);
}

}  // namespace

Narrator::Narrator(std::string_view title, const Setting& setting) {
  fmt::print("{}\nParameters {} ({}), backend {}.\n\n", title, setting.parameters.name(),
             has_slot_numbers(setting) ? about_numbers(setting) : about_bits(setting),
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

void Narrator::cost(const SlotCosts& costs) const {
  fmt::print(
      "\nThe server computed {} products, got {} bytes and answered {}; all steps took {:.2f} s.\n",
      costs.products, costs.query, costs.answer, seconds(Clock::now() - start_));
  fmt::print("Whoever sees query and answer can compute {}, without any key.\n", costs.shown);
}

bool Narrator::conclude(std::string_view result, bool right) const {
  fmt::print("Result: {}\nCheck: {}\n", result,
             right ? "the plain computation gives the same."
                   : "WRONG, the plain computation gives another result.");
  return right;
}

}  // namespace fhe::apps
