// SPDX-License-Identifier: Apache-2.0
// Local sockets that keep messages apart, and their addresses.
#pragma once

#include <string>

#include <sys/un.h>

#include "accel/fpga/transport/file_descriptor.hpp"

namespace fhe::fpga {

// Throws Error(io).
[[nodiscard]] FileDescriptor message_socket();

// Throws Error(invalid_argument) for an empty path or one that is too long.
[[nodiscard]] sockaddr_un socket_address(const std::string& path);

}  // namespace fhe::fpga
