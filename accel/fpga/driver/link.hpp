// SPDX-License-Identifier: Apache-2.0
// Registers through a transport that may deliver wrong values. A value is accepted when two reads
// agree. All ones, which no register really contains, are accepted only after more reads, and only
// while MAGIC does not read as all ones too.
//
// Threads: exclusive, as the registers it reads have effects.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "accel/fpga/contract/equipment.hpp"
#include "accel/fpga/contract/transport.hpp"

namespace fhe::fpga {

// What a device says about itself.
struct DeviceInfo {
  std::string description;  // the transport's
  std::uint32_t version = 0;
  Equipment equipment = {};
  std::uint64_t memory_base = 0;
  std::uint64_t memory_bytes = 0;

  [[nodiscard]] bool has(std::uint32_t feature_bit) const { return equipment.has(feature_bit); }
};

class Link {
 public:
  explicit Link(Transport& transport) : transport_(transport) {}

  // The register's value. Throws DeviceLost when the card is off the bus, Error(io) when no two
  // reads agree. Not for registers that reading changes.
  [[nodiscard]] std::uint32_t read(std::uint32_t offset);
  [[nodiscard]] std::uint64_t read_counter(std::uint32_t number);

  // The value of one read, for registers that reading changes.
  [[nodiscard]] std::uint32_t read_once(std::uint32_t offset) {
    return transport_.read_register(offset);
  }
  void write(std::uint32_t offset, std::uint32_t value) {
    transport_.write_register(offset, value);
  }

  // Checks magic, version, build, features and limits, and that SCRATCH keeps what is written.
  [[nodiscard]] DeviceInfo identify();

  // Resets, and leaves the device stopped, with interrupts and the watchdog as wanted. Throws
  // DeviceLost when the reset does not end before the deadline.
  void reset(std::uint32_t watchdog_clocks, std::chrono::milliseconds deadline);

  // Lets commands run, up to the first failure.
  void enable();

  // Takes the interrupt back.
  void acknowledge();

  // ERR_* in words.
  [[nodiscard]] std::string first_error();

  // Throws DeviceLost when MAGIC keeps reading as all ones.
  void check_on_bus();

 private:
  std::optional<std::uint32_t> try_read(std::uint32_t offset);
  void write_control(std::uint32_t bits);
  void check_scratch();

  Transport& transport_;
};

}  // namespace fhe::fpga
