// SPDX-License-Identifier: Apache-2.0
// A transport to the RTL, simulated in this process: registers by AXI-Lite, memory by SimMemory.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "accel/fpga/contract/transport.hpp"
#include "accel/fpga/contract/words.hpp"
#include "accel/fpga/sim/sim_memory.hpp"
#include "accel/fpga/sim/simulated_model.hpp"
#include "libfhe/error.hpp"

namespace fhe::fpga {

// `Model` is a class that Verilator made of fhe_device.
template <class Model>
class SimulatedDevice final : public LocalTransport {
 public:
  SimulatedDevice(DeviceMemory memory, const SimMemoryOptions& options)
      : device_memory_(std::move(memory)), memory_(device_memory_, options) {
    device_.memory_base = device_memory_.base();
    device_.memory_size = device_memory_.size();
    device_.clk = 0;
    device_.eval();  // or the first rising edge would not be seen as one
    power_up();
  }
  ~SimulatedDevice() override { device_.final(); }

  [[nodiscard]] std::string description() const override {
    return "the RTL, simulated by Verilator in this process";
  }

  [[nodiscard]] std::uint32_t read_register(std::uint32_t offset) override {
    const std::scoped_lock lock(mutex_);
    check(offset);
    device_.s_axi_araddr = static_cast<SData>(offset);
    device_.s_axi_arvalid = 1;
    device_.eval();
    while (!device_.s_axi_arready) clock();
    clock();
    device_.s_axi_arvalid = 0;
    device_.s_axi_rready = 1;
    device_.eval();
    while (!device_.s_axi_rvalid) clock();
    const std::uint32_t value = device_.s_axi_rdata;
    clock();
    device_.s_axi_rready = 0;
    return value;
  }

  void write_register(std::uint32_t offset, std::uint32_t value) override {
    const std::scoped_lock lock(mutex_);
    check(offset);
    device_.s_axi_awaddr = static_cast<SData>(offset);
    device_.s_axi_wdata = value;
    device_.s_axi_wstrb = 0xf;
    device_.s_axi_awvalid = 1;
    device_.s_axi_wvalid = 1;
    device_.s_axi_bready = 1;
    device_.eval();
    while (!device_.s_axi_awready) clock();
    clock();
    device_.s_axi_awvalid = 0;
    device_.s_axi_wvalid = 0;
    device_.eval();
    while (!device_.s_axi_bvalid) clock();
    clock();
    device_.s_axi_bready = 0;
  }

  void put(std::uint64_t address, std::span<const std::byte> bytes) override {
    const std::scoped_lock lock(mutex_);
    device_memory_.write(address, bytes);
  }

  void get(std::uint64_t address, std::span<std::byte> bytes) override {
    const std::scoped_lock lock(mutex_);
    device_memory_.read(address, bytes);
  }

  [[nodiscard]] Interrupt wait_interrupt(std::chrono::milliseconds timeout) override {
    const auto end = std::chrono::steady_clock::now() + timeout;
    do {
      const std::scoped_lock lock(mutex_);
      for (std::uint64_t i = 0; i < kClocksBetweenLooksAtTheTime; ++i) {
        if (device_.irq) return Interrupt::raised;
        clock();
      }
    } while (std::chrono::steady_clock::now() < end);
    return Interrupt::timed_out;
  }

  void reset() override {
    const std::scoped_lock lock(mutex_);
    power_up();
  }

  void step(std::uint64_t clocks) override {
    const std::scoped_lock lock(mutex_);
    for (std::uint64_t i = 0; i < clocks; ++i) clock();
  }

 private:
  static constexpr std::uint32_t kRegisterBytes = 4096;
  static constexpr std::uint64_t kClocksBetweenLooksAtTheTime = 4096;
  static constexpr int kResetClocks = 4;
  using DeviceWord = std::array<std::byte, kWordBytes>;

  static void check(std::uint32_t offset) {
    if (offset % 4 != 0 || offset >= kRegisterBytes)
      throw Error(ErrorCode::invalid_argument, "the device has no such register");
  }

  void power_up() {
    device_.reset = 1;
    memory_.reset();
    for (int i = 0; i < kResetClocks; ++i) clock();
    device_.reset = 0;
    device_.eval();
  }

  // One rising edge. Requests of the memory port depend on registers only, so they can be looked at
  // before the answers of this clock are given.
  void clock() {
    memory_.begin_clock();
    give_answers();
    if (!device_.reset) take_requests();
    waves_.sample();
    device_.clk = 1;
    device_.eval();
    waves_.sample();
    device_.clk = 0;
    device_.eval();
  }

  void give_answers() {
    const SimMemory::Answer& read = memory_.read_answer();
    device_.read_ready = memory_.takes_read();
    device_.response_valid = read.valid;
    device_.response_error = read.error;
    if (!read.data.empty()) std::memcpy(device_.response_data.data(), read.data.data(), kWordBytes);
    const SimMemory::Answer& write = memory_.write_answer();
    device_.write_ready = memory_.takes_write();
    device_.written_valid = write.valid;
    device_.written_error = write.error;
  }

  void take_requests() {
    if (device_.read_valid && device_.read_ready) memory_.read(device_.read_address);
    if (device_.write_valid && device_.write_ready) {
      DeviceWord word;
      std::memcpy(word.data(), device_.write_data.data(), kWordBytes);
      memory_.write(device_.write_address, word);
    }
  }

  std::mutex mutex_;
  DeviceMemory device_memory_;
  SimMemory memory_;
  SimulatedModel<Model> model_;
  Model& device_ = *model_;
  Waves<Model> waves_{model_.context(), device_};
};

}  // namespace fhe::fpga
