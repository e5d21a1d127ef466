// SPDX-License-Identifier: Apache-2.0
#include "apps/conformance/suite.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "apps/conformance/cases.hpp"
#include "apps/conformance/trial.hpp"
#include "libfhe/error.hpp"

namespace fhe::conformance {

namespace {

bool is_wanted(const Case& candidate, const Selection& selection) {
  if (candidate.is_long && !selection.with_long) return false;
  if (candidate.is_many && !selection.with_many) return false;
  return candidate.name.find(selection.only) != std::string_view::npos ||
         candidate.area.find(selection.only) != std::string_view::npos;
}

// FNV-1a of the seed and the name: the same on every machine and whatever other cases there are.
std::uint64_t seed_of(std::string_view name, std::uint64_t seed) {
  constexpr std::uint64_t kPrime = 0x100000001b3;
  std::uint64_t hash = 0xcbf29ce484222325 ^ seed;
  hash *= kPrime;
  for (const char letter : name) hash = (hash ^ static_cast<unsigned char>(letter)) * kPrime;
  return hash;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Only a stop of the run leaves it as an exception.
void try_out(const Case& wanted, Trial& trial, const Monitor& monitor) {
  try {
    wanted.run(trial);
  } catch (...) {
    monitor.throw_if_stopped();
    trial.fail(fmt::format("after {} checks the case was ended by {}", trial.checks(),
                           description_of_current_exception()));
  }
}

Outcome outcome_of(const Case& wanted, BackendPtr backend, std::uint64_t seed,
                   const Monitor& monitor) {
  const auto start = std::chrono::steady_clock::now();
  // What the caller's monitor draws is of the whole run.
  Trial trial(std::move(backend), seed_of(wanted.name, seed),
              {.stop = monitor.stop, .progress = {}});
  try_out(wanted, trial, monitor);
  return {.name = std::string(wanted.name),
          .area = std::string(wanted.area),
          .passed = trial.passed(),
          .checks = trial.checks(),
          .failures = trial.failures(),
          .seconds = seconds_since(start)};
}

}  // namespace

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const auto& list : {multiply_cases(), ring_cases(), weighted_sums_cases(),
                           selected_sums_cases(), windows_cases(), recryption_cases(),
                           residues_cases(), fermat_cases(), monitor_cases(), lifetime_cases()}) {
    all.insert(all.end(), list.begin(), list.end());
  }
  return all;
}

std::vector<Case> select(const Selection& selection) {
  std::vector<Case> wanted = all_cases();
  std::erase_if(wanted, [&](const Case& candidate) { return !is_wanted(candidate, selection); });
  if (!wanted.empty()) return wanted;
  throw Error(ErrorCode::unknown_name,
              fmt::format("no case of the conformance suite that was asked for has '{}' in its "
                          "name or area",
                          selection.only));
}

std::vector<Outcome> run(BackendPtr backend, const std::vector<Case>& cases, std::uint64_t seed,
                         const Watch& watch) {
  std::vector<Outcome> outcomes;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    watch.monitor.throw_if_stopped();
    if (watch.before) watch.before(cases[i]);
    if (watch.monitor.progress) {
      watch.monitor.progress("cases", static_cast<double>(i) / static_cast<double>(cases.size()));
    }
    const bool is_last = i + 1 == cases.size();
    outcomes.push_back(
        outcome_of(cases[i], is_last ? std::move(backend) : backend, seed, watch.monitor));
    if (watch.after) watch.after(outcomes.back());
  }
  return outcomes;
}

}  // namespace fhe::conformance
