// SPDX-License-Identifier: Apache-2.0
// The transport of LitePCIe cards before the model of a shell, and before a node that fails. What
// the shell itself does is tested in tests/accel/fpga/board.
#include <cerrno>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "accel/fpga/contract/errors.hpp"
#include "accel/fpga/contract/register_values.hpp"
#include "accel/fpga/contract/words.hpp"
#include "accel/fpga/devices/open_transport.hpp"
#include "accel/fpga/model/model_transport.hpp"
#include "accel/fpga/transport/transports.hpp"
#include "tests/accel/fpga/driver/litepcie_node.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"

namespace fhe::fpga::test {

namespace {

using fhe::test::HasCode;
using namespace std::chrono_literals;
using namespace litepcie;

constexpr const char* kPath = "/dev/litepcie0";

std::shared_ptr<ModelShell> model_card() {
  return std::make_shared<ModelShell>(
      std::make_unique<ModelTransport>(DeviceMemory(kCardMemory, kCardBytes)));
}

// Does not do some of what it is asked: those requests give `result`.
class FailingNode final : public LitePcieNode {
 public:
  using LitePcieNode::LitePcieNode;

  std::int64_t control(int file, unsigned long request, void* argument) override {
    if (request == request_ && skip_-- <= 0 && times_-- > 0) return result_;
    return LitePcieNode::control(file, request, argument);
  }
  void* map(int file, std::uint64_t offset, std::size_t bytes) override {
    return fails_to_map_ == offset ? nullptr : LitePcieNode::map(file, offset, bytes);
  }

  void fail(unsigned long request, std::int64_t result, int skip = 0, int times = 1'000'000) {
    request_ = request;
    result_ = result;
    skip_ = skip;
    times_ = times;
  }
  void fail_to_map(std::uint64_t offset) { fails_to_map_ = offset; }

 private:
  unsigned long request_ = 0;
  std::int64_t result_ = 0;
  int skip_ = 0, times_ = 0;
  std::uint64_t fails_to_map_ = ~std::uint64_t{0};
};

struct LitePcieCard {
  std::shared_ptr<ModelShell> shell = model_card();
  std::shared_ptr<FailingNode> node = std::make_shared<FailingNode>(kPath, shell);
  LitePcieTransport transport{kPath, {.deadline = 50ms}, node};
};

std::vector<std::byte> some_bytes(std::size_t size) {
  std::mt19937_64 random(size);
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// Whether so many bytes go to the end of the card's memory and come back.
bool carries_to_end(LitePcieTransport& transport, std::size_t size) {
  const std::vector<std::byte> there = some_bytes(size);
  std::vector<std::byte> back(size);
  transport.put(kCardMemory + kCardBytes - size, there);
  transport.get(kCardMemory + kCardBytes - size, back);
  return there == back;
}

}  // namespace

TEST_CASE("litepcie: registers and memory of a card") {
  LitePcieCard card;
  CHECK(card.transport.description() == "card at /dev/litepcie0, no interrupts");
  CHECK(card.transport.read_register(reg::magic) == kMagic);
  card.transport.write_register(reg::scratch, 0x89ab'cdef);
  CHECK(card.transport.read_register(reg::scratch) == 0x89ab'cdef);
  constexpr std::size_t kRing = LitePcieNode::kBuffers * LitePcieNode::kBufferBytes;
  for (const std::size_t size :
       {std::size_t{64}, LitePcieNode::kBufferBytes, LitePcieNode::kBufferBytes + 64, kRing - 64,
        kRing, kRing + 64, 3 * kRing + 128}) {
    CAPTURE(size);
    CHECK(carries_to_end(card.transport, size));
  }
  CHECK(card.transport.wait_interrupt(0ms) == Interrupt::timed_out);
}

TEST_CASE("litepcie: what is opened is closed, and one program has the card") {
  const auto node = std::make_shared<FailingNode>(kPath, model_card());
  {
    const LitePcieTransport first(kPath, {}, node);
    CHECK(node->mapped() == 2);
    CHECK_THROWS_MATCHES(LitePcieTransport(kPath, {}, node), Error,
                         HasCode(ErrorCode::io, "end the other program"));
    CHECK(node->open_files() == 1);
  }
  CHECK(node->open_files() == 0);
  CHECK(node->mapped() == 0);
  CHECK_THROWS_MATCHES(LitePcieTransport("/dev/litepcie1", {}, node), Error,
                       HasCode(ErrorCode::io, "cannot open /dev/litepcie1"));
  for (const std::uint64_t offset :
       {std::uint64_t{0}, LitePcieNode::kBuffers * LitePcieNode::kBufferBytes}) {
    node->fail_to_map(offset);
    CHECK_THROWS_MATCHES(LitePcieTransport(kPath, {}, node), Error,
                         HasCode(ErrorCode::io, "mapping its buffers"));
    CHECK(node->open_files() == 0);
    CHECK(node->mapped() == 0);
  }
}

TEST_CASE("litepcie: requests that fail are errors, and interrupted ones are made again") {
  LitePcieCard card;
  for (const unsigned long request : {kAccessRegister, kControlReader, kControlWriter}) {
    CAPTURE(request);
    card.node->fail(request, -EINTR, 0, 3);
    CHECK(carries_to_end(card.transport, 20'032));
    card.node->fail(request, -EIO);
    CHECK_THROWS_MATCHES(carries_to_end(card.transport, 128), Error, HasCode(ErrorCode::io));
    card.node->fail(request, -ENODEV);
    CHECK_THROWS_AS(carries_to_end(card.transport, 128), DeviceLost);
    card.node->fail(request, 0, 0, 0);
    CHECK(carries_to_end(card.transport, 20'032));
  }
}

TEST_CASE("litepcie: a transfer that does not end is an error, and the next one works") {
  LitePcieCard card;
  const std::vector<std::byte> there = some_bytes(256);
  std::vector<std::byte> back(256);
  card.shell->hang(true);
  CHECK_THROWS_MATCHES(card.transport.put(kCardMemory, there), Error,
                       HasCode(ErrorCode::io, "a transfer"));
  CHECK_THROWS_MATCHES(card.transport.get(kCardMemory, back), Error,
                       HasCode(ErrorCode::io, "a transfer"));
  card.shell->hang(false);
  CHECK(carries_to_end(card.transport, 20'032));
}

TEST_CASE("litepcie: cards are opened by the names of their nodes") {
  CHECK_THROWS_MATCHES(open_transport("/nowhere/litepcie7"), Error,
                       HasCode(ErrorCode::io, "cannot open /nowhere/litepcie7"));
  CHECK_THROWS_MATCHES(open_transport("/nowhere/litepcie7,reg=mmap"), Error,
                       HasCode(ErrorCode::unknown_name));
}

}  // namespace fhe::fpga::test
