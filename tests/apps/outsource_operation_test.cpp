// SPDX-License-Identifier: Apache-2.0
// What an operator needs: a log, a health check, clients that come and go, a disk that is not full.
#include <algorithm>
#include <csignal>
#include <map>
#include <regex>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "tests/apps/outsource_service.hpp"

namespace fhe::test {

namespace {

namespace fs = std::filesystem;

// The line of the server's log that holds `part`, after waiting for it.
std::string line_with(Service& service, const std::string& part) {
  std::string found;
  eventually([&] {
    for (const std::string& line : lines_of(service.server().error_output())) {
      if (line.find(part) != std::string::npos) found = line;
    }
    return !found.empty();
  });
  return found;
}

}  // namespace

TEST_CASE("outsource: what goes wrong is in the log, with who, what and why", "[apps][outsource]") {
  BusyService service;
  service.start({"--tries", "1"});
  for (int i = 0; i < 5; ++i) {
    CHECK(reply_to(service.port(), "GET /v1/keys HTTP/1.1\r\nHost: x\r\n\r\n").status == 401);
  }
  CHECK_THAT(line_with(service, "without a valid token"),
             Catch::Matchers::ContainsSubstring("1 in all, the last one from 127.0.0.1"));
  CHECK(service.expect(200, "GET", "/v1/health").at("failed_logins") == 5);

  const Reply refused = service.ask("POST", "/v1/keys", "garbage", "bob");
  const std::string id = header_of(refused, "X-Request-Id");
  CHECK_FALSE(id.empty());
  CHECK(id != header_of(service.ask("GET", "/v1/keys"), "X-Request-Id"));
  const std::string upload = line_with(service, "refused");
  for (const std::string& part :
       {"request " + id, std::string("of bob"), std::string("POST /v1/keys"),
        std::string("422 malformed_file")}) {
    CHECK_THAT(upload, Catch::Matchers::ContainsSubstring(part));
  }

  service.send_input();
  const std::string job = service.submit();
  eventually([&] { return worker_of(service).has_value(); });
  ::kill(*worker_of(service), SIGKILL);
  const std::string failed = line_with(service, "failed: ");
  CHECK_THAT(failed, Catch::Matchers::ContainsSubstring("job " + job + " of alice") &&
                         Catch::Matchers::ContainsSubstring("out of memory") &&
                         Catch::Matchers::ContainsSubstring("signal 9"));

  // Nothing about what went well, and no token; one line each.
  const std::string log = service.server().error_output();
  CHECK_THAT(log, !Catch::Matchers::ContainsSubstring("GET /v1/keys"));
  CHECK_THAT(log, !Catch::Matchers::ContainsSubstring(service.token("alice")));
  CHECK(lines_of(log).size() == 3);
}

TEST_CASE("outsource: the log has every request when it shall", "[apps][outsource]") {
  Service service;
  service.start({"--verbose"});
  const Reply reply = service.ask("GET", "/v1/circuits");
  const std::string line = line_with(service, header_of(reply, "X-Request-Id"));
  CHECK_THAT(line,
             Catch::Matchers::ContainsSubstring("of alice at 127.0.0.1: GET /v1/circuits: 200"));
}

TEST_CASE("outsource: the log is JSON when it shall be, with no secret", "[apps][outsource]") {
  AddingService service;
  service.start({"--log", "json", "--verbose"});
  CHECK(reply_to(service.port(), "GET /v1/keys HTTP/1.1\r\nHost: x\r\n\r\n").status == 401);
  const std::string token = service.token("alice");
  CHECK(service.ask("GET", "/v1/keys?token=" + token).status == 200);
  CHECK(service.ask("GET", "/v1/a%0A%1B[2Jb%C3%BC%FF\"").status == 404);
  const Reply refused = service.ask("POST", "/v1/keys", "garbage", "bob");
  service.check_sum();
  service.server().send(SIGHUP);
  static_cast<void>(line_with(service, "tokens_read"));

  const std::string log = service.server().error_output();
  CHECK_THAT(log, !Catch::Matchers::ContainsSubstring(token));
  CHECK(std::ranges::all_of(log, [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
  std::map<std::string, nlohmann::json> last;  // by event
  const std::regex time(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)");
  for (const std::string& text : lines_of(log)) {
    INFO(text);
    const nlohmann::json line = nlohmann::json::parse(text);
    CHECK(std::regex_match(line.at("time").get<std::string>(), time));
    CHECK(line.at("level").is_string());
    CHECK_FALSE(line.at("message").get<std::string>().empty());
    const bool strange = line.value("path", "").find("[2J") != std::string::npos;
    if (!strange) last[line.at("event")] = line;
  }
  CHECK(last.at("failed_logins").at("address") == "127.0.0.1");
  CHECK(last.at("failed_logins").at("total") == 1);
  const nlohmann::json& refusal = last.at("refusal");
  CHECK(refusal.at("level") == "warning");
  CHECK(refusal.at("client") == "bob");
  CHECK(refusal.at("request") == header_of(refused, "X-Request-Id"));
  CHECK(refusal.at("method") == "POST");
  CHECK(refusal.at("path") == "/v1/keys");
  CHECK(refusal.at("status") == 422);
  CHECK(refusal.at("code") == "malformed_file");
  CHECK_THAT(refusal.at("message").get<std::string>(),
             Catch::Matchers::ContainsSubstring(refusal.at("reason").get<std::string>()));
  CHECK(last.at("job_ended").at("state") == "done");
  CHECK(last.at("job_ended").at("client") == "alice");
  CHECK(last.at("tokens_read").at("clients") == 2);
}

TEST_CASE("outsource: anybody may ask whether the server is well", "[apps][outsource]") {
  Service service;
  service.start();
  const std::string request = "GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n";
  const Reply good = reply_to(service.port(), request);
  CHECK(good.status == 200);
  const nlohmann::json health = nlohmann::json::parse(good.body);
  CHECK(health.at("status") == "ok");
  CHECK(health.at("queued_jobs") == 0);
  CHECK(health.at("running_jobs") == 0);
  CHECK_THAT(good.body, !Catch::Matchers::ContainsSubstring("alice"));
  CHECK(service.stop(SIGTERM) == 0);

  // A disk with less free space than is to stay free.
  service.start({"--reserve", "4000000000"});
  CHECK(reply_to(service.port(), request).status == 503);
  service.expect_error(507, "disk is nearly full", "POST", "/v1/keys",
                       service.read("keys/public.fhe"));
  CHECK(service.expect(200, "GET", "/v1/keys").at("keys").empty());
  CHECK(fs::is_empty(service.file("data/clients/alice/incoming")));
}

TEST_CASE("outsource: the server's health counts the jobs that run and wait", "[apps][outsource]") {
  BusyService service;
  service.start({"--workers", "1"});
  service.send_input();
  const auto counts = [&] {
    const nlohmann::json health = service.expect(200, "GET", "/v1/health");
    return std::pair<int, int>(health.at("running_jobs"), health.at("queued_jobs"));
  };
  CHECK(counts() == std::pair(0, 0));
  const std::vector<std::string> jobs{service.submit(), service.submit()};
  service.wait_for(jobs.front(), "running");
  CHECK(counts() == std::pair(1, 1));
  for (const std::string& job : jobs) {
    static_cast<void>(service.expect(200, "POST", "/v1/jobs/" + job + "/cancel"));
  }
  for (const std::string& job : jobs) service.wait_for(job, "cancelled");
  CHECK(counts() == std::pair(0, 0));
}

TEST_CASE("outsource: a client is let in and out without a restart", "[apps][outsource]") {
  constexpr std::size_t kShort = 32;
  BusyService service(kShort);
  service.start();
  service.send_input();
  const std::string job = service.submit();
  eventually([&] { return fs::exists(service.checkpoint_of(job)); });
  const Talk watcher(service.port());
  watcher.say("GET /v1/events HTTP/1.1\r\nHost: x\r\n" + service.authorization() + "\r\n");
  CHECK_THAT(watcher.hear_until("event: job"), Catch::Matchers::StartsWith("HTTP/1.1 200"));
  REQUIRE(run_outsource(service, {"token", "carol", "--out", "carol.token"}).exit_code == 0);
  const auto status = [&](const std::string& name) {
    return service.ask("GET", "/v1/keys", "", name).status;
  };
  CHECK(status("carol") == 401);

  service.write_tokens(service.read("bob.token") + service.read("carol.token"));
  service.server().send(SIGHUP);
  eventually([&] { return status("alice") == 401; });
  CHECK(status("bob") == 200);
  CHECK(status("carol") == 200);
  CHECK(service.expect(201, "POST", "/v1/keys", service.read("keys/public.fhe"), "carol")
            .contains("id"));
  static_cast<void>(watcher.hear());  // ends
  eventually([&] { return !worker_of(service); });
  eventually([&] { return service.expect(200, "GET", "/v1/health").at("queued_jobs") == 1; });

  // A file that is none changes nothing.
  service.write_tokens("garbage\n");
  service.server().send(SIGHUP);
  CHECK_THAT(line_with(service, "stay as they were"),
             Catch::Matchers::ContainsSubstring("tokens:1"));
  CHECK(status("carol") == 200);

  // Back again, the client finds its job where it was.
  service.write_tokens(service.read("alice.token"));
  service.server().send(SIGHUP);
  eventually([&] { return status("alice") == 200; });
  CHECK(status("carol") == 401);
  service.wait_for(job, "done");
  CHECK(service.server().running());
  CHECK(service.stop(SIGTERM) == 0);
}

TEST_CASE("outsource: a server starts while the last one is still ending", "[apps][outsource]") {
  Service service;
  service.start();
  CHECK(service.stop(SIGKILL) == -1);
  const int lock = ::open(service.file("data/lock").c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(lock >= 0);
  REQUIRE(::flock(lock, LOCK_EX | LOCK_NB) == 0);
  std::thread ending([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    ::close(lock);
  });
  service.start();
  ending.join();
  CHECK(service.stop(SIGTERM) == 0);
}

}  // namespace fhe::test
