// SPDX-License-Identifier: Apache-2.0
// One connection, which ends when the other side is slow. Servers and clients have them: neither
// trusts the other side. With or without TLS.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include <openssl/ssl.h>
#include <sys/types.h>

namespace fhe::outsource {

// Sockets of TCP, by the names of hosts.

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

// TLS 1.2 and 1.3 by OpenSSL, under the connections of servers and clients (connection.hpp).

// How one side speaks TLS: what it shows and whom it trusts. Any number of threads and sessions.
class Tls {
 public:
  // A server that shows a certificate: a PEM file of its own one and those between it and the
  // authority, and a PEM file of its private key, without a passphrase. Throws Error(io) for files
  // that cannot be read, Error(malformed_file) for what is in them, Error(invalid_argument) when
  // others can read the key or it is another certificate's.
  [[nodiscard]] static Tls of_server(const std::filesystem::path& certificate,
                                     const std::filesystem::path& key);

  // A client that talks only to a server with a certificate for `host`, a name or an address, by
  // an authority of this PEM file, or of the system where the path is empty. Throws Error(io,
  // malformed_file).
  [[nodiscard]] static Tls of_client(const std::filesystem::path& authorities,
                                     const std::string& host);

  // When the certificate of a server expires.
  [[nodiscard]] std::chrono::system_clock::time_point end() const { return end_; }

 private:
  friend class TlsSession;
  struct Free {
    void operator()(SSL_CTX* settings) const { SSL_CTX_free(settings); }
  };
  using Settings = std::unique_ptr<SSL_CTX, Free>;

  explicit Tls(Settings settings) : settings_(std::move(settings)) {}
  [[nodiscard]] static Settings new_settings(const SSL_METHOD* method);

  Settings settings_;
  std::string host_;  // of the server, for a client
  std::chrono::system_clock::time_point end_;
};

// Whole days from now until then; negative where that is past.
[[nodiscard]] std::int64_t whole_days_until(std::chrono::system_clock::time_point time);

// One connection's TLS on a socket, which it makes non-blocking and does not own. The handshake
// comes with the first bytes. One thread.
class TlsSession {
 public:
  TlsSession(const Tls& tls, int socket);

  // Bytes moved, at least one; 0 when all that the other side has to say was read; -1 when nothing
  // can be moved now (then wanted_events() says what poll() should wait for) or ever (then it is
  // 0).
  [[nodiscard]] ssize_t read(char* data, std::size_t size);
  [[nodiscard]] ssize_t write(const char* data, std::size_t size);
  [[nodiscard]] short wanted_events() const { return wanted_events_; }

  // Says that nothing follows, if that can be said at once.
  void finish();

  // Whether it failed because the other side speaks HTTP without TLS.
  [[nodiscard]] bool met_plain_http() const { return met_plain_http_; }

  // Why it failed, in words; empty while it has not.
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  struct Free {
    void operator()(SSL* session) const { SSL_free(session); }
  };

  [[nodiscard]] ssize_t outcome(int result, std::size_t bytes);

  std::unique_ptr<SSL, Free> session_;
  short wanted_events_ = 0;
  bool met_plain_http_ = false;
  std::string failure_;
};

// What is expected of the other side. With these numbers a connection that sends nothing, or a byte
// now and then, ends after 10 seconds; one that sends 100 MB may take up to half an hour.
struct Patience {
  std::chrono::milliseconds silence{10'000};  // for a start, and for each piece that is written
  std::uint64_t slowest_bytes_per_second = 65536;  // of what is read
  bool may_close_first = false;  // still reads when it has said that it will send nothing more
};

// Used by one thread; only interrupt() may be called by others meanwhile.
class Connection {
 public:
  // With `tls`, which it does not keep, all that is read and written goes through TLS. Throws
  // Error(io).
  Connection(Socket socket, const Patience& patience, const Tls* tls = nullptr);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Lets what was written, if anything, arrive: says that nothing follows and reads, for at most a
  // moment, what the other side is still sending. A connection that is closed with unread data in
  // it is reset, which can take away the answer from under the eyes of its reader.
  void finish();

  // Whether the other side speaks HTTP where this one waited for TLS: then this connection goes on
  // without TLS, so that it can be told. Nothing of what it said may be taken for a request.
  [[nodiscard]] bool gives_up_tls();

  // Why TLS failed, in words; empty where it has not.
  [[nodiscard]] std::string tls_failure() const;

  // Makes every call that waits, and all later ones, fail.
  void interrupt() const;

  // At least one byte, 0 at the end of what the other side sends, -1 when patience is over.
  [[nodiscard]] ssize_t read(char* data, std::size_t size);
  // All of it, or -1.
  [[nodiscard]] ssize_t write(const char* data, std::size_t size);
  // False also when the other side is gone.
  [[nodiscard]] bool is_writable() const;
  // The address of the other side, as numbers; empty where it has none.
  [[nodiscard]] std::string remote_address() const;

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] Clock::time_point read_deadline() const;
  [[nodiscard]] ssize_t receive(Clock::time_point deadline);
  [[nodiscard]] bool may_go_on(Clock::time_point deadline) const;
  [[nodiscard]] ssize_t receive_some(Clock::time_point deadline);
  [[nodiscard]] ssize_t send_some(const char* data, std::size_t size, Clock::time_point deadline);

  const Socket socket_;
  std::optional<TlsSession> tls_;
  const Patience patience_;
  Clock::time_point start_ = Clock::now();  // or when something was written last
  std::uint64_t received_bytes_ = 0;
  bool has_written_ = false;
  std::array<char, 16 * 1024> buffer_{};
  std::size_t next_ = 0;  // of buffer_, and the end of what it holds
  std::size_t end_ = 0;
};

}  // namespace fhe::outsource
