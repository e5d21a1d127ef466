// SPDX-License-Identifier: Apache-2.0
// Answers of servers, as clients read them: anything that a server says on one connection. It is an
// answer of HTTP or none, in one piece or in two, and its body is no longer than what was said.
#include <array>
#include <string>
#include <utility>

#include <sys/socket.h>

#include "apps/outsource/http.hpp"
#include "tests/hostile/target.hpp"

using namespace fhe;
using namespace fhe::hostile;
using namespace fhe::outsource;

namespace {

// As much as a socket of the system holds on its way to a reader.
constexpr std::size_t kMostSaid = 64 * 1024;

// A connection on which these two pieces arrive, and then the end.
Socket socket_with(std::string_view first, std::string_view second) {
  std::array<int, 2> ends{};
  demand(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0,
         "there is no pair of sockets");
  const Socket other(ends[1]);
  for (const std::string_view piece : {first, second}) {
    if (!piece.empty()) {
      demand(::send(other.number(), piece.data(), piece.size(), MSG_NOSIGNAL) > 0, "cannot send");
    }
  }
  return Socket(ends[0]);
}

struct Heard {
  int status = 0;
  std::string body;
  bool whole = false;
  bool malformed = false;
  friend bool operator==(const Heard&, const Heard&) = default;
};

Heard heard_of(std::string_view text, std::size_t cut) {
  Connection connection(socket_with(text.substr(0, cut), text.substr(cut)), Patience{});
  Heard heard;
  try {
    heard.whole = read_response(
        connection, [&](int status) { heard.status = status; },
        [&](std::string_view piece) {
          heard.body += piece;
          return true;
        });
  } catch (const MalformedMessage&) {
    heard.malformed = true;
  }
  return heard;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(data, std::min(size, kMostSaid));
  const Heard heard = heard_of(text, text.size());
  demand(heard.body.size() <= text.size(), "a body is longer than what was said");
  demand(heard.status == 0 || (heard.status >= 200 && heard.status <= 999), "an odd status");
  demand(heard.status != 0 || (heard.body.empty() && !heard.whole), "a body without a head");
  for (const std::size_t cut : {std::size_t{1}, text.size() / 2, text.size() - 1}) {
    if (cut < text.size()) demand(heard_of(text, cut) == heard, "in two pieces it is another");
  }
  return 0;
}
