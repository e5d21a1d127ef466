// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/scale.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/bench/scale_tasks.hpp"
#include "apps/study/study_json.hpp"
#include "libfhe/circuit/executor.hpp"
#include "libfhe/circuit/placement.hpp"
#include "libfhe/circuit/program.hpp"
#include "libfhe/circuit/scheduled_cost.hpp"
#include "libfhe/gate/evaluator.hpp"

namespace fhe::bench {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::size_t, 11> kWorkers{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
// More threads than that are no measure of anything on a machine of a few cores.
constexpr std::size_t kMostThreads = 256;
constexpr std::size_t kWorkersOfMachine = 16;

struct Row {
  std::size_t workers;
  double scheduled;             // seconds, by list scheduling
  std::optional<double> slept;  // seconds, of the executor with tasks that sleep
  std::uint64_t moved_bytes;    // between machines
};

struct Scaling {
  std::string circuit;
  std::size_t recryptions;
  double total;  // seconds of all tasks
  double chain;  // seconds of the longest chain
  std::vector<Row> rows;

  // How much of so many workers is used in this time.
  [[nodiscard]] double efficiency(std::size_t workers, double seconds) const {
    return total / (seconds * static_cast<double>(workers));
  }
};

Scaling scaling_of(const NamedCircuit& circuit, const Evaluator& evaluator, const TaskCosts& costs,
                   const ScaleOptions& options) {
  const CircuitProgram program = CircuitProgram::compile(circuit.netlist, evaluator);
  const TaskGraph graph = program.tasks(costs);
  const std::uint64_t each = limbs_of(evaluator.public_key().modulus()).size() * sizeof(Limb);
  Scaling result{circuit.name,
                 graph.count(TaskKind::recryption),
                 graph.total_cost(),
                 graph.longest_chain(),
                 {}};
  for (const std::size_t workers : kWorkers) {
    Row row{workers, scheduled_cost(graph, workers), {}, 0};
    const std::size_t machines = (workers + kWorkersOfMachine - 1) / kWorkersOfMachine;
    row.moved_bytes = moved_bytes(
        graph, place_tasks(graph, machines, std::min(workers, kWorkersOfMachine)), each);
    if (workers <= kMostThreads && row.scheduled <= options.most_seconds) {
      // Once more, since the first run also starts the threads.
      const LocalExecutor executor(workers);
      row.slept = std::min(sleeping_seconds(graph, executor), sleeping_seconds(graph, executor));
    }
    result.rows.push_back(row);
  }
  return result;
}

void print(const Scaling& s) {
  fmt::print("\n{}: {} recryptions, {:.2f} s of work, the longest chain {:.2f} s\n", s.circuit,
             s.recryptions, s.total, s.chain);
  fmt::print("{:>8} {:>12} {:>8} {:>14} {:>8} {:>10} {:>12}\n", "workers", "scheduled s", "used",
             "with sleep s", "used", "of bound", "moved MB");
  for (const Row& row : s.rows) {
    fmt::print("{:>8} {:>12.3f} {:>7.1f}%", row.workers, row.scheduled,
               100 * s.efficiency(row.workers, row.scheduled));
    if (row.slept) {
      fmt::print(" {:>14.3f} {:>7.1f}% {:>9.1f}%", *row.slept,
                 100 * s.efficiency(row.workers, *row.slept), 100 * row.scheduled / *row.slept);
    } else {
      fmt::print(" {:>14} {:>8} {:>10}", "-", "-", "-");
    }
    fmt::print(" {:>12.1f}\n", static_cast<double>(row.moved_bytes) / 1e6);
  }
}

Json json_of(const Scaling& s) {
  Json rows = Json::array();
  for (const Row& row : s.rows) {
    rows.push_back({{"workers", row.workers},
                    {"scheduled_seconds", row.scheduled},
                    {"slept_seconds", row.slept ? Json(*row.slept) : Json()},
                    {"moved_bytes", row.moved_bytes}});
  }
  return {{"circuit", s.circuit},
          {"recryptions", s.recryptions},
          {"seconds", s.total},
          {"chain_seconds", s.chain},
          {"workers", std::move(rows)}};
}

}  // namespace

void measure_scale(const ParameterSet& group, const BackendPtr& backend,
                   const ScaleOptions& options, const std::string& json) {
  const std::vector<NamedCircuit> all = scale_circuits(options);
  const KeyPair keys = KeyGenerator(group, backend).generate();
  const Evaluator evaluator(keys.public_key, backend);
  const TaskCosts costs = scale_costs(evaluator, options);
  if (json != "-") {
    fmt::print("{}: a sum takes {:.3g} s, a product {:.3g} s, a recryption {:.3g} s\n",
               group.name(), costs.sum, costs.product, costs.recryption);
  }
  Json results = Json::array();
  for (const NamedCircuit& circuit : all) {
    const Scaling scaling = scaling_of(circuit, evaluator, costs, options);
    if (json != "-") print(scaling);
    results.push_back(json_of(scaling));
  }
  if (json.empty()) return;
  const Json seconds{
      {"sum", costs.sum}, {"product", costs.product}, {"recryption", costs.recryption}};
  const Json study{{"params", group.name()}, {"seconds", seconds}, {"circuits", results}};
  write_text(study.dump(2) + "\n", json);
}

}  // namespace fhe::bench
