// SPDX-License-Identifier: Apache-2.0
// TLS 1.2 and 1.3 by OpenSSL, under the connections of servers and clients (connection.hpp).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include <openssl/ssl.h>
#include <sys/types.h>

namespace fhe::outsource {

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

}  // namespace fhe::outsource
