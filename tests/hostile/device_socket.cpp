// SPDX-License-Identifier: Apache-2.0
// The server that lends a device to other processes: a client that says anything. Every whole
// request has its answer, everything else is hung up on, and the next client finds a device as new.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include <sys/socket.h>
#include <unistd.h>

#include "accel/fpga/contract/register_map.hpp"
#include "accel/fpga/transport/file_descriptor.hpp"
#include "accel/fpga/transport/socket_address.hpp"
#include "accel/fpga/transport/socket_protocol.hpp"
#include "tests/accel/fpga/driver/served_device.hpp"
#include "tests/hostile/target.hpp"

using namespace fhe;
using namespace fhe::fpga;
using namespace fhe::hostile;

namespace {

constexpr std::size_t kMostMessages = 64;
constexpr std::uint64_t kMostClocks = std::uint64_t{1} << 40;

// What arrives next; a signal, such as libFuzzer's clock, does not end the wait.
ssize_t receive(int socket, void* bytes, std::size_t size, int flags) {
  for (;;) {
    const ssize_t received = recv(socket, bytes, size, flags);
    if (received >= 0 || errno != EINTR) return received;
  }
}

class Client {
 public:
  explicit Client(const std::string& path) : socket_(message_socket()) {
    const sockaddr_un address = socket_address(path);
    demand(connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0,
           std::string("the server cannot be reached: ") + std::strerror(errno));
    SocketHello hello{};
    demand(receive(socket_.get(), &hello, sizeof hello, 0) == sizeof hello && hello.magic == kMagic,
           "the server does not greet");
  }

  // False when the server has hung up.
  [[nodiscard]] bool say(const void* bytes, std::size_t size) {
    return send(socket_.get(), bytes, size, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
  }
  [[nodiscard]] bool hear(SocketMessage& answer) {
    const ssize_t size = receive(socket_.get(), &answer, sizeof answer, MSG_TRUNC);
    demand(size <= 0 || size == sizeof answer, "an answer has another size");
    return size > 0;
  }

  // The answer to a request that the server knows.
  [[nodiscard]] SocketMessage ask(const SocketMessage& question) {
    SocketMessage answer{};
    demand(say(&question, sizeof question) && hear(answer), "a request has no answer");
    demand(answer.request == question.request || answer.request == Request::refused,
           "an answer is of another kind");
    return answer;
  }

 private:
  FileDescriptor socket_;
};

// Requests that would take long, or wait, are made short.
SocketMessage message(ByteSource& in) {
  SocketMessage made{static_cast<Request>(in.take(1) % 10), static_cast<std::uint32_t>(in.take(2)),
                     in.take(in.take(1) % 9)};
  if (made.request == Request::wait_interrupt) made.value = 0;
  if (made.request == Request::step) made.value %= kMostClocks;
  return made;
}

bool is_answered(const SocketMessage& question) {
  return question.request >= Request::read_register && question.request <= Request::reset;
}

// Says what the input wants; until the server hangs up.
void talk(Client& client, ByteSource& in) {
  for (std::size_t i = 0; i < kMostMessages && !in.is_empty(); ++i) {
    const std::uint64_t kind = in.take(1);
    if (kind % 16 == 15) {  // of another size than a request, unless that is 16
      const auto bytes = in.take_span(kind / 4);
      SocketMessage answer{};
      if (bytes.size() == sizeof answer) continue;
      demand(bytes.empty() || !client.say(bytes.data(), bytes.size()) || !client.hear(answer),
             "a message of another size is answered");
      if (!bytes.empty()) return;
      continue;
    }
    const SocketMessage question = message(in);
    if (is_answered(question)) {
      static_cast<void>(client.ask(question));
      continue;
    }
    SocketMessage answer{};
    demand(!client.say(&question, sizeof question) || !client.hear(answer),
           "an unknown request is answered");
    return;
  }
}

void check_works(const std::string& path) {
  Client client(path);
  const auto read = [&](std::uint32_t offset) {
    return client.ask({Request::read_register, offset, 0}).value;
  };
  demand(read(reg::magic) == kMagic, "the next client finds no device");
  demand(read(reg::scratch) == 0 && read(reg::ctrl) == 0, "the next client finds a used device");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fpga::test::ServedDevice device;
  ByteSource in(data, size);
  {
    Client client(device.path());
    talk(client, in);
  }
  check_works(device.path());
  return 0;
}
