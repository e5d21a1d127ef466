// SPDX-License-Identifier: Apache-2.0
// A server of apps/outsource with its clients alice and bob, as processes, and talks with it byte
// by byte, so that tests can also say what no decent client says.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "libfhe/circuit/bristol.hpp"
#include "tests/apps/authority.hpp"
#include "tests/apps/talk.hpp"
#include "tests/catch.hpp"
#include "tests/cli/workplace.hpp"
#include "tests/support/circuits.hpp"
#include "tests/support/process_facts.hpp"
#include "tests/support/sanitizers.hpp"

namespace fhe::test {

inline std::string outsource_program() {
  return std::string(FHE_APPLICATIONS_DIR) + "/outsource/fhe-outsource";
}

// `fhe-outsource` with these arguments.
inline Outcome run_outsource(const Sandbox& place, const Arguments& arguments) {
  Launch launch{arguments};
  launch.program = outsource_program();
  return Process(place, launch).wait();
}

// Waits for what comes at some time; fails the test when it does not come. A job that takes seconds
// takes minutes under a sanitizer.
inline void eventually(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(kSanitized ? 6 : 1);
  while (std::chrono::steady_clock::now() < end) {
    if (holds()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  FAIL("waited in vain");
}

// A workplace with tokens and a server on it, whose data are in data/ and its circuits in
// circuits/.
class Service : public Workplace {
 public:
  Service() {
    for (const std::string name : {"alice", "bob"}) {
      REQUIRE(run_outsource(*this, {"token", name, "--out", name + ".token"}).exit_code == 0);
    }
    write_tokens(read("alice.token") + read("bob.token"));
    std::filesystem::create_directory(file("circuits"));
  }

  // Writes the token file of the server anew: it is read at the start, and after SIGHUP.
  void write_tokens(const std::string& lines) const {
    std::filesystem::remove(file("tokens"));
    write("tokens", lines);
    std::filesystem::permissions(file("tokens"), std::filesystem::perms::owner_read);
  }

  // The line of a client in a token file, with its limits.
  [[nodiscard]] std::string line_of(const std::string& name, const std::string& limits) const {
    return name + " " + token(name) + " " + limits + "\n";
  }

  static Arguments serve_command() {
    return {"serve",  "--port",         "0",          "--token-file", "tokens",
            "--data", "data",           "--circuits", "circuits",     "--threads",
            "1",      "--save-seconds", "0"};
  }

  // The server shows this, and clients trust its authority: from the next start on, or from SIGHUP.
  void show(const Authority& authority, const Authority::Identity& identity) {
    transport_ = Transport::tls;
    write("authority.pem", authority.certificate());
    write("certificate.pem", identity.certificate);
    write("certificate.key", identity.key);
    std::filesystem::permissions(file("certificate.key"), std::filesystem::perms::owner_read |
                                                              std::filesystem::perms::owner_write);
  }

  // Starts the server, and waits until it listens.
  void start(const Arguments& options = {}, std::optional<std::uint64_t> largest_file = {}) {
    Launch launch{serve_command()};
    launch.arguments.insert(launch.arguments.end(), options.begin(), options.end());
    if (transport_ == Transport::tls) {
      launch.arguments.insert(launch.arguments.end(), {"--certificate", "certificate.pem",
                                                       "--certificate-key", "certificate.key"});
    }
    launch.largest_file_bytes = largest_file;
    const bool listens = try_start(launch);
    INFO(server_->error_output());
    REQUIRE(listens);
  }

  // Starts a server by `launch`, whose standard output is the file `listening`; returns whether it
  // came to listen.
  [[nodiscard]] bool try_start(Launch launch) {
    launch.standard_output = file("listening").string();
    launch.program = outsource_program();
    std::filesystem::remove(file("listening"));
    server_ = std::make_unique<Process>(*this, launch);
    eventually([&] {
      return !server_->running() ||
             (std::filesystem::exists(file("listening")) && read("listening").ends_with('\n'));
    });
    if (!server_->running()) return false;
    const std::string line = read("listening");
    port_ = std::stoi(line.substr(line.rfind(':') + 1));
    return true;
  }

  [[nodiscard]] Process& server() { return *server_; }
  [[nodiscard]] int port() const { return port_; }

  // Ends the server; returns its exit code.
  int stop(int signal) {
    server_->send(signal);
    return server_->wait().exit_code;
  }

  // A verb of a client.
  [[nodiscard]] Outcome client(Arguments arguments, const std::string& name = "alice") const {
    arguments.insert(arguments.end(),
                     {"--url", url_of(port_, transport_), "--token-file", name + ".token"});
    if (transport_ == Transport::tls) {
      arguments.insert(arguments.end(), {"--authority", "authority.pem"});
    }
    return run_outsource(*this, arguments);
  }

  [[nodiscard]] std::string token(const std::string& name) const {
    return read(name + ".token").substr(name.size() + 1, 64);
  }
  [[nodiscard]] std::string authorization(const std::string& name = "alice") const {
    return "Authorization: Bearer " + token(name) + "\r\n";
  }

  // The answer to a request of a client; a body is sent when there is one, or for POST.
  [[nodiscard]] Reply ask(const std::string& method, const std::string& path,
                          const std::string& body = {}, const std::string& name = "alice") const {
    std::string head = method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n";
    head += authorization(name);
    if (method == "POST") head += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return reply_to(port_, head + "\r\n" + body, transport_);
  }

  // The same, which must be answered with this status; returns the JSON.
  [[nodiscard]] nlohmann::json expect(int status, const std::string& method,
                                      const std::string& path, const std::string& body = {},
                                      const std::string& name = "alice") const {
    const Reply reply = ask(method, path, body, name);
    INFO(method << " " << path << ": " << reply.status << " " << reply.body);
    CHECK(reply.status == status);
    return nlohmann::json::parse(reply.body, nullptr, false);
  }

  // The same, for an error whose message holds `part`.
  void expect_error(int status, const std::string& part, const std::string& method,
                    const std::string& path, const std::string& body = {},
                    const std::string& name = "alice") const {
    const nlohmann::json answer = expect(status, method, path, body, name);
    REQUIRE(answer.contains("error"));
    CHECK_THAT(answer["error"]["message"].get<std::string>(),
               Catch::Matchers::ContainsSubstring(part));
  }

  // Sends a file; returns its name on the server.
  [[nodiscard]] std::string upload(const std::string& path, const std::string& file,
                                   const std::string& name = "alice") const {
    return expect(201, "POST", path, read(file), name).at("id");
  }

  [[nodiscard]] std::string state_of(const std::string& job) const {
    return expect(200, "GET", "/v1/jobs/" + job).at("state");
  }

  // Waits for the jobs that are there, and removes them.
  void forget_jobs() const {
    const nlohmann::json answer = expect(200, "GET", "/v1/jobs");
    for (const nlohmann::json& job : answer.at("jobs")) {
      const std::string id = job.at("id");
      eventually([&] {
        const std::string state = state_of(id);
        return state != "queued" && state != "running";
      });
      static_cast<void>(expect(200, "DELETE", "/v1/jobs/" + id));
    }
  }

 private:
  Transport transport_ = Transport::bare;
  std::unique_ptr<Process> server_;
  int port_ = 0;
};

// A circuit of a few seconds on cnt-mini, in circuits/ of a service.
inline constexpr const char* kLong = "multiply.txt";

inline void ship(const Service& service, const std::string& name, const Netlist& netlist) {
  service.write("circuits/" + name, to_bristol(netlist));
}

// A service with the circuit add4.txt and files a.fhe and b.fhe of 13 and 11.
class AddingService : public Service {
 public:
  AddingService() {
    ship(*this, "add4.txt", adder_circuit(4));
    encrypt("1011", "a.fhe");
    encrypt("1101", "b.fhe");
  }

  // Submits and fetches as a user does, and decrypts the sum.
  void check_sum() const {
    const Outcome outcome = client({"submit", "--key", "keys/public.fhe", "--circuit", "add4.txt",
                                    "--input", "a.fhe", "--input", "b.fhe", "--out", "sum.fhe"});
    INFO(outcome.err);
    CHECK(outcome.exit_code == 0);
    CHECK_THAT(outcome.out, Catch::Matchers::StartsWith("sum.fhe: the result of job "));
    CHECK(decrypt("sum.fhe") == "0001\n");
  }
};

// A service with the long circuit and its input on the server.
class BusyService : public Service {
 public:
  static constexpr std::size_t kWidth = 64;

  // With a smaller width the circuit takes less time.
  explicit BusyService(std::size_t width = kWidth) {
    ship(*this, kLong, multiplier_circuit(width));
    encrypt(std::string(width, '1'), "x.fhe");
  }

  void send_input() {
    key_ = upload("/v1/keys", "keys/public.fhe");
    const std::string input = upload("/v1/keys/" + key_ + "/ciphertexts", "x.fhe");
    request_ = nlohmann::json{{"key", key_}, {"circuit", kLong}, {"inputs", {input, input}}}.dump();
  }

  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] const std::string& request() const { return request_; }
  [[nodiscard]] std::string submit() const {
    return expect(201, "POST", "/v1/jobs", request_).at("id");
  }
  [[nodiscard]] std::filesystem::path checkpoint_of(const std::string& job) const {
    return file("data/clients/alice/jobs/" + job + "/checkpoint.fhe");
  }
  void wait_for(const std::string& job, const std::string& state) const {
    eventually([&] { return state_of(job) == state; });
  }

 private:
  std::string key_;
  std::string request_;
};

// The processes of a service that do this, "work" or "check", and whose arguments hold `part`:
// those whose working directory is its data. Not the twin that looks for leaks of one under
// LeakSanitizer, which is a child of that.
inline std::vector<pid_t> processes_of(const Service& service, const std::string& verb,
                                       const std::string& part = {}) {
  std::vector<pid_t> found;
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    std::error_code failure;
    const auto place = std::filesystem::read_symlink(process.path() / "cwd", failure);
    if (failure || place != service.file("data")) continue;
    const pid_t id = std::stoi(process.path().filename());
    const std::string line = facts_of(id, "cmdline");
    if (line.find('\0' + verb + '\0') != std::string::npos &&
        line.find(part) != std::string::npos) {
      found.push_back(id);
    }
  }
  const std::vector<pid_t> all = found;
  std::erase_if(found, [&all](pid_t process) {
    const pid_t parent = std::atoi(fact_of(process, "status", "PPid:").c_str());
    return std::ranges::find(all, parent) != all.end();
  });
  return found;
}

inline std::optional<pid_t> worker_of(const Service& service) {
  const std::vector<pid_t> workers = processes_of(service, "work");
  return workers.empty() ? std::nullopt : std::optional(workers.front());
}

}  // namespace fhe::test
