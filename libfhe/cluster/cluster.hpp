// SPDX-License-Identifier: Apache-2.0
// The processes of one MPI job ("ranks", which `mpirun` starts on one machine or on many), and the
// StarPU workers of each. A part of its own (fhe::cluster), built where StarPU-MPI is installed.
//
// All ranks make the same calls in the same order. Threads: the one that made the Cluster.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace fhe {

// Starts MPI and StarPU, and ends them when it is destroyed; once in a process.
class Cluster {
 public:
  // Starts `workers` >= 1 workers on this rank; all ranks say equally many. Throws
  // Error(unsupported) where MPI or StarPU cannot be started.
  explicit Cluster(std::size_t workers);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  // This process among all of them: 0 is the one that reads and writes files.
  [[nodiscard]] std::size_t rank() const { return rank_; }
  [[nodiscard]] std::size_t ranks() const { return ranks_; }
  [[nodiscard]] bool is_first() const { return rank_ == 0; }
  // Of each rank.
  [[nodiscard]] std::size_t workers() const { return workers_; }

  // Throws Error(invalid_argument) on the first rank unless all say the same; the message, which
  // begins with `what`, names one that does not. The others wait to be ended.
  void require_same(std::string_view text, std::string_view what) const;

  // The bytes of the first rank, on every rank.
  [[nodiscard]] std::vector<std::byte> bytes_of_first(std::span<const std::byte> bytes) const;
  // The number of the first rank, on every rank.
  [[nodiscard]] std::size_t number_of_first(std::size_t number) const;

  // Ends the processes of all ranks, this one with `exit_code`; for a rank that cannot go on, whose
  // message is out. Does not return.
  [[noreturn]] void end_all(int exit_code) const noexcept;

 private:
  std::size_t rank_ = 0;
  std::size_t ranks_ = 1;
  std::size_t workers_ = 1;
};

}  // namespace fhe
