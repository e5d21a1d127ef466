// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/tools/socket_server.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "accel/fpga/contract/register_map.hpp"
#include "accel/fpga/transport/socket_address.hpp"
#include "accel/fpga/transport/socket_protocol.hpp"
#include "libfhe/error.hpp"

namespace fhe::fpga {

namespace {

// A client that asks for more waits for its interrupt in turns.
constexpr std::uint64_t kLongestWait = 1000;

// A device steps far in pieces that take about this long each.
constexpr std::chrono::milliseconds kPieceTime(10);
constexpr std::uint64_t kFirstPiece = 1024;

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw Error(ErrorCode::io, fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

// Removes a socket whose server is gone.
void remove_stale(const std::string& path, const sockaddr_un& address) {
  struct stat facts {};
  if (lstat(path.c_str(), &facts) != 0 || !S_ISSOCK(facts.st_mode)) return;
  const FileDescriptor probe = message_socket();
  const int result =
      connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  if (result != 0 && errno == ECONNREFUSED) unlink(path.c_str());
}

FileDescriptor listen_at(const std::string& path) {
  const sockaddr_un address = socket_address(path);
  remove_stale(path, address);
  FileDescriptor listener = message_socket();
  const mode_t mask = umask(S_IRWXG | S_IRWXO);
  const int bound =
      bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  umask(mask);
  if (bound != 0) fail(path, "listen at");
  if (listen(listener.get(), 1) != 0) fail(path, "listen at");
  return listener;
}

// Whether `file` can be read; false when `stop` can.
bool wait_for(int file, int stop) {
  std::array<pollfd, 2> entries{
      {{.fd = stop, .events = POLLIN, .revents = 0}, {.fd = file, .events = POLLIN, .revents = 0}}};
  while (poll(entries.data(), entries.size(), -1) < 0)
    if (errno != EINTR) throw Error(ErrorCode::io, fmt::format("poll: {}", std::strerror(errno)));
  return entries[0].revents == 0;
}

bool is_readable(int file) {
  pollfd entry{.fd = file, .events = POLLIN, .revents = 0};
  return poll(&entry, 1, 0) > 0;
}

// False when `stop` could be read before all clocks had passed.
bool step(LocalTransport& device, std::uint64_t clocks, int stop) {
  for (std::uint64_t longest = kFirstPiece; clocks > 0;) {
    if (is_readable(stop)) return false;
    const std::uint64_t piece = std::min(clocks, longest);
    const auto start = std::chrono::steady_clock::now();
    device.step(piece);
    clocks -= piece;
    const bool is_short = std::chrono::steady_clock::now() - start < kPieceTime;
    if (is_short && longest <= clocks) longest *= 2;
  }
  return true;
}

// Does what is asked; empty when the client says good-bye or talks nonsense, or when `stop` can be
// read before it is done.
std::optional<std::uint64_t> perform(LocalTransport& device, const SocketMessage& question,
                                     int stop) {
  switch (question.request) {
    case Request::read_register:
      return device.read_register(question.offset);
    case Request::write_register:
      device.write_register(question.offset, static_cast<std::uint32_t>(question.value));
      return 0;
    case Request::step:
      if (!step(device, question.value, stop)) return std::nullopt;
      return 0;
    case Request::wait_interrupt: {
      const std::chrono::milliseconds timeout(std::min(question.value, kLongestWait));
      return device.wait_interrupt(timeout) == Interrupt::raised ? 1 : 0;
    }
    case Request::reset:
      device.reset();
      return 0;
    case Request::bye:
    case Request::refused:
      break;
  }
  return std::nullopt;
}

}  // namespace

SocketServer::SocketServer(const std::string& path, std::unique_ptr<LocalTransport> device,
                           const DeviceMemory& memory)
    : path_(path),
      device_(std::move(device)),
      memory_(memory.share()),
      listener_(listen_at(path)) {}

SocketServer::~SocketServer() {
  unlink(path_.c_str());
}

void SocketServer::run(int stop) {
  while (wait_for(listener_.get(), stop)) {
    const FileDescriptor client(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (client.is_open()) serve(client, stop);
    device_->reset();
  }
}

void SocketServer::serve(const FileDescriptor& client, int stop) {
  if (!greet(client)) return;
  while (wait_for(client.get(), stop))
    if (!answer(client, stop)) return;
}

// The hello, and the file of device memory with it.
bool SocketServer::greet(const FileDescriptor& client) {
  SocketHello hello{.magic = kMagic,
                    .version = kSocketVersion,
                    .features = device_->read_register(reg::features),
                    .memory_base = memory_.base(),
                    .memory_bytes = memory_.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  iovec data{.iov_base = &hello, .iov_len = sizeof hello};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  const int file = memory_.file();
  std::memcpy(CMSG_DATA(header), &file, sizeof file);
  return sendmsg(client.get(), &message, MSG_NOSIGNAL) == sizeof hello;
}

// One request; false when the connection is to end.
bool SocketServer::answer(const FileDescriptor& client, int stop) {
  SocketMessage question{};
  if (recv(client.get(), &question, sizeof question, MSG_TRUNC) != sizeof question) return false;
  SocketMessage answer{question.request, question.offset, 0};
  try {
    const std::optional<std::uint64_t> value = perform(*device_, question, stop);
    if (!value) return false;
    answer.value = *value;
  } catch (const Error&) {
    answer.request = Request::refused;
  }
  return send(client.get(), &answer, sizeof answer, MSG_NOSIGNAL) == sizeof answer;
}

}  // namespace fhe::fpga
