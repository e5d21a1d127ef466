// SPDX-License-Identifier: Apache-2.0
// Raw connections to a server on this machine.
#pragma once

#include <cerrno>
#include <stdexcept>
#include <string>
#include <utility>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace fhe::test {

inline sockaddr_in local_address(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<in_port_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// A free port of this machine, where connections wait until somebody accepts them.
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = local_address(0);
    socklen_t size = sizeof(address);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket_, any, size) != 0 || ::listen(socket_, SOMAXCONN) != 0 ||
        ::getsockname(socket_, any, &size) != 0) {
      throw std::runtime_error("cannot listen");
    }
    port_ = ntohs(address.sin_port);
  }
  ~Listener() { ::close(socket_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  [[nodiscard]] int socket() const { return socket_; }
  [[nodiscard]] int port() const { return port_; }

 private:
  int socket_;
  int port_ = 0;
};

inline std::string url_of(int port) {
  return "http://127.0.0.1:" + std::to_string(port);
}

// A connection; what goes wrong with it later does not matter to the side that misbehaves.
class Talk {
 public:
  explicit Talk(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const sockaddr_in address = local_address(port);
    const timeval patience{60, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    while (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 &&
           errno != EISCONN) {
      // A signal interrupts a call that goes on all the same.
      if (errno != EINTR && errno != EALREADY) throw std::runtime_error("cannot connect");
    }
  }
  ~Talk() {
    if (socket_ >= 0) ::close(socket_);
  }
  Talk(Talk&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  Talk& operator=(Talk&&) = delete;

  // Sends what goes at once, or with `wait` all of it.
  void say(const std::string& text, bool wait = true) const {
    const int flags = MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT);
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t bytes = ::send(socket_, text.data() + sent, text.size() - sent, flags);
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes <= 0) return;
      sent += static_cast<std::size_t>(bytes);
    }
  }

  // Says that nothing follows.
  void finish() const { ::shutdown(socket_, SHUT_WR); }

  // All that comes until the other side closes.
  [[nodiscard]] std::string hear() const {
    std::string text;
    char buffer[4096];
    for (;;) {
      const ssize_t bytes = ::recv(socket_, buffer, sizeof(buffer), 0);
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes <= 0) return text;
      text.append(buffer, static_cast<std::size_t>(bytes));
    }
  }

  // What comes until it holds `part`, or ends.
  [[nodiscard]] std::string hear_until(const std::string& part) const {
    std::string text;
    char c = 0;
    while (text.find(part) == std::string::npos && ::recv(socket_, &c, 1, 0) == 1) text += c;
    return text;
  }

 private:
  int socket_;
};

struct Reply {
  int status = 0;  // 0: none
  std::string head;
  std::string body;
};

inline Reply parse_reply(const std::string& text) {
  const std::string start = "HTTP/1.1 ";
  if (!text.starts_with(start)) return {};
  const std::size_t end = text.find("\r\n\r\n");
  if (end == std::string::npos) return {};
  return {std::stoi(text.substr(start.size(), 3)), text.substr(0, end), text.substr(end + 4)};
}

inline Reply reply_to(int port, const std::string& request) {
  const Talk talk(port);
  talk.say(request);
  return parse_reply(talk.hear());
}

}  // namespace fhe::test
