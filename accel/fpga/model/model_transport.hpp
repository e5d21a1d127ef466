// SPDX-License-Identifier: Apache-2.0
// A device computed in this process: the registers, the queue and the statuses of PROGRAMMING.md
// over a ModelMachine. For tests of drivers and programs without the simulated RTL.
//
// Time is the model's own and the same in every run: a register access takes kAccessClocks device
// clocks, a command those of model_clocks.hpp, and wait_interrupt lets as many pass as commands
// need. A command's results appear in memory at its end.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "accel/fpga/contract/command.hpp"
#include "accel/fpga/contract/context.hpp"
#include "accel/fpga/contract/equipment.hpp"
#include "accel/fpga/contract/register_values.hpp"
#include "accel/fpga/contract/stream_record.hpp"
#include "accel/fpga/contract/transport.hpp"
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

// What the device's commands do to its memory, as PROGRAMMING.md says, with GMP. No time passes.
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

class ModelTransport final : public LocalTransport {
 public:
  // One microsecond at 200 MHz.
  static constexpr std::uint64_t kAccessClocks = 200;

  explicit ModelTransport(DeviceMemory memory, const Equipment& equipment = kStandardEquipment);

  [[nodiscard]] std::string description() const override;
  [[nodiscard]] std::uint32_t read_register(std::uint32_t offset) override;
  void write_register(std::uint32_t offset, std::uint32_t value) override;
  void put(std::uint64_t address, std::span<const std::byte> bytes) override;
  void get(std::uint64_t address, std::span<std::byte> bytes) override;
  // Sleeps where nothing is left that could raise the interrupt.
  [[nodiscard]] Interrupt wait_interrupt(std::chrono::milliseconds timeout) override;
  void reset() override;
  void step(std::uint64_t clocks) override;

  // For tests: the next `times` accesses of commands to the word at `address` fail.
  void break_word(std::uint64_t address, unsigned times);

 private:
  struct Descriptor {
    DescriptorWords words;
    std::uint32_t sequence;
  };
  struct Running {
    Descriptor descriptor;
    ModelOutcome refusal;  // of its checks; `ok` when it runs
    ModelWork work;
    std::uint64_t start;
    std::uint64_t end;
    bool stopped_by_watchdog;
  };
  // Of which one command is running_.
  struct Program {
    Descriptor descriptor;  // of `run`
    std::uint64_t start;
    std::uint64_t at;       // of the next command
    std::uint64_t fetched;  // when the last one was
    std::uint32_t left;
    std::uint16_t completed = 0;
    ModelOutcome outcome = {};  // of these together
  };
  using Completion4 = std::array<std::uint32_t, 4>;

  // All with the mutex held.
  void advance(std::uint64_t clocks);
  void start_next();
  void start(const Descriptor& next, const ModelOutcome& refusal, ModelWork work);
  void start_next_of_program();
  void end_running();
  void begin_program(const Running& run);
  void end_command_of_program(const ModelOutcome& outcome);
  void end_program();
  void end(const Descriptor& descriptor, const ModelOutcome& outcome, std::uint64_t clocks,
           std::uint16_t commands = 0);
  void fail(Status status, std::uint32_t tag, std::uint64_t address);
  void count(const Running& running);
  void write_control(std::uint32_t value);
  void soft_reset();
  void ring_doorbell(std::uint32_t sequence);
  [[nodiscard]] bool control(std::uint32_t number) const { return has_bit(control_, number); }
  [[nodiscard]] bool interrupt_line() const;
  [[nodiscard]] std::uint32_t status() const;
  [[nodiscard]] std::uint32_t space() const;
  [[nodiscard]] std::uint32_t read_counter(std::uint32_t offset);
  [[nodiscard]] std::uint32_t read_completion(std::uint32_t word);
  [[nodiscard]] std::uint32_t read(std::uint32_t offset);

  mutable std::mutex mutex_;
  DeviceMemory memory_;
  Equipment equipment_;
  ModelMachine machine_;
  std::uint64_t clock_ = 0;
  std::deque<Descriptor> waiting_;
  std::optional<Running> running_;
  std::optional<Program> program_;
  std::deque<Completion4> completions_;
  DescriptorWords window_{};
  std::uint32_t sequence_ = 0;
  std::uint32_t control_ = 0;
  bool halted_ = false;
  std::uint32_t irq_status_ = 0;
  std::uint32_t irq_mask_ = 0;
  std::uint32_t watchdog_ = 0;
  std::uint32_t scratch_ = 0;
  Status error_code_ = Status::ok;
  std::uint32_t error_tag_ = 0;
  std::uint64_t error_address_ = 0;
  std::array<std::uint64_t, 12> counters_{};
  std::uint32_t counter_high_ = 0;
};

}  // namespace fhe::fpga
