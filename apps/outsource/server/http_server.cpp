// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/server/http_server.hpp"

#include <cerrno>
#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <sys/socket.h>

#include "apps/outsource/messages.hpp"
#include "apps/outsource/server/random_name.hpp"
#include "libfhe/error.hpp"

namespace fhe::outsource {

namespace {

constexpr std::chrono::milliseconds kGrace(3000);
constexpr std::chrono::milliseconds kPause(10);
constexpr std::size_t kStartBytes = 4;

// Also to those who sent their token in the clear, and should know.
void say_that_this_is_tls(Connection& connection) {
  Response response;
  response.status = 400;
  response.set_body(
      to_text(error_json("tls_required",
                         "this port speaks TLS, and what you sent could be read on its way: use "
                         "https:// in place of http://")) +
          "\n",
      "application/json");
  send_response(connection, Request(), response, false);
}

Socket spare_socket() {
  return Socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

}  // namespace

HttpServer::HttpServer(std::size_t most_connections, const Patience& patience, Api& api)
    : api_(api),
      start_(random_name(kStartBytes)),
      reserve_(spare_socket()),
      connections_(most_connections, patience,
                   [this](Connections::Place& place) { answer(place); }) {}

int HttpServer::bind(const std::string& host, int port) {
  try {
    listener_ = listen_at(host, port);
    return port_of(*listener_);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("cannot listen on {}:{}: {}; choose another --port or "
                                          "--host",
                                          host, port, error.what()));
  }
}

void HttpServer::serve(const std::stop_token& stop) {
  accept_until(stop);
  listener_.reset();
  ending_ = true;
  connections_.end_all(kGrace);
}

void HttpServer::accept_until(const std::stop_token& stop) {
  const int listener = listener_->number();
  const std::stop_callback wake(stop, [listener] { ::shutdown(listener, SHUT_RD); });
  while (!stop.stop_requested()) {
    Socket socket(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
    if (socket.number() >= 0) {
      connections_.admit(std::move(socket));
    } else if (errno == EMFILE || errno == ENFILE) {
      make_descriptor_free();
    } else {  // no memory, or gone already: none of it lasts
      std::this_thread::sleep_for(kPause);
    }
  }
}

// As if all places were taken: a stranger has to leave, or, where all are known clients, whoever
// comes.
void HttpServer::make_descriptor_free() {
  shortage_.add();
  if (connections_.dismiss_stranger()) return;
  reserve_ = Socket(-1);
  static_cast<void>(Socket(::accept4(listener_->number(), nullptr, nullptr, SOCK_CLOEXEC)));
  reserve_ = spare_socket();
}

std::string HttpServer::new_id() {
  return fmt::format("{}-{}", start_, ++requests_);
}

void HttpServer::answer(Connections::Place& place) {
  Connection& connection = place.connection();
  try {
    exchange(place);
    if (connection.gives_up_tls()) say_that_this_is_tls(connection);
  } catch (...) {
    // Out of memory, most likely: this connection ends, the others go on.
  }
  place.leave();
  connection.finish();
}

void HttpServer::exchange(Connections::Place& place) {
  Connection& connection = place.connection();
  Request request;
  request.id = new_id();
  request.address = connection.remote_address();
  Response response;
  try {
    if (!read_request(connection, request)) return;
    if (api_.is_known(request)) place.trust();
    RequestBody body(connection, request);
    response = api_.answer(request, body);
  } catch (const MalformedMessage& error) {
    response = api_.refuse_head(request, error.what());
  }
  send_response(connection, request, response, ending_);
  api_.log_request(request, response.status);
}

}  // namespace fhe::outsource
