// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/http.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <sstream>
#include <utility>

#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/write.hpp>
#include <fmt/format.h>

namespace fhe::outsource {

namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

constexpr std::string_view kEndOfHead = "\r\n\r\n";
constexpr const char* kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr std::size_t kPiece = 16 * 1024;
constexpr int kMostInterim = 8;  // answers like "100 Continue" before the one that counts

bool is_same_name(std::string_view a, std::string_view b) {
  return beast::iequals(beast::string_view(a.data(), a.size()),
                        beast::string_view(b.data(), b.size()));
}

// The bytes of a head; nothing where they end, or are too slow, before its end.
std::optional<std::string> read_head(Connection& connection) {
  std::string head;
  char c = 0;
  while (!head.ends_with(kEndOfHead)) {
    if (head.size() == kMostHeadBytes) {
      throw MalformedMessage(fmt::format("its head has more than {} bytes", kMostHeadBytes));
    }
    if (connection.read(&c, 1) != 1) return std::nullopt;
    if (c == '\n' && !head.ends_with('\r')) {
      throw MalformedMessage("a line of its head ends without a carriage return");
    }
    head += c;
  }
  return head;
}

// Lengths that two readers could understand in two ways.
void require_one_framing(const Fields& fields) {
  const std::string_view length = fields.value("Content-Length");
  if (fields.count("Content-Length") + fields.count("Transfer-Encoding") <= 1 &&
      length.find_first_not_of("0123456789") == std::string_view::npos) {
    return;
  }
  throw MalformedMessage("it says more than once, or not in digits, how long its body is");
}

// What another reader could take from another field than this one does, or from a body that is not
// read here.
void require_one_meaning(const Request& request, unsigned version) {
  constexpr unsigned kOldVersion = 10;
  const std::size_t hosts = request.fields.count("Host");
  if (hosts > 1 || (hosts == 0 && version > kOldVersion)) {
    throw MalformedMessage("it has no field Host, or several");
  }
  if (request.fields.count("Authorization") > 1) {
    throw MalformedMessage("it has several fields Authorization");
  }
  if (request.method != "POST" && request.fields.has("Transfer-Encoding")) {
    throw MalformedMessage("it announces a body, and a " + request.method + " has none");
  }
}

// Gives a whole head to a parser. Returns its fields.
template <class Parser>
Fields parse_head(Parser& parser, const std::string& head) {
  if (head.find("\n ") != std::string::npos || head.find("\n\t") != std::string::npos) {
    throw MalformedMessage("a field of its head goes on in the next line");
  }
  beast::error_code error;
  parser.header_limit(kMostHeadBytes + 1);
  // "No limit" is below every length in Beast 1.74. Who reads a body counts its bytes.
  parser.body_limit(std::numeric_limits<std::uint64_t>::max());
  const std::size_t used = parser.put(boost::asio::buffer(head), error);
  if (error || used != head.size() || !parser.is_header_done()) {
    throw MalformedMessage(fmt::format("its head is no HTTP: {}", error.message()));
  }
  Fields fields;
  for (const auto& field : parser.get()) {
    fields.add(std::string(field.name_string()), std::string(field.value()));
  }
  require_one_framing(fields);
  return fields;
}

// Of "%41", in which '+' stands for a blank where that is so. What is no such code is left.
std::string percent_decoded(std::string_view text, bool has_plus) {
  constexpr std::size_t kCode = 3;
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view code = text.substr(i, kCode);
    unsigned value = 0;
    if (code.size() == kCode && code.front() == '%' &&
        std::from_chars(code.data() + 1, code.data() + kCode, value, 16).ptr ==
            code.data() + kCode) {
      decoded += static_cast<char>(value);
      i += kCode - 1;
    } else {
      decoded += has_plus && text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

// What stands before `mark`, which `text` loses with it.
std::string_view take_until(std::string_view& text, char mark) {
  const std::string_view part = text.substr(0, text.find(mark));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

// A target as a proxy is sent it, "http://host/path", names the path that is meant (RFC 9112,
// section 3.2.2).
std::string_view without_origin(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    const std::string_view begin = target.substr(0, scheme.size());
    if (!is_same_name(begin, scheme)) continue;
    const std::size_t path = target.find_first_of("/?", scheme.size());
    return path == std::string_view::npos ? "/" : target.substr(path);
  }
  return target;
}

std::vector<Field> parameters_in(std::string_view query) {
  std::vector<Field> parameters;
  while (!query.empty()) {
    std::string_view value = take_until(query, '&');
    const std::string_view name = take_until(value, '=');
    if (!name.empty()) {
      parameters.push_back({percent_decoded(name, true), percent_decoded(value, true)});
    }
  }
  return parameters;
}

template <class Message>
std::string text_of(Message& message, const Fields& fields) {
  for (const Field& field : fields.all()) message.insert(field.name, field.value);
  std::ostringstream text;
  text << message.base();
  return text.str();
}

using ResponseParser = http::response_parser<http::buffer_body>;

// Bytes of a body on their way to who takes them, without what frames them.
class BodyReader {
 public:
  BodyReader(ResponseParser& parser, const std::function<bool(std::string_view)>& take)
      : parser_(parser), take_(take) {}

  // Whether it came whole.
  [[nodiscard]] bool read(Connection& connection) {
    while (!parser_.is_done()) {
      if (held_ == incoming_.size()) throw MalformedMessage("a line in its body is too long");
      const ssize_t bytes = connection.read(incoming_.data() + held_, incoming_.size() - held_);
      if (bytes < 0) return false;
      if (bytes == 0) return ends_here();
      held_ += static_cast<std::size_t>(bytes);
      if (!hand_on()) return false;
    }
    return true;
  }

 private:
  // A body of no length of its own ends with the connection.
  [[nodiscard]] bool ends_here() {
    beast::error_code error;
    parser_.put_eof(error);
    return !error;
  }

  // All of what is held but the beginning of a line that is not whole. False: no more is wanted.
  [[nodiscard]] bool hand_on() {
    beast::error_code error;
    while (held_ > 0 && !parser_.is_done() && error != http::error::need_more) {
      http::buffer_body::value_type& out = parser_.get().body();
      out.data = piece_.data();
      out.size = piece_.size();
      const std::size_t used = parser_.put(boost::asio::buffer(incoming_.data(), held_), error);
      if (error && error != http::error::need_more) {
        throw MalformedMessage(fmt::format("its body is no HTTP: {}", error.message()));
      }
      held_ -= used;
      std::memmove(incoming_.data(), incoming_.data() + used, held_);
      const std::size_t size = piece_.size() - out.size;
      if (size > 0 && !take_({piece_.data(), size})) return false;
    }
    return true;
  }

  ResponseParser& parser_;
  const std::function<bool(std::string_view)>& take_;
  std::array<char, kPiece> incoming_{};
  std::size_t held_ = 0;              // of incoming_
  std::array<char, kPiece> piece_{};  // as long: takes what is held at once
};

}  // namespace

void Fields::add(std::string name, std::string value) {
  fields_.push_back({std::move(name), std::move(value)});
}

std::string_view Fields::value(std::string_view name) const {
  const auto found = std::ranges::find_if(
      fields_, [&](const Field& field) { return is_same_name(field.name, name); });
  return found == fields_.end() ? std::string_view() : found->value;
}

std::size_t Fields::count(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      fields_, [&](const Field& field) { return is_same_name(field.name, name); }));
}

std::optional<std::string> Request::parameter(std::string_view name) const {
  const auto found = std::ranges::find(parameters, name, &Field::name);
  return found == parameters.end() ? std::nullopt : std::optional(found->value);
}

bool read_request(Connection& connection, Request& request) {
  const std::optional<std::string> head = read_head(connection);
  if (!head) return false;
  http::request_parser<http::empty_body> parser;
  request.fields = parse_head(parser, *head);
  const auto target = parser.get().target();
  std::string_view query = without_origin({target.data(), target.size()});
  request.path = percent_decoded(take_until(query, '?'), false);
  if (request.path.empty()) request.path = "/";
  request.parameters = parameters_in(query);
  request.method = std::string(parser.get().method_string());
  require_one_meaning(request, parser.get().version());
  if (const auto length = parser.content_length()) request.body_bytes = *length;
  return true;
}

bool RequestBody::read(const std::function<void(std::span<const std::byte>)>& take) {
  std::uint64_t left = request_.body_bytes.value_or(0);
  if (left > 0 && is_same_name(request_.fields.value("Expect"), "100-continue")) {
    if (connection_.write(kGoOn, std::strlen(kGoOn)) < 0) return false;
  }
  std::array<char, kPiece> piece;
  while (left > 0) {
    const ssize_t bytes =
        connection_.read(piece.data(), std::min<std::uint64_t>(left, piece.size()));
    if (bytes <= 0) return false;
    left -= static_cast<std::uint64_t>(bytes);
    take(std::as_bytes(std::span(piece.data(), static_cast<std::size_t>(bytes))));
  }
  return true;
}

bool BodySink::write(std::string_view piece) {
  return connection_.write(piece.data(), piece.size()) >= 0;
}

bool BodySink::is_wanted() const {
  return !ending_ && connection_.is_writable();
}

void Response::set_body(std::string text, std::string type) {
  body = std::move(text);
  fields.add("Content-Type", std::move(type));
}

void send_response(Connection& connection, const Request& request, const Response& response,
                   const std::atomic<bool>& ending) {
  http::response<http::empty_body> head;
  head.result(static_cast<unsigned>(response.status));
  head.set(http::field::connection, "close");
  const std::optional<std::uint64_t> bytes =
      response.source ? response.source_bytes : response.body.size();
  if (bytes) head.set(http::field::content_length, std::to_string(*bytes));
  std::string text = text_of(head, response.fields);
  const bool has_body = request.method != "HEAD";
  if (has_body && !response.source) text += response.body;
  if (connection.write(text.data(), text.size()) < 0 || !has_body || !response.source) return;
  BodySink sink(connection, ending);
  response.source(sink);
}

std::string request_head(const std::string& method, const std::string& target,
                         const Fields& fields) {
  http::request<http::empty_body> head;
  head.method_string(method);
  head.target(target);
  return text_of(head, fields);
}

bool read_response(Connection& connection, const std::function<void(int)>& start,
                   const std::function<bool(std::string_view)>& take) {
  for (int interim = 0; interim <= kMostInterim; ++interim) {
    const std::optional<std::string> head = read_head(connection);
    if (!head) return false;
    ResponseParser parser;
    static_cast<void>(parse_head(parser, *head));
    const unsigned status = parser.get().result_int();
    if (status < 100) throw MalformedMessage("its status is none of HTTP");
    if (status < 200) continue;
    start(static_cast<int>(status));
    return BodyReader(parser, take).read(connection);
  }
  throw MalformedMessage("it begins to answer again and again");
}

}  // namespace fhe::outsource
