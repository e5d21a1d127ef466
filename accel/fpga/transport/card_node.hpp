// SPDX-License-Identifier: Apache-2.0
// A node that a card's kernel driver made, open, and what goes wrong with nodes.
#pragma once

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "accel/fpga/contract/transport.hpp"
#include "accel/fpga/transport/system_calls.hpp"

namespace fhe::fpga {

class CardNode {
 public:
  // Throws Error(io) when it cannot be opened, saying what to do.
  CardNode(std::shared_ptr<SystemCalls> system, std::string path, Access access,
           bool may_be_missing);
  ~CardNode();
  CardNode(const CardNode&) = delete;
  CardNode& operator=(const CardNode&) = delete;

  [[nodiscard]] bool is_open() const { return file_ >= 0; }
  [[nodiscard]] int file() const { return file_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  // Throws what says that `what` failed with this errno: DeviceLost, or Error(io) with advice.
  [[noreturn]] void fail(std::string_view what, int error) const;

 private:
  std::shared_ptr<SystemCalls> system_;
  std::string path_;
  int file_ = -1;
};

// Calls `call` until it is not interrupted by a signal, but not for ever.
inline constexpr int kMostInterruptions = 100;
template <class Call>
std::int64_t uninterrupted(const Call& call) {
  std::int64_t result = -EINTR;
  for (int attempt = 0; result == -EINTR && attempt < kMostInterruptions; ++attempt)
    result = call();
  return result;
}

// Transport::wait_interrupt where there is none: looks at IRQ_STATUS, with pauses.
[[nodiscard]] Interrupt watch_interrupt(Transport& transport, std::chrono::milliseconds timeout);

}  // namespace fhe::fpga
