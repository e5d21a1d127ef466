// SPDX-License-Identifier: Apache-2.0
#include "libfhe/cluster/cluster.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

#include <fmt/format.h>
#include <starpu_mpi.h>

#include "libfhe/error.hpp"
#include "libfhe/storage/digest.hpp"

namespace fhe {

namespace {

// MPI counts by int.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

void broadcast(void* bytes, std::size_t count) {
  auto* at = static_cast<std::byte*>(bytes);
  while (count > 0) {
    const std::size_t piece = std::min(count, kMostAtOnce);
    MPI_Bcast(at, static_cast<int>(piece), MPI_BYTE, 0, MPI_COMM_WORLD);
    at += piece;
    count -= piece;
  }
}

Error cannot_start(std::string_view what) {
  return {ErrorCode::unsupported,
          fmt::format("{} cannot be started: start the program by mpirun, and see what it prints "
                      "with STARPU_SILENT=0",
                      what)};
}

}  // namespace

Cluster::Cluster(std::size_t workers) : workers_(workers) {
  // A rank that waits leaves its core to the others where they share one.
  ::setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS ||
      provided < MPI_THREAD_SERIALIZED) {
    throw cannot_start("MPI with threads");
  }
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.ncpus = static_cast<int>(workers);
  conf.sched_policy_name = "prio";
  // What StarPU says of its own is for those who ask for it.
  ::setenv("STARPU_SILENT", "1", 0);
  // One rank's workers may not all have a core of their own: where ranks share a machine, and where
  // tasks wait more than they compute.
  ::setenv("STARPU_WORKERS_NOBIND", "1", 0);
  ::setenv("STARPU_MAIN_THREAD_BIND", "0", 0);
  if (starpu_mpi_init_conf(nullptr, nullptr, 0, MPI_COMM_WORLD, &conf) != 0) {
    MPI_Finalize();
    throw cannot_start("StarPU");
  }
  int rank = 0;
  int ranks = 1;
  starpu_mpi_comm_rank(MPI_COMM_WORLD, &rank);
  starpu_mpi_comm_size(MPI_COMM_WORLD, &ranks);
  rank_ = static_cast<std::size_t>(rank);
  ranks_ = static_cast<std::size_t>(ranks);
}

Cluster::~Cluster() {
  starpu_mpi_shutdown();
  MPI_Finalize();
}

void Cluster::require_same(std::string_view text, std::string_view what) const {
  Hasher hasher;
  hasher.update(std::as_bytes(std::span(text)));
  const Digest own = hasher.finish();
  std::vector<Digest> all(ranks_);
  constexpr int kBytes = sizeof(Digest);
  MPI_Allgather(own.data(), kBytes, MPI_BYTE, all.data(), kBytes, MPI_BYTE, MPI_COMM_WORLD);
  const auto other = std::ranges::find_if(all, [&](const Digest& d) { return d != all.front(); });
  if (other == all.end()) return;
  // The first rank says so and ends the others.
  if (!is_first()) MPI_Barrier(MPI_COMM_WORLD);
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{} of rank {} are not those of rank 0: start the same program with the "
                          "same arguments on all of them",
                          what, other - all.begin()));
}

std::vector<std::byte> Cluster::bytes_of_first(std::span<const std::byte> bytes) const {
  std::vector<std::byte> result(number_of_first(bytes.size()));
  if (is_first()) std::ranges::copy(bytes, result.begin());
  broadcast(result.data(), result.size());
  return result;
}

std::size_t Cluster::number_of_first(std::size_t number) const {
  std::uint64_t value = number;
  broadcast(&value, sizeof(value));
  return value;
}

void Cluster::end_all(int exit_code) const noexcept {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace fhe
