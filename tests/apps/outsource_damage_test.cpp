// SPDX-License-Identifier: Apache-2.0
// What a server does with files of its own that are damaged, missing, or cannot be read now:
// nothing that it has confirmed is deleted for that.
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/apps/outsource_service.hpp"

namespace fhe::test {

namespace {

namespace fs = std::filesystem;

// A service with a short job that is done.
class KeepingService : public BusyService {
 public:
  KeepingService() : BusyService(8) {}

  std::string finish_job() {
    start();
    send_input();
    std::string job = submit();
    wait_for(job, "done");
    return job;
  }

  [[nodiscard]] fs::path jobs(const std::string& client = "alice") const {
    return file("data/clients/" + client + "/jobs");
  }
  [[nodiscard]] std::string in_job(const std::string& job, const std::string& name) const {
    return (jobs() / job / name).lexically_relative(path());
  }

  // A file that is there and cannot be opened, whoever tries: ELOOP.
  void make_unreadable(const fs::path& target) const {
    fs::rename(target, target.string() + ".kept");
    fs::create_symlink(target, target);
  }
  void make_readable(const fs::path& target) const {
    fs::rename(target.string() + ".kept", target);
  }

  [[nodiscard]] nlohmann::json health() const { return expect(200, "GET", "/v1/health"); }

  // The next server does not start, and says why.
  void fails_to_start(const std::string& part) {
    CHECK_FALSE(try_start({serve_command()}));
    CHECK(server().wait().exit_code == kIo);
    CHECK_THAT(server().error_output(), Catch::Matchers::ContainsSubstring(part));
  }
};

}  // namespace

TEST_CASE("outsource: a job that cannot be read now is not taken for a damaged one",
          "[apps][outsource]") {
  KeepingService service;
  const std::string job = service.finish_job();
  const std::string result = service.read(service.in_job(job, "result.fhe"));
  CHECK(service.stop(SIGTERM) == 0);
  const fs::path path = service.jobs() / job / "job.json";
  service.make_unreadable(path);
  service.fails_to_start(job + "/job.json': Too many levels of symbolic links");
  service.make_readable(path);
  service.start();
  CHECK(service.state_of(job) == "done");
  CHECK(service.ask("GET", "/v1/jobs/" + job + "/result").body == result);
}

TEST_CASE("outsource: facts that cannot be read now are not made anew", "[apps][outsource]") {
  KeepingService service;
  static_cast<void>(service.finish_job());
  CHECK(service.stop(SIGTERM) == 0);
  const fs::path key = service.file("data/clients/alice/keys/" + service.key() + "/key.fhe.json");
  service.make_unreadable(key);
  service.fails_to_start("key.fhe.json");
  service.make_readable(key);
  service.start();
  CHECK(service.expect(200, "GET", "/v1/keys").at("keys").size() == 1);
}

TEST_CASE("outsource: damaged jobs are put aside, and kept", "[apps][outsource]") {
  KeepingService service;
  const std::string job = service.finish_job();
  CHECK(service.stop(SIGTERM) == 0);
  const std::string file = service.in_job(job, "job.json");
  const std::string good = service.read(file);
  const std::string result = service.read(service.in_job(job, "result.fhe"));
  const std::string done = R"("state":"done")";
  REQUIRE(good.find(done) != std::string::npos);
  const std::string of_later_version =
      std::string(good).replace(good.find(done), done.size(), R"("state":"paused")");
  const std::string of_another = std::string(good).replace(good.find(job), job.size(), "0123");
  for (const std::string& bad : {std::string(), std::string("{"), good.substr(0, good.size() / 2),
                                 of_later_version, of_another, std::string("missing")}) {
    INFO(bad);
    if (bad == "missing") {
      fs::remove(service.file(file));
    } else {
      service.write(file, bad);
    }
    service.start();
    CHECK(service.expect(200, "GET", "/v1/jobs").at("jobs").empty());
    CHECK(service.health().at("broken_jobs") == 1);
    CHECK_THAT(service.server().error_output(),
               Catch::Matchers::ContainsSubstring("a job of alice cannot be understood"));
    CHECK(service.stop(SIGTERM) == 0);
    service.start();  // which still knows of it
    CHECK(service.health().at("broken_jobs") == 1);
    CHECK(service.stop(SIGTERM) == 0);
    const fs::path aside = service.jobs() / ("broken-" + job);
    CHECK(service.read((aside / "result.fhe").lexically_relative(service.path())) == result);
    fs::rename(aside, service.jobs() / job);
    service.write(file, good);
  }
  service.start();
  CHECK(service.state_of(job) == "done");
  CHECK(service.health().at("broken_jobs") == 0);
}

TEST_CASE("outsource: a job that is damaged again is put beside what is kept of it",
          "[apps][outsource]") {
  KeepingService service;
  const std::string job = service.finish_job();
  CHECK(service.stop(SIGTERM) == 0);
  for (int times = 1; times <= 3; ++times) {
    if (times > 1) fs::copy(service.jobs() / ("broken-" + job), service.jobs() / job);
    service.write(service.in_job(job, "job.json"), "{");
    service.start();
    CHECK(service.health().at("broken_jobs") == times);
    CHECK(service.stop(SIGTERM) == 0);
  }
  CHECK(fs::exists(service.jobs() / ("broken-" + job + "-3") / "result.fhe"));
}

TEST_CASE("outsource: what is left of a job that was being made or removed goes",
          "[apps][outsource]") {
  KeepingService service;
  const std::string job = service.finish_job();
  CHECK(service.stop(SIGTERM) == 0);
  fs::rename(service.jobs() / job, service.jobs() / (".removed-" + job));
  fs::create_directory(service.jobs() / "0123");
  service.write((service.jobs() / "0123/.job.json.0123456789abcdef.tmp")
                    .lexically_relative(service.path())
                    .string(),
                "{");
  service.start();
  CHECK(fs::is_empty(service.jobs()));
  CHECK(service.health().at("broken_jobs") == 0);
}

TEST_CASE("outsource: a client is let in when all that is its can be read", "[apps][outsource]") {
  KeepingService service;
  const std::string job = service.finish_job();
  REQUIRE(run_outsource(service, {"token", "carol", "--out", "carol.token"}).exit_code == 0);
  service.write_tokens(service.read("alice.token") + service.read("carol.token"));
  fs::create_directories(service.jobs("carol"));
  const fs::path theirs = service.jobs("carol") / job;
  fs::copy(service.jobs() / job, theirs);
  service.make_unreadable(theirs / "job.json");
  service.server().send(SIGHUP);
  eventually([&] {
    return service.server().error_output().find("the clients stay as they were") !=
           std::string::npos;
  });
  CHECK(service.ask("GET", "/v1/jobs", "", "carol").status == 401);
  CHECK(service.ask("GET", "/v1/jobs", "", "bob").status == 200);
  service.make_readable(theirs / "job.json");
  service.server().send(SIGHUP);
  eventually([&] { return service.ask("GET", "/v1/jobs", "", "carol").status == 200; });
  CHECK(service.expect(200, "GET", "/v1/jobs/" + job, "", "carol").at("state") == "done");
}

TEST_CASE("outsource: damaged facts are made anew", "[apps][outsource]") {
  KeepingService service;
  static_cast<void>(service.finish_job());
  const nlohmann::json keys = service.expect(200, "GET", "/v1/keys");
  const std::string own = service
                              .expect(201, "POST", "/v1/circuits?format=bristol",
                                      service.read("circuits/" + std::string(kLong)))
                              .at("name");
  const nlohmann::json circuit = service.expect(200, "GET", "/v1/circuits/" + own);
  const std::string home = "data/clients/alice/keys/" + service.key();
  const std::string input = keys.at("keys")[0].at("ciphertexts")[0].at("id");
  const std::vector<std::string> facts{home + "/key.fhe.json", home + "/" + input + ".fhe.json",
                                       "data/clients/alice/circuits/" + own + ".json"};
  for (const char* const bad : {"", "{", "[]", "{}", R"({"bits": "many"})"}) {
    for (const std::string& file : facts) service.write(file, bad);
    service.expect_error(500, "is damaged", "GET", "/v1/keys");
    service.expect_error(500, "is damaged", "GET", "/v1/circuits/" + own);
    CHECK(service.stop(SIGTERM) == 0);
    service.start();
    CHECK(service.expect(200, "GET", "/v1/keys") == keys);
    CHECK(service.expect(200, "GET", "/v1/circuits/" + own) == circuit);
  }
}

TEST_CASE("outsource: a result that is lost is not said to be a full disk", "[apps][outsource]") {
  KeepingService service;
  const std::string job = service.finish_job();
  fs::remove(service.file(service.in_job(job, "result.fhe")));
  service.expect_error(500, "not on the server's disk any more", "GET",
                       "/v1/jobs/" + job + "/result");
}

TEST_CASE("outsource: a checkpoint that is refused is put aside, and the job starts anew",
          "[apps][outsource]") {
  constexpr std::size_t kShort = 32;
  BusyService service(kShort);
  service.start();
  service.send_input();
  const std::string job = service.submit();
  const std::string file = service.checkpoint_of(job).lexically_relative(service.path());
  eventually([&] { return fs::exists(service.file(file)); });
  CHECK(service.stop(SIGTERM) == 0);
  const fs::path aside = service.checkpoint_of(job).parent_path() / "refused-checkpoint.fhe";
  const std::string refused = aside.lexically_relative(service.path());
  const std::string whole = service.read(file);
  std::string flipped = whole;
  flipped[whole.size() / 8] ^= 1;
  for (const std::string& bad :
       {flipped, whole.substr(0, 100), std::string(), service.read("x.fhe")}) {
    service.write(file, bad);
    service.start();
    // The note stays when the next one comes to the same.
    eventually([&] { return fs::exists(aside) && service.read(refused) == bad; });
    eventually([&] {
      const nlohmann::json now = service.expect(200, "GET", "/v1/jobs/" + job);
      return now.at("note").get<std::string>().find("it began anew") != std::string::npos;
    });
    CHECK(service.stop(SIGTERM) == 0);
  }
  service.start();
  service.wait_for(job, "done");
  CHECK(service.expect(200, "GET", "/v1/jobs/" + job).at("tries") == 0);
  const Outcome fetched =
      service.client({"fetch", job, "--key", "keys/public.fhe", "--bits", "32", "--out", "y.fhe"});
  CHECK(fetched.exit_code == 0);
  CHECK(service.decrypt("y.fhe") == fmt::format("1{}\n", std::string(kShort - 1, '0')));
}

TEST_CASE("outsource: the end of a job is shown once it is saved", "[apps][outsource]") {
  BusyService service(32);
  service.start();
  service.send_input();
  const std::string job = service.submit();
  eventually([&] { return fs::exists(service.checkpoint_of(job)); });
  const fs::path file = service.checkpoint_of(job).parent_path() / "job.json";
  fs::rename(file, file.string() + ".kept");
  fs::create_directory(file);  // in the way
  eventually([&] {
    const nlohmann::json now = service.expect(200, "GET", "/v1/jobs/" + job);
    CHECK(now.at("state") == "running");
    return now.at("note").get<std::string>().find("it has ended") != std::string::npos;
  });
  CHECK(service.expect(200, "GET", "/v1/health").at("unsaved_jobs") == 1);
  CHECK(fs::exists(service.checkpoint_of(job)));
  fs::remove(file);
  service.wait_for(job, "done");
  CHECK(service.expect(200, "GET", "/v1/health").at("unsaved_jobs") == 0);
  CHECK(nlohmann::json::parse(service.read(file.lexically_relative(service.path()))).at("state") ==
        "done");
}

}  // namespace fhe::test
