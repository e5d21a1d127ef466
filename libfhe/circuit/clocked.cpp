// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/clocked.hpp"

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/memory_errors.hpp"

namespace fhe {

ClockedCircuit::ClockedCircuit(Netlist step, std::vector<bool> initial)
    : step_(std::move(step)), initial_(std::move(initial)) {
  if (initial_.empty()) return;
  const bool fits = !step_.inputs().empty() && step_.inputs().back().width == registers() &&
                    step_.outputs().size() > 1 &&
                    step_.outputs().back().wires.size() == registers();
  if (fits) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("the last words of a step with {} registers are their values, of as many "
                          "bits, behind at least one other output",
                          registers()));
}

std::span<const InputWord> ClockedCircuit::inputs() const {
  return std::span(step_.inputs()).first(step_.inputs().size() - (initial_.empty() ? 0 : 1));
}

std::span<const OutputWord> ClockedCircuit::outputs() const {
  return std::span(step_.outputs()).first(step_.outputs().size() - (initial_.empty() ? 0 : 1));
}

Digest ClockedCircuit::digest() const {
  return reporting_memory([&] {
    std::vector<std::byte> bits;
    bits.reserve(initial_.size());
    for (const bool bit : initial_) bits.push_back(static_cast<std::byte>(bit ? 1 : 0));
    Hasher hasher;
    hasher.update(step_.digest());
    hasher.update(bits);
    return hasher.finish();
  });
}

}  // namespace fhe
