// SPDX-License-Identifier: Apache-2.0
// How apps/outsource reads HTTP: every message in every way to cut it, and what is none.
#include <algorithm>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sys/socket.h>

#include "apps/outsource/http.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

namespace {

using outsource::Connection;
using outsource::Field;
using outsource::MalformedMessage;
using outsource::Request;
using outsource::RequestBody;
using outsource::Socket;

using Parts = std::vector<std::string>;

// A connection on which these parts arrive one by one, a part with each call (or two, if it is
// longer than the buffer of a connection), and then the end.
class Wire {
 public:
  explicit Wire(Parts parts) : Wire(std::move(parts), two_ends()) {}

  [[nodiscard]] Connection& connection() { return connection_; }

  // All that was said on it, after which nothing can be.
  [[nodiscard]] std::string heard() const {
    connection_.interrupt();
    std::string text;
    char buffer[4096];
    for (ssize_t bytes = 1; bytes > 0;) {
      bytes = ::recv(other_.number(), buffer, sizeof(buffer), 0);
      if (bytes > 0) text.append(buffer, static_cast<std::size_t>(bytes));
    }
    return text;
  }

 private:
  using Ends = std::pair<Socket, Socket>;
  static constexpr std::size_t kMostAtOnce = 16 * 1024;

  static Ends two_ends() {
    int ends[2] = {-1, -1};
    REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
    return {Socket(ends[0]), Socket(ends[1])};
  }

  Wire(Parts parts, Ends ends)
      : other_(std::move(ends.second)),
        sender_([parts = std::move(parts), socket = other_.number()] {
          for (const std::string& part : parts) {
            for (std::size_t at = 0; at < part.size(); at += kMostAtOnce) {
              const std::string piece = part.substr(at, kMostAtOnce);
              if (::send(socket, piece.data(), piece.size(), MSG_NOSIGNAL) < 0) return;
            }
          }
          ::shutdown(socket, SHUT_WR);
        }),
        connection_(std::move(ends.first), outsource::Patience{}) {}

  const Socket other_;
  std::jthread sender_;
  Connection connection_;  // ends first, which ends the sender
};

// Reads a request and its body. Returns in words what was read.
std::string request_in(Parts parts) {
  Wire wire(std::move(parts));
  Request request;
  try {
    if (!read_request(wire.connection(), request)) return "none";
  } catch (const MalformedMessage& error) {
    return fmt::format("malformed: {}", error.what());
  }
  std::string text = fmt::format("{} {}", request.method, request.path);
  for (const Field& parameter : request.parameters) {
    text += fmt::format(" {}={}", parameter.name, parameter.value);
  }
  for (const Field& field : request.fields.all()) {
    text += fmt::format("|{}: {}", field.name, field.value);
  }
  std::string body;
  RequestBody reader(wire.connection(), request);
  const bool whole = reader.read([&](std::span<const std::byte> bytes) {
    body.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  return fmt::format("{}|{} {}", text, body, whole ? "whole" : "cut");
}

// The same for an answer.
std::string answer_in(Parts parts) {
  Wire wire(std::move(parts));
  int status = 0;
  std::string body;
  try {
    const bool whole = read_response(
        wire.connection(), [&](int said) { status = said; },
        [&](std::string_view piece) {
          body += piece;
          return true;
        });
    return fmt::format("{} {} {}", status, body, whole ? "whole" : "cut");
  } catch (const MalformedMessage& error) {
    return fmt::format("malformed after {} {}: {}", status, body, error.what());
  }
}

using Reader = std::string (*)(Parts parts);

// What is read of a text that comes at once, after a check that it is read of all its parts: two of
// each length, and single bytes.
std::string read_of_all_parts(Reader reader, const std::string& text) {
  std::string outcome = reader({text});
  std::vector<Parts> others(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    others.front().push_back(text.substr(i, 1));
    if (i > 0) others.push_back({text.substr(0, i), text.substr(i)});
  }
  INFO(text);
  CHECK(std::ranges::all_of(others, [&](const Parts& parts) { return reader(parts) == outcome; }));
  return outcome;
}

std::string request_of(const std::string& text) {
  return read_of_all_parts(request_in, text);
}

std::string answer_of(const std::string& text) {
  return read_of_all_parts(answer_in, text);
}

void check_malformed(const std::string& outcome, const std::string& reason) {
  CHECK_THAT(outcome, Catch::Matchers::StartsWith("malformed") &&
                          Catch::Matchers::ContainsSubstring(reason));
}

}  // namespace

TEST_CASE("outsource http: a request is the same however it is cut", "[apps][outsource][http]") {
  CHECK(request_of("GET / HTTP/1.1\r\nHost: x\r\n\r\n") == "GET /|Host: x| whole");
  CHECK(request_of("GET /v1/keys HTTP/1.0\r\nHost: x\r\nA:\r\nb:\t c d \r\n\r\n") ==
        "GET /v1/keys|Host: x|A: |b: c d| whole");
  CHECK(request_of("POST /p?q HTTP/1.1\r\nHost: x\r\ncontent-length: 3\r\n\r\nabc") ==
        "POST /p q=|Host: x|content-length: 3|abc whole");
  CHECK(request_of("BREW * HTTP/1.1\r\nHost: x\r\n\r\n") == "BREW *|Host: x| whole");
  // As a proxy is asked.
  CHECK(request_of("GET http://x/v1/keys?a=b HTTP/1.1\r\nHost: x\r\n\r\n") ==
        "GET /v1/keys a=b|Host: x| whole");
  CHECK(request_of("GET HTTPS://x:8080 HTTP/1.1\r\nHost: x\r\n\r\n") == "GET /|Host: x| whole");
  CHECK(request_of("GET http://x?a=/b HTTP/1.1\r\nHost: x\r\n\r\n") == "GET / a=/b|Host: x| whole");
  // What follows a request is not read, whatever it is.
  CHECK(request_of("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nabGET / "
                   "HTTP/1.1\r\nHost: x\r\n\r\n") == "POST /|Host: x|Content-Length: 2|ab whole");
  CHECK(request_of("GET / HTTP/1.1\r\nHost: x\r\n\r\n\n\n\x01") == "GET /|Host: x| whole");
  // The end of the connection in a body, in a head, and before it.
  CHECK(request_of("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc") ==
        "POST /|Host: x|Content-Length: 9|abc cut");
  CHECK(request_of("GET / HTTP/1.1\r\nHost: x\r\n") == "none");
  CHECK(request_in({}) == "none");
}

TEST_CASE("outsource http: what is no request is refused however it is cut",
          "[apps][outsource][http]") {
  const auto refused = [](const std::string& text, const std::string& reason) {
    check_malformed(request_of(text), reason);
  };
  const std::string get = "GET / HTTP/1.1\r\nHost: x\r\n";
  const std::string post = "POST / HTTP/1.1\r\nHost: x\r\n";
  // Lines.
  refused("GET / HTTP/1.1\n\n", "carriage return");
  refused(get + "A: b\n\r\n", "carriage return");
  refused(get + "A: b\r\r\n\r\n", "no HTTP");
  refused("GET / HTTP/1.1\rA: b\r\n\r\n", "no HTTP");
  refused(get + "A: b\r\n c\r\n\r\n", "goes on in the next line");
  refused(get + "A: b\r\n\tc\r\n\r\n", "goes on in the next line");
  refused(get + " A: b\r\n\r\n", "goes on in the next line");
  // The first of them.
  refused("\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", "no HTTP");
  refused("\r\n\r\n", "no HTTP");
  refused("GET /\r\n\r\n", "no HTTP");
  refused("GET  / HTTP/1.1\r\nHost: x\r\n\r\n", "no HTTP");
  refused("GET / x HTTP/1.1\r\nHost: x\r\n\r\n", "no HTTP");
  refused(" GET / HTTP/1.1\r\nHost: x\r\n\r\n", "no HTTP");
  refused("G(T / HTTP/1.1\r\nHost: x\r\n\r\n", "no HTTP");
  refused("GET / HTTP/1.2\r\n\r\n", "no HTTP");
  refused("GET / HTTP/2.0\r\n\r\n", "no HTTP");
  refused("GET / http/1.1\r\n\r\n", "no HTTP");
  refused("GET / HTTP/1.1 \r\n\r\n", "no HTTP");
  // Fields.
  refused(get + "A\r\n\r\n", "no HTTP");
  refused(get + ": b\r\n\r\n", "no HTTP");
  refused(get + "A : b\r\n\r\n", "no HTTP");
  refused(get + "A(: b\r\n\r\n", "no HTTP");
  refused(get + std::string("A: b\0c\r\n\r\n", 10), "no HTTP");
  refused(std::string("GET /\0 HTTP/1.1\r\n\r\n", 19), "no HTTP");
  refused(get + "A: b\x7f\r\n\r\n", "no HTTP");
  refused("\x16\x03\x01\x02garbage\r\n\x01\x02\r\n\r\n", "no HTTP");
  // Where the body ends.
  refused(post + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1", "");
  refused(post + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n1", "");
  refused(post + "Transfer-Encoding: gzip\r\nContent-Length: 1\r\n\r\n1", "more than once");
  refused(post + "Content-Length: 1\r\nContent-Length: 1\r\n\r\n1", "more than once");
  refused(post + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n12", "");
  refused(post + "Content-Length: 1, 1\r\n\r\n1", "not in digits");
  for (const std::string length :
       {"", "-1", "+1", "1 1", "0x1", "1e1", "many", "1;", "\"1\"", "18446744073709551616"}) {
    refused(post + "Content-Length: " + length + "\r\n\r\n1", "");
  }
  refused(post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "");
}

TEST_CASE("outsource http: what two readers could understand in two ways is refused",
          "[apps][outsource][http]") {
  const auto refused = [](const std::string& text, const std::string& reason) {
    check_malformed(request_of(text), reason);
  };
  refused("GET / HTTP/1.1\r\n\r\n", "Host");
  refused("GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", "Host");
  refused("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", "Host");
  CHECK(request_of("GET / HTTP/1.0\r\n\r\n") == "GET /| whole");
  const std::string fields = "Host: a\r\nAuthorization: Bearer b\r\n";
  refused("GET / HTTP/1.1\r\n" + fields + "authorization: Bearer c\r\n\r\n", "Authorization");
  for (const std::string method : {"GET", "HEAD", "DELETE"}) {
    refused(method + " / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "body");
  }
}

TEST_CASE("outsource http: heads have a longest length", "[apps][outsource][http]") {
  const std::string start = "GET / HTTP/1.1\r\nHost: x\r\nA: ";
  const std::string end = "\r\n\r\n";
  const std::string longest(outsource::kMostHeadBytes - start.size() - end.size(), 'b');
  CHECK(request_in({start + longest + end}) == "GET /|Host: x|A: " + longest + "| whole");
  check_malformed(request_in({start + longest + "b" + end}), "more than 16384 bytes");
  check_malformed(request_in({start + longest + "b", end}), "more than 16384 bytes");
  check_malformed(request_in({"GET /" + std::string(20'000, 'x')}), "more than 16384 bytes");
  check_malformed(answer_in({"HTTP/1.1 200 " + std::string(20'000, 'x')}), "more than 16384 bytes");
}

TEST_CASE("outsource http: targets are decoded once", "[apps][outsource][http]") {
  const auto path = [](const std::string& target) {
    const std::string text = request_in({"GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n"});
    return text.substr(4, text.size() - 4 - std::string_view("|Host: x| whole").size());
  };
  CHECK(path("/a%41%2fb%2Fc") == "/aA/b/c");
  CHECK(path("/%2541+%") == "/%41+%");
  CHECK(path("/%4x%x4%-1%4") == "/%4x%x4%-1%4");
  CHECK(path("/%C3%BC\xc3\xbc\"[") == "/\xc3\xbc\xc3\xbc\"[");
  CHECK(path("/%00") == std::string("/\0", 2));
  CHECK(path("/?a=b+c&d=%26%3d%2B&&e&=f&g=h=i?") == "/ a=b c d=&=+ e= g=h=i?");
  Request request;
  Wire wire({"GET /?a=1&a=2&b HTTP/1.1\r\nHost: x\r\n\r\n"});
  REQUIRE(read_request(wire.connection(), request));
  CHECK(request.parameter("a") == "1");
  CHECK(request.parameter("b") == "");
  CHECK(request.parameter("A") == std::nullopt);
}

TEST_CASE("outsource http: who waits to send a body is told to go on", "[apps][outsource][http]") {
  const auto heard = [](const std::string& fields, bool reads) {
    Wire wire({"POST / HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n", "abc"});
    Request request;
    REQUIRE(read_request(wire.connection(), request));
    if (reads) {
      RequestBody body(wire.connection(), request);
      CHECK(body.read([](std::span<const std::byte>) {}));
    }
    return wire.heard();
  };
  const std::string expects = "expect: 100-Continue\r\n";
  CHECK(heard("Content-Length: 3\r\n" + expects, true) == "HTTP/1.1 100 Continue\r\n\r\n");
  CHECK(heard("Content-Length: 3\r\n" + expects, false).empty());  // refused by its head alone
  CHECK(heard("Content-Length: 3\r\n", true).empty());
  CHECK(heard("Content-Length: 0\r\n" + expects, true).empty());
}

TEST_CASE("outsource http: an answer is the same however it is cut", "[apps][outsource][http]") {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  CHECK(answer_of(ok + "Content-Length: 5\r\n\r\nhello") == "200 hello whole");
  CHECK(answer_of(ok + "Content-Length: 5\r\n\r\nhello, and more") == "200 hello whole");
  CHECK(answer_of(ok + "Content-Length: 5\r\n\r\nhell") == "200 hell cut");
  CHECK(answer_of(ok + "Content-Length: 0\r\n\r\n") == "200  whole");
  CHECK(answer_of("HTTP/1.0 404 Not\r\n\r\nto the end\r\n\r\n") == "404 to the end\r\n\r\n whole");
  CHECK(answer_of("HTTP/1.1 204 \r\n\r\n") == "204  whole");
  CHECK(answer_of("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\n" + ok +
                  "Content-Length: 1\r\n\r\n1") == "200 1 whole");
  CHECK(answer_of("HTTP/1.1 100 Continue\r\n\r\n") == "0  cut");
  CHECK(answer_of(ok + "Content-Length: 5") == "0  cut");
  CHECK(answer_in({}) == "0  cut");

  const std::string chunked = ok + "Transfer-Encoding: chunked\r\n\r\n";
  CHECK(answer_of(chunked + "5\r\nhello\r\n0\r\n\r\n") == "200 hello whole");
  CHECK(answer_of(chunked + "3\r\nhel\r\n00002\r\nlo\r\n0\r\n\r\nmore") == "200 hello whole");
  CHECK(
      answer_of(chunked + "B;a;b=c;d=\"e\\\"f\"\r\nhello\r\nworl\r\n0;x\r\nA: b\r\nC: d\r\n\r\n") ==
      "200 hello\r\nworl whole");
  CHECK(answer_of(chunked + "0\r\n\r\n") == "200  whole");
  CHECK(answer_of(chunked + "5\r\nhello\r\n0\r\nA: b\r\n") == "200 hello cut");
  CHECK(answer_of(chunked + "5\r\nhello\r\n") == "200 hello cut");
  CHECK(answer_of(chunked + "5\r\nhel") == "200 hel cut");
  CHECK(answer_of(chunked) == "200  cut");
}

TEST_CASE("outsource http: what is no answer is refused however it is cut",
          "[apps][outsource][http]") {
  const auto refused = [](const std::string& text, const std::string& reason) {
    check_malformed(answer_of(text), reason);
  };
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  refused("HTTP/1.1 2x0 OK\r\n\r\n", "its head");
  refused("HTTP/1.1 000 OK\r\n\r\n", "its status");
  refused("HTTP/1.1 20 OK\r\n\r\n", "its head");
  refused("HTTP/3.0 200 OK\r\n\r\n", "its head");
  refused("GET / HTTP/1.1\r\n\r\n", "its head");
  refused("HTTP/1.1 200 OK\n\n", "carriage return");
  refused(ok + "A: b\r\n c\r\n\r\n", "goes on in the next line");
  refused(ok + "Content-Length: 1\r\nContent-Length: 1\r\n\r\n1", "more than once");
  refused(ok + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "");
  std::string endless;
  for (int i = 0; i < 10; ++i) endless += "HTTP/1.1 102 Wait\r\n\r\n";
  check_malformed(answer_in({endless}), "again and again");

  const std::string chunked = ok + "Transfer-Encoding: chunked\r\n\r\n";
  for (const std::string body :
       {"\r\n", "x\r\n", "-1\r\n1\r\n", "5\nhello\r\n0\r\n\r\n", " 5\r\nhello\r\n0\r\n\r\n",
        "5\r\nhelloX\r\n0\r\n\r\n", "5\r\nhello0\r\n\r\n", "5 x\r\nhello\r\n0\r\n\r\n",
        "5;=\r\nhello\r\n0\r\n\r\n", "0x5\r\nhello\r\n0\r\n\r\n",
        "10000000000000000\r\n1\r\n0\r\n\r\n", "5\r\nhello\r\n0\r\nno field\r\n\r\n"}) {
    refused(chunked + body, "its body is no HTTP");
  }
  // A piece as long as can be said, of which little comes; and lines without an end.
  CHECK(answer_of(chunked + "ffffffffffffffff\r\n1") == "200 1 cut");
  CHECK(answer_of(chunked + "5;a=\"\r\nhello\r\n0\r\n\r\n") == "200  cut");
  check_malformed(answer_in({chunked + "5;" + std::string(20'000, 'a') + "\r\nhello"}),
                  "a line in its body is too long");
  check_malformed(answer_in({chunked + std::string(20'000, '1')}),
                  "a line in its body is too long");
  check_malformed(answer_in({chunked + "0\r\nA: " + std::string(20'000, 'a')}),
                  "a line in its body is too long");
}

TEST_CASE("outsource http: a body is read no further than it is wanted",
          "[apps][outsource][http]") {
  Wire wire({"HTTP/1.1 200 OK\r\n\r\n", "one", "two", "three"});
  std::string taken;
  const bool whole = read_response(
      wire.connection(), [](int) {},
      [&](std::string_view piece) {
        taken += piece;
        return taken != "onetwo";
      });
  CHECK_FALSE(whole);
  CHECK(taken == "onetwo");
}

TEST_CASE("outsource http: names of fields are the same in any letters",
          "[apps][outsource][http]") {
  outsource::Fields fields;
  fields.add("Content-Type", "a");
  fields.add("content-type", "b");
  CHECK(fields.value("CONTENT-TYPE") == "a");
  CHECK(fields.count("Content-type") == 2);
  CHECK_FALSE(fields.has("Content"));
  CHECK(fields.value("Content").empty());
  CHECK(outsource::request_head("POST", "/a?b", fields) ==
        "POST /a?b HTTP/1.1\r\nContent-Type: a\r\ncontent-type: b\r\n\r\n");
}

}  // namespace fhe::test
