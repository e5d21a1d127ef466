// SPDX-License-Identifier: Apache-2.0
// Sockets of TCP, by the names of hosts.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <utility>

namespace fhe::outsource {

// Owns a socket.
class Socket {
 public:
  explicit Socket(int number) : number_(number) {}
  ~Socket();
  Socket(Socket&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  [[nodiscard]] int number() const { return number_; }  // -1: none

 private:
  int number_;
};

// One that listens at the first address of a host where that is possible; port 0 stands for a free
// one. Throws Error(io), whose message is the reason.
[[nodiscard]] Socket listen_at(const std::string& host, int port);

// The port at which a socket listens.
[[nodiscard]] int port_of(const Socket& socket);

// One that is connected with the first address of a host that answers, each within `patience`.
// Throws Error(io), whose message is the reason, and Error(stopped).
[[nodiscard]] Socket connect_to(const std::string& host, int port,
                                std::chrono::milliseconds patience, const std::stop_token& stop);

}  // namespace fhe::outsource
