// SPDX-License-Identifier: Apache-2.0
// The process that runs a job.
//
// A job has a process of its own (task.hpp), which the server starts as `fhe-outsource work`. It
// says
//
//   {"fraction": 0.25}                            as it goes on
//   {"checkpoint_failed": "..."}                  once, when it cannot save how far it is
//   {"checkpoint_refused": "..."}                 when it begins anew, in place of going on
//   {"products": 12, "recryptions": 34}           at the end, when the result is written
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "apps/outsource/messages.hpp"
#include "apps/outsource/server/task.hpp"
#include "apps/support/child_process.hpp"

namespace fhe::outsource {

// What a worker is told to do.
struct Work {
  std::filesystem::path key;
  std::filesystem::path circuit;
  std::vector<std::filesystem::path> inputs;  // one for each input word
  std::filesystem::path result;
  std::filesystem::path checkpoint;  // goes on from it when it is there and fits
  std::uint64_t memory_mib = 0;      // for ciphertexts; 0: no limit
  std::size_t threads = 0;           // 0: all of the machine
  std::uint64_t save_seconds = 20;   // between two checkpoints; 0: each result at once
  std::string backend;
  apps::ProcessLimits limits = {};
};

// The worker's side: does the work and prints the lines above. SIGTERM stops it at its last
// checkpoint. Returns the exit code of the process.
int do_work(const Work& work);

struct WorkerEnd {
  TaskEnd task;
  std::uint64_t products = 0;  // of a job that is done
  std::uint64_t recryptions = 0;
};

// Who is told what a worker says on its way.
struct WorkerNews {
  std::function<void(double fraction)> progress;
  std::function<void(const std::string& reason)> checkpoint_failed;
  std::function<void(const std::string& reason)> checkpoint_refused;
};

// The server's side: starts `program` and waits for its end, as run_task does.
[[nodiscard]] WorkerEnd run_worker(const std::filesystem::path& program, const Work& work,
                                   std::chrono::seconds most_time, const std::stop_token& stop,
                                   const WorkerNews& news);

}  // namespace fhe::outsource
