// The service behind its socket: anything that a client sends on one connection, with the token
// that clients are given or without. It is answered by one response of HTTP or by none, and the
// service goes on. Uploads are not read here: the process that would (server/check.cpp) fails.
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <unistd.h>

#include "apps/outsource/messages.hpp"
#include "apps/outsource/server/api.hpp"
#include "apps/outsource/server/checks.hpp"
#include "apps/outsource/server/http_server.hpp"
#include "apps/outsource/server/jobs.hpp"
#include "apps/outsource/server/store.hpp"
#include "apps/outsource/tokens.hpp"
#include "tests/hostile/target.hpp"
#include "tests/support/files.hpp"

using namespace fhe;
using namespace fhe::hostile;
using namespace fhe::outsource;

namespace {

constexpr std::size_t kConnections = 8;
constexpr std::size_t kRequests = 4;

class Service {
 public:
  Service() {
    spdlog::set_level(spdlog::level::off);
    store_.open("client");
    jobs_.set_clients({"client"});
    api_.attach(server_);
    port_ = server_.bind("127.0.0.1", 0);
    thread_ = std::jthread([this](const std::stop_token& stop) { server_.serve(stop); });
  }

  // All that it says to these bytes, after which nothing follows.
  [[nodiscard]] std::string answer(std::string_view bytes) const {
    const int socket = connected();
    static_cast<void>(::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL));
    ::shutdown(socket, SHUT_WR);
    std::string said;
    std::array<char, 4096> piece;
    for (;;) {
      const ssize_t size = ::recv(socket, piece.data(), piece.size(), 0);
      if (size < 0 && errno == EINTR) continue;  // libFuzzer's clock
      if (size <= 0) break;
      said.append(piece.data(), static_cast<std::size_t>(size));
    }
    ::close(socket);
    return said;
  }

 private:
  [[nodiscard]] int connected() const {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    while (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
           errno != EISCONN) {
      // libFuzzer's clock interrupts a call that goes on all the same.
      demand(errno == EINTR || errno == EALREADY,
             std::string("the service cannot be reached: ") + std::strerror(errno));
    }
    return socket;
  }

  fhe::test::TemporaryDirectory folder_;
  // The token of all seeds and of the dictionary.
  Clients clients_{{{"client", std::string(64, 'a')}}};
  Checks checks_{CheckSettings{.program = "/bin/false"}, std::stop_token()};
  Store store_{folder_.path(), {}, StoreLimits{}, checks_};
  Jobs jobs_{store_, JobSettings{.program = "/bin/false"}};
  Api api_{clients_, store_, jobs_, kRequests};
  HttpServer server_{kConnections, Patience{},
                     [this](const httplib::Request& request) { return api_.is_known(request); }};
  int port_ = 0;
  std::jthread thread_;
};

// "HTTP/1.1 200 OK" and what follows: the number.
int status_of(std::string_view answer) {
  constexpr std::string_view kStart = "HTTP/1.1 ";
  demand(answer.starts_with(kStart), "an answer is none of HTTP");
  answer.remove_prefix(kStart.size());
  int status = 0;
  const auto end = std::from_chars(answer.data(), answer.data() + answer.size(), status).ptr;
  demand(end == answer.data() + 3, "an answer has no status");
  return status;
}

void check_answer(std::string_view answer) {
  if (answer.empty()) return;
  const int status = status_of(answer);
  demand(status != 500, "an answer is an internal error");
  const std::size_t end = answer.find("\r\n\r\n");
  demand(end != std::string_view::npos, "an answer has no end of its head");
  const std::string_view head = answer.substr(0, end);
  const std::string_view body = answer.substr(end + 4);
  if (!body.empty() && head.find("Content-Type: application/json") != std::string_view::npos) {
    accepts({}, [&] { static_cast<void>(parse_json(body, "an answer")); });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Service service;
  check_answer(service.answer(text_of(data, size)));
  return 0;
}
