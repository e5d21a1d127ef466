// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/sim/sim_memory.hpp"

#include <algorithm>

#include "accel/fpga/contract/words.hpp"

namespace fhe::fpga {

SimMemory::SimMemory(const DeviceMemory& memory, const SimMemoryOptions& options)
    : memory_(&memory),
      options_(options),
      random_(static_cast<std::minstd_rand::result_type>(options.seed)),
      answers_left_(options.answers) {}

bool SimMemory::stalls() {
  return options_.stall_percent != 0 && random_() % 100 < options_.stall_percent;
}

bool SimMemory::fails(std::uint64_t address) const {
  return address == options_.failing_address || !memory_->contains(address, kWordBytes);
}

bool SimMemory::is_due(const std::deque<Request>& requests) const {
  return !requests.empty() && requests.front().due <= clock_ && answers_left_ != 0;
}

void SimMemory::begin_clock() {
  ++clock_;
  takes_read_ = !stalls();
  takes_write_ = !stalls();
  read_answer_ = {};
  write_answer_ = {};
  if (is_due(reads_)) {
    const std::uint64_t address = reads_.front().address;
    read_answer_.valid = true;
    read_answer_.error = fails(address);
    if (!read_answer_.error) read_answer_.data = memory_->at(address, kWordBytes);
    reads_.pop_front();
    --answers_left_;
  }
  if (is_due(writes_)) {
    write_answer_ = {.valid = true, .error = fails(writes_.front().address), .data = {}};
    writes_.pop_front();
    --answers_left_;
  }
}

void SimMemory::read(std::uint64_t address) {
  reads_.push_back({clock_ + options_.latency_clocks, address});
}

void SimMemory::write(std::uint64_t address, std::span<const std::byte> data) {
  if (!fails(address)) std::ranges::copy(data, memory_->at(address, kWordBytes).begin());
  writes_.push_back({clock_ + options_.latency_clocks, address});
}

void SimMemory::reset() {
  reads_.clear();
  writes_.clear();
}

}  // namespace fhe::fpga
