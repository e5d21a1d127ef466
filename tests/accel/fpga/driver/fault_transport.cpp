// SPDX-License-Identifier: Apache-2.0
#include "tests/accel/fpga/driver/fault_transport.hpp"

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

#include "accel/fpga/contract/words.hpp"
#include "libfhe/error.hpp"

namespace fhe::fpga {

namespace {

constexpr std::uint32_t kAllOnes = 0xffff'ffff;

std::size_t index_of(Fault fault) {
  return static_cast<std::size_t>(fault);
}

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorCode::io, what + " failed, as a test wanted");
}

// The first half of a transfer, in whole words.
template <class Bytes>
Bytes half(Bytes bytes) {
  return bytes.first(bytes.size() / 2 / kWordBytes * kWordBytes);
}

}  // namespace

FaultPlan faults_at(std::vector<FaultAt> script) {
  return [script = std::move(script)](Fault fault, std::uint64_t occasion) {
    return std::ranges::any_of(script, [&](const FaultAt& entry) {
      return entry.fault == fault && occasion >= entry.first &&
             occasion - entry.first < entry.count;
    });
  };
}

FaultPlan random_faults(std::uint64_t seed, std::uint64_t one_in, std::vector<Fault> kinds) {
  return [engine = std::mt19937_64(seed), one_in, kinds = std::move(kinds)](
             Fault fault, std::uint64_t /*occasion*/) mutable {
    return std::ranges::find(kinds, fault) != kinds.end() && engine() % one_in == 0;
  };
}

FaultTransport::FaultTransport(std::unique_ptr<Transport> inner, FaultPlan plan)
    : inner_(std::move(inner)), plan_(std::move(plan)) {}

std::string FaultTransport::description() const {
  return inner_->description() + ", with faults";
}

std::uint32_t FaultTransport::read_register(std::uint32_t offset) {
  if (is_gone() || happens(Fault::all_ones)) return kAllOnes;
  if (happens(Fault::failed_read)) fail("reading a register");
  const std::uint32_t value = inner_->read_register(offset);
  if (!happens(Fault::flipped_bit)) return value;
  return value ^ std::uint32_t{1} << occasions(Fault::flipped_bit) % 32;
}

void FaultTransport::write_register(std::uint32_t offset, std::uint32_t value) {
  if (is_gone() || happens(Fault::lost_write)) return;
  if (happens(Fault::failed_write)) fail("writing a register");
  inner_->write_register(offset, value);
}

void FaultTransport::put(std::uint64_t address, std::span<const std::byte> bytes) {
  if (is_gone()) fail("a transfer to the device");
  if (happens(Fault::failed_put)) {
    inner_->put(address, half(bytes));
    fail("a transfer to the device");
  }
  inner_->put(address, bytes);
}

void FaultTransport::get(std::uint64_t address, std::span<std::byte> bytes) {
  if (is_gone()) fail("a transfer from the device");
  if (happens(Fault::failed_get)) {
    inner_->get(address, half(bytes));
    fail("a transfer from the device");
  }
  inner_->get(address, bytes);
}

Interrupt FaultTransport::wait_interrupt(std::chrono::milliseconds timeout) {
  const bool gone = is_gone();
  const Interrupt seen = gone ? Interrupt::timed_out : inner_->wait_interrupt(timeout);
  if (!gone && !happens(Fault::lost_interrupt)) return seen;
  std::this_thread::sleep_for(timeout);
  return Interrupt::timed_out;
}

std::uint64_t FaultTransport::occasions(Fault fault) const {
  const std::lock_guard lock(mutex_);
  return counts_.at(index_of(fault)).occasions;
}

std::uint64_t FaultTransport::happened(Fault fault) const {
  const std::lock_guard lock(mutex_);
  return counts_.at(index_of(fault)).happened;
}

bool FaultTransport::happens(Fault fault) {
  const std::lock_guard lock(mutex_);
  Count& count = counts_.at(index_of(fault));
  if (!plan_(fault, count.occasions++)) return false;
  ++count.happened;
  return true;
}

bool FaultTransport::is_gone() {
  if (happens(Fault::delay)) std::this_thread::sleep_for(kDelay);
  const bool vanishes = happens(Fault::vanished);
  const std::lock_guard lock(mutex_);
  gone_ = gone_ || vanishes;
  return gone_;
}

}  // namespace fhe::fpga
