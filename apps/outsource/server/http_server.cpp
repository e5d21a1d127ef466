// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/server/http_server.hpp"

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include "apps/outsource/messages.hpp"
#include "apps/outsource/server/random_name.hpp"
#include "libfhe/error.hpp"

namespace fhe::outsource {

namespace {

constexpr std::chrono::milliseconds kGrace(3000);
constexpr std::chrono::milliseconds kPause(10);
constexpr std::size_t kStartBytes = 4;

// Unlike httplib's own choice this does not let a second server take the same port.
void reuse_address(int socket) {
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
}

// Also to those who sent their token in the clear, and should know.
void say_that_this_is_tls(Connection& connection) {
  const std::string body =
      to_text(error_json("tls_required",
                         "this port speaks TLS, and what you sent could be read on its way: use "
                         "https:// in place of http://")) +
      "\n";
  const std::string answer = fmt::format(
      "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: {}\r\n"
      "Connection: close\r\n\r\n{}",
      body.size(), body);
  static_cast<void>(connection.write(answer.data(), answer.size()));
}

}  // namespace

HttpServer::HttpServer(std::size_t most_connections, const Patience& patience, IsKnown is_known)
    : is_known_(std::move(is_known)),
      start_(random_name(kStartBytes)),
      connections_(most_connections, patience,
                   [this](Connections::Place& place) { answer(place); }) {
  set_socket_options(reuse_address);
}

int HttpServer::bind(const std::string& host, int port) {
  const int bound = port == 0 ? bind_to_any_port(host) : (bind_to_port(host, port) ? port : -1);
  // httplib waits with 5 connections at most.
  if (bound > 0 && ::listen(svr_sock_, SOMAXCONN) == 0) return bound;
  throw Error(ErrorCode::io,
              fmt::format("cannot listen on {}:{}: {}; choose another --port or --host", host, port,
                          std::system_category().message(errno)));
}

void HttpServer::serve(const std::stop_token& stop) {
  accept_until(stop);
  ::close(svr_sock_.exchange(INVALID_SOCKET));  // also tells httplib to end what is being sent
  connections_.end_all(kGrace);
}

void HttpServer::accept_until(const std::stop_token& stop) {
  const int listener = svr_sock_;
  const std::stop_callback wake(stop, [listener] { ::shutdown(listener, SHUT_RD); });
  while (!stop.stop_requested()) {
    const int socket = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket >= 0) {
      connections_.admit(socket);
    } else {  // too many open files, no memory, or gone already: none of it lasts
      std::this_thread::sleep_for(kPause);
    }
  }
}

std::string HttpServer::new_id() {
  return fmt::format("{}-{}", start_, ++requests_);
}

// One request for each connection: nobody keeps a place while it wants nothing, and what is left
// of a refused body cannot be taken for the next request.
void HttpServer::answer(Connections::Place& place) {
  Connection& connection = place.connection();
  try {
    bool closed = false;
    process_request(connection, true, closed, [&](httplib::Request& request) {
      connection.head_is_read();
      request.ranges.clear();  // whole answers only
      request.headers.erase(kRequestId);
      request.set_header(kRequestId, new_id());
      if (is_known_(request)) place.trust();
    });
    if (connection.gives_up_tls()) say_that_this_is_tls(connection);
  } catch (...) {
    // Out of memory, most likely: this connection ends, the others go on.
  }
  place.leave();
  connection.finish();
}

}  // namespace fhe::outsource
