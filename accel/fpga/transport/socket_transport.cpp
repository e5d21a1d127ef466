// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "accel/fpga/contract/errors.hpp"
#include "accel/fpga/contract/register_map.hpp"
#include "accel/fpga/transport/socket_address.hpp"
#include "accel/fpga/transport/transports.hpp"

namespace fhe::fpga {

namespace {

// Other threads get their turn after this.
constexpr std::chrono::milliseconds kLongestWait{5};

FileDescriptor connect_to(const std::string& path) {
  FileDescriptor socket = message_socket();
  const sockaddr_un address = socket_address(path);
  if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw Error(ErrorCode::io,
                fmt::format("no device server at {}: {}; start one with `fhe-simd {}`", path,
                            std::strerror(errno), path));
  }
  const timeval patience{.tv_sec = SocketTransport::kPatience.count(), .tv_usec = 0};
  setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  return socket;
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorCode::unsupported,
              fmt::format("{} is no device server of this release: {}", path, why));
}

// The file that came with a message, if one did.
FileDescriptor received_file(msghdr& message) {
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS ||
      header->cmsg_len != CMSG_LEN(sizeof(int)))
    return {};
  int file = -1;
  std::memcpy(&file, CMSG_DATA(header), sizeof file);
  return FileDescriptor(file);
}

DeviceMemory receive_hello(const FileDescriptor& socket, const std::string& path) {
  SocketHello hello{};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  iovec data{.iov_base = &hello, .iov_len = sizeof hello};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t received = recvmsg(socket.get(), &message, MSG_CMSG_CLOEXEC);
  if (received <= 0) throw DeviceLost(fmt::format("the device server at {} hung up", path));
  FileDescriptor file = received_file(message);
  if (received != sizeof hello || hello.magic != kMagic) refuse(path, "its greeting is unknown");
  if (hello.version != kSocketVersion) {
    refuse(path,
           fmt::format("its protocol has version {} and not {}", hello.version, kSocketVersion));
  }
  struct stat facts {};
  if (!file.is_open() || fstat(file.get(), &facts) != 0 ||
      static_cast<std::uint64_t>(facts.st_size) != hello.memory_bytes)
    refuse(path, "it did not pass the device's memory");
  return {file.release(), hello.memory_base, hello.memory_bytes};
}

}  // namespace

SocketTransport::SocketTransport(const std::string& path)
    : path_(path), socket_(connect_to(path)), memory_(receive_hello(socket_, path)) {}

SocketTransport::~SocketTransport() {
  const SocketMessage bye{Request::bye, 0, 0};
  send(socket_.get(), &bye, sizeof bye, MSG_NOSIGNAL);
}

std::string SocketTransport::description() const {
  return fmt::format("device of the server at {}, with {} MiB of memory", path_,
                     memory_.size() >> 20);
}

std::uint32_t SocketTransport::read_register(std::uint32_t offset) {
  return static_cast<std::uint32_t>(ask(Request::read_register, offset, 0));
}

void SocketTransport::write_register(std::uint32_t offset, std::uint32_t value) {
  ask(Request::write_register, offset, value);
}

void SocketTransport::put(std::uint64_t address, std::span<const std::byte> bytes) {
  memory_.write(address, bytes);
}

void SocketTransport::get(std::uint64_t address, std::span<std::byte> bytes) {
  memory_.read(address, bytes);
}

Interrupt SocketTransport::wait_interrupt(std::chrono::milliseconds timeout) {
  for (auto left = timeout; left.count() > 0; left -= kLongestWait) {
    const auto turn = static_cast<std::uint64_t>(std::min(left, kLongestWait).count());
    if (ask(Request::wait_interrupt, 0, turn) != 0) return Interrupt::raised;
  }
  return Interrupt::timed_out;
}

void SocketTransport::reset() {
  ask(Request::reset, 0, 0);
}

void SocketTransport::step(std::uint64_t clocks) {
  ask(Request::step, 0, clocks);
}

std::uint64_t SocketTransport::ask(Request request, std::uint32_t offset, std::uint64_t value) {
  const std::lock_guard lock(mutex_);
  const SocketMessage question{request, offset, value};
  SocketMessage answer{};
  ssize_t received = send(socket_.get(), &question, sizeof question, MSG_NOSIGNAL);
  if (received == sizeof question) {
    do {
      received = recv(socket_.get(), &answer, sizeof answer, 0);
    } while (received < 0 && errno == EINTR);
  }
  if (received != sizeof answer) {
    throw DeviceLost(
        fmt::format("the device server at {} has ended or does not answer: start it "
                    "again, and open the device again",
                    path_));
  }
  if (answer.request == Request::refused) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the device server at {} refused register {:#x}", path_, offset));
  }
  return answer.value;
}

}  // namespace fhe::fpga
