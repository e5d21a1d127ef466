// SPDX-License-Identifier: Apache-2.0
// Limits that one client has and another has not.
#include <chrono>
#include <csignal>
#include <thread>

#include "tests/apps/outsource_service.hpp"

namespace fhe::test {

namespace {

// A service with limits for alice, and none of its own for bob.
class LimitingService : public BusyService {
 public:
  using BusyService::BusyService;

  void limit(const std::string& words) const {
    write_tokens(line_of("alice", words) + read("bob.token"));
  }

  [[nodiscard]] nlohmann::json facts(const std::string& name = "alice") const {
    return expect(200, "GET", "/v1/server", "", name);
  }
};

}  // namespace

TEST_CASE("outsource: a client knows its limits", "[apps][outsource]") {
  LimitingService service;
  service.limit("quota=1 jobs=2 running=1 requests=3 rate=4000 seconds=5");
  service.start({"--quota", "7", "--max-jobs", "8", "--max-running", "9", "--max-requests", "10",
                 "--max-rate", "0", "--max-seconds", "12"});
  const auto check = [&](const std::string& name, const nlohmann::json& expected) {
    const nlohmann::json facts = service.facts(name);
    for (const auto& [member, value] : expected.items()) {
      INFO(member);
      CHECK(facts.at(member) == value);
    }
  };
  check("alice", {{"client", "alice"},
                  {"quota_bytes", 1 << 20},
                  {"used_bytes", 0},
                  {"unfinished_jobs", 2},
                  {"running_jobs", 1},
                  {"requests", 3},
                  {"requests_a_minute", 4000},
                  {"job_seconds", 5}});
  check("bob", {{"client", "bob"},
                {"quota_bytes", 7 << 20},
                {"unfinished_jobs", 8},
                {"running_jobs", 9},
                {"requests", 10},
                {"requests_a_minute", 0},
                {"job_seconds", 12}});
  static_cast<void>(service.upload("/v1/keys", "keys/public.fhe"));
  CHECK(service.facts().at("used_bytes") >= service.read("keys/public.fhe").size());

  // Others after SIGHUP.
  service.limit("jobs=3");
  service.server().send(SIGHUP);
  eventually([&] { return service.facts().at("unfinished_jobs") == 3; });
  check("alice", {{"quota_bytes", 7 << 20}, {"running_jobs", 9}});
}

TEST_CASE("outsource: jobs of a client are limited, also those that run", "[apps][outsource]") {
  LimitingService service;
  service.limit("jobs=2 running=1");
  service.start({"--workers", "2"});
  service.send_input();
  const std::string first = service.submit();
  const std::string second = service.submit();
  service.expect_error(429, "2 of your jobs", "POST", "/v1/jobs", service.request());
  service.wait_for(first, "running");
  for (int look = 0; look < 10; ++look) {
    const std::string state = service.state_of(second);
    if (service.state_of(first) != "running") break;
    CHECK(state == "queued");  // though a worker has nothing to do
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  static_cast<void>(service.expect(200, "POST", "/v1/jobs/" + first + "/cancel"));
  service.wait_for(second, "running");
  const std::string third = service.submit();

  // A limit that is lifted lets the next job run beside the other.
  service.limit("jobs=2 running=2");
  service.server().send(SIGHUP);
  eventually([&] {
    return service.expect(200, "GET", "/v1/health").at("running_jobs") == 2 ||
           service.state_of(second) != "running";
  });
  service.wait_for(third, "running");
  for (const std::string& job : {second, third}) {
    static_cast<void>(service.expect(200, "POST", "/v1/jobs/" + job + "/cancel"));
    service.wait_for(job, "cancelled");
  }
}

TEST_CASE("outsource: a job of a client is limited in time", "[apps][outsource]") {
  LimitingService service;
  service.limit("seconds=1");
  service.start();
  service.send_input();
  const std::string job = service.submit();
  service.wait_for(job, "failed");
  const std::string error = service.expect(200, "GET", "/v1/jobs/" + job).at("error");
  CHECK_THAT(error, Catch::Matchers::ContainsSubstring("longer than the 1 s"));
}

TEST_CASE("outsource: a client's files are limited", "[apps][outsource]") {
  LimitingService service;
  service.limit("quota=1");
  service.start();
  const std::string body(std::size_t{2} << 20, 'x');
  service.expect_error(507, "above your quota of 1048576", "POST", "/v1/keys", body);
  service.expect_error(422, "not a file", "POST", "/v1/keys", body, "bob");
}

TEST_CASE("outsource: a client's requests a minute are limited", "[apps][outsource]") {
  LimitingService service;
  service.limit("rate=3");
  service.start();
  for (int i = 0; i < 3; ++i) CHECK(service.ask("GET", "/v1/keys").status == 200);
  const Reply refused = service.ask("GET", "/v1/keys");
  CHECK(refused.status == 429);
  const int wait = std::stoi(header_of(refused, "Retry-After"));
  CHECK((wait > 10 && wait <= 20));
  CHECK_THAT(refused.body, Catch::Matchers::ContainsSubstring("3 requests a minute: wait " +
                                                              std::to_string(wait) + " s"));
  CHECK(service.ask("POST", "/v1/keys", "garbage").status == 429);
  CHECK(service.ask("GET", "/v1/keys", "", "bob").status == 200);
  CHECK(reply_to(service.port(), "GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n").status == 200);

  // Ahead of a faster pace by as much: refused once more, and taken when the time has come.
  service.limit("rate=60");
  service.server().send(SIGHUP);
  int taken = 0;
  eventually([&] {
    const Reply reply = service.ask("GET", "/v1/keys");
    taken += reply.status == 200 ? 1 : 0;
    return taken >= 3;
  });
  service.limit("rate=0");
  service.server().send(SIGHUP);
  eventually([&] { return service.ask("GET", "/v1/keys").status == 200; });
  for (int i = 0; i < 10; ++i) CHECK(service.ask("GET", "/v1/keys").status == 200);
}

}  // namespace fhe::test
