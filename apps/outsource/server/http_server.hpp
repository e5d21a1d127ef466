// SPDX-License-Identifier: Apache-2.0
// The server on its port: accepts connections, gives each a place, and has the Api answer
// one request on each.
//
// Nobody keeps a place while it wants nothing, and what follows a request, or is left of a body
// that was refused, cannot be taken for another request. Whoever is slow with a head or a body
// is cut off by the patience of its connection.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "apps/outsource/connection.hpp"
#include "apps/outsource/http.hpp"
#include "apps/outsource/server/api.hpp"
#include "apps/outsource/server/process.hpp"

namespace fhe::outsource {

// The connections of a server: a thread for each, and never more than fit.
//
// A connection that has shown no token yet is a stranger's. When there is no room for a new one,
// the stranger who is here longest has to go: whoever keeps quiet, or sends slowly, loses the place
// to whoever comes, and a client that shows its token at once is never turned away for strangers.
class Connections {
 public:
  class Place;
  using Serve = std::function<void(Place&)>;

  // Lets `serve` do the work of each connection, in a thread of its own. It may not throw.
  Connections(std::size_t most, const Patience& patience, Serve serve);
  ~Connections() { end_all(std::chrono::milliseconds(0)); }
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  // New connections speak TLS in this way from now on.
  void speak(std::shared_ptr<const Tls> tls);

  // Makes the stranger leave who is here longest, and waits until one has left: what a connection
  // takes beside its place is free then. False when all are known clients'.
  [[nodiscard]] bool dismiss_stranger();

  // Waits until there is room. When every place is a known client's, the new connection is closed
  // at once.
  void admit(Socket socket);

  // Lets the connections end by themselves for that long, then interrupts them. Returns when all
  // have ended; nothing may be admitted any more.
  void end_all(std::chrono::milliseconds grace);

  // A connection that is being served.
  class Place {
   public:
    Place(Socket socket, const Patience& patience, const Tls* tls)
        : connection_(std::move(socket), patience, tls) {}

    [[nodiscard]] Connection& connection() { return connection_; }
    // Says that the other side has shown a valid token, until leave().
    void trust();
    void leave();

   private:
    friend class Connections;
    Connection connection_;
    Connections* owner_ = nullptr;
    bool stranger_ = true;
  };

 private:
  [[nodiscard]] bool make_room(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] bool interrupt_stranger();
  void set_stranger(Place& place, bool stranger);
  void start(std::list<Place>::iterator place);
  void remove(std::list<Place>::iterator place);

  const std::size_t most_;
  const Patience patience_;
  const Serve serve_;
  std::mutex guard_;
  std::condition_variable changed_;
  std::shared_ptr<const Tls> tls_;  // none: connections speak as they come
  std::list<Place> places_;         // the oldest first
};

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
