// SPDX-License-Identifier: Apache-2.0
// What the device's commands do to its memory, as PROGRAMMING.md says, with GMP. No time passes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "accel/fpga/contract/command.hpp"
#include "accel/fpga/contract/context.hpp"
#include "accel/fpga/contract/equipment.hpp"
#include "accel/fpga/contract/stream_record.hpp"
#include "accel/fpga/model/model_clocks.hpp"
#include "accel/fpga/transport/device_memory.hpp"
#include "libfhe/arith/integer.hpp"

namespace fhe::fpga {

// How a command ended in the machine.
struct ModelOutcome {
  Status status = Status::ok;
  bool carry = false;
  bool subtracted = false;
  bool undecided = false;
  std::uint64_t error_address = 0;  // for bus_error
};

class ModelMachine {
 public:
  // Requires that both outlive the machine.
  ModelMachine(const DeviceMemory& memory, const Equipment& equipment)
      : memory_(memory), equipment_(equipment) {}

  // The checks that need the descriptor alone, in the order of the document: `ok` when all pass.
  // `in_program`: it is one of a program.
  [[nodiscard]] Status check(const DescriptorWords& words, bool in_program) const;

  // Reads a descriptor of a program. Requires that it lies in memory.
  ModelOutcome fetch(std::uint64_t address, DescriptorWords& words);

  // What the command will cost. Requires that it passes check().
  [[nodiscard]] ModelWork work(const Command& command) const;

  // Runs it. Requires that it passes check(). Does nothing for `run`, whose commands are to be
  // fetched, checked and run one by one.
  ModelOutcome run(const Command& command);

  void forget_contexts() { contexts_ = {}; }

  // From now on, the next `times` accesses to the word at `address` are answered with an error.
  void break_word(std::uint64_t address, unsigned times);

 private:
  // Thrown inside run().
  struct Failure {
    Status status;
    std::uint64_t address = 0;
  };

  // That which the command names, null where it is not set.
  const Context* context_of(const Command& command) const;
  std::span<std::byte> access(std::uint64_t address, std::uint64_t words);
  Integer read_words(std::uint64_t address, std::uint64_t words);
  void write_words(std::uint64_t address, std::uint64_t words, const Integer& value);
  Integer read_operand(const DeviceInteger& operand, bool check_pad);
  Integer read_indices(std::uint64_t address, std::uint64_t count);
  Integer read_signed_word(std::uint64_t address);
  GeneratedStream read_stream(std::uint64_t address);
  template <class Request>
  std::function<Integer(std::uint32_t)> elements_of(const Request& request, bool check_pad);
  void check_access(const DeviceInteger& operand, const DeviceInteger& destination) const;

  // Writes `value`, modulo the room there is; returns what did not fit.
  Integer store(const DeviceInteger& destination, const Integer& value);
  ModelOutcome store_product(const Command& command, const Integer& product);
  ModelOutcome store_difference(const Command& command);
  Integer reduce(const Context& context, const Integer& x, bool& subtracted);
  std::pair<std::uint64_t, std::uint64_t> read_entry(std::uint64_t list, std::uint64_t number);
  Integer sum_of_terms(const ProductSum& request, bool check_pad);
  Integer sum_of_rows(const NestedSum& request, bool check_pad);
  ModelOutcome add_selected(const Command& command);
  ModelOutcome add_weighted(const Command& command);
  ModelOutcome multiply_windows(const Command& command);
  ModelOutcome add_products(const Command& command);
  ModelOutcome add_rows(const Command& command);
  ModelOutcome store_reduced(const Command& command, const Integer& sum);
  ModelOutcome set_context(const Command& command);
  ModelOutcome multiply_polynomials(const Command& command);
  ModelOutcome execute(const Command& command);

  const DeviceMemory& memory_;
  const Equipment& equipment_;
  std::array<std::optional<Context>, parameter::contexts> contexts_;
  std::uint64_t broken_word_ = 0;
  unsigned broken_times_ = 0;
};

}  // namespace fhe::fpga
