// SPDX-License-Identifier: Apache-2.0
// Transactions of AXI-Lite with every delay of every channel, writes and reads at the same time.
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "AxiLiteSlave.h"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::Simulation;
using fhe::test::Words;

constexpr int kDelays = 4;
constexpr int kPatience = 40;  // clocks

// Clocks until a side of a transaction takes part.
struct Delays {
  int address, data, answer;
};

// A master, and registers behind the slave that answer one clock after `read`.
class Bench {
 public:
  Bench() {
    slave_->awvalid = slave_->wvalid = slave_->bready = slave_->arvalid = slave_->rready = 0;
    slave_.reset();
  }

  // A write of all bytes and a read that begin together; the value read.
  std::uint32_t write_and_read(std::pair<std::uint32_t, std::uint32_t> written, Delays write_delays,
                               std::uint32_t read_address, Delays read_delays) {
    address_taken_ = data_taken_ = acknowledged_ = false;
    asked_ = answered_ = false;
    for (int clock = 0; clock < kPatience && !(acknowledged_ && answered_); ++clock) {
      drive_write(written, write_delays, clock);
      drive_read(read_address, read_delays, clock);
      slave_.settle();
      look_at_write(written);
      look_at_read();
      slave_.clock();
      slave_->read_data = next_read_data_;
    }
    CHECK(acknowledged_);
    CHECK(answered_);
    return answer_;
  }

  // A write of some bytes; its answer.
  int write_bytes(std::uint32_t address, std::uint32_t data, unsigned strobes) {
    strobes_ = strobes;
    write_and_read({address, data}, {0, 0, 0}, address, {0, 0, 0});
    strobes_ = kAllBytes;
    return response_;
  }

  // Whether `ready` and `valid` outputs stay as they are while the inputs change within a clock.
  void check_registered_outputs() {
    slave_.settle();
    const auto outputs = [&] {
      return std::array{slave_->awready, slave_->wready, slave_->bvalid, slave_->arready,
                        slave_->rvalid,  slave_->write,  slave_->read};
    };
    const auto before = outputs();
    for (unsigned inputs = 0; inputs < 32; ++inputs) {
      slave_->awvalid = inputs & 1;
      slave_->wvalid = inputs >> 1 & 1;
      slave_->bready = inputs >> 2 & 1;
      slave_->arvalid = inputs >> 3 & 1;
      slave_->rready = inputs >> 4 & 1;
      slave_.settle();
      CHECK((outputs() == before));
    }
  }

  [[nodiscard]] std::uint32_t at(std::uint32_t address) { return registers_[address & ~3U]; }
  [[nodiscard]] int writes() const { return writes_; }
  // The last answer to a write.
  [[nodiscard]] int response() const { return response_; }
  [[nodiscard]] int reads() const { return reads_; }

 private:
  void drive_write(std::pair<std::uint32_t, std::uint32_t> written, Delays delays, int clock) {
    slave_->awvalid = clock >= delays.address && !address_taken_;
    slave_->awaddr = static_cast<SData>(slave_->awvalid ? written.first : 0xabc);
    slave_->wvalid = clock >= delays.data && !data_taken_;
    slave_->wdata = slave_->wvalid ? written.second : 0xdead'beef;
    slave_->wstrb = static_cast<CData>(slave_->wvalid ? strobes_ : 0U);
    slave_->bready = clock >= delays.answer && !acknowledged_;
  }

  void drive_read(std::uint32_t address, Delays delays, int clock) {
    slave_->arvalid = clock >= delays.address && !asked_;
    slave_->araddr = static_cast<SData>(slave_->arvalid ? address : 0xabc);
    slave_->rready = clock >= delays.answer && !answered_;
  }

  void look_at_write(std::pair<std::uint32_t, std::uint32_t> written) {
    if (slave_->write) {
      CHECK((address_taken_ && data_taken_ && strobes_ == kAllBytes));
      CHECK(slave_->write_address == (written.first & ~3U));
      registers_[slave_->write_address] = slave_->write_data;
      ++writes_;
    }
    if (slave_->bvalid) {
      CHECK((address_taken_ && data_taken_ && !acknowledged_));
      response_ = slave_->bresp;
    }
    acknowledged_ = acknowledged_ || (slave_->bvalid && slave_->bready);
    address_taken_ = address_taken_ || (slave_->awvalid && slave_->awready);
    data_taken_ = data_taken_ || (slave_->wvalid && slave_->wready);
  }

  void look_at_read() {
    next_read_data_ = 0x5a5a'5a5a;
    if (slave_->read) {
      next_read_data_ = registers_[slave_->read_address];
      ++reads_;
    }
    if (slave_->rvalid) {
      CHECK((asked_ && !answered_));
      CHECK((!held_ || answer_ == slave_->rdata));
      answer_ = slave_->rdata;
      held_ = !slave_->rready;
      answered_ = slave_->rready;
    } else {
      CHECK_FALSE(held_);
    }
    asked_ = asked_ || (slave_->arvalid && slave_->arready);
    CHECK(slave_->rresp == 0);
  }

  Simulation<AxiLiteSlave> slave_;
  std::map<std::uint32_t, std::uint32_t> registers_;
  std::uint32_t next_read_data_ = 0;
  std::uint32_t answer_ = 0;
  static constexpr unsigned kAllBytes = 0xf;
  unsigned strobes_ = kAllBytes;
  int response_ = 0;
  bool address_taken_ = false, data_taken_ = false, acknowledged_ = false;
  bool asked_ = false, answered_ = false, held_ = false;
  int writes_ = 0, reads_ = 0;
};

}  // namespace

TEST_CASE("rtl axi_lite_slave: every order of addresses, data and answers", "[rtl]") {
  Bench bench;
  Words words(331);
  int transactions = 0;
  for (int code = 0; code < kDelays * kDelays * kDelays * kDelays * kDelays; ++code) {
    const auto delay = [code](int place) {
      int rest = code;
      for (int i = 0; i < place; ++i) rest /= kDelays;
      return 2 * (rest % kDelays);
    };
    const auto address = static_cast<std::uint32_t>(words.below(4096));
    const auto other = (address + 4 + 4 * static_cast<std::uint32_t>(words.below(1000))) & 0xfffU;
    const auto data = static_cast<std::uint32_t>(words.random());
    const std::uint32_t expected = bench.at(other);
    CAPTURE(code, address, other);
    CHECK(bench.write_and_read({address, data}, {delay(0), delay(1), delay(2)}, other,
                               {delay(3), 0, delay(4)}) == expected);
    CHECK(bench.response() == 0);
    CHECK(bench.at(address) == data);
    CHECK(bench.writes() == ++transactions);
    CHECK(bench.reads() == transactions);
  }
}

TEST_CASE("rtl axi_lite_slave: a write of some bytes of a word is refused", "[rtl]") {
  Bench bench;
  CHECK(bench.write_bytes(0x40, 0x1234'5678, 0xf) == 0);
  for (unsigned strobes = 0; strobes < 0xf; ++strobes) {
    CAPTURE(strobes);
    CHECK(bench.write_bytes(0x40, 0xffff'ffff, strobes) == 2);
    CHECK(bench.at(0x40) == 0x1234'5678);
  }
  CHECK(bench.writes() == 1);
}

TEST_CASE("rtl axi_lite_slave: no output depends on an input of its clock", "[rtl]") {
  Bench bench;
  bench.check_registered_outputs();
  bench.write_and_read({0x10, 1}, {0, 2, 3}, 0x20, {1, 0, 2});
  bench.check_registered_outputs();
}
