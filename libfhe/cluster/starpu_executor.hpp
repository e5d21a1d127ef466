// SPDX-License-Identifier: Apache-2.0
// Runs the tasks of a circuit on all ranks of a cluster by StarPU-MPI: each value goes to the ranks
// that take it, once, as nothing but limbs.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "libfhe/circuit/executor.hpp"
#include "libfhe/cluster/cluster.hpp"
#include "libfhe/scheme/ciphertext.hpp"

namespace fhe {

// All ranks run the same graph. The first one gives the values that are present and gets the
// outputs; what the others give is not looked at, and they get none. Saves happen on the first
// rank, between parts of the graph that take about the interval of the policy; all workers wait for
// each.
class StarpuExecutor final : public Executor {
 public:
  // For ciphertexts of this key, which have at most `limbs` limbs. The cluster must outlive it.
  StarpuExecutor(const Cluster& cluster, KeyId key, std::size_t limbs)
      : cluster_(cluster), key_(std::move(key)), limbs_(limbs) {}

  // As Executor says, on every rank; progress is that of the first rank's own tasks. Throws
  // Error(unsupported) for a limit of values. An error of a task on any rank is thrown there, and
  // the others wait for that rank: it has to end all of them (Cluster::end_all).
  [[nodiscard]] ExecutionResult run(Execution execution, const Monitor& monitor) const override;

  [[nodiscard]] bool is_first() const override { return cluster_.is_first(); }
  [[nodiscard]] std::vector<std::byte> from_first(std::vector<std::byte> bytes) const override {
    return cluster_.bytes_of_first(bytes);
  }

 private:
  const Cluster& cluster_;
  KeyId key_;
  std::size_t limbs_;
};

}  // namespace fhe
