// SPDX-License-Identifier: Apache-2.0
// Outsourced circuits from end to end: a server, its clients, and those who wish it ill.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "tests/apps/outsource_service.hpp"
#include "tests/support/circuits.hpp"
#include "tests/support/family_objects.hpp"

namespace fhe::test {

namespace {

namespace fs = std::filesystem;

std::string head_of_post(const Service& service, const std::string& path,
                         const std::string& headers) {
  return "POST " + path + " HTTP/1.1\r\nHost: x\r\n" + service.authorization() + headers + "\r\n";
}

// A place of the server for files, and what it takes.
struct UploadPlace {
  std::string path;
  std::optional<ObjectKind> taken;  // of bits; a circuit is no object
};

// What is taken may be of another key.
void check_upload(const Service& service, const UploadPlace& place, const FamilyObject& object) {
  CAPTURE(place.path, object.file);
  const Reply reply = service.ask("POST", place.path, service.read(object.file));
  CAPTURE(reply.body);
  const bool is_named = names_object(reply.body, object);
  const bool is_taken = place.taken && object.is(*place.taken, GroupPurpose::scheme);
  if (is_taken) {
    CHECK((reply.status == 201 || reply.status == 409));
  } else if (object.header.kind == ObjectKind::secret_key) {
    CHECK(reply.status == 422);  // whosever it is
  } else {
    CHECK(reply.status == 409);
    CHECK(is_named);
  }
}

}  // namespace

TEST_CASE("outsource: circuits are computed for keys of every scheme", "[apps][outsource]") {
  Service service;
  ship(service, "add4.txt", adder_circuit(4));
  service.write("own.blif",
                ".model own\n.inputs a[0] a[1] a[2] a[3] b[0] b[1] b[2] b[3]\n.outputs y\n"
                ".names a[0] b[3] y\n11 1\n.end\n");
  service.start();
  const auto compute = [&](const std::string& group, const Arguments& circuit,
                           const std::string& result) {
    service.succeed({"keygen", "--params", group, "--out", group, "--force"});
    const std::string key = group + "/public.fhe";
    service.succeed({"encrypt", "--key", key, "--bits", "1011", "--out", "a.fhe"});
    service.succeed({"encrypt", "--key", key, "--bits", "1101", "--out", "b.fhe"});
    Arguments arguments{"submit",  "--key", key,     "--input", "a.fhe",
                        "--input", "b.fhe", "--out", "y.fhe"};
    arguments.insert(arguments.end(), circuit.begin(), circuit.end());
    const Outcome outcome = service.client(arguments);
    INFO(group << ": " << outcome.err);
    REQUIRE(outcome.exit_code == 0);
    CHECK(service.succeed({"decrypt", "--key", group + "/secret.fhe", "y.fhe"}).out ==
          result + "\n");
  };
  for (const std::string group : {"cnt-mini", "cmnt-mini", "gh-mini"}) {
    compute(group, {"--circuit", "add4.txt"}, "0001");
  }
  compute("gh-mini", {"--circuit-file", "own.blif"}, "1");
  const Outcome jobs = service.client({"jobs"});
  CHECK(std::ranges::count(jobs.out, '\n') == 5);
  CHECK_THAT(service.client({"circuits"}).out, Catch::Matchers::StartsWith("add4.txt\n"));
  CHECK(service.stop(SIGTERM) == 0);
}

TEST_CASE("outsource: one job computes in all slots of a key", "[apps][outsource][slots]") {
  Service service;
  ship(service, "add4.txt", adder_circuit(4));
  service.start();
  service.succeed({"keygen", "--params", "bdghv-mini", "--out", "slots"});
  const std::string key = "slots/public.fhe";
  service.write("a.txt", "1\n2\n3\n15\n");
  service.write("b.txt", "1\n5\n0\n2\n");
  service.succeed({"encrypt", "--key", key, "--slots", "a.txt", "--as", "number", "--width", "4",
                   "--out", "a.fhe"});
  service.succeed({"encrypt", "--secret-key", "slots/secret.fhe", "--slots", "b.txt", "--as",
                   "number", "--width", "4", "--out", "b.fhe"});
  const Outcome outcome = service.client({"submit", "--key", key, "--input", "a.fhe", "--input",
                                          "b.fhe", "--circuit", "add4.txt", "--out", "y.fhe"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(service.succeed({"decrypt", "--key", "slots/secret.fhe", "--number", "y.fhe"}).out ==
        "2\n7\n3\n1\n");
  CHECK(service.expect(200, "GET", "/v1/keys").at("keys").at(0).at("slots") == 4);
  CHECK(service.stop(SIGTERM) == 0);
}

TEST_CASE("outsource: the demonstration adds numbers in all slots", "[apps][outsource][slots]") {
  const Sandbox empty;
  const Outcome outcome =
      run_outsource(empty, {"demo", "--params", "bdghv-mini", "--x", "1", "--y", "41"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, Catch::Matchers::ContainsSubstring("\nResult: 42, 44, 46, 48\n"));
}

TEST_CASE("outsource: the demonstration checks its result", "[apps][outsource]") {
  const Sandbox empty;
  const Outcome outcome = run_outsource(
      empty, {"demo", "--params", "cnt-mini", "--x", "18446744073709551615", "--y", "43"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  CHECK_THAT(outcome.out, Catch::Matchers::ContainsSubstring("\nResult: 42\n"));
  CHECK_THAT(outcome.out, Catch::Matchers::ContainsSubstring("The server computed 63 ANDs"));
}

TEST_CASE("outsource: wrong requests are refused with a reason", "[apps][outsource]") {
  AddingService service;
  service.start({"--max-upload", "1"});
  const auto error = [&](int status, const std::string& part, const std::string& method,
                         const std::string& path, const std::string& body = {}) {
    service.expect_error(status, part, method, path, body);
  };
  error(404, "no such path", "GET", "/v1/nothing");
  error(404, "no such path", "GET", "/v1/keys/a/b/c");
  error(405, "method", "DELETE", "/v1/jobs");
  error(405, "GET, POST or DELETE", "PUT", "/v1/keys");
  error(404, "no such job", "GET", "/v1/jobs/0123456789abcdef");
  error(404, "no such path", "GET", "/v1/jobs/..%2f..%2fkeys");
  error(404, "no such key", "DELETE", "/v1/keys/..");
  error(404, "no such path", "GET", "/v1/circuits/..%2f..%2f..%2fkeys%2fsecret.fhe");
  error(404, "no such circuit", "GET", "/v1/circuits/..");
  error(404, "no such key", "POST", "/v1/keys/" + std::string(64, 'a') + "/ciphertexts", "x");
  error(414, "too long", "GET", "/" + std::string(1000, 'a'));
  error(422, "not a file of keys", "POST", "/v1/keys", "garbage");
  error(422, "not a file of keys", "POST", "/v1/keys");
  std::string damaged = service.read("keys/public.fhe");
  damaged[damaged.size() / 2] ^= 1;
  error(422, "upload", "POST", "/v1/keys", damaged);
  error(400, "format=blif", "POST", "/v1/circuits", "1 1");
  error(422, "'upload' begins with 'garbage'", "POST", "/v1/circuits?format=bristol", "garbage\n");
  error(422, "the request", "POST", "/v1/jobs", "{\"key\": ");
  error(422, "the request", "POST", "/v1/jobs", "[]");
  error(404, "no such key", "POST", "/v1/jobs", R"({"key":"..","circuit":"add4.txt","inputs":[]})");

  const std::string key = service.upload("/v1/keys", "keys/public.fhe");
  const std::string input = service.upload("/v1/keys/" + key + "/ciphertexts", "a.fhe");
  CHECK(service.upload("/v1/keys", "keys/public.fhe") == key);
  const auto job = [&](const std::string& circuit, const std::vector<std::string>& inputs) {
    return nlohmann::json{{"key", key}, {"circuit", circuit}, {"inputs", inputs}}.dump();
  };
  error(404, "no such circuit", "POST", "/v1/jobs", job("nothing", {input, input}));
  error(422, "takes 2 inputs, not 1", "POST", "/v1/jobs", job("add4.txt", {input}));
  error(404, "ciphertexts", "POST", "/v1/jobs", job("add4.txt", {input, std::string(64, 'b')}));
  service.encrypt("10101", "five.fhe");
  const std::string five = service.upload("/v1/keys/" + key + "/ciphertexts", "five.fhe");
  error(422, "holds 5 bits", "POST", "/v1/jobs", job("add4.txt", {input, five}));
  error(403, "everybody's", "DELETE", "/v1/circuits/add4.txt");

  // Heads alone: they are answered before a body is sent.
  const auto head = [&](int status, const std::string& path, const std::string& headers) {
    INFO(headers);
    CHECK(reply_to(service.port(), head_of_post(service, path, headers)).status == status);
  };
  head(411, "/v1/keys", "");
  head(400, "/v1/keys", "Content-Length: many\r\n");
  head(400, "/v1/keys", "Content-Length: -1\r\n");
  head(400, "/v1/keys", "Content-Length: 3\r\nContent-Length: 4\r\n");
  head(400, "/v1/keys", "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n");
  head(411, "/v1/keys", "Transfer-Encoding: chunked\r\n");
  head(413, "/v1/keys", "Content-Length: 1048577\r\n");
  head(413, "/v1/keys", "Content-Length: 18446744073709551615\r\n");
  head(413, "/v1/circuits?format=blif", "Content-Length: 4194305\r\n");
  head(413, "/v1/keys", "Content-Length: 1048577\r\nExpect: 100-continue\r\n");
  head(415, "/v1/keys", "Content-Length: 5\r\nContent-Encoding: gzip\r\n");
  head(415, "/v1/keys", "Content-Length: 5\r\nContent-Type: multipart/form-data; boundary=b\r\n");
  CHECK(service.server().running());
}

TEST_CASE("outsource: who asks before sending a body is told to go on", "[apps][outsource]") {
  AddingService service;
  service.start();
  const std::string body = service.read("keys/public.fhe");
  const Talk talk(service.port());
  talk.say(head_of_post(
      service, "/v1/keys",
      "Expect: 100-continue\r\nContent-Length: " + std::to_string(body.size()) + "\r\n"));
  CHECK_THAT(talk.hear_until("\r\n\r\n"), Catch::Matchers::StartsWith("HTTP/1.1 100 "));
  talk.say(body);
  CHECK(parse_reply(talk.hear()).status == 201);
}

TEST_CASE("outsource: a secret key is refused and nothing of it stored", "[apps][outsource]") {
  AddingService service;
  service.start();
  const std::string key = service.upload("/v1/keys", "keys/public.fhe");
  const std::vector<std::string> files = service.list();
  const std::string secret = service.read("keys/secret.fhe");
  for (const std::string& path : {std::string("/v1/keys"), "/v1/keys/" + key + "/ciphertexts",
                                  std::string("/v1/circuits?format=blif")}) {
    service.expect_error(422, "secret key", "POST", path, secret);
    CHECK(service.list() == files);
  }
  // The client does not even send it.
  const Outcome outcome =
      service.client({"submit", "--key", "keys/secret.fhe", "--circuit", "add4.txt", "--input",
                      "a.fhe", "--input", "b.fhe", "--out", "y.fhe"});
  CHECK(outcome.exit_code == kUsage);
  CHECK_THAT(outcome.err, Catch::Matchers::ContainsSubstring("it stays here"));
}

TEST_CASE("outsource: uploads of other kinds and families are named", "[apps][outsource][family]") {
  AddingService service;
  service.start();
  const FamilyObjects objects(service.path());
  const std::string key = service.upload("/v1/keys", "cnt-mini.public.fhe");
  for (const UploadPlace& place :
       {UploadPlace{"/v1/keys", ObjectKind::public_key},
        UploadPlace{"/v1/keys/" + key + "/ciphertexts", ObjectKind::ciphertexts},
        UploadPlace{"/v1/circuits?format=blif", std::nullopt}}) {
    for (const FamilyObject& object : objects.all()) check_upload(service, place, object);
  }
  // The client hands the reason on.
  const Outcome outcome =
      service.client({"submit", "--key", "tally.public.fhe", "--circuit", "add4.txt", "--input",
                      "a.fhe", "--input", "b.fhe", "--out", "y.fhe"});
  CHECK(outcome.exit_code == kBadFile);
  CHECK_THAT(outcome.err,
             Catch::Matchers::ContainsSubstring("a public key of numbers in slots (tiny-tally)"));
}

TEST_CASE("outsource: clients see only what is theirs", "[apps][outsource]") {
  AddingService service;
  service.start();
  service.check_sum();
  const nlohmann::json jobs = service.expect(200, "GET", "/v1/jobs").at("jobs");
  REQUIRE(jobs.size() == 1);
  const std::string job = "/v1/jobs/" + jobs[0].at("id").get<std::string>();
  const std::string key = jobs[0].at("key");
  CHECK(service.expect(200, "GET", "/v1/jobs", "", "bob").at("jobs").empty());
  CHECK(service.expect(200, "GET", "/v1/keys", "", "bob").at("keys").empty());
  const auto hidden = [&](const std::string& method, const std::string& path) {
    service.expect_error(404, "there is no such", method, path, "", "bob");
  };
  hidden("GET", job);
  hidden("GET", job + "/result");
  hidden("POST", job + "/cancel");
  hidden("DELETE", job);
  hidden("DELETE", "/v1/keys/" + key);
  CHECK(reply_to(service.port(), "GET " + job + " HTTP/1.1\r\nHost: x\r\n\r\n").status == 401);
  CHECK(reply_to(service.port(), "GET " + job + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " +
                                     std::string(64, '0') + "\r\n\r\n")
            .status == 401);

  // Ciphertexts of one key are not computed on under another, also of the same client.
  service.succeed({"keygen", "--params", "cnt-mini", "--out", "other"});
  const std::string other = service.upload("/v1/keys", "other/public.fhe");
  service.expect_error(409, "key", "POST", "/v1/keys/" + other + "/ciphertexts",
                       service.read("a.fhe"));
  const nlohmann::json request{
      {"key", other}, {"circuit", "add4.txt"}, {"inputs", jobs[0].at("inputs")}};
  service.expect_error(409, "belong to the key " + key, "POST", "/v1/jobs", request.dump());
}

TEST_CASE("outsource: jobs wait, are watched, cancelled and forgotten", "[apps][outsource]") {
  BusyService service;
  service.start({"--max-jobs", "2"});
  service.send_input();
  const Talk watcher(service.port());
  watcher.say("GET /v1/events HTTP/1.1\r\nHost: x\r\n" + service.authorization() + "\r\n");
  const std::string first = service.submit();
  const std::string second = service.submit();
  service.expect_error(429, "2 of your jobs", "POST", "/v1/jobs", service.request());
  service.expect_error(409, "needs it", "DELETE", "/v1/keys/" + service.key());
  service.expect_error(409, "not finished", "DELETE", "/v1/jobs/" + second);
  service.wait_for(first, "running");
  service.expect_error(409, "the job is queued", "GET", "/v1/jobs/" + second + "/result");
  CHECK_THAT(watcher.hear_until("\"fraction\":0."),
             Catch::Matchers::ContainsSubstring("event: job\ndata: {\"id\":\"" + first));
  CHECK(service.expect(200, "POST", "/v1/jobs/" + second + "/cancel").at("state") == "cancelled");
  CHECK(service.client({"cancel", first}).exit_code == 0);
  service.wait_for(first, "cancelled");
  CHECK_FALSE(fs::exists(service.checkpoint_of(first)));
  const Outcome fetched =
      service.client({"fetch", first, "--key", "keys/public.fhe", "--out", "y.fhe"});
  CHECK(fetched.exit_code == kFailure);
  CHECK_THAT(fetched.err, Catch::Matchers::ContainsSubstring("is cancelled"));
  CHECK_FALSE(fs::exists(service.file("y.fhe")));
  static_cast<void>(service.expect(200, "DELETE", "/v1/jobs/" + first));
  service.expect_error(404, "no such job", "GET", "/v1/jobs/" + first);
  CHECK_THAT(watcher.hear_until("removed"), Catch::Matchers::EndsWith("event: removed"));
  static_cast<void>(service.expect(200, "DELETE", "/v1/keys/" + service.key()));
  CHECK(service.expect(200, "GET", "/v1/keys").at("keys").empty());
}

TEST_CASE("outsource: a client has a limited number of requests", "[apps][outsource]") {
  Service service;
  service.start({"--max-requests", "1"});
  {
    const Talk watcher(service.port());
    watcher.say("GET /v1/events HTTP/1.1\r\nHost: x\r\n" + service.authorization() + "\r\n");
    CHECK_THAT(watcher.hear_until("\r\n\r\n"), Catch::Matchers::StartsWith("HTTP/1.1 200"));
    service.expect_error(429, "wait for one", "GET", "/v1/keys");
    static_cast<void>(service.expect(200, "GET", "/v1/keys", "", "bob"));
  }
  eventually([&] { return service.ask("GET", "/v1/keys").status == 200; });
}

TEST_CASE("outsource: jobs survive the end of the server and go on from a checkpoint",
          "[apps][outsource]") {
  constexpr std::size_t kShort = 32;
  BusyService service(kShort);
  service.start();
  service.send_input();
  const std::string whole = service.submit();
  service.wait_for(whole, "done");
  const auto recryptions = [&](const std::string& job) {
    return service.expect(200, "GET", "/v1/jobs/" + job).at("recryptions").get<std::size_t>();
  };
  const std::string job = service.submit();
  eventually([&] { return fs::exists(service.checkpoint_of(job)); });
  CHECK(service.stop(SIGTERM) == 0);
  CHECK(fs::exists(service.checkpoint_of(job)));
  service.start();
  service.wait_for(job, "running");
  CHECK(service.stop(SIGKILL) == -1);
  eventually([&] { return !worker_of(service); });
  service.start();
  const Outcome fetched =
      service.client({"fetch", job, "--key", "keys/public.fhe", "--bits", "32", "--out", "y.fhe"});
  INFO(fetched.err);
  CHECK(fetched.exit_code == 0);
  // (2^32 - 1)^2 modulo 2^32
  const std::string zeros(kShort - 1, '0');
  CHECK(service.decrypt("y.fhe") == fmt::format("1{}\n", zeros));
  CHECK(recryptions(job) < recryptions(whole));
}

TEST_CASE("outsource: a worker that dies or takes too long does not harm the server",
          "[apps][outsource]") {
  BusyService service;
  service.start({"--max-seconds", "1", "--tries", "1"});
  service.send_input();
  const auto message = [&](const std::string& job) {
    service.wait_for(job, "failed");
    return service.expect(200, "GET", "/v1/jobs/" + job).at("error").get<std::string>();
  };
  const std::string killed = service.submit();
  eventually([&] { return worker_of(service).has_value(); });
  kill(*worker_of(service), SIGKILL);
  CHECK_THAT(message(killed), Catch::Matchers::ContainsSubstring("ended by signal 9"));
  CHECK_THAT(message(service.submit()), Catch::Matchers::ContainsSubstring("took longer"));
  CHECK(service.server().running());
}

TEST_CASE("outsource: memory and quota have limits", "[apps][outsource]") {
  Service service;
  ship(service, "wide.txt",
       two_word_circuit(512, [](const auto& x, const auto& y) { return x ^ y; }));
  service.encrypt(std::string(512, '1'), "x.fhe");
  service.start({"--memory", "1", "--quota", "2", "--max-upload", "1"});
  const std::string key = service.upload("/v1/keys", "keys/public.fhe");
  const std::string input = service.upload("/v1/keys/" + key + "/ciphertexts", "x.fhe");
  const std::string job =
      service
          .expect(201, "POST", "/v1/jobs",
                  nlohmann::json{{"key", key}, {"circuit", "wide.txt"}, {"inputs", {input, input}}}
                      .dump())
          .at("id");
  eventually([&] { return service.state_of(job) == "failed"; });
  const std::string error = service.expect(200, "GET", "/v1/jobs/" + job).at("error");
  CHECK_THAT(error, Catch::Matchers::ContainsSubstring("memory"));
  std::set<int> statuses;
  for (int i = 0; i < 8 && !statuses.contains(507); ++i) {
    service.encrypt(std::string(512, '1'), "x.fhe");
    statuses.insert(
        service.ask("POST", "/v1/keys/" + key + "/ciphertexts", service.read("x.fhe")).status);
  }
  CHECK(statuses == std::set<int>{201, 507});
}

TEST_CASE("outsource: on a full disk uploads are refused, and jobs wait for room",
          "[apps][outsource]") {
  AddingService service;
  const auto key_bytes = fs::file_size(service.file("keys/public.fhe"));
  service.start({}, key_bytes - 1);
  const std::vector<std::string> files = service.list();
  service.expect_error(507, "cannot write", "POST", "/v1/keys", service.read("keys/public.fhe"));
  CHECK(service.list() == files);
  CHECK(service.expect(200, "GET", "/v1/keys").at("keys").empty());
  CHECK(service.stop(SIGTERM) == 0);

  const auto input_bytes = fs::file_size(service.file("a.fhe"));
  const auto enough_to_send = std::max(key_bytes, input_bytes);
  ship(service, "copy.txt", two_word_circuit(4, [](const auto& x, const auto& y) {
         auto bits = x.bits();
         while (bits.size() < 200) bits.push_back(y[bits.size() % 4]);
         return Word<NetlistBuilder>(x.algebra(), std::move(bits));
       }));
  service.start({}, enough_to_send);
  const std::string key = service.upload("/v1/keys", "keys/public.fhe");
  const std::string input = service.upload("/v1/keys/" + key + "/ciphertexts", "a.fhe");
  const std::string job =
      service
          .expect(201, "POST", "/v1/jobs",
                  nlohmann::json{{"key", key}, {"circuit", "copy.txt"}, {"inputs", {input, input}}}
                      .dump())
          .at("id");
  eventually([&] {
    const nlohmann::json now = service.expect(200, "GET", "/v1/jobs/" + job);
    return now.at("note").get<std::string>().find("cannot write") != std::string::npos;
  });
  eventually([&] { return service.expect(200, "GET", "/v1/health").at("postponed_jobs") == 1; });
  const std::vector<std::string> kept = service.list();
  CHECK(std::ranges::none_of(kept,
                             [](const std::string& name) { return name.ends_with("result.fhe"); }));
  CHECK(service.stop(SIGTERM) == 0);
  service.start();
  eventually([&] { return service.state_of(job) == "done"; });
  CHECK(service.expect(200, "GET", "/v1/jobs/" + job).at("tries") == 0);
}

TEST_CASE("outsource: hostile heads are answered or cut", "[apps][outsource]") {
  Service service;
  service.start();
  const auto status = [&](const std::string& text) {
    return reply_to(service.port(), text).status;
  };
  const std::string get = "GET / HTTP/1.1\r\nHost: x\r\n";
  std::string ranges = "Range: bytes=0-1";
  while (ranges.size() < 8000) ranges += ",0-1";
  for (const std::string& range :
       {ranges, std::string("Range: bytes=99999999999999999999-"), std::string("Range: 7")}) {
    const Reply whole = reply_to(service.port(), get + range + "\r\n\r\n");
    CHECK(whole.status == 200);
    CHECK_THAT(whole.body, Catch::Matchers::EndsWith("</html>\n"));
  }
  CHECK(status(get + "A: " + std::string(17'000, 'b') + "\r\n\r\n") == 400);
  std::string many = get;
  while (many.size() < 20000) many += "A: b\r\n";
  CHECK(status(many + "\r\n") == 400);
  CHECK(status("GET " + std::string(9000, '/') + " HTTP/1.1\r\nHost: x\r\n\r\n") == 414);
  CHECK(status("BREW / HTTP/1.1\r\nHost: x\r\n\r\n") == 405);
  CHECK(status("PRI * HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n") == 405);
  CHECK(status("PATCH / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n") == 405);
  CHECK(status("GET / HTTP/9.9\r\n\r\n") == 400);
  CHECK(status(get + "A: b\r\n c\r\n\r\n") == 400);
  CHECK(status("GET / HTTP/1.1\n") == 400);
  CHECK(status(get + std::string("A: \0\r\n\r\n", 8)) == 400);
  CHECK(status(get + "\r\n") == 200);

  // What is refused has an id, a reason, and nothing after it.
  const Reply refused = reply_to(service.port(), "GET / HTTP/3.7\r\n\r\n" + get + "\r\n");
  CHECK(refused.status == 400);
  CHECK_FALSE(header_of(refused, "X-Request-Id").empty());
  CHECK(header_of(refused, "Connection") == "close");
  CHECK(nlohmann::json::parse(refused.body).at("error").at("code") == "bad_request");
}

TEST_CASE("outsource: a connection has one request, and what follows is none",
          "[apps][outsource]") {
  AddingService service;
  service.start();
  const std::string get = "GET /v1/health HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n";
  const std::string another = "DELETE /v1/circuits/add4.txt HTTP/1.1\r\nHost: x\r\n" + get + "\r\n";
  const std::string post = head_of_post(service, "/v1/jobs", "Content-Length: 2\r\n") + "{}";
  for (const std::string& text :
       {get + "\r\n" + another, get + "Content-Length: 3\r\n\r\n" + another, post + another,
        get + "\r\n" + std::string(100'000, 'x')}) {
    const Talk talk(service.port());
    talk.say(text);
    const std::string heard = talk.hear();
    CHECK_THAT(heard, Catch::Matchers::StartsWith("HTTP/1.1 "));
    CHECK(heard.find("HTTP/1.1 ", 1) == std::string::npos);
    CHECK(header_of(parse_reply(heard), "Connection") == "close");
  }
}

TEST_CASE("outsource: HEAD has the head of GET and nothing else", "[apps][outsource]") {
  Service service;
  service.start();
  for (const std::string path : {"/", "/v1/openapi.json", "/v1/keys", "/v1/none", "/v1/events"}) {
    INFO(path);
    const Reply head = service.ask("HEAD", path);
    CHECK(head.status == (path == "/v1/none" ? 404 : 200));
    CHECK(head.body.empty());
    if (path == "/v1/events") continue;  // does not end
    const Reply whole = service.ask("GET", path);
    CHECK(whole.status == head.status);
    CHECK(header_of(head, "Content-Length") == std::to_string(whole.body.size()));
    CHECK(header_of(head, "Content-Type") == header_of(whole, "Content-Type"));
  }
}

// Single bytes, one every tenth of a second, until the other side has had enough.
TEST_CASE("outsource: who is slow with a head or a body is cut off", "[apps][outsource]") {
  Service service;
  service.start({"--patience", "1"});
  const auto heard = [&](const std::string& start) {
    const Talk talk(service.port());
    talk.say(start);
    std::atomic<bool> over = false;
    std::jthread dripping([&] {
      for (int i = 0; i < 600 && !over; ++i) {
        talk.say("a", false);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
    });
    const std::string text = talk.hear();
    CHECK_FALSE(over.exchange(true));
    return text;
  };
  CHECK(heard("GET / HTTP/1.1\r\nHost: x\r\nA: ").empty());
  CHECK(heard("GET /").empty());
  CHECK(parse_reply(heard(head_of_post(service, "/v1/jobs", "Content-Length: 5000\r\n"))).status ==
        408);
}

TEST_CASE("outsource: the page needs nothing from elsewhere", "[apps][outsource]") {
  Service service;
  service.start();
  const Reply reply = reply_to(service.port(), "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(reply.status == 200);
  CHECK_THAT(reply.head, Catch::Matchers::ContainsSubstring(
                             "Content-Security-Policy: default-src 'none'; script-src 'sha256-"));
  CHECK_THAT(reply.body, Catch::Matchers::StartsWith("<!doctype html>"));
  for (const std::string foreign : {"http:", "https:", "src=", "@import", "url(", "innerHTML"}) {
    CHECK_THAT(reply.body, !Catch::Matchers::ContainsSubstring(foreign));
  }
}

// What other pages can have a browser send has no token: nothing here is a cookie, and no answer
// lets a script of elsewhere set the header, or read.
TEST_CASE("outsource: other sites can do nothing in a browser's name", "[apps][outsource]") {
  AddingService service;
  service.start();
  const std::string origin = "Origin: https://evil.example\r\n";
  const std::string cookie = "Cookie: token=" + service.token("alice") + "\r\n";
  const auto reply = [&](const std::string& head) {
    return reply_to(service.port(), head + origin + cookie + "\r\n");
  };
  const std::vector<Reply> replies{
      reply(
          "POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n"),
      reply("GET /v1/keys HTTP/1.1\r\nHost: x\r\n"),
      reply("OPTIONS /v1/jobs HTTP/1.1\r\nHost: x\r\nAccess-Control-Request-Method: POST\r\n"
            "Access-Control-Request-Headers: authorization\r\n"),
      reply("GET / HTTP/1.1\r\nHost: x\r\n")};
  const std::vector<int> expected{401, 401, 405, 200};
  for (std::size_t i = 0; i < replies.size(); ++i) {
    INFO(replies[i].head);
    CHECK(replies[i].status == expected[i]);
    CHECK_THAT(replies[i].head, !Catch::Matchers::ContainsSubstring("Access-Control"));
    CHECK_THAT(replies[i].head, !Catch::Matchers::ContainsSubstring("Set-Cookie"));
    CHECK(header_of(replies[i], "Cross-Origin-Resource-Policy") == "same-origin");
  }
}

TEST_CASE("outsource: servers do not start on what is wrong", "[apps][outsource]") {
  Service service;
  const auto fails = [&](const Arguments& options, int exit_code, const std::string& part) {
    Arguments arguments{"serve", "--port", "0"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = run_outsource(service, arguments);
    INFO(outcome.err);
    CHECK(outcome.exit_code == exit_code);
    CHECK_THAT(outcome.err, Catch::Matchers::StartsWith("fhe-outsource: error: "));
    CHECK_THAT(outcome.err, Catch::Matchers::ContainsSubstring(part));
  };
  fails({"--data", "d"}, kUsage, "--token-file");
  fails({"--data", "d", "--token-file", "none"}, kIo, "none");
  service.write("open", service.read("alice.token"));
  fs::permissions(service.file("open"), fs::perms::others_read, fs::perm_options::add);
  fails({"--data", "d", "--token-file", "open"}, kUsage, "chmod 600");
  const auto with_tokens = [&](const std::string& lines, int exit_code, const std::string& part) {
    fs::remove(service.file("lines"));
    service.write("lines", lines);
    fs::permissions(service.file("lines"), fs::perms::owner_read);
    fails({"--data", "d", "--token-file", "lines"}, exit_code, part);
  };
  with_tokens("", kBadFile, "no token");
  with_tokens("alice 0123\n", kBadFile, "lines:1");
  with_tokens("../up " + service.token("bob") + "\n", kBadFile, "lines:1");
  for (const std::string words : {"jobs=0", "jobs=2 jobs=3", "speed=1", "jobs", "jobs=", "jobs=-1",
                                  "jobs=1x", "jobs=18446744073709551617", "jobs=1  rate=2", "=1"}) {
    with_tokens(service.read("alice.token") + service.line_of("bob", words), kBadFile, "lines:2");
    with_tokens(service.line_of("bob", words), kBadFile, "jobs=1..100000");
  }
  with_tokens(service.read("bob.token") + "eve " + service.token("bob") + "\n", kUsage, "eve");
  fails({"--data", "d", "--token-file", "tokens", "--backend", "none-such"}, kUsage, "none-such");
  fails({"--data", "tokens/x", "--token-file", "tokens"}, kIo, "");
  service.write("circuits/wrong.txt", "garbage\n");
  fails({"--data", "d", "--token-file", "tokens", "--circuits", "circuits"}, kBadFile,
        "wrong.txt' begins with");
  fs::remove(service.file("circuits/wrong.txt"));
  fails({"--data", "d", "--token-file", "tokens", "--circuits", "none"}, kIo,
        "cannot read the circuits");
  service.start();
  fails({"--data", "data", "--token-file", "tokens"}, kIo,
        "another server uses '" + service.file("data").string() + "'");
  CHECK(run_outsource(service, {"token", "alice", "--out", "alice.token"}).exit_code == kIo);
  CHECK(run_outsource(service, {"token", "Al ice", "--out", "new.token"}).exit_code == kUsage);
}

}  // namespace fhe::test
