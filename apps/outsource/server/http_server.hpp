// SPDX-License-Identifier: Apache-2.0
// httplib's server with our own way of accepting and reading connections.
//
// As it comes, httplib gives each connection a thread of a small pool for as long as it stays, lets
// it stay as long as some byte arrives every few seconds, and remembers lines of any length. A few
// dozen silent connections make such a server useless. Here every connection has a deadline, a
// limit for the head of its request, one request, and its place only until a better one comes
// (connections.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include <httplib.h>

#include "apps/outsource/server/connections.hpp"

namespace fhe::outsource {

class HttpServer final : public httplib::Server {
 public:
  // Every request gets a header of this name, with an id of its own.
  static constexpr const char* kRequestId = "X-Request-Id";

  // `is_known` says whether the head of a request shows a valid token.
  using IsKnown = std::function<bool(const httplib::Request&)>;

  HttpServer(std::size_t most_connections, const Patience& patience, IsKnown is_known);

  // New connections speak TLS in this way from now on. Any thread.
  void speak(std::shared_ptr<const Tls> tls) { connections_.speak(std::move(tls)); }

  // Takes an address; port 0 chooses a free one. Returns the port. Throws Error(io).
  int bind(const std::string& host, int port);

  // Serves until `stop`, then lets the requests end that are being answered.
  void serve(const std::stop_token& stop);

 private:
  void accept_until(const std::stop_token& stop);
  void answer(Connections::Place& place);

  [[nodiscard]] std::string new_id();

  IsKnown is_known_;
  const std::string start_;  // random: ids of one start of the server begin with it
  std::atomic<std::uint64_t> requests_ = 0;
  Connections connections_;
};

}  // namespace fhe::outsource
