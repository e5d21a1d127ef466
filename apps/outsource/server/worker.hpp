// The process that runs a job.
//
// A job has a process of its own: what goes wrong in it, and be it the memory of the machine, does
// not touch the server or other jobs. The server starts it (run_worker) as `fhe-outsource work`,
// and both talk over its standard output in lines of JSON:
//
//   {"fraction": 0.25}                            as it goes on
//   {"products": 12, "recryptions": 34}           at the end, when the result is written
//   {"error": {"code": "...", "message": "..."}}  instead, when there is none
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "apps/outsource/messages.hpp"

namespace fhe::outsource {

// What a worker is told to do.
struct Work {
  std::filesystem::path key;
  std::filesystem::path circuit;
  std::vector<std::filesystem::path> inputs;  // one for each input word
  std::filesystem::path result;
  std::filesystem::path checkpoint;  // goes on from it when it is there
  std::uint64_t memory_mib = 0;      // for ciphertexts; 0: no limit
  std::size_t threads = 0;           // 0: all of the machine
  std::string backend;
};

// The worker's side: does the work and prints the lines above. SIGTERM stops it at its last
// checkpoint. Returns the exit code of the process.
int do_work(const Work& work);

struct WorkerEnd {
  bool done = false;       // the result is written
  bool stopped = false;    // by the stop token
  Json summary = {};       // products and recryptions
  std::string error = {};  // why there is no result
};

// The server's side: starts `program` and waits for its end; `progress` is told the fractions. When
// `stop` is triggered, or after `most_time`, the worker is told to stop, and killed when it does
// not listen. Throws Error(io) when no process can be started.
[[nodiscard]] WorkerEnd run_worker(const std::filesystem::path& program, const Work& work,
                                   std::chrono::seconds most_time, const std::stop_token& stop,
                                   const std::function<void(double)>& progress);

}  // namespace fhe::outsource
