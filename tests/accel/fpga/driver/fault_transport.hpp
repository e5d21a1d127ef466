// SPDX-License-Identifier: Apache-2.0
// A transport that fails on purpose, around one that does not: for tests of what stands on it.
// (Short transfers, signals and time-outs of a card's nodes are made by other SystemCalls.)
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "accel/fpga/contract/transport.hpp"

namespace fhe::fpga {

enum class Fault {
  all_ones,        // a register reads as all ones, and is not read
  flipped_bit,     // a bit of what a register read is wrong
  failed_read,     // reading a register gives Error(io), and it is not read
  lost_write,      // a register is not written
  failed_write,    // writing a register gives Error(io), and it is not written
  failed_put,      // half of the data arrive, then Error(io)
  failed_get,      // the same
  lost_interrupt,  // waiting takes all its time, and sees nothing
  delay,           // an access, whatever it is, takes kDelay longer
  vanished,        // from this access on, the card is off the bus
};
inline constexpr std::size_t kFaultKinds = 10;

// Says whether a fault happens at its n-th occasion, n = 0, 1, 2...: the n-th time that the
// operation is called that can fail so. Called by one thread at a time.
using FaultPlan = std::function<bool(Fault fault, std::uint64_t occasion)>;

// One kind of fault, `count` times in a row from occasion `first` on.
struct FaultAt {
  Fault fault;
  std::uint64_t first;
  std::uint64_t count = 1;
};
[[nodiscard]] FaultPlan faults_at(std::vector<FaultAt> script);

// Each of these kinds of faults at every `one_in`-th occasion on average; the same for one seed.
[[nodiscard]] FaultPlan random_faults(std::uint64_t seed, std::uint64_t one_in,
                                      std::vector<Fault> kinds);

class FaultTransport final : public Transport {
 public:
  static constexpr std::chrono::milliseconds kDelay{2};

  FaultTransport(std::unique_ptr<Transport> inner, FaultPlan plan);

  [[nodiscard]] std::string description() const override;
  [[nodiscard]] std::uint32_t read_register(std::uint32_t offset) override;
  void write_register(std::uint32_t offset, std::uint32_t value) override;
  void put(std::uint64_t address, std::span<const std::byte> bytes) override;
  void get(std::uint64_t address, std::span<std::byte> bytes) override;
  [[nodiscard]] Interrupt wait_interrupt(std::chrono::milliseconds timeout) override;

  // How many occasions there were so far, and how often the fault happened.
  [[nodiscard]] std::uint64_t occasions(Fault fault) const;
  [[nodiscard]] std::uint64_t happened(Fault fault) const;

 private:
  struct Count {
    std::uint64_t occasions = 0;
    std::uint64_t happened = 0;
  };

  bool happens(Fault fault);
  bool is_gone();

  std::unique_ptr<Transport> inner_;
  FaultPlan plan_;
  mutable std::mutex mutex_;
  std::array<Count, kFaultKinds> counts_{};
  bool gone_ = false;
};

}  // namespace fhe::fpga
