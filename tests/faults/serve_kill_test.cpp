// SPDX-License-Identifier: Apache-2.0
// A server that is ended again and again while it computes, by SIGKILL and by SIGTERM: all jobs
// come to their end, with the right results, and nothing is left over.
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/faults/service_scene.hpp"

namespace fhe::faults {

namespace {

constexpr std::size_t kLoadWidth = 32;

void kill_under_load(std::size_t count, int times) {
  test::BusyService service(kLoadWidth);
  service.start({"--workers", "2"});
  service.send_input();
  std::vector<std::string> jobs;
  for (std::size_t i = 0; i < count; ++i) jobs.push_back(service.submit());
  for (int i = 0; i < times; ++i) {
    // At other moments of the work each time.
    std::this_thread::sleep_for(std::chrono::milliseconds(37 * i % 500));
    const bool killed = i % 3 != 2;
    CHECK(service.stop(killed ? SIGKILL : SIGTERM) == (killed ? -1 : 0));
    service.start({"--workers", "2"});
    CHECK(service.expect(200, "GET", "/v1/jobs").at("jobs").size() == count);
    // Ends are new work for the servers that follow.
    for (std::string& job : jobs) {
      if (service.state_of(job) != "done") continue;
      CHECK(service.expect(200, "GET", "/v1/jobs/" + job).at("error") == "");
      CHECK(service.ask("GET", "/v1/jobs/" + job + "/result").status == 200);
      static_cast<void>(service.expect(200, "DELETE", "/v1/jobs/" + job));
      job = service.submit();
    }
  }
  for (const std::string& job : jobs) {
    service.wait_for(job, "done");
    const test::Outcome fetched = service.client(
        {"fetch", job, "--key", "keys/public.fhe", "--bits", "32", "--out", "y.fhe"});
    CHECK(fetched.exit_code == 0);
    CHECK(service.decrypt("y.fhe") == fmt::format("1{}\n", std::string(kLoadWidth - 1, '0')));
  }
  CHECK(service.expect(200, "GET", "/v1/health").at("broken_jobs") == 0);
  CHECK(service.stop(SIGTERM) == 0);
  CHECK(leftovers_in(service.file("data")).empty());
}

}  // namespace

TEST_CASE("faults: a server is killed twice under load", "[faults]") {
  kill_under_load(2, 2);
}

TEST_CASE("faults: a server is killed a hundred times under load", "[faults][.sweep]") {
  kill_under_load(4, 100);
}

}  // namespace fhe::faults
