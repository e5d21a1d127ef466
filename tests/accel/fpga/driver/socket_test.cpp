// SPDX-License-Identifier: Apache-2.0
// The device server and its clients.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include <sys/socket.h>
#include <sys/stat.h>

#include "accel/fpga/contract/register_values.hpp"
#include "accel/fpga/driver/device.hpp"
#include "accel/fpga/transport/socket_address.hpp"
#include "accel/fpga/transport/transports.hpp"
#include "tests/accel/fpga/driver/served_device.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"

namespace fhe::fpga::test {

namespace {

using fhe::test::HasCode;

FileDescriptor connect_by_hand(const std::string& path) {
  FileDescriptor socket = message_socket();
  const sockaddr_un address = socket_address(path);
  REQUIRE(connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  SocketHello hello{};
  REQUIRE(recv(socket.get(), &hello, sizeof hello, 0) == sizeof hello);
  CHECK(hello.magic == kMagic);
  CHECK(hello.memory_bytes == std::uint64_t{64} << 20);
  return socket;
}

// A server that greets with this, and says nothing more.
class WrongServer {
 public:
  explicit WrongServer(const SocketHello& hello) : listener_(message_socket()) {
    const sockaddr_un address = socket_address(path());
    REQUIRE(bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) ==
            0);
    REQUIRE(listen(listener_.get(), 1) == 0);
    thread_ = std::jthread([this, hello] {
      const FileDescriptor client(accept(listener_.get(), nullptr, nullptr));
      send(client.get(), &hello, sizeof hello, MSG_NOSIGNAL);
    });
  }
  [[nodiscard]] std::string path() const { return directory_ / "wrong"; }

 private:
  fhe::test::TemporaryDirectory directory_;
  FileDescriptor listener_;
  std::jthread thread_;
};

// A device that takes its time for every clock, as a simulated one does.
class SlowDevice final : public LocalTransport {
 public:
  SlowDevice(DeviceMemory memory, std::atomic<std::uint64_t>& clocks)
      : device_(std::move(memory)), clocks_(clocks) {}

  [[nodiscard]] std::string description() const override { return device_.description(); }
  [[nodiscard]] std::uint32_t read_register(std::uint32_t offset) override {
    return device_.read_register(offset);
  }
  void write_register(std::uint32_t offset, std::uint32_t value) override {
    device_.write_register(offset, value);
  }
  void put(std::uint64_t address, std::span<const std::byte> bytes) override {
    device_.put(address, bytes);
  }
  void get(std::uint64_t address, std::span<std::byte> bytes) override {
    device_.get(address, bytes);
  }
  [[nodiscard]] Interrupt wait_interrupt(std::chrono::milliseconds timeout) override {
    return device_.wait_interrupt(timeout);
  }
  void reset() override { device_.reset(); }
  void step(std::uint64_t clocks) override {
    clocks_ += clocks;
    std::this_thread::sleep_for(std::chrono::microseconds(clocks));
  }

 private:
  ModelTransport device_;
  std::atomic<std::uint64_t>& clocks_;
};

}  // namespace

TEST_CASE("a client reads and writes registers and memory, and lets the device run") {
  ServedDevice server;
  SocketTransport client(server.path());
  CHECK(client.read_register(reg::magic) == kMagic);
  client.write_register(reg::scratch, 42);
  CHECK(client.read_register(reg::scratch) == 42);
  const std::uint32_t before = client.read_register(reg::perf);
  client.step(1'000'000);
  CHECK(client.read_register(reg::perf) >= before + 1'000'000);
  std::vector<std::byte> there(128, std::byte{7});
  std::vector<std::byte> back(128);
  client.put(std::uint64_t{4} << 30, there);
  client.get(std::uint64_t{4} << 30, back);
  CHECK(there == back);
  CHECK_THROWS_MATCHES(client.put(0, there), Error, HasCode(ErrorCode::invalid_argument));
  CHECK_THROWS_MATCHES(client.read_register(3), Error, HasCode(ErrorCode::invalid_argument));
  CHECK(client.read_register(reg::scratch) == 42);  // still served
  CHECK(client.wait_interrupt(std::chrono::milliseconds(12)) == Interrupt::timed_out);
  client.reset();
  CHECK(client.read_register(reg::scratch) == 0);
}

TEST_CASE("the next client gets a device that was reset") {
  ServedDevice server;
  {
    SocketTransport client(server.path());
    client.write_register(reg::scratch, 42);
    client.write_register(reg::ctrl, bit(ctrl::enable));
  }
  SocketTransport next(server.path());
  CHECK(next.read_register(reg::scratch) == 0);
  CHECK(next.read_register(reg::ctrl) == 0);
}

TEST_CASE("a client that dies, or talks nonsense, does not harm the server") {
  ServedDevice server;
  { const FileDescriptor dead = connect_by_hand(server.path()); }
  const FileDescriptor rude = connect_by_hand(server.path());
  const std::array<char, 5> nonsense{'h', 'e', 'l', 'l', 'o'};
  CHECK(send(rude.get(), nonsense.data(), nonsense.size(), 0) == 5);
  char rest = 0;
  CHECK(recv(rude.get(), &rest, 1, 0) == 0);  // it hung up
  {
    const FileDescriptor odd = connect_by_hand(server.path());
    const SocketMessage unknown{static_cast<Request>(99), 0, 0};
    CHECK(send(odd.get(), &unknown, sizeof unknown, 0) == sizeof unknown);
    CHECK(recv(odd.get(), &rest, 1, 0) == 0);
  }
  SocketTransport client(server.path());
  CHECK(client.read_register(reg::magic) == kMagic);
}

TEST_CASE("a server that ends loses the device for its client") {
  auto server = std::make_unique<ServedDevice>();
  Device device(std::make_unique<SocketTransport>(server->path()));
  const DeviceBuffer buffer = device.allocate(64);
  const DeviceInteger z{buffer.address(), 512};
  CHECK(device.run(clear(z)).status == Status::ok);
  server->stop();
  server.reset();
  CHECK_THROWS_AS(device.run(clear(z)), DeviceLost);
  CHECK_THROWS_AS(device.run(clear(z)), DeviceLost);
}

TEST_CASE("a server ends when told while its device steps far, or steps all the way") {
  std::atomic<std::uint64_t> clocks = 0;
  const DeviceMemory memory = test_memory();
  ServedDevice server(std::make_unique<SlowDevice>(memory.share(), clocks), memory);
  SocketTransport client(server.path());
  constexpr std::uint64_t kFar = 100'000;
  client.step(kFar);
  CHECK(clocks == kFar);
  constexpr std::uint64_t kForEver = std::uint64_t{1} << 40;  // two weeks
  std::atomic<bool> over = false;
  std::atomic<bool> lost = false;
  std::thread user([&] {
    try {
      client.step(kForEver);
    } catch (const DeviceLost&) {
      lost = true;
    }
    over = true;
  });
  while (clocks == kFar && !over) std::this_thread::yield();
  server.stop();
  user.join();
  CHECK(lost);
  CHECK(clocks > kFar);
}

TEST_CASE("where no server is, or another one, a client says so") {
  const fhe::test::TemporaryDirectory directory;
  const std::string path = directory / "nobody";
  CHECK_THROWS_MATCHES(SocketTransport(path), Error, HasCode(ErrorCode::io, "fhe-simd"));
  CHECK_THROWS_MATCHES(SocketTransport(""), Error, HasCode(ErrorCode::invalid_argument));
  CHECK_THROWS_MATCHES(SocketTransport(std::string(200, 'x')), Error,
                       HasCode(ErrorCode::invalid_argument, "107"));
  const WrongServer stranger(
      {.magic = 1, .version = 1, .features = 0, .memory_base = 0, .memory_bytes = 0});
  CHECK_THROWS_MATCHES(SocketTransport(stranger.path()), Error,
                       HasCode(ErrorCode::unsupported, "greeting"));
  const WrongServer newer(
      {.magic = kMagic, .version = 2, .features = 0, .memory_base = 0, .memory_bytes = 64});
  CHECK_THROWS_MATCHES(SocketTransport(newer.path()), Error,
                       HasCode(ErrorCode::unsupported, "version 2"));
  const WrongServer forgetful(
      {.magic = kMagic, .version = 1, .features = 0, .memory_base = 0, .memory_bytes = 64});
  CHECK_THROWS_MATCHES(SocketTransport(forgetful.path()), Error,
                       HasCode(ErrorCode::unsupported, "memory"));
}

TEST_CASE("a server takes the path of one that is gone, and of nobody else") {
  const fhe::test::TemporaryDirectory directory;
  const std::string path = directory / "device";
  const DeviceMemory memory = test_memory();
  const auto serve = [&] {
    return SocketServer(path, std::make_unique<ModelTransport>(memory.share()), memory);
  };
  {
    const FileDescriptor left = message_socket();  // closed without being removed
    const sockaddr_un address = socket_address(path);
    REQUIRE(bind(left.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  }
  {
    const SocketServer server = serve();
    struct stat facts {};
    REQUIRE(stat(path.c_str(), &facts) == 0);
    CHECK((facts.st_mode & (S_IRWXG | S_IRWXO)) == 0);
    CHECK_THROWS_MATCHES(serve(), Error, HasCode(ErrorCode::io));
  }
  CHECK(directory.size() == 0);
  std::ofstream(path) << "a file";
  CHECK_THROWS_MATCHES(serve(), Error, HasCode(ErrorCode::io));
  CHECK(directory.size() == 1);
}

TEST_CASE("the size of shared device memory is fixed") {
  const DeviceMemory memory = test_memory();
  CHECK(ftruncate(memory.file(), 0) != 0);
  CHECK(ftruncate(memory.file(), off_t{1} << 30) != 0);
  const DeviceMemory again = memory.share();
  again.at(again.base(), 64)[5] = std::byte{9};
  CHECK(memory.at(memory.base(), 64)[5] == std::byte{9});
}

}  // namespace fhe::fpga::test
