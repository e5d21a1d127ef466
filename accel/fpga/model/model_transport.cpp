// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/model/model_transport.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "accel/fpga/contract/register_values.hpp"
#include "libfhe/error.hpp"

namespace fhe::fpga {

namespace {

constexpr std::uint32_t kRegisterBytes = 4096;
constexpr std::uint32_t kCompletionWords = 4;

void check_offset(std::uint32_t offset) {
  if (offset % 4 != 0 || offset >= kRegisterBytes)
    throw Error(ErrorCode::invalid_argument, fmt::format("there is no register {:#x}", offset));
}

std::uint32_t commands_of(const Command& run) {
  return static_cast<std::uint32_t>(field::run::commands.of(run.aux2));
}

bool is_within(std::uint32_t offset, std::uint32_t first, std::uint32_t words) {
  return offset >= first && offset < first + 4 * words;
}

}  // namespace

ModelTransport::ModelTransport(DeviceMemory memory, const Equipment& equipment)
    : memory_(std::move(memory)), equipment_(equipment), machine_(memory_, equipment_) {}

std::string ModelTransport::description() const {
  return fmt::format("functional model with {} MiB of memory", memory_.size() >> 20);
}

std::uint32_t ModelTransport::read_register(std::uint32_t offset) {
  check_offset(offset);
  const std::lock_guard lock(mutex_);
  advance(kAccessClocks);
  return read(offset);
}

void ModelTransport::write_register(std::uint32_t offset, std::uint32_t value) {
  check_offset(offset);
  const std::lock_guard lock(mutex_);
  advance(kAccessClocks);
  if (is_within(offset, reg::cmd_window, static_cast<std::uint32_t>(window_.size()))) {
    window_[(offset - reg::cmd_window) / 4] = value;
    return;
  }
  switch (offset) {
    case reg::ctrl:
      return write_control(value);
    case reg::irq_status:
      irq_status_ &= ~value;
      return;
    case reg::irq_mask:
      irq_mask_ = value & kAllInterrupts;
      return;
    case reg::watchdog:
      watchdog_ = value;
      return;
    case reg::scratch:
      scratch_ = value;
      return;
    case reg::cmd_doorbell:
      return ring_doorbell(value);
    default:
      return;
  }
}

void ModelTransport::put(std::uint64_t address, std::span<const std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  memory_.write(address, bytes);
}

void ModelTransport::get(std::uint64_t address, std::span<std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  memory_.read(address, bytes);
}

Interrupt ModelTransport::wait_interrupt(std::chrono::milliseconds timeout) {
  {
    const std::lock_guard lock(mutex_);
    while (!interrupt_line() && running_) advance(running_->end - clock_);
    if (interrupt_line()) return Interrupt::raised;
  }
  std::this_thread::sleep_for(timeout);
  return Interrupt::timed_out;
}

void ModelTransport::reset() {
  const std::lock_guard lock(mutex_);
  waiting_.clear();
  running_.reset();
  program_.reset();
  completions_.clear();
  machine_.forget_contexts();
  window_ = {};
  sequence_ = control_ = irq_status_ = irq_mask_ = watchdog_ = scratch_ = 0;
  halted_ = false;
  error_code_ = Status::ok;
  error_tag_ = 0;
  error_address_ = 0;
  counters_ = {};
}

void ModelTransport::step(std::uint64_t clocks) {
  const std::lock_guard lock(mutex_);
  advance(clocks);
}

void ModelTransport::break_word(std::uint64_t address, unsigned times) {
  const std::lock_guard lock(mutex_);
  machine_.break_word(address, times);
}

void ModelTransport::advance(std::uint64_t clocks) {
  const std::uint64_t target = clock_ + clocks;
  if (!control(ctrl::perf_freeze)) counters_[counter::cycles] += clocks;
  start_next();
  while (running_ && running_->end <= target) {
    clock_ = running_->end;
    end_running();
    start_next();
  }
  clock_ = target;
}

void ModelTransport::start_next() {
  if (running_) return;
  if (program_) return start_next_of_program();
  if (waiting_.empty() || halted_ || !control(ctrl::enable)) return;
  const Descriptor next = waiting_.front();
  waiting_.pop_front();
  start(next, {.status = machine_.check(next.words, false)}, {});
}

void ModelTransport::start_next_of_program() {
  Descriptor next{.words = {}, .sequence = program_->descriptor.sequence};
  ModelOutcome refusal = machine_.fetch(program_->at, next.words);
  program_->at += kWordBytes;
  --program_->left;
  if (refusal.status == Status::ok) refusal.status = machine_.check(next.words, true);
  const std::uint64_t start_clock = next_fetch(clock_, program_->fetched);
  program_->fetched = start_clock;
  start(next, refusal, {.control = start_clock - clock_, .words_read = 1});
}

// Runs a command unless it is refused; `work` is what was necessary before it.
void ModelTransport::start(const Descriptor& next, const ModelOutcome& refusal, ModelWork work) {
  work += refusal.status == Status::ok ? machine_.work(decode(next.words)) : refused_work();
  const bool stopped = watchdog_ != 0 && work.clocks() > watchdog_;
  running_ = {.descriptor = next,
              .refusal = refusal,
              .work = work,
              .start = clock_,
              .end = clock_ + (stopped ? watchdog_ : work.clocks()),
              .stopped_by_watchdog = stopped};
}

void ModelTransport::end_running() {
  const Running ended = *std::exchange(running_, std::nullopt);
  ModelOutcome outcome = ended.refusal;
  if (ended.stopped_by_watchdog) {
    outcome.status = Status::watchdog;
    irq_status_ |= bit(irq::watchdog);
  } else if (ended.refusal.status == Status::ok) {
    outcome = machine_.run(decode(ended.descriptor.words));
  }
  count(ended);
  const Command command = decode(ended.descriptor.words);
  if (program_) return end_command_of_program(outcome);
  if (outcome.status == Status::ok && command.opcode == Opcode::run && commands_of(command) != 0)
    return begin_program(ended);
  end(ended.descriptor, outcome, ended.end - ended.start);
}

void ModelTransport::begin_program(const Running& run) {
  const Command command = decode(run.descriptor.words);
  program_ = {.descriptor = run.descriptor,
              .start = run.start,
              .at = command.parameter,
              .fetched = clock_,
              .left = commands_of(command)};
}

void ModelTransport::end_command_of_program(const ModelOutcome& outcome) {
  ModelOutcome& all = program_->outcome;
  if (outcome.status == Status::ok) {
    ++program_->completed;
    all.carry = all.carry || outcome.carry;
    all.subtracted = all.subtracted || outcome.subtracted;
    all.undecided = all.undecided || outcome.undecided;
    if (program_->left != 0) return;
  }
  all.status = outcome.status;
  all.error_address = outcome.error_address;
  end_program();
}

void ModelTransport::end_program() {
  const Program ended = *std::exchange(program_, std::nullopt);
  end(ended.descriptor, ended.outcome, clock_ - ended.start, ended.completed);
}

void ModelTransport::end(const Descriptor& descriptor, const ModelOutcome& outcome,
                         std::uint64_t clocks, std::uint16_t commands) {
  const Command command = decode(descriptor.words);
  const std::uint32_t info = std::uint32_t{outcome.carry} << info::carry |
                             std::uint32_t{outcome.subtracted} << info::subtracted |
                             std::uint32_t{outcome.undecided} << info::undecided |
                             std::uint32_t{commands} << info::commands;
  completions_.push_back(
      {static_cast<std::uint32_t>(outcome.status) | std::uint32_t{command.tag} << 16,
       low_half(std::min<std::uint64_t>(clocks, 0xffff'ffff)), info, descriptor.sequence});
  if (command.has(flag::irq)) irq_status_ |= bit(irq::completion);
  if (!control(ctrl::perf_freeze)) ++counters_[counter::cmds];
  if (outcome.status == Status::ok) return;
  if (!control(ctrl::perf_freeze)) ++counters_[counter::errors];
  irq_status_ |= bit(irq::error);
  fail(outcome.status, command.tag, outcome.error_address);
  halted_ = halted_ || control(ctrl::halt_on_error);
}

void ModelTransport::fail(Status status, std::uint32_t tag, std::uint64_t address) {
  if (error_code_ != Status::ok) return;
  error_code_ = status;
  error_tag_ = tag;
  error_address_ = address;
}

void ModelTransport::count(const Running& running) {
  if (control(ctrl::perf_freeze)) return;
  counters_[counter::busy] += running.end - running.start;
  counters_[counter::mul] += running.work.multiply;
  counters_[counter::lhw] += running.work.sparse;
  counters_[counter::red] += running.work.reduce;
  counters_[counter::acc] += running.work.accumulate;
  counters_[counter::rd_beats] += running.work.words_read;
  counters_[counter::wr_beats] += running.work.words_written;
}

void ModelTransport::write_control(std::uint32_t value) {
  control_ = value & ~(bit(ctrl::soft_reset) | bit(ctrl::perf_clear));
  if ((value & bit(ctrl::perf_clear)) != 0) counters_ = {};
  if ((value & bit(ctrl::soft_reset)) != 0) soft_reset();
  start_next();
}

void ModelTransport::soft_reset() {
  if (program_) {
    program_->outcome.status = Status::aborted;
    end_program();
  } else if (running_) {
    end(running_->descriptor, {.status = Status::aborted}, clock_ - running_->start);
  }
  running_.reset();
  for (const Descriptor& descriptor : std::exchange(waiting_, {}))
    end(descriptor, {.status = Status::aborted}, 0);
  machine_.forget_contexts();
  halted_ = false;
  error_code_ = Status::ok;
  error_tag_ = 0;
  error_address_ = 0;
  sequence_ = 0;
}

void ModelTransport::ring_doorbell(std::uint32_t sequence) {
  if (sequence != sequence_ || space() == 0) return fail(Status::sequence, 0, 0);
  waiting_.push_back({window_, sequence_++});
  start_next();
}

bool ModelTransport::interrupt_line() const {
  return control(ctrl::irq_enable) && (irq_status_ & irq_mask_) != 0;
}

std::uint32_t ModelTransport::space() const {
  const std::size_t used = waiting_.size() + completions_.size() + (running_ ? 1 : 0);
  return static_cast<std::uint32_t>(parameter::queue_depth - used);
}

std::uint32_t ModelTransport::status() const {
  const bool is_idle = !running_ && waiting_.empty();
  return std::uint32_t{is_idle} << device_status::idle |
         std::uint32_t{running_.has_value()} << device_status::busy |
         std::uint32_t{halted_} << device_status::halted |
         std::uint32_t{space() == 0} << device_status::cmd_full |
         std::uint32_t{!completions_.empty()} << device_status::cpl_available;
}

std::uint32_t ModelTransport::read_counter(std::uint32_t offset) {
  const std::uint32_t word = (offset - reg::perf) / 4;
  if (word % 2 != 0) return counter_high_;
  const std::uint64_t value = counters_[word / 2];
  counter_high_ = high_half(value);
  return low_half(value);
}

std::uint32_t ModelTransport::read_completion(std::uint32_t word) {
  if (completions_.empty()) return 0;
  const std::uint32_t value = completions_.front()[word];
  if (word == completion::sequence) completions_.pop_front();
  return value;
}

std::uint32_t ModelTransport::read(std::uint32_t offset) {
  if (is_within(offset, reg::perf, 2 * static_cast<std::uint32_t>(counters_.size())))
    return read_counter(offset);
  if (is_within(offset, reg::cpl_window, kCompletionWords))
    return read_completion((offset - reg::cpl_window) / 4);
  switch (offset) {
    case reg::magic:
      return kMagic;
    case reg::version:
      return kVersion;
    case reg::features:
      return equipment_.features;
    case reg::build_id:
      return kBuildId;
    case reg::fft_param:
      return equipment_.fft_param;
    case reg::ss_param:
      return equipment_.ss_param;
    case reg::karat_param:
      return equipment_.karat_param;
    case reg::throughput_param:
      return equipment_.throughput_param;
    case reg::elements_param:
      return equipment_.elements_param;
    case reg::lhw_param:
      return equipment_.lhw_param;
    case reg::mem_base_lo:
      return low_half(memory_.base());
    case reg::mem_base_hi:
      return high_half(memory_.base());
    case reg::mem_size_lo:
      return low_half(memory_.size());
    case reg::mem_size_hi:
      return high_half(memory_.size());
    case reg::limits:
      return kLimits;
    case reg::ctrl:
      return control_;
    case reg::status:
      return status();
    case reg::irq_status:
      return irq_status_;
    case reg::irq_mask:
      return irq_mask_;
    case reg::watchdog:
      return watchdog_;
    case reg::err_code:
      return static_cast<std::uint32_t>(error_code_);
    case reg::err_tag:
      return error_tag_;
    case reg::err_addr_lo:
      return low_half(error_address_);
    case reg::err_addr_hi:
      return high_half(error_address_);
    case reg::scratch:
      return scratch_;
    case reg::cmd_space:
      return space();
    default:
      return 0;
  }
}

}  // namespace fhe::fpga
