// SPDX-License-Identifier: Apache-2.0
// The device's queue of commands, and what to do when one fails: see device.hpp.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "accel/fpga/contract/command.hpp"
#include "accel/fpga/contract/completion.hpp"
#include "accel/fpga/contract/device_options.hpp"
#include "accel/fpga/contract/transport.hpp"
#include "accel/fpga/driver/device_allocator.hpp"
#include "accel/fpga/driver/link.hpp"

namespace fhe::fpga {

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

}  // namespace fhe::fpga
