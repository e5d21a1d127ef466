// SPDX-License-Identifier: Apache-2.0
// A server on a machine that has little to give, among others who keep silent: few open files, a
// log that nobody reads; and what it keeps to itself.
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/apps/outsource_service.hpp"

namespace fhe::test {

namespace {

bool logged(Service& service, const std::string& part) {
  return service.server().error_output().find(part) != std::string::npos;
}

// Everything that a pipe holds now.
std::string drained(int pipe) {
  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t bytes = ::read(pipe, buffer, sizeof(buffer));
    if (bytes <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(bytes));
  }
}

}  // namespace

TEST_CASE("outsource: a server has as many connections as it may have open files for",
          "[apps][outsource]") {
  AddingService service;
  Launch launch{Service::serve_command()};
  launch.most_open_files = 128;
  REQUIRE(service.try_start(launch));
  CHECK(logged(service, "connections instead of 256: the system lets this process open 128 files"));
  {
    std::vector<Talk> strangers;
    for (int i = 0; i < 200; ++i) strangers.emplace_back(service.port());
    service.check_sum();
  }
  CHECK_FALSE(logged(service, "no open files left"));
  CHECK(service.stop(SIGTERM) == 0);

  launch.most_open_files = 64;
  CHECK_FALSE(service.try_start(launch));
  CHECK(service.server().wait().exit_code == kFailure);
  CHECK(logged(service, "lets this process open 64 files"));
}

TEST_CASE("outsource: the soft limit of open files is raised", "[apps][outsource]") {
  Service service;
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  if (before.rlim_max < 1024) return;  // not on this machine
  const rlimit low{.rlim_cur = 128, .rlim_max = before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &low) == 0);
  const bool listens = service.try_start({Service::serve_command()});
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  REQUIRE(listens);
  CHECK_FALSE(logged(service, "connections instead of"));
}

TEST_CASE("outsource: without open files strangers leave, and clients are served",
          "[apps][outsource]") {
  AddingService service;
  service.start({"--patience", "600"});
  const rlimit few{.rlim_cur = 40, .rlim_max = 40};
  REQUIRE(::prlimit(service.server().id(), RLIMIT_NOFILE, &few, nullptr) == 0);
  std::vector<Talk> strangers;
  for (int i = 0; i < 60; ++i) strangers.emplace_back(service.port());
  CHECK(service.ask("GET", "/v1/jobs").status == 200);
  eventually([&] { return logged(service, "no open files left"); });
  CHECK(service.stop(SIGTERM) == 0);
}

TEST_CASE("outsource: a log that nobody reads holds up nothing", "[apps][outsource]") {
  Service service;
  const std::string pipe = service.file("log").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  Launch launch{Service::serve_command()};
  launch.arguments.push_back("--verbose");
  launch.terminal = pipe;
  REQUIRE(service.try_start(launch));
  // A line each: more than the pipe and the queue hold.
  const std::string path = "/v1/circuits/" + std::string(400, 'x');
  for (int i = 0; i < 3000; ++i) {
    if (service.ask("GET", path).status != 404) FAIL("request " << i << " has no answer");
  }
  CHECK(service.expect(200, "GET", "/v1/health").at("status") == "ok");

  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  REQUIRE(reader >= 0);
  std::string log;
  eventually([&] {
    log += drained(reader);
    static_cast<void>(service.ask("GET", "/v1/circuits/short"));
    return log.find("lines of the log are lost") != std::string::npos;
  });
  ::close(reader);
  for (int i = 0; i < 3000; ++i) static_cast<void>(service.ask("GET", path));
  service.server().send(SIGTERM);
  CHECK(service.server().ends_within(std::chrono::seconds(30)));
  CHECK(service.server().wait().exit_code == 0);
}

TEST_CASE("outsource: clients have patience with a silent server, and then no more",
          "[apps][outsource]") {
  Service service;
  const Listener silent;
  for (const Arguments& verb :
       {Arguments{"jobs"}, Arguments{"circuits"}, Arguments{"cancel", "0123"}}) {
    Arguments arguments = verb;
    arguments.insert(arguments.end(), {"--patience", "1", "--url", url_of(silent.port()),
                                       "--token-file", "alice.token"});
    const Outcome outcome = run_outsource(service, arguments);
    INFO(outcome.err);
    CHECK(outcome.exit_code == kIo);
    CHECK_THAT(outcome.err, Catch::Matchers::ContainsSubstring("nothing came for 1 s"));
  }
  const Outcome fetched = run_outsource(
      service, {"fetch", "0123", "--key", "keys/public.fhe", "--out", "y.fhe", "--patience", "1",
                "--url", url_of(silent.port()), "--token-file", "alice.token"});
  CHECK(fetched.exit_code == kIo);
}

TEST_CASE("outsource: a server leaves no core dump", "[apps][outsource]") {
  Service service;
  service.start();
  CHECK_THAT(fact_of(service.server().id(), "limits", "Max core file size"),
             Catch::Matchers::ContainsSubstring("0                    0"));
}

TEST_CASE("outsource: the server says when its certificate ends", "[apps][outsource][tls]") {
  constexpr long kDay = 24 * 60 * 60;
  AddingService service;
  const Authority authority;
  const auto health = [&] { return service.expect(200, "GET", "/v1/health"); };
  service.show(authority, authority.identity("IP:127.0.0.1", 100 * kDay + 60));
  service.start();
  CHECK(health().at("certificate_days") == 100);
  CHECK_FALSE(logged(service, "the certificate"));
  service.show(authority, authority.identity("IP:127.0.0.1", 3 * kDay + 60));
  service.server().send(SIGHUP);
  eventually([&] { return logged(service, "the certificate expires in 3 days"); });
  CHECK(health().at("certificate_days") == 3);
  CHECK(service.stop(SIGTERM) == 0);
  service.show(authority, authority.identity("IP:127.0.0.1", -60));
  service.start();
  CHECK(logged(service, "the certificate has expired"));
  CHECK(health().at("certificate_days") == -1);
}

}  // namespace fhe::test
