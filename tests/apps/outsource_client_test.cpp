// SPDX-License-Identifier: Apache-2.0
// The client against servers that say anything but what they should.
#include <atomic>
#include <functional>
#include <thread>

#include <fmt/format.h>
#include <poll.h>

#include "tests/apps/outsource_service.hpp"

namespace fhe::test {

namespace {

constexpr const char* kJob = "0123456789abcdef";

// Says what `answer` returns for the path of a request, and then hangs up.
class HostileServer {
 public:
  using Answer = std::function<std::string(const std::string& path)>;

  // Repeats the last character of answers to paths that end so, until so many bytes are sent; what
  // the reader did not want is not counted.
  struct Repetition {
    std::string path_end;
    std::uint64_t bytes = 0;
  };

  explicit HostileServer(Answer answer, Repetition repetition = {"", 0})
      : answer_(std::move(answer)),
        repetition_(std::move(repetition)),
        thread_([this] { serve(); }) {}
  ~HostileServer() {
    over_ = true;
    ::shutdown(listener_.socket(), SHUT_RDWR);
    thread_.join();
  }
  HostileServer(const HostileServer&) = delete;
  HostileServer& operator=(const HostileServer&) = delete;

  [[nodiscard]] int port() const { return listener_.port(); }

  [[nodiscard]] std::uint64_t sent_bytes() const { return sent_bytes_; }

 private:
  void serve() {
    while (!over_) {
      const int connection = ::accept4(listener_.socket(), nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) continue;
      talk(connection);
      ::close(connection);
    }
  }

  void talk(int connection) {
    std::string head;
    char buffer[4096];
    while (head.find("\r\n\r\n") == std::string::npos) {
      const ssize_t bytes = ::recv(connection, buffer, sizeof(buffer), 0);
      if (bytes <= 0) return;
      head.append(buffer, static_cast<std::size_t>(bytes));
    }
    read_body(connection, head);
    const std::size_t start = head.find(' ') + 1;
    const std::string path = head.substr(start, head.find(' ', start) - start);
    const std::string text = answer_(path);
    if (!send(connection, text)) return;
    const std::uint64_t most = path.ends_with(repetition_.path_end) ? repetition_.bytes : 0;
    const std::string more(64 * 1024, text.back());
    while (sent_bytes_ < most && !over_ && send(connection, more)) {
    }
    // Lets it arrive: a connection that is closed with unread data is reset.
    ::shutdown(connection, SHUT_WR);
    while (::recv(connection, buffer, sizeof(buffer), 0) > 0) {
    }
  }

  static void read_body(int connection, const std::string& request) {
    const std::string name = "Content-Length: ";
    const std::size_t at = request.find(name);
    if (at == std::string::npos) return;
    std::size_t left = std::stoul(request.substr(at + name.size())) + request.find("\r\n\r\n") + 4;
    left -= std::min(left, request.size());
    char buffer[4096];
    for (ssize_t bytes = 1; left > 0 && bytes > 0;) {
      bytes = ::recv(connection, buffer, std::min(left, sizeof(buffer)), 0);
      left -= static_cast<std::size_t>(std::max<ssize_t>(bytes, 0));
    }
  }

  bool send(int connection, const std::string& text) {
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t bytes =
          ::send(connection, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (bytes <= 0) return false;
      sent += static_cast<std::size_t>(bytes);
    }
    sent_bytes_ += text.size();
    return true;
  }

  const Answer answer_;
  const Repetition repetition_;
  const Listener listener_;
  std::atomic<bool> over_ = false;
  std::atomic<std::uint64_t> sent_bytes_ = 0;
  std::thread thread_;
};

std::string good(const std::string& body) {
  return fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", body.size(), body);
}

// A client's files, and an honest description of a job that is done.
class Victim : public Workplace {
 public:
  Victim() {
    REQUIRE(run_outsource(*this, {"token", "alice", "--out", "alice.token"}).exit_code == 0);
    encrypt("1011", "four.fhe");
  }

  // `fhe-outsource` with these arguments, on a server that answers so.
  [[nodiscard]] Outcome ask(Arguments arguments, const HostileServer& server) const {
    arguments.insert(arguments.end(),
                     {"--url", url_of(server.port()), "--token-file", "alice.token"});
    return run_outsource(*this, arguments);
  }

  // Fetches a result of four bits, where the server sends `result` for it.
  [[nodiscard]] Outcome fetch(const std::string& result, const Arguments& more = {}) const {
    const HostileServer server([&](const std::string& path) {
      return path.ends_with("/result") ? result : good(job_done());
    });
    Arguments arguments{"fetch", kJob, "--key", "keys/public.fhe", "--out", "y.fhe"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return ask(arguments, server);
  }

  // Nothing is left of what cannot be used.
  void refuses(const std::string& result, int exit_code, const std::string& part,
               const Arguments& more = {}) const {
    const std::vector<std::string> files = list();
    const Outcome outcome = fetch(result, more);
    INFO(outcome.out << outcome.err);
    CHECK(outcome.exit_code == exit_code);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, Catch::Matchers::ContainsSubstring(part));
    CHECK(std::ranges::count(outcome.err, '\n') == 1);
    CHECK(list() == files);
  }

  static std::string job_done(std::uint64_t output_bits = 4) {
    return nlohmann::json{{"id", kJob},
                          {"key", std::string(64, 'a')},
                          {"circuit", "c.txt"},
                          {"inputs", {"b"}},
                          {"state", "done"},
                          {"fraction", 1.0},
                          {"created", 1},
                          {"started", 2},
                          {"finished", 3},
                          {"products", 4},
                          {"recryptions", 5},
                          {"error", ""},
                          {"output_bits", output_bits}}
        .dump();
  }
};

}  // namespace

TEST_CASE("outsource: a result is what was asked for, or it is refused", "[apps][outsource]") {
  const Victim victim;
  const std::string result = victim.read("four.fhe");
  const Outcome outcome = victim.fetch(good(result), {"--bits", "4"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(victim.decrypt("y.fhe") == "1011\n");
  CHECK(victim.read("y.fhe") == result);
  std::filesystem::remove(victim.file("y.fhe"));
  // In pieces, as a proxy may send it.
  const std::string pieces = fmt::format("1\r\n{}\r\n{:x};a=b\r\n{}\r\n0\r\n\r\n", result[0],
                                         result.size() - 1, result.substr(1));
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  REQUIRE(victim.fetch(head + pieces).exit_code == 0);
  CHECK(victim.read("y.fhe") == result);
  std::filesystem::remove(victim.file("y.fhe"));
  victim.refuses(head + pieces.substr(0, pieces.size() - 5), kIo, "no answer");
  victim.refuses(head + "x\r\n" + pieces, kIo, "no HTTP");

  victim.refuses(good("garbage"), kBadFile, "what the server sends as the result");
  victim.refuses(good(""), kBadFile, "what the server sends as the result");
  victim.refuses(good(victim.read("keys/public.fhe")), kBadFile, "the server sends");
  victim.refuses(good(result.substr(0, result.size() - 1)), kBadFile, "the result");
  std::string damaged = result;
  damaged[damaged.size() - 2] ^= 1;
  victim.refuses(good(damaged), kBadFile, "the result");
  victim.refuses(good(result), kBadFile, "4 bits instead of 8", {"--bits", "8"});
  victim.refuses(good(result), kBadFile, "4 bits instead of 1", {"--bits", "1"});
  victim.encrypt("10110", "five.fhe");
  victim.refuses(good(victim.read("five.fhe")), kBadFile, "instead of 4");
  victim.succeed({"keygen", "--params", "cnt-mini", "--out", "other"});
  victim.succeed({"encrypt", "--key", "other/public.fhe", "--bits", "1011", "--out", "o.fhe"});
  victim.refuses(good(victim.read("o.fhe")), kBadFile, "key");
  // Shorter than announced, and no HTTP at all.
  victim.refuses("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nshort", kIo, "no answer");
  victim.refuses("\x16\x03\x01 garbage\r\n\r\n", kIo, "no answer");
  // A refusal with control characters in it.
  const std::string refusal = R"({"error":{"code":"x","message":"\u001b[31mred"}})";
  victim.refuses(
      fmt::format("HTTP/1.1 404 No\r\nContent-Length: {}\r\n\r\n{}", refusal.size(), refusal),
      kFailure, "?[31mred");
}

TEST_CASE("outsource: a client that sends too much is told so", "[apps][outsource]") {
  AddingService service;
  service.start({"--max-upload", "1"});
  service.write("large.fhe", std::string(std::size_t{20} << 20, 'x'));
  const Outcome outcome =
      service.client({"submit", "--key", "keys/public.fhe", "--circuit", "add4.txt", "--input",
                      "large.fhe", "--input", "b.fhe", "--out", "sum.fhe"});
  CHECK(outcome.exit_code == kFailure);
  CHECK_THAT(outcome.err, Catch::Matchers::ContainsSubstring("the server answers 413: 20971520"));
}

TEST_CASE("outsource: endless answers end", "[apps][outsource]") {
  const Victim victim;
  constexpr std::uint64_t kEndless = std::uint64_t{4} << 30;
  constexpr std::uint64_t kTaken = std::uint64_t{64} << 20;  // what was on its way included
  // What the server says of a job that is done, of keys, and of what it was sent.
  std::string job = Victim::job_done();
  const std::string keys = R"({"keys": [], "id": ")" + std::string(64, 'a') + R"("})";
  const auto ends = [&](const Arguments& arguments, const std::string& path_end,
                        const std::string& answer, int exit_code) {
    INFO(arguments.front() << ' ' << path_end << ' ' << answer);
    const std::vector<std::string> files = victim.list();
    const HostileServer server(
        [&](const std::string& path) {
          if (path.ends_with(path_end)) return answer;
          return good(path.starts_with("/v1/keys") ? keys : job);
        },
        {path_end, kEndless});
    const Outcome outcome = victim.ask(arguments, server);
    INFO(outcome.err);
    CHECK(outcome.exit_code == exit_code);
    CHECK(server.sent_bytes() < kTaken);
    CHECK(victim.list() == files);
  };
  const std::string head = "HTTP/1.1 200 OK\r\n";
  const std::string result = "/result";
  const Arguments fetch{"fetch", kJob, "--key", "keys/public.fhe", "--out", "y.fhe"};
  const Arguments submit{"submit",  "--key",    "keys/public.fhe", "--circuit", "c.txt",
                         "--input", "four.fhe", "--out",           "y.fhe"};
  for (const Arguments& arguments : {fetch, submit}) {
    ends(arguments, result, head + "\r\na", kBadFile);
    ends(arguments, result, head + "Content-Length: 4000000000\r\n\r\na", kBadFile);
    ends(arguments, result, head + "Content-Length: 18446744073709551615\r\n\r\na", kBadFile);
    ends(arguments, result, head + "Content-Length: 5\r\n\r\na", kBadFile);
  }
  struct Question {
    Arguments arguments;
    std::string path_end;
  };
  for (const auto& [arguments, path_end] :
       {Question{fetch, result}, Question{{"jobs"}, "/jobs"}, Question{submit, "/keys"},
        Question{submit, "/ciphertexts"}, Question{submit, "/jobs"}, Question{submit, result}}) {
    // A length of a piece, a field, a status, and a message.
    ends(arguments, path_end, head + "Transfer-Encoding: chunked\r\n\r\n1", kIo);
    ends(arguments, path_end, head + "A: b", kIo);
    ends(arguments, path_end, "H", kIo);
    ends(arguments, path_end, "HTTP/1.1 404 No\r\n\r\na", kFailure);
    if (path_end != result) ends(arguments, path_end, head + "\r\n[", kBadFile);
  }
  // A result as large as the server likes to say.
  for (const std::uint64_t bits : {std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    job = Victim::job_done(bits);
    for (Arguments arguments : {fetch, submit}) {
      arguments.insert(arguments.end(), {"--max-result", "8"});
      ends(arguments, result, head + "\r\na", kBadFile);
    }
  }
}

TEST_CASE("outsource: answers that are no answers are refused", "[apps][outsource]") {
  const Victim victim;
  const auto refused = [&](const Arguments& arguments, const std::string& body) {
    const HostileServer server([&](const std::string&) { return good(body); });
    const Outcome outcome = victim.ask(arguments, server);
    INFO(body << ": " << outcome.err);
    CHECK(outcome.exit_code == kBadFile);
    CHECK(outcome.out.find('\x1b') == std::string::npos);
    CHECK_THAT(outcome.err, Catch::Matchers::ContainsSubstring("the server's answer"));
  };
  for (const std::string body : {"", "garbage", "[]", "7", "{}", R"({"jobs": 7})",
                                 R"({"jobs": [7]})", R"({"jobs": [{"id": 7}]})"}) {
    refused({"jobs"}, body);
  }
  for (const std::string body : {"{", "[]", R"({"circuits": [{}]})", R"({"circuits": [[]]})"}) {
    refused({"circuits"}, body);
  }
  const Arguments submit{"submit",  "--key",    "keys/public.fhe", "--circuit", "c.txt",
                         "--input", "four.fhe", "--out",           "y.fhe"};
  for (const std::string body : {"[]", R"({"keys": [{}]})", R"({"keys": [], "id": "../x"})",
                                 R"({"keys": [], "id": "0123"})"}) {
    refused(submit, body);
  }
  refused({"fetch", kJob, "--key", "keys/public.fhe", "--out", "y.fhe"},
          R"({"id": 1, "state": "done"})");
}

}  // namespace fhe::test
