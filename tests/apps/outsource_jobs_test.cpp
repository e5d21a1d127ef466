// SPDX-License-Identifier: Apache-2.0
// Jobs whose processes die, or cannot save how far they are.
#include <csignal>

#include <fmt/format.h>

#include "tests/apps/outsource_service.hpp"

namespace fhe::test {

namespace {

namespace fs = std::filesystem;

class FallibleService : public BusyService {
 public:
  static constexpr std::size_t kShort = 32;

  FallibleService() : BusyService(kShort) {}

  [[nodiscard]] nlohmann::json job(const std::string& id) const {
    return expect(200, "GET", "/v1/jobs/" + id);
  }

  // Kills the worker that has saved how far it is.
  void kill_worker(const std::string& id, int signal) const {
    eventually([&] { return fs::exists(checkpoint_of(id)) && worker_of(*this); });
    if (const auto worker = worker_of(*this)) ::kill(*worker, signal);
  }

  // (2^32 - 1)^2 modulo 2^32
  void check_result(const std::string& id) const {
    const Outcome fetched =
        client({"fetch", id, "--key", "keys/public.fhe", "--bits", "32", "--out", "y.fhe"});
    INFO(fetched.err);
    CHECK(fetched.exit_code == 0);
    CHECK(decrypt("y.fhe") == fmt::format("1{}\n", std::string(kShort - 1, '0')));
  }
};

}  // namespace

TEST_CASE("outsource: a job whose process is killed goes on from its checkpoint",
          "[apps][outsource]") {
  FallibleService service;
  service.start();
  service.send_input();
  const std::string whole = service.submit();
  service.wait_for(whole, "done");
  const std::string job = service.submit();
  service.kill_worker(job, SIGKILL);
  eventually([&] { return service.job(job).at("tries") == 1; });
  CHECK_THAT(service.job(job).at("note").get<std::string>(),
             Catch::Matchers::StartsWith("try 2 of 3 goes on from the last checkpoint: "));
  service.wait_for(job, "done");
  CHECK(service.job(job).at("recryptions") < service.job(whole).at("recryptions"));
  CHECK(service.job(job).at("error") == "");
  service.check_result(job);
  CHECK_FALSE(fs::exists(service.checkpoint_of(job)));
}

TEST_CASE("outsource: a job is tried so often, and then again when the client says so",
          "[apps][outsource]") {
  FallibleService service;
  service.start({"--tries", "2"});
  service.send_input();
  const std::string job = service.submit();
  service.expect_error(409, "only failed ones", "POST", "/v1/jobs/" + job + "/retry");
  // Which sanitizers leave alone.
  service.kill_worker(job, SIGTRAP);
  eventually([&] { return service.job(job).at("tries") == 1; });
  eventually([&] {
    if (const auto worker = worker_of(service)) ::kill(*worker, SIGTRAP);
    return service.state_of(job) == "failed";
  });
  CHECK_THAT(service.job(job).at("error").get<std::string>(),
             Catch::Matchers::ContainsSubstring("signal 5") &&
                 Catch::Matchers::ContainsSubstring("tried 2 times"));
  CHECK(fs::exists(service.checkpoint_of(job)));
  CHECK(service.client({"retry", job}).exit_code == 0);
  service.wait_for(job, "done");
  CHECK(service.job(job).at("tries") == 0);
  service.check_result(job);
}

TEST_CASE("outsource: a job goes on when it cannot save how far it is", "[apps][outsource]") {
  FallibleService service;
  service.start({"--workers", "1"});
  service.send_input();
  const std::string first = service.submit();
  const std::string second = service.submit();
  fs::create_directory(service.checkpoint_of(second));  // in the way of the file
  static_cast<void>(service.expect(200, "POST", "/v1/jobs/" + first + "/cancel"));
  service.wait_for(second, "done");
  CHECK_THAT(service.job(second).at("note").get<std::string>(),
             Catch::Matchers::ContainsSubstring("could not be saved"));
  CHECK_THAT(service.server().error_output(),
             Catch::Matchers::ContainsSubstring("job " + second + " of alice: it goes on"));
  service.check_result(second);
}

TEST_CASE("outsource: a disk that is nearly full stops nobody's job", "[apps][outsource]") {
  FallibleService service;
  service.start();
  service.send_input();
  const std::string job = service.submit();
  CHECK(service.stop(SIGTERM) == 0);
  service.start({"--reserve", "4000000000"});  // MiB: no disk has so much
  service.expect_error(507, "disk is nearly full", "POST", "/v1/jobs", service.request());
  service.wait_for(job, "done");
  service.check_result(job);
}

TEST_CASE("outsource: what a killed process was writing is removed", "[apps][outsource]") {
  FallibleService service;
  service.start();
  service.send_input();
  const std::string first = service.submit();
  const std::string second = service.submit();
  const fs::path half = service.checkpoint_of(second).parent_path() / ".result.fhe.0123.tmp";
  service.write(half.lexically_relative(service.path()), "?");
  static_cast<void>(service.expect(200, "POST", "/v1/jobs/" + first + "/cancel"));
  service.wait_for(second, "done");
  CHECK_FALSE(fs::exists(half));
}

}  // namespace fhe::test
