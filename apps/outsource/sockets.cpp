// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <memory>
#include <system_error>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "apps/outsource/connection.hpp"
#include "libfhe/error.hpp"

namespace fhe::outsource {

namespace {

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Error failed(int reason) {
  return {ErrorCode::io, std::system_category().message(reason)};
}

AddressList addresses_of(const std::string& host, int port, int flags) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int result = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found);
  if (result != 0) throw Error(ErrorCode::io, ::gai_strerror(result));
  return {found, &freeaddrinfo};
}

Socket socket_for(const addrinfo& address, int flags) {
  return Socket(
      ::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC | flags, address.ai_protocol));
}

// With SO_REUSEADDR a server starts while connections of the last one linger, but none takes the
// port of another that listens.
bool listens(const Socket& socket, const addrinfo& address) {
  const int yes = 1;
  ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  return ::bind(socket.number(), address.ai_addr, address.ai_addrlen) == 0 &&
         ::listen(socket.number(), SOMAXCONN) == 0;
}

// 0 or the error of a connection that was begun, which takes at most that long. Throws
// Error(stopped).
int result_of_connecting(const Socket& socket, std::chrono::milliseconds patience,
                         const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kLook(100);
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < deadline) {
    if (stop.stop_requested()) throw Error(ErrorCode::stopped, "stopped");
    pollfd entry{socket.number(), POLLOUT, 0};
    if (::poll(&entry, 1, kLook.count()) <= 0) continue;
    int error = 0;
    socklen_t size = sizeof(error);
    return ::getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
  }
  return ETIMEDOUT;
}

}  // namespace

Socket::~Socket() {
  if (number_ >= 0) ::close(number_);
}

Socket listen_at(const std::string& host, int port) {
  const AddressList addresses = addresses_of(host, port, AI_PASSIVE);
  int reason = EADDRNOTAVAIL;
  for (const addrinfo* address = addresses.get(); address != nullptr; address = address->ai_next) {
    Socket socket = socket_for(*address, 0);
    if (socket.number() >= 0 && listens(socket, *address)) return socket;
    reason = errno;
  }
  throw failed(reason);
}

int port_of(const Socket& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (::getsockname(socket.number(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw failed(errno);
  }
  // At the same place in addresses of both kinds.
  return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

Socket connect_to(const std::string& host, int port, std::chrono::milliseconds patience,
                  const std::stop_token& stop) {
  const AddressList addresses = addresses_of(host, port, 0);
  int reason = EADDRNOTAVAIL;
  for (const addrinfo* address = addresses.get(); address != nullptr; address = address->ai_next) {
    Socket socket = socket_for(*address, SOCK_NONBLOCK);
    if (socket.number() < 0) {
      reason = errno;
      continue;
    }
    const int begun = ::connect(socket.number(), address->ai_addr, address->ai_addrlen);
    reason = begun == 0 ? 0 : errno;
    if (reason == EINPROGRESS) reason = result_of_connecting(socket, patience, stop);
    if (reason == 0) return socket;
  }
  throw failed(reason);
}

}  // namespace fhe::outsource
