// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "accel/fpga/contract/errors.hpp"
#include "accel/fpga/contract/register_values.hpp"
#include "accel/fpga/driver/device.hpp"

namespace fhe::fpga {

namespace {

// Lost interrupts cost no more than this.
constexpr std::chrono::milliseconds kLongestSleep{50};
constexpr std::size_t kDepth = parameter::queue_depth;
// Resets in a row, without a command that ends, after which the device is given up.
constexpr unsigned kMostRecoveries = 8;

std::string_view advice(Status status) {
  switch (status) {
    case Status::bus_error:
      return "check the device's memory";
    case Status::watchdog:
      return "allow more clocks, or give smaller commands";
    case Status::crc:
      return "check the card's seat and the bus";
    case Status::aborted:
      return "its destination is undefined: compute it again";
    default:
      return "see the command's requirements in PROGRAMMING.md";
  }
}

}  // namespace

struct Ticket::Entry {
  Command command;
  bool reload = false;  // sets a context again after a reset; nobody waits for it
  unsigned repeats = 0;
  bool ended = false;
  Completion completion;
  std::exception_ptr error;  // why there is no good completion
};

CommandQueue::CommandQueue(Transport& transport, Link& link, const DeviceOptions& options)
    : transport_(transport), link_(link), options_(options), last_progress_(Clock::now()) {
  link_.reset(options_.watchdog_clocks, options_.deadline);
  drain();
  link_.enable();
}

Ticket CommandQueue::submit(const Command& command) {
  Lock lock(mutex_);
  check_not_lost();
  while (entries_.size() >= kDepth) progress(lock);
  if (entries_.empty()) last_progress_ = Clock::now();
  const EntryPtr entry = make_entry(command);
  entries_.push_back(entry);
  ++submitted_;
  guarded([this] { fill(); });
  return Ticket(entry);
}

Completion CommandQueue::wait(const Ticket& ticket) {
  if (!ticket.entry_)
    throw Error(ErrorCode::invalid_argument, "an empty ticket stands for no command");
  Lock lock(mutex_);
  while (!ticket.entry_->ended) progress(lock);
  if (ticket.entry_->error) std::rethrow_exception(ticket.entry_->error);
  return ticket.entry_->completion;
}

void CommandQueue::finish() {
  Lock lock(mutex_);
  check_not_lost();
  while (!entries_.empty()) progress(lock);
}

void CommandQueue::reset() {
  const Lock lock(mutex_);
  check_not_lost();
  guarded([this] {
    link_.reset(options_.watchdog_clocks, options_.deadline);
    drain();
    fail_all({.status = Status::aborted}, "the device was reset by its user");
    run_again();
  });
}

void CommandQueue::stop() noexcept {
  try {
    const Lock lock(mutex_);
    if (lost_.empty()) link_.reset(options_.watchdog_clocks, options_.deadline);
  } catch (...) {  // it is gone, or will be reset by who opens it next
  }
}

std::map<Opcode, CommandStatistics> CommandQueue::statistics() const {
  const Lock lock(mutex_);
  return statistics_;
}

std::uint64_t CommandQueue::counter(std::uint32_t number) {
  const Lock lock(mutex_);
  check_not_lost();
  return link_.read_counter(number);
}

CommandCounts CommandQueue::counts() const {
  // In this order: what ended before was given before.
  const std::uint64_t ended = ended_;
  return {.given = submitted_, .ended = ended};
}

void CommandQueue::check_present() {
  const Lock lock(mutex_);
  check_not_lost();
  try {
    link_.check_on_bus();
  } catch (const DeviceLost& error) {
    lose(error.what());
  }
}

void CommandQueue::check_not_lost() const {
  if (!lost_.empty()) throw DeviceLost(lost_);
}

CommandQueue::EntryPtr CommandQueue::make_entry(const Command& command) {
  auto entry = std::make_shared<Entry>();
  entry->command = command.with(flag::irq).with(flag::crc);
  entry->command.tag = tag_++;
  return entry;
}

// One round of waiting: for the interrupt, or for the thread that waits for it.
void CommandQueue::progress(Lock& lock) {
  if (collecting_) {
    changed_.wait_for(lock, kLongestSleep);
    return;
  }
  collecting_ = true;
  lock.unlock();
  std::exception_ptr trouble;
  try {
    static_cast<void>(transport_.wait_interrupt(std::min(kLongestSleep, options_.deadline)));
  } catch (...) {
    trouble = std::current_exception();
  }
  lock.lock();
  collecting_ = false;
  if (lost_.empty()) {
    guarded([&] {
      if (trouble) std::rethrow_exception(trouble);
      collect();
      check_deadline();
    });
  }
  changed_.notify_all();
}

void CommandQueue::check_deadline() {
  if (entries_.empty() || Clock::now() - last_progress_ < options_.deadline) return;
  const std::uint64_t beats =
      link_.read_counter(counter::rd_beats) + link_.read_counter(counter::wr_beats);
  if (std::exchange(last_beats_, beats) == beats) {
    throw Error(ErrorCode::io,
                fmt::format("the device did nothing for {} ms", options_.deadline.count()));
  }
  last_progress_ = Clock::now();
}

// Gives what the device has room for.
void CommandQueue::fill() {
  while (given_ < std::min(entries_.size(), kDepth)) {
    const Command& command = entries_[given_]->command;
    ++given_;  // from now on it may be running
    give(command);
  }
}

void CommandQueue::give(const Command& command) {
  std::uint32_t offset = reg::cmd_window;
  for (const std::uint32_t word : encode(command)) {
    link_.write(offset, word);
    offset += 4;
  }
  link_.write(reg::cmd_doorbell, sequence_++);
  const std::uint32_t space = link_.read(reg::cmd_space);
  if (space != kDepth - given_) {
    throw Error(ErrorCode::io, fmt::format("the device did not take a command: it has room for {} "
                                           "and not for {}",
                                           space, kDepth - given_));
  }
}

void CommandQueue::collect() {
  link_.acknowledge();
  while (given_ > 0 && has_bit(link_.read(reg::status), device_status::cpl_available)) {
    const TaggedCompletion next = read_completion();
    if (next.tag != entries_.front()->command.tag) {
      throw Error(ErrorCode::io, fmt::format("the device completed command {} and not {}", next.tag,
                                             entries_.front()->command.tag));
    }
    if (next.completion.status != Status::ok)
      throw Error(ErrorCode::io, "the device refused or stopped it");  // drain() sees it again
    complete(next.completion);
    pop_completion();
  }
  fill();
}

CommandQueue::TaggedCompletion CommandQueue::read_completion() {
  const auto word = [this](std::uint32_t number) {
    return link_.read(reg::cpl_window + 4 * number);
  };
  const std::uint32_t first = word(completion::status);
  const std::uint32_t info = word(completion::info);
  return {.tag = static_cast<std::uint16_t>(first >> 16),
          .completion = {.status = static_cast<Status>(first & 0xffff),
                         .cycles = word(completion::cycles),
                         .carry = has_bit(info, info::carry),
                         .subtracted = has_bit(info, info::subtracted),
                         .undecided = has_bit(info, info::undecided),
                         .commands = static_cast<std::uint16_t>(info >> info::commands)}};
}

// What was to be known is known: the sequence number says nothing that the tag does not.
void CommandQueue::pop_completion() {
  static_cast<void>(link_.read_once(reg::cpl_window + 4 * completion::sequence));
}

// The oldest command has ended well.
void CommandQueue::complete(const Completion& completion) {
  const EntryPtr entry = entries_.front();
  const Command& command = entry->command;
  if (command.opcode == Opcode::set_ctx) contexts_[command.context] = command;
  CommandStatistics& sum = statistics_[command.opcode];
  ++sum.commands;
  sum.clocks += completion.cycles;
  entry->completion = completion;
  entries_.pop_front();
  --given_;
  last_progress_ = Clock::now();
  end(*entry);
}

void CommandQueue::end(Entry& entry) {
  entry.ended = true;
  if (entry.reload) return;
  ++ended_;
  recoveries_ = 0;
}

// The oldest command has failed with this completion; those behind it may stand on its result.
void CommandQueue::fail_all(const Completion& completion, const std::string& reason) {
  std::string message;
  Completion ending = completion;
  for (const EntryPtr& entry : std::exchange(entries_, {})) {
    const std::string_view opcode = name(entry->command.opcode);
    if (message.empty()) {
      message = fmt::format("command {} ended with status {}: {}; {}", opcode, name(ending.status),
                            reason, advice(ending.status));
      entry->error = std::make_exception_ptr(CommandFailed(ending, message));
      ending = {.status = Status::aborted};
    } else {
      entry->error = std::make_exception_ptr(CommandFailed(
          ending,
          fmt::format("command {} was not run, since an earlier one failed: {}", opcode, message)));
    }
    end(*entry);
  }
  given_ = 0;
}

void CommandQueue::guarded(const std::function<void()>& step) {
  try {
    step();
  } catch (const DeviceLost& error) {
    lose(error.what());
  } catch (const Error& error) {
    recover(error.what());
  }
}

// Resets the device and gives it again what it had not done. Throws DeviceLost when that fails
// again and again.
void CommandQueue::recover(std::string reason) {
  while (++recoveries_ <= kMostRecoveries + options_.repeats) {
    try {
      const std::string report = fmt::format("{}; {}", reason, link_.first_error());
      link_.reset(options_.watchdog_clocks, options_.deadline);
      const Completion stopped = drain();
      if (given_ > 0 && !try_again(*entries_.front(), stopped.status)) fail_all(stopped, report);
      run_again();
      changed_.notify_all();
      return;
    } catch (const DeviceLost& error) {
      lose(error.what());
    } catch (const Error& error) {
      reason = error.what();
    }
  }
  lose(fmt::format("the device was reset {} times in a row and fails all the same: {}",
                   kMostRecoveries + options_.repeats, reason));
}

// Whether this command, the one under way, may run once more; counts it. A damaged descriptor was
// refused before anything was done.
bool CommandQueue::try_again(Entry& entry, Status status) const {
  const bool transient = status == Status::bus_error || status == Status::aborted;
  const bool harmless = status == Status::crc || (transient && entry.command.is_repeatable());
  return harmless && ++entry.repeats <= options_.repeats;
}

// After a reset: takes all completions, and returns that of the oldest command that did not end
// well. Completions of commands that are known to have ended are not new.
Completion CommandQueue::drain() {
  std::optional<Completion> stopped;
  for (std::size_t taken = 0; has_bit(link_.read(reg::status), device_status::cpl_available);
       ++taken) {
    if (taken > 2 * kDepth)
      throw Error(ErrorCode::io, "the device has more completions than there were commands");
    const auto [tag, completion] = read_completion();
    if (!stopped && given_ > 0 && tag == entries_.front()->command.tag) {
      if (completion.status == Status::ok) {
        complete(completion);
      } else {
        stopped = completion;
      }
    }
    pop_completion();
  }
  return stopped.value_or(Completion{.status = Status::aborted});
}

// After a reset: contexts first, then what had not ended.
void CommandQueue::run_again() {
  std::erase_if(entries_, [](const EntryPtr& entry) { return entry->reload; });
  for (const std::optional<Command>& context : contexts_) {
    if (!context) continue;
    const EntryPtr entry = make_entry(*context);
    entry->reload = true;
    entries_.push_front(entry);
  }
  given_ = 0;
  sequence_ = 0;
  last_progress_ = Clock::now();
  link_.enable();
  fill();
}

void CommandQueue::lose(const std::string& reason) {
  lost_ = reason;
  for (const EntryPtr& entry : std::exchange(entries_, {})) {
    entry->error = std::make_exception_ptr(DeviceLost(reason));
    end(*entry);
  }
  given_ = 0;
  changed_.notify_all();
  throw DeviceLost(reason);
}

}  // namespace fhe::fpga
