// SPDX-License-Identifier: Apache-2.0
// The memory ports of the device as an AXI4 master, with clocks of every relation and a memory that
// is late at its will: nothing is lost, doubled, out of order or taken back.
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "Axi4Master.h"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::Words;

constexpr std::uint64_t kBroken = 1 << 20;  // the memory fails at addresses from here on
constexpr std::size_t kLimbs = 8;

// Half periods of the clocks of the device and of the memory.
struct Clocks {
  int device, memory;
};

std::uint64_t content(std::uint64_t address) {
  return address * 0x9e37'79b9'7f4a'7c15U + 1;
}

void set_word(VlWide<16>& port, std::uint64_t value) {
  for (std::size_t i = 0; i < kLimbs; ++i) {
    port[2 * i] = static_cast<std::uint32_t>(value + i);
    port[2 * i + 1] = static_cast<std::uint32_t>((value + i) >> 32);
  }
}

// The value of a word made by set_word; nothing for any other.
std::optional<std::uint64_t> word_of(const VlWide<16>& port) {
  const auto limb = [&](std::size_t i) {
    return port[2 * i] | std::uint64_t{port[2 * i + 1]} << 32;
  };
  for (std::size_t i = 0; i < kLimbs; ++i) {
    if (limb(i) != limb(0) + i) return std::nullopt;
  }
  return limb(0);
}

// The device on one side and the memory on the other.
class Bench {
 public:
  Bench(Clocks clocks, Words* stalls) : clocks_(clocks), stalls_(stalls) {
    master_.clk = master_.axi_clk = 0;
    master_.reset = master_.axi_reset = 1;
    master_.read_valid = master_.write_valid = 0;
    master_.m_axi_arready = master_.m_axi_awready = master_.m_axi_wready = 0;
    master_.m_axi_rvalid = master_.m_axi_bvalid = 0;
    master_.eval();
    for (int i = 0; i < 6 * (clocks.device + clocks.memory); ++i) tick();
    master_.reset = master_.axi_reset = 0;
    master_.eval();
    is_running_ = true;
  }

  void read(std::uint64_t address) { reads_.push_back(address); }
  void write(std::uint64_t address) { writes_.push_back(address); }

  // Until all is answered; the clocks of the device that it took.
  int run() {
    int clocks = 0;
    const int most = 100 * static_cast<int>(reads_.size() + writes_.size()) + 2000;
    while (!(reads_.empty() && writes_.empty() && asked_.empty() && sent_.empty())) {
      if (tick() && ++clocks > most) FAIL("no end");
    }
    return clocks;
  }

  [[nodiscard]] const std::map<std::uint64_t, std::uint64_t>& memory() const { return memory_; }

 private:
  bool takes_part() { return stalls_ == nullptr || stalls_->below(3) != 0; }

  // A unit of time; whether the clock of the device rose.
  bool tick() {
    ++time_;
    const bool device_edge = time_ % clocks_.device == 0;
    const bool memory_edge = time_ % clocks_.memory == 0;
    const bool device_rises = device_edge && master_.clk == 0;
    const bool memory_rises = memory_edge && master_.axi_clk == 0;
    if (is_running_ && device_rises) look_at_device();
    if (is_running_ && memory_rises) look_at_memory();
    if (device_edge) master_.clk = !master_.clk;
    if (memory_edge) master_.axi_clk = !master_.axi_clk;
    master_.eval();
    if (is_running_ && device_rises) drive_device();
    if (is_running_ && memory_rises) drive_memory();
    master_.eval();
    return device_rises;
  }

  // What moves with the coming edge.
  void look_at_device() {
    if (master_.read_valid && master_.read_ready) {
      asked_.push_back(reads_.front());
      reads_.pop_front();
    }
    if (master_.write_valid && master_.write_ready) {
      sent_.push_back(writes_.front());
      writes_.pop_front();
    }
    if (master_.response_valid) {
      REQUIRE_FALSE(asked_.empty());
      CHECK((master_.response_error != 0) == (asked_.front() >= kBroken));
      CHECK(word_of(master_.response_data) == content(asked_.front()));
      asked_.pop_front();
    }
    if (master_.written_valid) {
      REQUIRE_FALSE(sent_.empty());
      CHECK((master_.written_error != 0) == (sent_.front() >= kBroken));
      sent_.pop_front();
    }
  }

  // The device may withdraw a request that was not taken, as in a soft reset.
  void drive_device() {
    master_.read_valid = !reads_.empty() && takes_part();
    if (master_.read_valid) master_.read_address = reads_.front();
    master_.write_valid = !writes_.empty() && takes_part();
    if (master_.write_valid) {
      master_.write_address = writes_.front();
      set_word(master_.write_data, content(writes_.front()));
    }
  }

  void look_at_memory() {
    check_held(ar_held_, master_.m_axi_arvalid, master_.m_axi_arready, master_.m_axi_araddr);
    check_held(aw_held_, master_.m_axi_awvalid, master_.m_axi_awready, master_.m_axi_awaddr);
    check_held(w_held_, master_.m_axi_wvalid, master_.m_axi_wready,
               word_of(master_.m_axi_wdata).value_or(0));
    if (master_.m_axi_arvalid && master_.m_axi_arready) {
      CHECK((master_.m_axi_arlen == 0 && master_.m_axi_arsize == 6 && master_.m_axi_arburst == 1));
      read_queue_.push_back(master_.m_axi_araddr);
    }
    if (master_.m_axi_awvalid && master_.m_axi_awready) {
      CHECK((master_.m_axi_awlen == 0 && master_.m_axi_awsize == 6 && master_.m_axi_awburst == 1));
      address_queue_.push_back(master_.m_axi_awaddr);
    }
    if (master_.m_axi_wvalid && master_.m_axi_wready) {
      CHECK((master_.m_axi_wlast && master_.m_axi_wstrb == ~std::uint64_t{0}));
      const auto word = word_of(master_.m_axi_wdata);
      REQUIRE(word);
      data_queue_.push_back(*word);
    }
    if (master_.m_axi_rvalid && master_.m_axi_rready) read_queue_.pop_front();
    if (master_.m_axi_bvalid && master_.m_axi_bready) {
      address_queue_.pop_front();
      data_queue_.pop_front();
    }
  }

  // The memory answers in order; an answer stands until it is taken.
  void drive_memory() {
    master_.m_axi_arready = takes_part();
    master_.m_axi_awready = takes_part();
    master_.m_axi_wready = takes_part();
    master_.m_axi_rvalid = !read_queue_.empty() && (r_offered_ || takes_part());
    r_offered_ = master_.m_axi_rvalid != 0;
    if (r_offered_) {
      set_word(master_.m_axi_rdata, content(read_queue_.front()));
      master_.m_axi_rresp = read_queue_.front() >= kBroken ? 2 : 0;
    }
    const bool whole = !address_queue_.empty() && !data_queue_.empty();
    master_.m_axi_bvalid = whole && (b_offered_ || takes_part());
    b_offered_ = master_.m_axi_bvalid != 0;
    if (b_offered_) {
      master_.m_axi_bresp = address_queue_.front() >= kBroken ? 3 : 0;
      memory_[address_queue_.front()] = data_queue_.front();
    }
  }

  // What was offered and not taken is offered still, and the same.
  void check_held(std::optional<std::uint64_t>& held, bool valid, bool ready,
                  std::uint64_t payload) {
    if (held) CHECK((valid && payload == *held));
    held = valid && !ready ? std::optional(payload) : std::nullopt;
  }

  fhe::fpga::SimulatedModel<Axi4Master> owned_{20161121};
  Axi4Master& master_ = *owned_;
  Clocks clocks_;
  Words* stalls_;
  long time_ = 0;
  bool is_running_ = false;
  std::deque<std::uint64_t> reads_, writes_;              // to be asked
  std::deque<std::uint64_t> asked_, sent_;                // to be answered
  std::deque<std::uint64_t> read_queue_;                  // with the memory
  std::deque<std::uint64_t> address_queue_, data_queue_;  // of writes
  std::optional<std::uint64_t> ar_held_, aw_held_, w_held_;
  bool r_offered_ = false, b_offered_ = false;
  std::map<std::uint64_t, std::uint64_t> memory_;
};

void check_clocks(Clocks clocks, Words* stalls) {
  constexpr int kAccesses = 400;
  Words words(977);
  Bench bench(clocks, stalls);
  std::map<std::uint64_t, std::uint64_t> expected;
  for (int i = 0; i < kAccesses; ++i) {
    const std::uint64_t address = 64 * words.below(2 * kBroken / 64);
    bench.read(address);
    bench.write(address + 64);
    expected[address + 64] = content(address + 64);
  }
  bench.run();
  CHECK(bench.memory() == expected);
}

}  // namespace

TEST_CASE("rtl axi4_master: every access is made once and answered, whatever the clocks", "[rtl]") {
  Words stalls(978);
  for (const Clocks clocks :
       {Clocks{1, 1}, Clocks{2, 3}, Clocks{3, 2}, Clocks{1, 7}, Clocks{7, 1}, Clocks{5, 4}}) {
    CAPTURE(clocks.device, clocks.memory);
    check_clocks(clocks, nullptr);
    check_clocks(clocks, &stalls);
  }
}

TEST_CASE("rtl axi4_master: a word a clock", "[rtl]") {
  constexpr int kReads = 1000;
  constexpr int kWay = 40;  // clocks through the queues and back
  Bench bench({1, 1}, nullptr);
  for (int i = 0; i < kReads; ++i) {
    bench.read(64 * static_cast<std::uint64_t>(i));
    bench.write(64 * static_cast<std::uint64_t>(i));
  }
  CHECK(bench.run() < kReads + kWay);
}
