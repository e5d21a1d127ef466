// The machine that a benchmark ran on, and the memory that it took.
#pragma once

#include <cstdint>
#include <string>

namespace fhe::bench {

struct Machine {
  std::string processor;  // as the system names it
  unsigned cores;
  std::string compiler;
  std::string date;  // UTC, ISO 8601

  friend bool operator==(const Machine&, const Machine&) = default;
};

Machine this_machine();

// Forgets the peak of resident memory so far, where the system can (Linux); see peak_memory_bytes.
void reset_peak_memory();

// Largest resident memory of this process since the last reset, or since its start.
std::uint64_t peak_memory_bytes();

}  // namespace fhe::bench
