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
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "accel/fpga/contract/command.hpp"
#include "accel/fpga/contract/completion.hpp"
#include "accel/fpga/contract/context.hpp"
#include "accel/fpga/contract/equipment.hpp"
#include "accel/fpga/contract/errors.hpp"
#include "accel/fpga/contract/transport.hpp"
#include "accel/fpga/contract/words.hpp"
#include "accel/fpga/driver/device_allocator.hpp"
#include "libfhe/arith/integer.hpp"

namespace fhe::fpga {

// How patient a driver is with its device.
struct DeviceOptions {
  // How long the device may do nothing that can be seen (no completion, no access to its memory)
  // before it is reset.
  std::chrono::milliseconds deadline{10'000};
  // Device clocks that one command may take; 0 = any number.
  std::uint32_t watchdog_clocks = 0xffff'ffff;
  // How often a command or a transfer is tried again.
  unsigned repeats = 2;
};

// What a device says about itself.
struct DeviceInfo {
  std::string description;  // the transport's
  std::uint32_t version = 0;
  Equipment equipment = {};
  std::uint64_t memory_base = 0;
  std::uint64_t memory_bytes = 0;

  [[nodiscard]] bool has(std::uint32_t feature_bit) const { return equipment.has(feature_bit); }
};

// Registers through a transport that may deliver wrong values. A value is accepted when two reads
// agree. All ones, which no register really contains, are accepted only after more reads, and only
// while MAGIC does not read as all ones too.
//
// Threads: exclusive, as the registers it reads have effects.
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

// A command that was submitted. Cheap to copy; may be dropped, the command runs all the same.
class Ticket {
 public:
  Ticket() = default;

 private:
  friend class CommandQueue;
  struct Entry;
  explicit Ticket(std::shared_ptr<Entry> entry) : entry_(std::move(entry)) {}

  std::shared_ptr<Entry> entry_;
};

// Commands of one opcode that ended well.
struct CommandStatistics {
  std::uint64_t commands = 0;
  std::uint64_t clocks = 0;  // of the device
};

// Threads: all functions may be called at once. One thread at a time waits for the interrupt, and
// collects for all.
class CommandQueue {
 public:
  // Resets the device. The transport must be the link's and outlive the queue.
  CommandQueue(Transport& transport, Link& link, const DeviceOptions& options);

  // See Device.
  [[nodiscard]] Ticket submit(const Command& command);
  Completion wait(const Ticket& ticket);
  void finish();
  void reset();
  void stop() noexcept;  // for good

  [[nodiscard]] std::map<Opcode, CommandStatistics> statistics() const;
  [[nodiscard]] std::uint64_t counter(std::uint32_t number);
  // Does not block.
  [[nodiscard]] CommandCounts counts() const;
  // Throws DeviceLost when it is gone.
  void check_present();

 private:
  using Entry = Ticket::Entry;
  using EntryPtr = std::shared_ptr<Entry>;
  using Lock = std::unique_lock<std::mutex>;
  using Clock = std::chrono::steady_clock;
  struct TaggedCompletion {
    std::uint16_t tag;
    Completion completion;
  };

  // All of these with the mutex held.
  void check_not_lost() const;
  EntryPtr make_entry(const Command& command);
  void progress(Lock& lock);
  void check_deadline();
  void fill();
  void give(const Command& command);
  void collect();
  TaggedCompletion read_completion();
  void pop_completion();
  void complete(const Completion& completion);
  void end(Entry& entry);
  void fail_all(const Completion& completion, const std::string& reason);
  void guarded(const std::function<void()>& step);
  void recover(std::string reason);
  bool try_again(Entry& entry, Status status) const;
  Completion drain();
  void run_again();
  [[noreturn]] void lose(const std::string& reason);

  Transport& transport_;
  Link& link_;
  const DeviceOptions options_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<EntryPtr> entries_;  // not yet ended, in order; the first given_ are on the device
  std::size_t given_ = 0;
  std::uint32_t sequence_ = 0;  // of the next descriptor
  std::uint16_t tag_ = 1;       // of the next command; not that of an empty window
  bool collecting_ = false;     // a thread waits for the interrupt
  unsigned recoveries_ = 0;     // since a command ended
  Clock::time_point last_progress_;
  std::uint64_t last_beats_ = 0;  // accesses to device memory when last looked at
  std::string lost_;              // why; empty while the device is there
  std::array<std::optional<Command>, parameter::contexts> contexts_;
  std::map<Opcode, CommandStatistics> statistics_;
  std::atomic<std::uint64_t> submitted_{0};
  std::atomic<std::uint64_t> ended_{0};
};

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
