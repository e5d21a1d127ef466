// SPDX-License-Identifier: Apache-2.0
// A device that computes on integers in its own memory: opened, checked, fed and watched.
//
//   Device device(open_transport("model"));
//   const DeviceBuffer x = device.store(a, bits), y = device.store(b, bits);
//   const DeviceBuffer z = device.allocate(padded_bytes(2 * bits));
//   device.run(multiply({z.address(), 2 * bits}, {x.address(), bits}, {y.address(), bits}));
//   const Integer product = device.load(z, 2 * bits);
//
// Commands run in the order in which they are submitted. When one fails for good, those behind it
// fail with status `aborted`, since they may depend on its result. After an error in communication
// (a bus error, a damaged descriptor, no progress) the device is reset, contexts are loaded again
// and the commands are submitted again, as long as the interrupted one may be repeated
// (Command::is_repeatable) and was not repeated too often (DeviceOptions::repeats).
//
// Threads: all functions may be called by several threads at once.
// Errors: every function throws DeviceLost when the device is gone, also when a call of another
// thread found out; the object is of no use then. Error(io) for a transfer that keeps failing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "accel/fpga/contract/command.hpp"
#include "accel/fpga/contract/completion.hpp"
#include "accel/fpga/contract/context.hpp"
#include "accel/fpga/contract/device_options.hpp"
#include "accel/fpga/contract/errors.hpp"
#include "accel/fpga/contract/transport.hpp"
#include "accel/fpga/contract/words.hpp"
#include "accel/fpga/driver/command_queue.hpp"
#include "accel/fpga/driver/device_allocator.hpp"
#include "accel/fpga/driver/link.hpp"
#include "libfhe/arith/integer.hpp"

namespace fhe::fpga {

class Device {
 public:
  // Checks that a device of this driver's version is there, and resets it. Throws DeviceLost when
  // nothing answers, Error(unsupported) for another device or version, Error(io) for a link that
  // does not carry bits faithfully.
  explicit Device(std::unique_ptr<Transport> transport, const DeviceOptions& options = {});

  // Stops what is under way.
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] const DeviceInfo& info() const { return info_; }

  // Gives a command; blocks while the queue is full.
  [[nodiscard]] Ticket submit(const Command& command);

  // Blocks until the command has ended and returns its completion, whose status is `ok`; throws
  // CommandFailed for another one. Any number of times, by any thread.
  Completion wait(const Ticket& ticket);

  // submit and wait.
  Completion run(const Command& command);

  // Waits until nothing is under way, whatever the statuses.
  void finish();

  // Sets the context `number` < parameter::contexts once all earlier commands have ended, and again
  // after every reset. Throws CommandFailed.
  void set_context(std::uint16_t number, const Context& context);

  // Device memory; see DeviceAllocator. `allocate` waits for commands under way before it gives up.
  [[nodiscard]] DeviceBuffer allocate(std::uint64_t bytes);
  [[nodiscard]] const DeviceAllocator& memory() const { return memory_; }

  // Copies to and from [address, address + bytes.size()) of device memory; the address is a
  // multiple of 64. Missing bytes of the last word are written as 0. Commands under way are not
  // waited for.
  void put(std::uint64_t address, std::span<const std::byte> bytes);
  void get(std::uint64_t address, std::span<std::byte> bytes);

  // x >= 0 as an operand of `bits` bits, at least those of x: in a buffer, or in a new one.
  void store(const DeviceBuffer& buffer, const Integer& x, std::uint32_t bits);
  [[nodiscard]] DeviceBuffer store(const Integer& x, std::uint32_t bits);
  // The operand of `bits` bits in a buffer.
  [[nodiscard]] Integer load(const DeviceBuffer& buffer, std::uint32_t bits);

  // What was computed so far, without failures. Includes contexts set again after a reset.
  [[nodiscard]] std::map<Opcode, CommandStatistics> statistics() const;

  // One of the device's own counters (namespace counter), since power was switched on.
  [[nodiscard]] std::uint64_t counter(std::uint32_t number);

  // Resets the device by hand. Commands under way fail, contexts are loaded again, device memory
  // stays as it is.
  void reset();

 private:
  template <class Transfer>
  void transfer(std::uint64_t address, std::uint64_t size, const Transfer& body);

  std::unique_ptr<Transport> transport_;
  DeviceOptions options_;
  Link link_;
  DeviceInfo info_;
  CommandQueue queue_;
  DeviceAllocator memory_;

  // Two records for each context: the new one is read while the old one can still be needed.
  DeviceBuffer records_;
  std::mutex setting_context_;
  std::array<bool, parameter::contexts> second_record_{};
};

}  // namespace fhe::fpga
