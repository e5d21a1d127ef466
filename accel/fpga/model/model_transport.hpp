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
#include <mutex>
#include <optional>

#include "accel/fpga/contract/equipment.hpp"
#include "accel/fpga/contract/register_values.hpp"
#include "accel/fpga/contract/transport.hpp"
#include "accel/fpga/model/model_clocks.hpp"
#include "accel/fpga/model/model_machine.hpp"
#include "accel/fpga/transport/device_memory.hpp"

namespace fhe::fpga {

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
