// SPDX-License-Identifier: Apache-2.0
// The service behind its socket: anything that a client sends on one connection, with the token
// that clients are given or without. It is answered by one response of HTTP or by none, and the
// service goes on. Uploads are not read here: the process that would (server/check.cpp) fails.
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include <spdlog/spdlog.h>

#include "apps/outsource/messages.hpp"
#include "apps/outsource/server/api.hpp"
#include "apps/outsource/server/checks.hpp"
#include "apps/outsource/server/http_server.hpp"
#include "apps/outsource/server/jobs.hpp"
#include "apps/outsource/server/store.hpp"
#include "apps/outsource/tokens.hpp"
#include "tests/apps/talk.hpp"
#include "tests/hostile/target.hpp"
#include "tests/support/test_files.hpp"

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
    jobs_.open("client");
    jobs_.set_clients({"client"});
    port_ = server_.bind("127.0.0.1", 0);
    thread_ = std::jthread([this](const std::stop_token& stop) { server_.serve(stop); });
  }

  // All that it says to these bytes, after which nothing follows.
  [[nodiscard]] std::string answer(std::string_view bytes) const {
    const fhe::test::Talk talk(port_);
    talk.say(std::string(bytes));
    talk.finish();
    return talk.hear();
  }

 private:
  fhe::test::TemporaryDirectory folder_;
  // The token of all seeds and of the dictionary.
  Clients clients_{{{.name = "client",
                     .token = std::string(64, 'a'),
                     .limits = {.requests = kRequests, .rate = 0}}}};
  Checks checks_{CheckSettings{.program = "/bin/false"}, std::stop_token()};
  Store store_{folder_.path(), {}, StoreLimits{}, clients_, checks_};
  Jobs jobs_{clients_, store_, JobSettings{.program = "/bin/false"}};
  Api api_{clients_, store_, jobs_};
  HttpServer server_{kConnections, Patience{}, api_};
  int port_ = 0;
  std::jthread thread_;
};

void check_answer(const std::string& answer) {
  if (answer.empty()) return;
  const fhe::test::Reply reply = fhe::test::parse_reply(answer);
  demand(reply.status >= 100, "an answer is none of HTTP");
  demand(reply.status != 500, "an answer is an internal error");
  if (!reply.body.empty() &&
      reply.head.find("Content-Type: application/json") != std::string::npos) {
    accepts({}, [&] { static_cast<void>(parse_json(reply.body, "an answer")); });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Service service;
  check_answer(service.answer(text_of(data, size)));
  return 0;
}
