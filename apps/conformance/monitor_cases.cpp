// SPDX-License-Identifier: Apache-2.0
// Watching and stopping long calls.
#include <algorithm>
#include <functional>
#include <stop_token>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "apps/conformance/cases.hpp"
#include "apps/conformance/key_streams.hpp"
#include "apps/conformance/monitors.hpp"
#include "apps/conformance/oracle.hpp"
#include "apps/conformance/trial.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/arith/ring.hpp"

namespace fhe::conformance {

namespace {

void stops(Trial& trial, const std::function<void()>& call, std::string_view what) {
  trial.refuses(ErrorCode::stopped, call, fmt::format("{} after a stop request", what));
}

void stop_requests(Trial& trial) {
  const Backend& backend = trial.backend();
  Operands& operands = trial.operands();
  const KeyStream key = public_key(operands, 100, 40'000);
  const auto ring = backend.ring(key.modulus);
  const std::vector<DenseWeights> dense_batch{operands.list(100, 900)};
  const std::vector<SparseWeights> sparse_batch{sparse(operands, 100, 15, 900)};
  const BlockSelection which = selection(operands, 100, 10, 5);
  const WindowSpec spec{.modulus_bits = 40'000, .window_bits = 5};

  const Monitor stop = stopped_monitor();
  stops(
      trial, [&] { static_cast<void>(ring->weighted_sums(key.view(), dense_batch, stop)); },
      "a dense sum");
  stops(
      trial, [&] { static_cast<void>(ring->weighted_sums(key.view(), sparse_batch, stop)); },
      "a sparse sum");
  stops(
      trial, [&] { static_cast<void>(ring->selected_sums(key.view(), which, stop)); },
      "a selected sum");
  stops(
      trial, [&] { static_cast<void>(backend.product_windows(3, *key.elements, spec, stop)); },
      "a call of product_windows");
  stops(
      trial, [&] { static_cast<void>(backend.residues(*key.elements, 1009, stop)); },
      "a call of residues");

  const ThreadLimit one_thread(1);
  std::stop_source source;
  const Monitor midway = stopping_midway(source);
  stops(
      trial, [&] { static_cast<void>(backend.residues(*key.elements, 1009, midway)); },
      "a call of residues that had begun");
}

void goes_on_after_a_stop(Trial& trial) {
  const KeyStream key = public_key(trial.operands(), 20, 3000);
  const auto ring = trial.backend().ring(key.modulus);
  const std::vector<DenseWeights> batch{trial.operands().list(20, 100)};
  const Monitor stop = stopped_monitor();
  stops(
      trial, [&] { static_cast<void>(ring->weighted_sums(key.view(), batch, stop)); },
      "a dense sum");
  const std::vector<Integer> expected{oracle::weighted_sum(key.view(), batch.front(), key.modulus)};
  for_thread_counts([&](std::string_view on_threads) {
    trial.equal(ring->weighted_sums(key.view(), batch, trial.monitor()), expected,
                fmt::format("a dense sum {}, after one that was stopped", on_threads));
  });
}

// What was reported begins with 0 and reaches 1.
void reported(Trial& trial, std::vector<double>& fractions, std::string_view what) {
  trial.holds(!fractions.empty(), fmt::format("{} report progress", what));
  if (fractions.empty()) return;
  trial.holds(fractions.front() == 0, fmt::format("{} report 0 first", what));
  const auto [lowest, highest] = std::ranges::minmax(fractions);
  trial.holds(lowest == 0, fmt::format("{} report no progress below 0", what));
  trial.holds(highest == 1, fmt::format("{} report progress up to 1", what));
  fractions.clear();
}

void progress(Trial& trial) {
  const Backend& backend = trial.backend();
  Operands& operands = trial.operands();
  const KeyStream key = public_key(operands, 50, 40'000);
  const auto ring = backend.ring(key.modulus);
  std::vector<double> fractions;
  Monitor monitor = trial.monitor();
  monitor.progress = [&](std::string_view, double fraction) { fractions.push_back(fraction); };

  const std::vector<DenseWeights> batch{operands.list(50, 100)};
  trial.holds(ring->weighted_sums(key.view(), batch, monitor).size() == 1,
              "there is one sum for one set of weights");
  reported(trial, fractions, "weighted sums");
  const BlockSelection which = selection(operands, 50, 10, 5);
  trial.holds(!ring->selected_sums(key.view(), which, monitor).empty(), "there are selected sums");
  reported(trial, fractions, "selected sums");
  trial.holds(backend.product_windows(3, *key.elements, {40'000, 5}, monitor).size() == 50,
              "there is a window for each element");
  reported(trial, fractions, "product windows");
  trial.holds(backend.residues(*key.elements, 1009, monitor).size() == 50,
              "there is a residue for each element");
  reported(trial, fractions, "residues");
}

}  // namespace

std::vector<Case> monitor_cases() {
  return {
      {"a stop request ends every long call", "monitor", stop_requests},
      {"a backend works as before after a stopped call", "monitor", goes_on_after_a_stop},
      {"long calls report progress from 0 to 1", "monitor", progress},
  };
}

}  // namespace fhe::conformance
