// SPDX-License-Identifier: Apache-2.0
// The device memory's side of the device's memory port.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <span>

#include "accel/fpga/sim/sim_transport.hpp"
#include "accel/fpga/transport/device_memory.hpp"

namespace fhe::fpga {

// One clock at a time: `begin_clock`, the answers and whether requests are taken, the requests, and
// so on. Answers come in the order of the requests.
class SimMemory {
 public:
  SimMemory(const DeviceMemory& memory, const SimMemoryOptions& options);

  struct Answer {
    bool valid = false;
    bool error = false;
    std::span<const std::byte> data;  // of a read: 64 bytes
  };

  void begin_clock();
  [[nodiscard]] bool takes_read() const { return takes_read_; }
  [[nodiscard]] bool takes_write() const { return takes_write_; }
  [[nodiscard]] const Answer& read_answer() const { return read_answer_; }
  [[nodiscard]] const Answer& write_answer() const { return write_answer_; }
  void read(std::uint64_t address);
  void write(std::uint64_t address, std::span<const std::byte> data);

  // Requests without an answer are forgotten.
  void reset();

 private:
  struct Request {
    std::uint64_t due;
    std::uint64_t address;
  };

  [[nodiscard]] bool stalls();
  [[nodiscard]] bool fails(std::uint64_t address) const;
  [[nodiscard]] bool is_due(const std::deque<Request>& requests) const;

  const DeviceMemory* memory_;
  SimMemoryOptions options_;
  std::minstd_rand random_;
  std::uint64_t clock_ = 0;
  std::uint64_t answers_left_;
  std::deque<Request> reads_, writes_;
  bool takes_read_ = false, takes_write_ = false;
  Answer read_answer_, write_answer_;
};

}  // namespace fhe::fpga
