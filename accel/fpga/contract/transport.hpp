// SPDX-License-Identifier: Apache-2.0
// The way to a device: its registers, its memory and its interrupt (PROGRAMMING.md).
//
// Threads: all functions may be called by several threads at once; a transport orders them inside.
// Errors: DeviceLost when the other side is gone for good, Error(io) for what may work when tried
// again, Error(invalid_argument) for a transfer or an offset that no device has.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace fhe::fpga {

enum class Interrupt {
  raised,     // the line is up, or was since the last call; may be spurious
  timed_out,  // nothing was seen in time; an interrupt can have been lost all the same
};

class Transport {
 public:
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // One line: what is on the other side, and how it is reached.
  [[nodiscard]] virtual std::string description() const = 0;

  // Offsets are those of register_map.hpp: multiples of 4 below 4096. A card that is off the bus
  // reads as all ones.
  [[nodiscard]] virtual std::uint32_t read_register(std::uint32_t offset) = 0;
  virtual void write_register(std::uint32_t offset, std::uint32_t value) = 0;

  // Copies between the host and device memory. Addresses and sizes are multiples of kWordBytes.
  // When they return, all bytes have arrived.
  virtual void put(std::uint64_t address, std::span<const std::byte> bytes) = 0;
  virtual void get(std::uint64_t address, std::span<std::byte> bytes) = 0;

  // Blocks until the device's interrupt is raised, at most `timeout`. Where there is no interrupt
  // it watches IRQ_STATUS, with pauses.
  [[nodiscard]] virtual Interrupt wait_interrupt(std::chrono::milliseconds timeout) = 0;

 protected:
  Transport() = default;
};

// A device that is simulated, in this process or in a server of this machine: its user holds its
// power and its clock.
class LocalTransport : public Transport {
 public:
  // As if power was cycled, but for the contents of device memory.
  virtual void reset() = 0;

  // Lets this number of device clocks pass. (Some pass in every other call too.)
  virtual void step(std::uint64_t clocks) = 0;
};

}  // namespace fhe::fpga
