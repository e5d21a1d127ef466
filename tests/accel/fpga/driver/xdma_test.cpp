// SPDX-License-Identifier: Apache-2.0
// The driver of XDMA nodes against imitated ones, and against system calls that fail.
#include <algorithm>
#include <cerrno>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "accel/fpga/contract/register_values.hpp"
#include "accel/fpga/model/model_transport.hpp"
#include "accel/fpga/transport/transports.hpp"
#include "tests/accel/fpga/driver/device_suite.hpp"
#include "tests/accel/fpga/driver/operands_on_device.hpp"
#include "tests/accel/fpga/driver/transports.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/operands.hpp"

namespace fhe::fpga::test {

namespace {

using fhe::test::HasCode;
using std::chrono::milliseconds;

enum class Call { open, register_read, register_write, from_card, to_card, event, wait };
constexpr int kTimeOut = 512;

// What the n-th call of a kind does instead, n = 0, 1, 2...: a result below 0 is returned and
// nothing done; one of 0 or more is how many bytes are moved at most. Empty: what it should.
using CallPlan = std::function<std::optional<std::int64_t>(Call call, int n)>;

class FaultyCalls final : public SystemCalls {
 public:
  explicit FaultyCalls(CallPlan plan)
      : nodes_("card", std::make_unique<ModelTransport>(test_memory())), plan_(std::move(plan)) {}

  std::int64_t open(const std::string& path, Access access) override {
    if (const auto fault = next(Call::open)) return *fault;
    const std::int64_t file = nodes_.open(path, access);
    if (path == "card_user") user_ = file;
    return file;
  }
  void close(int file) override { nodes_.close(file); }
  std::int64_t read_at(int file, std::span<std::byte> bytes, std::uint64_t offset) override {
    const auto fault = next(file == user_ ? Call::register_read : Call::from_card);
    if (fault && *fault <= 0) return *fault;
    return nodes_.read_at(file, shortened(bytes, fault), offset);
  }
  std::int64_t write_at(int file, std::span<const std::byte> bytes, std::uint64_t offset) override {
    const auto fault = next(file == user_ ? Call::register_write : Call::to_card);
    if (fault && *fault <= 0) return *fault;
    return nodes_.write_at(file, shortened(bytes, fault), offset);
  }
  std::int64_t read(int file, std::span<std::byte> bytes) override {
    if (const auto fault = next(Call::event)) return *fault;
    return nodes_.read(file, bytes);
  }
  std::int64_t wait_readable(int file, milliseconds timeout) override {
    if (const auto fault = next(Call::wait)) return *fault;
    return nodes_.wait_readable(file, timeout);
  }
  std::int64_t control(int file, unsigned long request, void* argument) override {
    return nodes_.control(file, request, argument);
  }
  void* map(int /*file*/, std::uint64_t /*offset*/, std::size_t bytes) override {
    mapped_.assign(bytes / 4, 0x1111'1111);
    return mapped_.data();
  }
  void unmap(void* /*address*/, std::size_t /*bytes*/) override { mapped_.clear(); }

  [[nodiscard]] int calls(Call call) const { return counts_.at(static_cast<std::size_t>(call)); }
  [[nodiscard]] int open_files() const { return nodes_.open_files(); }
  [[nodiscard]] std::vector<std::uint32_t>& mapped() { return mapped_; }

 private:
  std::optional<std::int64_t> next(Call call) {
    return plan_(call, counts_.at(static_cast<std::size_t>(call))++);
  }
  template <class Bytes>
  static Bytes shortened(Bytes bytes, std::optional<std::int64_t> most) {
    return most ? bytes.first(std::min(bytes.size(), static_cast<std::size_t>(*most))) : bytes;
  }

  NodeCalls nodes_;
  CallPlan plan_;
  std::int64_t user_ = -1;
  std::array<int, 7> counts_{};
  std::vector<std::uint32_t> mapped_;
};

CallPlan no_fault() {
  return [](Call, int) { return std::nullopt; };
}

// `result` in the calls `first` to `last` of a kind.
CallPlan fault(Call kind, std::int64_t result, int first = 0, int last = 1'000'000) {
  return [=](Call call, int n) -> std::optional<std::int64_t> {
    if (call != kind || n < first || n > last) return std::nullopt;
    return result;
  };
}

struct Card {
  explicit Card(CallPlan plan, const XdmaOptions& options = {})
      : calls(std::make_shared<FaultyCalls>(std::move(plan))), transport("card", options, calls) {}

  std::shared_ptr<FaultyCalls> calls;
  XdmaTransport transport;
};

constexpr std::uint64_t kBase = std::uint64_t{4} << 30;

std::vector<std::byte> pattern(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
  return bytes;
}

// Whether 20,032 bytes go to the card and come back.
bool carries(XdmaTransport& transport) {
  const std::vector<std::byte> there = pattern(313 * 64);
  std::vector<std::byte> back(there.size());
  transport.put(kBase + 4096, there);
  transport.get(kBase + 4096, back);
  return there == back;
}

}  // namespace

TEST_CASE("registers and memory through the nodes of a card") {
  Card card(no_fault());
  CHECK(card.transport.read_register(reg::magic) == kMagic);
  card.transport.write_register(reg::scratch, 0x89ab'cdef);
  CHECK(card.transport.read_register(reg::scratch) == 0x89ab'cdef);
  CHECK(carries(card.transport));
  CHECK(card.transport.description() == "card at card, registers by pread, interrupts");
}

TEST_CASE("long transfers go in pieces of 4 MiB") {
  Card card(no_fault());
  const std::vector<std::byte> there = pattern((std::size_t{9} << 20) + 64);
  std::vector<std::byte> back(there.size());
  card.transport.put(kBase, there);
  card.transport.get(kBase, back);
  CHECK(there == back);
  CHECK(card.calls->calls(Call::to_card) == 3);
  CHECK(card.calls->calls(Call::from_card) == 3);
}

TEST_CASE("short transfers are resumed") {
  for (const Call call : {Call::to_card, Call::from_card}) {
    for (const std::int64_t most : {64, 128, 6400}) {
      Card card(fault(call, most));
      CHECK(carries(card.transport));
      CHECK(card.calls->calls(call) == (313 * 64 + most - 1) / most);
    }
    Card idle(fault(call, 0, 0, 50));  // nothing at all for a while
    CHECK(carries(idle.transport));
    Card dead(fault(call, 0));
    CHECK_THROWS_MATCHES(carries(dead.transport), Error, HasCode(ErrorCode::io));
  }
}

TEST_CASE("calls that a signal interrupts are made again, but not for ever") {
  for (const Call call :
       {Call::open, Call::register_read, Call::register_write, Call::to_card, Call::from_card}) {
    CAPTURE(static_cast<int>(call));
    const auto use = [&](int last) {
      Card card(fault(call, -EINTR, 0, last));
      card.transport.write_register(reg::scratch, 5);
      const bool kept = card.transport.read_register(reg::scratch) == 5;
      const bool carried = carries(card.transport);
      CHECK((kept && carried));
    };
    CHECK_NOTHROW(use(20));
    CHECK_THROWS_MATCHES(use(1'000'000), Error, HasCode(ErrorCode::io));
  }
}

TEST_CASE("errno 512 is a time-out of the card") {
  Card card(fault(Call::to_card, -kTimeOut));
  CHECK_THROWS_MATCHES(carries(card.transport), Error, HasCode(ErrorCode::io, "timed out"));
}

TEST_CASE("what a card says when it is pulled out is that it is lost") {
  for (const int error : {ENODEV, ENXIO, ENOTCONN}) {
    Card reading(fault(Call::register_read, -error));
    CHECK_THROWS_AS(reading.transport.read_register(reg::magic), DeviceLost);
    Card moving(fault(Call::from_card, -error));
    CHECK_THROWS_AS(carries(moving.transport), DeviceLost);
    Card waiting(fault(Call::wait, -error));
    CHECK_THROWS_AS(waiting.transport.wait_interrupt(milliseconds(1)), DeviceLost);
  }
}

TEST_CASE("a register access that moves no 4 bytes is an error") {
  Card reading(fault(Call::register_read, 0));
  CHECK_THROWS_MATCHES(reading.transport.read_register(0), Error, HasCode(ErrorCode::io));
  Card writing(fault(Call::register_write, -EPROTO));
  CHECK_THROWS_MATCHES(writing.transport.write_register(0, 0), Error, HasCode(ErrorCode::io));
}

TEST_CASE("nodes that cannot be opened are errors with advice, and nothing stays open") {
  const auto calls = std::make_shared<FaultyCalls>(no_fault());
  CHECK_THROWS_MATCHES(XdmaTransport("other", {}, calls), Error,
                       HasCode(ErrorCode::io, "other_user"));
  for (int n = 0; n < 4; ++n) {
    const auto denied = std::make_shared<FaultyCalls>(fault(Call::open, -EACCES, n, n));
    CHECK_THROWS_MATCHES(XdmaTransport("card", {}, denied), Error,
                         HasCode(ErrorCode::io, "get the right"));
    CHECK(denied->open_files() == 0);
  }
  CHECK_THROWS_MATCHES(XdmaTransport("/nowhere/xdma0"), Error,
                       HasCode(ErrorCode::io, "/nowhere/xdma0_user"));
}

TEST_CASE("files are closed with the transport") {
  const auto calls = std::make_shared<FaultyCalls>(no_fault());
  {
    const XdmaTransport transport("card", {.map_registers = true}, calls);
    CHECK(calls->open_files() == 4);
    CHECK(calls->mapped().size() == 1024);
  }
  CHECK(calls->open_files() == 0);
  CHECK(calls->mapped().empty());
}

TEST_CASE("mapped registers are memory") {
  Card card(no_fault(), {.map_registers = true});
  CHECK(card.transport.description() == "card at card, registers by mmap, interrupts");
  card.transport.write_register(reg::watchdog, 77);
  CHECK(card.calls->mapped()[reg::watchdog / 4] == 77);
  CHECK(card.transport.read_register(reg::scratch) == 0x1111'1111);
  CHECK(card.calls->calls(Call::register_read) == 0);
}

TEST_CASE("where registers cannot be mapped they are read one by one") {
  const auto calls = std::make_shared<NodeCalls>(
      "card", std::make_unique<ModelTransport>(test_memory()));  // maps nothing
  XdmaTransport transport("card", {.map_registers = true}, calls);
  CHECK(transport.description() == "card at card, registers by pread, interrupts");
  CHECK(transport.read_register(reg::magic) == kMagic);
}

TEST_CASE("waiting: an event, none, a signal, an event that another has taken") {
  const auto raise = [](XdmaTransport& transport) {
    transport.write_register(reg::irq_mask, kAllInterrupts);
    transport.write_register(reg::ctrl, bit(ctrl::enable) | bit(ctrl::irq_enable));
    std::uint32_t offset = reg::cmd_window;
    for (const std::uint32_t word : encode(Command{}.with(flag::irq))) {
      transport.write_register(offset, word);
      offset += 4;
    }
    transport.write_register(reg::cmd_doorbell, 0);
  };
  Card card(no_fault());
  CHECK(card.transport.wait_interrupt(milliseconds(1)) == Interrupt::timed_out);
  raise(card.transport);
  CHECK(card.transport.wait_interrupt(milliseconds(1)) == Interrupt::raised);
  CHECK(card.calls->calls(Call::event) == 1);
  Card signalled(fault(Call::wait, -EINTR));
  CHECK(signalled.transport.wait_interrupt(milliseconds(1)) == Interrupt::raised);
  Card taken(fault(Call::event, -EPROTO));
  raise(taken.transport);
  CHECK_THROWS_MATCHES(taken.transport.wait_interrupt(milliseconds(1)), Error,
                       HasCode(ErrorCode::io));
}

TEST_CASE("a card without an events node is watched") {
  XdmaTransport transport(
      "card", {},
      std::make_shared<NodeCalls>("card", std::make_unique<ModelTransport>(test_memory()), false));
  CHECK(transport.description() == "card at card, registers by pread, no interrupts");
  CHECK(transport.wait_interrupt(milliseconds(2)) == Interrupt::timed_out);
}

TEST_CASE("two threads that move data do not meet on an engine") {
  Card card(no_fault());
  std::array<bool, 4> right{};
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < right.size(); ++i) {
      threads.emplace_back([&, i] {
        const std::vector<std::byte> there = pattern(64 * (100 + i));
        std::vector<std::byte> back(there.size());
        right[i] = true;
        for (int round = 0; round < 50; ++round) {
          const std::uint64_t address = kBase + i * 65536;
          card.transport.put(address, there);
          card.transport.get(address, back);
          right[i] = right[i] && there == back;
        }
      });
    }
  }
  CHECK(right == std::array{true, true, true, true});
}

TEST_CASE("a device works through system calls that fail now and then") {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    auto operands = std::make_shared<fhe::test::Operands>(seed);
    const CallPlan plan = [operands](Call call, int n) -> std::optional<std::int64_t> {
      if (n < 10 || operands->between(0, 40) != 0) return std::nullopt;
      switch (call) {
        case Call::to_card:
        case Call::from_card:
          return operands->coin() ? 64 : -kTimeOut;
        case Call::wait:
          return operands->coin() ? 0 : -EINTR;
        default:
          return -EINTR;
      }
    };
    Device device(
        std::make_unique<XdmaTransport>("card", XdmaOptions{}, std::make_shared<FaultyCalls>(plan)),
        {.repeats = 10});
    check_commands(device, small_suite());
  }
}

TEST_CASE("imitated nodes have the quirks of the real ones") {
  XdmaNodes nodes(std::make_unique<ModelTransport>(test_memory()));
  std::array<std::byte, 128> bytes{};
  const auto all = std::span(bytes);
  CHECK(nodes.read(XdmaNode::user, all, reg::magic) == 4);  // whatever the count
  CHECK(nodes.read(XdmaNode::user, all.first(2), reg::magic) == -EPROTO);
  CHECK(nodes.read(XdmaNode::user, all.first(4), 2) == -EPROTO);
  CHECK(nodes.write(XdmaNode::user, all.first(4), 4096) == -EPROTO);
  CHECK(nodes.write(XdmaNode::user, all, reg::scratch) == 4);
  CHECK(nodes.write(XdmaNode::to_card, all, kBase) == 128);
  std::ranges::fill(bytes, std::byte{1});
  CHECK(nodes.write(XdmaNode::to_card, all.first(70), kBase + 643) == 70);  // a piece of two words
  CHECK(nodes.read(XdmaNode::from_card, all.first(80), kBase + 642) == 80);
  CHECK(std::ranges::count(all.first(80), std::byte{1}) == 70);
  CHECK((bytes[0] == std::byte{0} && bytes[1] == std::byte{1}));
  CHECK(nodes.read(XdmaNode::from_card, all, 0) == -EIO);
  CHECK(nodes.read(XdmaNode::events, all.first(8), 0) == -EPROTO);
  CHECK(nodes.read(XdmaNode::events, all.first(4), 0) == -EAGAIN);
  CHECK(nodes.read(XdmaNode::to_card, all, kBase) == -EINVAL);
  CHECK(nodes.write(XdmaNode::events, all, 0) == -EINVAL);
  CHECK(xdma_node("c2h_0") == XdmaNode::from_card);
  CHECK_FALSE(xdma_node("c2h_1"));
}

}  // namespace fhe::fpga::test
