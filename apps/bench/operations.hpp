// SPDX-License-Identifier: Apache-2.0
// The operations that fhe-bench measures, registered with Google Benchmark.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libfhe/arith/backend.hpp"
#include "libfhe/scheme/parameters.hpp"

namespace fhe::bench {

struct Operation {
  std::string name;
  std::string unit;                       // what one operation is
  std::size_t per_run = 1;                // operations in one call of `run`
  std::size_t threads = 0;                // to run on; 0: on those of the whole run
  std::string baseline{};                 // the operation that this one is compared with, if any
  std::function<void()> run;              // does the work once
  std::function<void()> prepare = [] {};  // what must be there first; not timed
};

// All operations of a group on a backend. Keys are made on first use and shared; `keygen` makes
// new ones each time. Groups for benchmarks have the raw encryption step alone.
std::vector<Operation> operations_of(const ParameterSet& group, const BackendPtr& backend);

// Of those, the ones of a group of numbers in slots.
std::vector<Operation> number_operations(const ParameterSet& group, const BackendPtr& backend);

// A wide circuit under the group's keys, on one thread and on all: how well runs of circuits use
// the processor. Throws Error(invalid_parameters) for groups that make no keys.
std::vector<Operation> circuit_operations(const ParameterSet& group, const BackendPtr& backend);

// A round size, the product of the ASIC and GPU papers, and the four CNT groups.
inline constexpr std::array<std::size_t, 6> kEngineBits{147456, 196608,  786432,
                                                        843033, 4251866, 19575950};

// Products, squares, modular products and products of unequal operands, of the backend and of GMP,
// at the sizes of the papers and of the CNT groups: on one thread, and under names that end in
// "_all_threads" on all.
std::vector<Operation> engine_operations(const BackendPtr& backend);

// Of those, the products of two equal operands of these sizes, on one thread, and GMP's.
std::vector<Operation> product_operations(const BackendPtr& backend,
                                          std::span<const std::size_t> bits);

}  // namespace fhe::bench
