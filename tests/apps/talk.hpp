// SPDX-License-Identifier: Apache-2.0
// Raw connections to a server on this machine, bare or inside of TLS.
#pragma once

#include <cerrno>
#include <csignal>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <fcntl.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
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

// While it lives, writing to whoever is gone is an error in this thread, not a signal. OpenSSL
// cannot ask for that.
class PipeErrors {
 public:
  PipeErrors() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~PipeErrors() {
    const timespec now{};
    while (sigtimedwait(&pipe_, nullptr, &now) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  PipeErrors(const PipeErrors&) = delete;
  PipeErrors& operator=(const PipeErrors&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
};

enum class Transport { bare, tls };

inline std::string url_of(int port, Transport transport = Transport::bare) {
  const std::string scheme = transport == Transport::tls ? "https" : "http";
  return scheme + "://127.0.0.1:" + std::to_string(port);
}

// A connection; what goes wrong with it later does not matter to the side that misbehaves.
class Talk {
 public:
  explicit Talk(int port, Transport transport = Transport::bare)
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const sockaddr_in address = local_address(port);
    const timeval patience{60, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    while (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 &&
           errno != EISCONN) {
      // A signal interrupts a call that goes on all the same.
      if (errno != EINTR && errno != EALREADY) throw std::runtime_error("cannot connect");
    }
    if (transport == Transport::tls) begin_tls();
  }
  ~Talk() {
    if (socket_ >= 0) ::close(socket_);
  }
  Talk(Talk&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), session_(std::move(other.session_)) {}
  Talk& operator=(Talk&&) = delete;

  // Sends what goes at once, or with `wait` all of it.
  void say(const std::string& text, bool wait = true) const {
    const int flags = MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT);
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t bytes = send_some(text.substr(sent), flags);
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
      const ssize_t bytes = receive_some(buffer, sizeof(buffer));
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes <= 0) return text;
      text.append(buffer, static_cast<std::size_t>(bytes));
    }
  }

  // What comes until it holds `part`, or ends.
  [[nodiscard]] std::string hear_until(const std::string& part) const {
    std::string text;
    char c = 0;
    while (text.find(part) == std::string::npos && receive_some(&c, 1) == 1) text += c;
    return text;
  }

 private:
  // Trusts everybody. Whoever is hung up on in between talks to nobody.
  void begin_tls() {
    const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> settings(
        SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
    SSL_CTX_set_mode(settings.get(),
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    const PipeErrors errors;
    session_.reset(SSL_new(settings.get()));
    SSL_set_fd(session_.get(), socket_);
    static_cast<void>(SSL_connect(session_.get()));
  }

  [[nodiscard]] ssize_t send_some(const std::string& text, int flags) const {
    if (!session_) return ::send(socket_, text.data(), text.size(), flags);
    const PipeErrors errors;
    const int state = ::fcntl(socket_, F_GETFL);
    ::fcntl(socket_, F_SETFL, (flags & MSG_DONTWAIT) != 0 ? state | O_NONBLOCK : state);
    const int bytes = SSL_write(session_.get(), text.data(), static_cast<int>(text.size()));
    ::fcntl(socket_, F_SETFL, state);
    errno = 0;
    return bytes;
  }

  [[nodiscard]] ssize_t receive_some(char* buffer, std::size_t size) const {
    if (!session_) return ::recv(socket_, buffer, size, 0);
    const PipeErrors errors;
    const int bytes = SSL_read(session_.get(), buffer, static_cast<int>(size));
    errno = 0;
    return bytes;
  }

  struct Free {
    void operator()(SSL* session) const { SSL_free(session); }
  };

  int socket_;
  std::unique_ptr<SSL, Free> session_;
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

// The value of a header; "" where there is none.
inline std::string header_of(const Reply& reply, const std::string& name) {
  const std::size_t at = reply.head.find("\r\n" + name + ": ");
  if (at == std::string::npos) return "";
  const std::size_t start = at + name.size() + 4;
  return reply.head.substr(start, reply.head.find('\r', start) - start);
}

inline Reply reply_to(int port, const std::string& request, Transport transport = Transport::bare) {
  const Talk talk(port, transport);
  talk.say(request);
  return parse_reply(talk.hear());
}

}  // namespace fhe::test
