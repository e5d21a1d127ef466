// SPDX-License-Identifier: Apache-2.0
// The order in which the gates and recryptions of a circuit run, and how many values that keeps in
// memory.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "libfhe/circuit/netlist.hpp"
#include "libfhe/export.hpp"

namespace fhe {

// A value of a run: a wire as its gate made it, or recrypted.
struct FHE_EXPORT WireValue {
  Wire wire = 0;           // of the circuit
  bool refreshed = false;  // whether it is the recrypted value

  friend auto operator<=>(const WireValue&, const WireValue&) = default;
};

// Operations that do not depend on each other, each named by the value that it makes.
struct FHE_EXPORT Batch {
  std::vector<WireValue> operations;  // gates and recryptions
  std::vector<WireValue> dead;        // values that nothing needs after the batch
};

// All batches of a run, in their order.
struct FHE_EXPORT Schedule {
  std::vector<Batch> batches;     // to be run one after the other
  std::vector<WireValue> unused;  // values that are present and that nothing needs
  std::size_t recryptions = 0;    // among the operations
  std::size_t operations = 0;     // of all batches
  std::size_t peak_values = 0;    // most values at any time, inputs and results of a batch included
};

// A schedule that makes the outputs from the values that are present (all input wires, or what a
// checkpoint held), with the wires of `refreshed` recrypted before they are used. Everything that
// can run at once is one batch. Where that would keep more than `max_values` values, batches become
// smaller, down to one operation at a time, each just before the first one that uses its result.
// Throws Error(unsupported), with the number that is needed, when that is still too many.
[[nodiscard]] FHE_EXPORT Schedule make_schedule(const Netlist& netlist,
                                                const std::vector<bool>& refreshed,
                                                const std::vector<WireValue>& present,
                                                std::optional<std::size_t> max_values = {});

// The value that the users of this wire take.
[[nodiscard]] inline WireValue value_in_use(Wire wire, const std::vector<bool>& refreshed) {
  return {wire, refreshed[wire]};
}

}  // namespace fhe
