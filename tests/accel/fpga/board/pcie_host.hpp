// SPDX-License-Identifier: Apache-2.0
// A host on the other side of the PCIe link of a simulated card: it reads and writes BAR0, has
// memory for the card's DMA, and takes its interrupts. It speaks in packets of the transaction
// layer (PCI Express Base Specification 2.1, section 2.2), which it sends and takes in beats of 128
// bits with pauses at random. What a host must not do it does not do; what a card must not do is a
// std::logic_error.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include <FheAcorn.h>

#include "tests/accel/fpga/driver/litepcie_node.hpp"

namespace fhe::fpga::test {

struct HostOptions {
  std::uint16_t max_payload = 128;  // bytes in a packet with data
  std::uint16_t max_request = 512;  // bytes that a packet may ask for
  unsigned stall_percent = 30;      // of the clocks of each direction
  std::uint64_t memory_base = std::uint64_t{5} << 32;
  int sys_half = 5;     // half periods of the clock of the card's buses
  int device_half = 8;  // and of that of the device
  std::uint64_t seed = 1;
};

class PcieHost final : public CardPort {
 public:
  explicit PcieHost(const HostOptions& options = {});
  ~PcieHost() override;

  // Registers of BAR0.
  std::uint32_t read(std::uint32_t place) override;
  void write(std::uint32_t place, std::uint32_t value) override;

  // What the card's DMA reads and writes, from memory_base() on.
  std::span<std::byte> memory() override { return memory_; }
  [[nodiscard]] std::uint64_t memory_base() const override { return options_.memory_base; }
  void pass_time() override;

  // Interrupts that came and were not asked for yet.
  [[nodiscard]] unsigned take_interrupts();

  // A clock of the card's buses.
  void step();

  // Packets that the card sent so far, to read and to write.
  [[nodiscard]] std::uint64_t reads() const { return reads_; }
  [[nodiscard]] std::uint64_t writes() const { return writes_; }

 private:
  using Packet = std::vector<std::uint32_t>;
  struct Request {  // of the card, not answered in full
    std::uint64_t address;
    std::uint32_t bytes;
  };

  [[nodiscard]] bool chance(unsigned percent) { return random_() % 100 < percent; }
  void drive();
  void offer_beat(std::size_t first);
  void rise();
  void take_beat();
  void take_packet();
  void take_completion();
  void take_write(std::uint64_t address, std::size_t header);
  void answer_some_read();
  [[nodiscard]] std::size_t place_of(std::uint64_t address, std::size_t bytes) const;

  HostOptions options_;
  FheAcorn card_;
  std::mt19937_64 random_;
  int time_ = 0;
  std::vector<std::byte> memory_;

  std::deque<Packet> to_card_;
  std::size_t sent_ = 0;                      // words of the first of them
  Packet from_card_;                          // what has come of it
  bool offers_ = false;                       // a beat, which stays until it is taken
  std::map<std::uint8_t, Request> requests_;  // by their tags
  std::optional<std::uint32_t> answer_;       // to our own read
  unsigned interrupts_ = 0;
  std::uint64_t reads_ = 0, writes_ = 0;
};

}  // namespace fhe::fpga::test
