// SPDX-License-Identifier: Apache-2.0
// One connection, which ends when the other side is slow. Servers and clients have them: neither
// trusts the other side. With or without TLS.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

#include "apps/outsource/sockets.hpp"
#include "apps/outsource/tls.hpp"

namespace fhe::outsource {

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
