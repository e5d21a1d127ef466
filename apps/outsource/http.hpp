// SPDX-License-Identifier: Apache-2.0
// HTTP/1.1 as servers and clients speak it: one request and its answer on each connection.
// Boost.Beast reads heads and the framing of bodies, and writes heads; only http.cpp sees it.
//
// A head is read whole, to the empty line at its end, before anything is made of it: what a message
// means does not depend on the pieces in which it arrives. Where two readers could take one
// message for different ones (two lengths, a length and an encoding, a field on two lines), it is
// malformed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "apps/outsource/connection.hpp"

namespace fhe::outsource {

// The most bytes of a head, and of the first line of a piece of an answer.
inline constexpr std::size_t kMostHeadBytes = 16 * 1024;

// What the other side says is no HTTP, or has too long a head; the message says what is wrong.
class MalformedMessage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Field {
  std::string name;
  std::string value;
};

// The fields of a head, in their order. Their names are the same in capitals and in small letters.
class Fields {
 public:
  // Neither may hold the end of a line.
  void add(std::string name, std::string value);

  // Of the first field of that name; empty where there is none.
  [[nodiscard]] std::string_view value(std::string_view name) const;
  [[nodiscard]] std::size_t count(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return count(name) > 0; }

  [[nodiscard]] const std::vector<Field>& all() const { return fields_; }

 private:
  std::vector<Field> fields_;
};

// The head of a request, as a server reads it.
struct Request {
  std::string id;                 // what the server calls it
  std::string address;            // of the other side
  std::string method;             // any token
  std::string path;               // without the query, percent-decoded
  std::vector<Field> parameters;  // of the query, decoded
  Fields fields;
  std::optional<std::uint64_t> body_bytes;  // as Content-Length says

  // The value of the first parameter of that name.
  [[nodiscard]] std::optional<std::string> parameter(std::string_view name) const;
};

// Reads the head of a request, all but the id and the address. False when the other side ends or is
// too slow before its end. Throws MalformedMessage.
[[nodiscard]] bool read_request(Connection& connection, Request& request);

// The body of a request, which is still to be read.
class RequestBody {
 public:
  // Both must outlive it.
  RequestBody(Connection& connection, const Request& request)
      : connection_(connection), request_(request) {}

  // Hands on so many bytes as the request says, as they come; a client that waits for
  // "100 Continue" is told so. False when they end early, or come too slowly. Once.
  [[nodiscard]] bool read(const std::function<void(std::span<const std::byte>)>& take);

 private:
  Connection& connection_;
  const Request& request_;
};

// Takes a body in pieces, as the source of an answer makes them.
class BodySink {
 public:
  // `ending` says whether the server ends. Both must outlive it.
  BodySink(Connection& connection, const std::atomic<bool>& ending)
      : connection_(connection), ending_(ending) {}

  // False when it did not reach the other side.
  [[nodiscard]] bool write(std::string_view piece);

  // Whether more is of use: the other side is there, and the server goes on.
  [[nodiscard]] bool is_wanted() const;

 private:
  Connection& connection_;
  const std::atomic<bool>& ending_;
};

// An answer: a body as it stands here, or a source of one.
struct Response {
  int status = 200;
  Fields fields;  // without those that say where the body ends
  std::string body;
  std::function<void(BodySink&)> source;      // none: `body` is sent
  std::optional<std::uint64_t> source_bytes;  // of the source; none: as many as it writes

  // With this body.
  void set_body(std::string text, std::string type);
};

// Sends an answer, without its body to a HEAD. What did not arrive is nobody's fault here.
void send_response(Connection& connection, const Request& request, const Response& response,
                   const std::atomic<bool>& ending);

// The head of a request that a client sends; the target is a path with its query, encoded.
[[nodiscard]] std::string request_head(const std::string& method, const std::string& target,
                                       const Fields& fields);

// Reads an answer: says its status to `start`, then gives its body in pieces to `take` until that
// returns false. Returns whether it came whole: `start` was not called where none came. Throws
// MalformedMessage.
[[nodiscard]] bool read_response(Connection& connection, const std::function<void(int)>& start,
                                 const std::function<bool(std::string_view)>& take);

}  // namespace fhe::outsource
