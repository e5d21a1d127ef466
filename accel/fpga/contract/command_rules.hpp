// SPDX-License-Identifier: Apache-2.0
// What a command is checked for before it runs: the table of opcodes (OPCODES.md) for one command.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "accel/fpga/contract/command.hpp"
#include "accel/fpga/contract/context.hpp"
#include "accel/fpga/contract/equipment.hpp"

namespace fhe::fpga {

// Those on lengths, and on what else is in a descriptor, in the order of the table.
class Conditions {
 public:
  Conditions() = default;
  // Whether each is met: at most 32.
  Conditions(std::initializer_list<bool> met) {
    for (const bool is_met : met) unmet_ |= std::uint32_t{!is_met} << count_++;
  }

  [[nodiscard]] unsigned count() const { return count_; }
  // A bit for each that is not met.
  [[nodiscard]] std::uint32_t unmet() const { return unmet_; }

 private:
  unsigned count_ = 0;
  std::uint32_t unmet_ = 0;
};

// What a source is in memory: so many bits at its address, which is not looked at where they are 0.
struct SourceRules {
  std::uint64_t bits = 0;
  bool may_be_destination = false;  // beginning at the same address
};

struct CommandRules {
  Procedure procedure = Procedure::none;
  bool is_known = false;       // there is such an opcode, and what it needs
  bool names_context = false;  // one of those that there are
  bool needs_context = false;  // and it is set
  Conditions conditions = {};
  std::uint64_t destination_bits = 0;
  SourceRules source0 = {};
  SourceRules source1 = {};
  std::uint64_t parameter_bits = 0;
};

// On a device with this equipment. `shape` is that of the context, where the command needs one.
[[nodiscard]] CommandRules rules_of(const Command& command, const Equipment& equipment,
                                    const BarrettShape& shape);

}  // namespace fhe::fpga
