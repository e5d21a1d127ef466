// SPDX-License-Identifier: Apache-2.0
// The server on its port: accepts connections, gives each a place (connections.hpp), and has the
// Api answer one request on each.
//
// Nobody keeps a place while it wants nothing, and what follows a request, or is left of a body
// that was refused, cannot be taken for another request. Whoever is slow with a head or a body
// is cut off by the patience of its connection.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "apps/outsource/http.hpp"
#include "apps/outsource/server/api.hpp"
#include "apps/outsource/server/connections.hpp"
#include "apps/outsource/server/descriptors.hpp"

namespace fhe::outsource {

class HttpServer {
 public:
  // The Api must outlive it.
  HttpServer(std::size_t most_connections, const Patience& patience, Api& api);

  // New connections speak TLS in this way from now on. Any thread.
  void speak(std::shared_ptr<const Tls> tls) { connections_.speak(std::move(tls)); }

  // Takes an address; port 0 chooses a free one. Returns the port. Throws Error(io).
  int bind(const std::string& host, int port);

  // Serves at the address that was taken until `stop`, then lets the requests end that are being
  // answered.
  void serve(const std::stop_token& stop);

 private:
  void accept_until(const std::stop_token& stop);
  void make_descriptor_free();
  void answer(Connections::Place& place);
  void exchange(Connections::Place& place);
  [[nodiscard]] std::string new_id();

  Api& api_;
  const std::string start_;  // random: ids of one start of the server begin with it
  std::atomic<std::uint64_t> requests_ = 0;
  std::atomic<bool> ending_ = false;
  std::optional<Socket> listener_;
  Socket reserve_;  // given up to turn somebody away when there is no other
  Shortage shortage_;
  Connections connections_;
};

}  // namespace fhe::outsource
