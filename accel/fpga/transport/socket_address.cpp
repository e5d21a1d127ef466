// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/transport/socket_address.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/socket.h>

#include "libfhe/error.hpp"

namespace fhe::fpga {

FileDescriptor message_socket() {
  FileDescriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!socket.is_open())
    throw Error(ErrorCode::io, fmt::format("cannot make a socket: {}", std::strerror(errno)));
  return socket;
}

sockaddr_un socket_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the path of a socket has 1 to {} bytes, and \"{}\" has {}",
                            sizeof address.sun_path - 1, path, path.size()));
  }
  std::ranges::copy(path, address.sun_path);
  return address;
}

}  // namespace fhe::fpga
