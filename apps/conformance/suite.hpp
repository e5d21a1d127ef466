// SPDX-License-Identifier: Apache-2.0
// The conformance suite of arithmetic backends: what every backend must do, as cases that any
// program can run on any backend. Results are compared, bit for bit, with plain GMP arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libfhe/arith/backend.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::conformance {

class Trial;

// Something that every backend must do.
struct Case {
  std::string_view name;  // a phrase: "products of two long operands"
  std::string_view area;  // backend, ring, weighted_sums, selected_sums, product_windows, residues
                          // or monitor
  void (*run)(Trial& trial);
  bool is_long = false;  // minutes, or gigabytes of memory
  bool is_many = false;  // so many operations that a simulated device takes an hour
};

// All cases, in the order in which they are run.
std::vector<Case> all_cases();

// Which cases to run.
struct Selection {
  bool with_long = false;
  bool with_many = true;
  std::string only;  // those with this in their name or area; all when empty
};

// The cases of a selection. Throws Error(unknown_name) when there is none.
std::vector<Case> select(const Selection& selection);

// What became of a case.
struct Outcome {
  std::string name;
  std::string area;
  bool passed = false;
  std::size_t checks = 0;             // results that were compared
  std::vector<std::string> failures;  // one sentence each: the first few, and how many more
  double seconds = 0;
};

// How a run is told what is going on. `before` and `after` are called on the thread that runs the
// suite; either may be empty.
struct Watch {
  std::function<void(const Case&)> before;
  std::function<void(const Outcome&)> after;
  Monitor monitor;  // a requested stop ends the run with Error(stopped)
};

// The seed that is used where none is asked for: every run draws the same operands.
inline constexpr std::uint64_t kUsualSeed = 1;

// Runs `cases` on a backend and returns what became of them, in the same order. Random operands are
// drawn from `seed` and the name of the case, so that a case that fails can be repeated alone. A
// case that throws has failed; the others are run all the same.
//
// The run lets go of the backend before it returns: a caller who keeps no pointer to it has also
// tested that rings keep their backend alive. One run at a time in a process, since the number of
// threads is limited for the whole process.
std::vector<Outcome> run(BackendPtr backend, const std::vector<Case>& cases, std::uint64_t seed,
                         const Watch& watch);

}  // namespace fhe::conformance
