// SPDX-License-Identifier: Apache-2.0
// Uploads are read by processes of their own: what goes wrong there leaves the server as it is.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <thread>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "tests/apps/outsource_service.hpp"
#include "tests/support/process_facts.hpp"
#include "tests/support/sanitizers.hpp"

namespace fhe::test {

namespace {

namespace fs = std::filesystem;

constexpr const char* kBristol = "/v1/circuits?format=bristol";

// A circuit of nearly 4 MiB, the most that is taken: a chain of products.
std::string big_circuit() {
  constexpr int kGates = 150'000;
  std::string text = fmt::format("{} {}\n1 2\n1 1\n", kGates, kGates + 2);
  for (int i = 0; i < kGates; ++i) {
    text += fmt::format("2 1 {} {} {} {}\n", i % 2, i + 1, i + 2, i % 3 == 0 ? "AND" : "XOR");
  }
  return text;
}

// A circuit of one-bit words, of which the outputs are the negated inputs.
std::string circuit_of_words(std::size_t inputs, std::size_t outputs) {
  std::string text = fmt::format("{} {}\n{}", outputs, inputs + outputs, inputs);
  for (std::size_t i = 0; i < inputs; ++i) text += " 1";
  text += fmt::format("\n{}", outputs);
  for (std::size_t i = 0; i < outputs; ++i) text += " 1";
  text += '\n';
  for (std::size_t i = 0; i < outputs; ++i) {
    text += fmt::format("1 1 {} {} INV\n", i % inputs, inputs + i);
  }
  return text;
}

// The most memory that a process had, in kB.
long peak_kb(pid_t process) {
  return std::stol(fact_of(process, "status", "VmHWM:"));
}

// A service with a circuit of its client, a key and ciphertexts under it.
class StockedService : public Service {
 public:
  StockedService() {
    write("own.txt", to_bristol(adder_circuit(4)));
    encrypt("1011", "a.fhe");
    start();
    key = upload("/v1/keys", "keys/public.fhe");
    input = upload("/v1/keys/" + key + "/ciphertexts", "a.fhe");
    circuit = expect(201, "POST", kBristol, read("own.txt")).at("name");
    circuit_facts = facts_of_circuit();
    keys = expect(200, "GET", "/v1/keys");
  }

  [[nodiscard]] nlohmann::json facts_of_circuit() const {
    return expect(200, "GET", "/v1/circuits/" + circuit);
  }
  void check_same_facts() const {
    CHECK(facts_of_circuit() == circuit_facts);
    CHECK(expect(200, "GET", "/v1/keys") == keys);
  }

  // Their names, and what the server says about them.
  std::string key;
  std::string input;
  std::string circuit;
  nlohmann::json circuit_facts;
  nlohmann::json keys;
};

// Sends the circuit while every process that checks it gets the signal; returns the answer.
Reply upload_under_fire(const Service& service, int signal) {
  Reply reply;
  std::atomic<bool> over = false;
  std::jthread sender([&] {
    reply = service.ask("POST", kBristol, big_circuit());
    over = true;
  });
  while (!over) {
    for (const pid_t process : processes_of(service, "check")) ::kill(process, signal);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  sender.join();
  return reply;
}

std::string code_of(const Reply& reply) {
  return nlohmann::json::parse(reply.body).at("error").at("code");
}

}  // namespace

TEST_CASE("outsource: a circuit without wires does not end the server", "[apps][outsource]") {
  Service service;
  service.start();
  const Reply reply = service.ask("POST", kBristol, "1 0\n0\n0\n1 1 1 7 EQ\n");
  INFO(reply.body);
  CHECK(reply.status == 422);
  CHECK(service.expect(200, "GET", "/v1/circuits").at("circuits").empty());
  CHECK(service.server().running());
}

TEST_CASE("outsource: a check that dies is one refused upload", "[apps][outsource]") {
  Service service;
  service.start();
  const Reply crashed = upload_under_fire(service, SIGSEGV);
  INFO(crashed.body);
  CHECK(crashed.status == 422);
  CHECK(code_of(crashed) == "check_failed");
  const Reply killed = upload_under_fire(service, SIGKILL);
  INFO(killed.body);
  CHECK(killed.status == 413);
  CHECK(code_of(killed) == "out_of_memory");
  const Reply slow = upload_under_fire(service, SIGXCPU);  // what the limit of its time does
  INFO(slow.body);
  CHECK(slow.status == 413);
  CHECK(code_of(slow) == "too_complex");
  CHECK(service.server().running());
  CHECK(fs::is_empty(service.file("data/clients/alice/circuits")));
  CHECK(fs::is_empty(service.file("data/clients/alice/incoming")));
  CHECK_THAT(service.server().error_output(), Catch::Matchers::ContainsSubstring("signal 11") &&
                                                  Catch::Matchers::ContainsSubstring("of alice"));
}

TEST_CASE("outsource: a circuit of too many words is refused", "[apps][outsource]") {
  Service service;
  service.start();
  constexpr std::size_t kMostWords = 4096;
  const auto refused = [&](const std::string& circuit, const std::string& part) {
    service.expect_error(422, part, "POST", kBristol, circuit);
  };
  refused(circuit_of_words(kMostWords + 1, 1), "4097 input words: at most 4096");
  refused(circuit_of_words(1, kMostWords + 1), "4097 output words: at most 4096");
  refused(circuit_of_words(490'000, 1), "490000 input words: at most 4096");
  CHECK(service.expect(200, "GET", "/v1/circuits").at("circuits").empty());
  const std::string name =
      service.expect(201, "POST", kBristol, circuit_of_words(kMostWords, kMostWords)).at("name");
  CHECK(service.expect(200, "GET", "/v1/circuits/" + name).at("inputs").size() == kMostWords);
}

TEST_CASE("outsource: the server reads no key, ciphertext or circuit itself", "[apps][outsource]") {
  const StockedService service;
  const auto& [key, input, circuit] = std::tie(service.key, service.input, service.circuit);
  CHECK(service.circuit_facts.at("inputs").size() == 2);
  CHECK(service.circuit_facts.at("inputs")[1].at("width") == 4);
  CHECK(service.circuit_facts.at("outputs")[0].at("width") == 4);
  CHECK(service.keys.at("keys")[0].at("parameters") == "cnt-mini");
  CHECK(service.keys.at("keys")[0].at("ciphertexts")[0].at("bits") == 4);
  const std::string home = "data/clients/alice/";
  for (const std::string& file :
       {"keys/" + key + "/key.fhe", "keys/" + key + "/" + input + ".fhe", "circuits/" + circuit}) {
    const auto bytes = fs::file_size(service.file(home + file));
    service.write(home + file, std::string(bytes, '?'));
  }
  service.check_same_facts();
  const nlohmann::json request{{"key", key}, {"circuit", circuit}, {"inputs", {input, input}}};
  const std::string job = service.expect(201, "POST", "/v1/jobs", request.dump()).at("id");
  eventually([&] { return service.state_of(job) == "failed"; });  // its own process reads them
}

TEST_CASE("outsource: many questions for a big circuit cost nothing", "[apps][outsource]") {
  Service service;
  service.start();
  const std::string name = service.expect(201, "POST", kBristol, big_circuit()).at("name");
  const pid_t server = service.server().id();
  const long before = peak_kb(server);
  REQUIRE(before > 0);
  std::vector<std::thread> clients;
  std::atomic<int> answered = 0;
  for (int i = 0; i < 32; ++i) {
    clients.emplace_back([&] {
      if (service.ask("GET", "/v1/circuits/" + name).status == 200) ++answered;
    });
  }
  CHECK(service.expect(200, "GET", "/v1/keys", "", "bob").at("keys").empty());
  for (std::thread& client : clients) client.join();
  CHECK(answered == 32);
  constexpr long kMostKb = 64 * 1024;  // one reading took 200,000 kB and more
  CHECK(peak_kb(server) - before < kMostKb);
}

TEST_CASE("outsource: no client takes all checks for itself", "[apps][outsource]") {
  Service service;
  service.start({"--checks", "2"});
  constexpr int kUploads = 4;
  std::vector<std::thread> uploads;
  std::atomic<int> answered = 0;
  std::atomic<int> taken = 0;
  for (int i = 0; i < kUploads; ++i) {
    uploads.emplace_back([&, i] {
      const std::string circuit = big_circuit() + std::string(static_cast<std::size_t>(i), '\n');
      if (service.ask("POST", kBristol, circuit).status == 201) ++taken;
      ++answered;
    });
  }
  std::ptrdiff_t most = 0;
  const auto listed = [&] { return processes_of(service, "check", "clients/alice/"); };
  // At the same time: a list alone may show one that ends and the next.
  const auto alices = [&] {
    const std::vector<pid_t> before = listed();
    const std::vector<pid_t> after = listed();
    return std::ranges::count_if(
        before, [&](pid_t process) { return std::ranges::find(after, process) != after.end(); });
  };
  eventually([&] { return alices() > 0; });
  // The other place is free for somebody else.
  CHECK(service.ask("POST", "/v1/keys", service.read("keys/public.fhe"), "bob").status == 201);
  CHECK(answered < kUploads);
  while (answered < kUploads) most = std::max(most, alices());
  for (std::thread& upload : uploads) upload.join();
  CHECK(taken == kUploads);
  CHECK(most == 1);
}

TEST_CASE("outsource: processes of the server are bounded and know no secrets",
          "[apps][outsource]") {
  REQUIRE(::setenv("OUTSOURCE_TEST_SECRET", "password", 1) == 0);
  BusyService service;
  service.start({"--job-memory", "100000"});
  ::unsetenv("OUTSOURCE_TEST_SECRET");
  service.send_input();
  const std::string job = service.submit();
  eventually([&] { return fs::exists(service.checkpoint_of(job)); });
  const std::optional<pid_t> worker = worker_of(service);
  REQUIRE(worker);
  CHECK_THAT(facts_of(*worker, "environ"),
             !Catch::Matchers::ContainsSubstring("OUTSOURCE_TEST_SECRET"));
  const auto limit = [&](const std::string& name) { return fact_of(*worker, "limits", name); };
  CHECK_THAT(limit("Max core file size"), Catch::Matchers::ContainsSubstring(" 0 "));
  CHECK_THAT(limit("Max cpu time"), Catch::Matchers::ContainsSubstring(" 86460 "));
  if (!kSanitized) {
    CHECK_THAT(limit("Max address space"), Catch::Matchers::ContainsSubstring(" 104857600000 "));
  }
}

TEST_CASE("outsource: a key that takes too much memory is refused and the server lives",
          "[apps][outsource]") {
  if (kSanitized) return;  // address space cannot be limited there
  Service service;
  service.succeed({"keygen", "--params", "gh-512", "--out", "large"});
  service.start({"--check-memory", "40"});
  const Reply reply = service.ask("POST", "/v1/keys", service.read("large/public.fhe"));
  INFO(reply.body);
  CHECK(reply.status == 413);
  CHECK(code_of(reply) == "out_of_memory");
  CHECK(service.server().running());
  static_cast<void>(service.upload("/v1/keys", "keys/public.fhe"));
  CHECK(service.stop(SIGTERM) == 0);
}

TEST_CASE("outsource: a store of an older server, or of one that was killed, is completed",
          "[apps][outsource]") {
  StockedService service;
  const auto& [key, input, circuit] = std::tie(service.key, service.input, service.circuit);
  const std::vector<std::string> files = service.list();
  CHECK(service.stop(SIGTERM) == 0);

  const std::string home = "data/clients/alice/";
  fs::remove(service.file(home + "circuits/" + circuit + ".json"));
  fs::remove(service.file(home + "keys/" + key + "/key.fhe.json"));
  fs::remove(service.file(home + "keys/" + key + "/" + input + ".fhe.json"));
  service.write(home + "circuits/" + std::string(64, 'a') + ".txt.json", "{}");
  service.write(home + "circuits/.half.tmp", "?");
  service.write(home + "keys/" + key + "/" + std::string(64, 'a') + ".fhe.json", "{}");
  fs::create_directory(service.file(home + "keys/" + std::string(64, 'a')));
  service.start();
  service.check_same_facts();
  CHECK(service.list() == files);
}

}  // namespace fhe::test
