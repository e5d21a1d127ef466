// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/client/remote.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <optional>
#include <regex>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "apps/outsource/input_file.hpp"
#include "apps/outsource/tokens.hpp"
#include "libfhe/storage/container.hpp"

namespace fhe::outsource {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kUploadPiece = 64 * 1024;
constexpr std::size_t kLongestEvent = 1024 * 1024;
constexpr std::size_t kLongestMessage = 1024 * 1024;
constexpr std::uint64_t kLongestAnswer = std::uint64_t{16} << 20;
constexpr std::uint64_t kMostStreamBytes = std::uint64_t{1} << 62;  // an event each is short
constexpr int kCheckShare = 10;  // of the patience: a large upload takes a while to check
constexpr std::uint64_t kSlowestBytesPerSecond = 1024;
constexpr std::chrono::seconds kPause(1);

bool is_success(int status) {
  return status >= 200 && status < 300;
}

// The server's code when it is one of the library's.
Error refused(int status, std::string_view body) {
  const Json json = Json::parse(body, nullptr, false);
  const std::string start = fmt::format("the server answers {}", status);
  try {
    const Json& error = member_of(json, "error", kAnswer);
    return {error_code_named(text_of(error, "code", kAnswer)).value_or(ErrorCode::unsupported),
            fmt::format("{}: {}", start, text_of(error, "message", kAnswer))};
  } catch (const Error&) {
    return {ErrorCode::unsupported, start};
  }
}

Error too_long(std::uint64_t most_bytes) {
  return {ErrorCode::malformed_file,
          fmt::format("the server sends more than the {} bytes that its answer can have: it is not "
                      "what was asked for",
                      most_bytes)};
}

InputFile opened(const fs::path& file) {
  if (std::optional<InputFile> found = InputFile::open(file)) return *std::move(found);
  throw Error(ErrorCode::io, fmt::format("there is no file '{}'", file.string()));
}

void require_no_secret_key(const fs::path& file) {
  InputFile in = opened(file);
  std::array<char, kAnnouncingBytes> start{};
  in.read(std::span(start).first(std::min<std::uint64_t>(in.bytes(), start.size())));
  if (announced_kind(std::as_bytes(std::span(start))) != ObjectKind::secret_key) return;
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("'{}' is a secret key: it stays here. Give the public key", file.string()));
}

// The data of server-sent events, collected from pieces of the stream.
class EventReader {
 public:
  explicit EventReader(std::function<bool(const std::string& data)> take)
      : take_(std::move(take)) {}

  // False when `take` wants no more, or an event is too long.
  bool read(std::string_view text) {
    for (const char c : text) {
      if (c != '\n') {
        line_.push_back(c);
      } else if (!end_line()) {
        return false;
      }
    }
    return line_.size() < kLongestEvent;
  }

 private:
  bool end_line() {
    constexpr std::string_view kPrefix = "data: ";
    const std::string line = std::exchange(line_, {});
    return !line.starts_with(kPrefix) || take_(line.substr(kPrefix.size()));
  }

  std::function<bool(const std::string&)> take_;
  std::string line_;
};

// Waits, but not when there is a reason to stop.
void pause(const std::stop_token& stop) {
  std::mutex guard;
  std::condition_variable_any changed;
  std::unique_lock lock(guard);
  changed.wait_for(lock, stop, kPause, [] { return false; });
}

// What comes of an answer: the body of a good one goes to who wants it, that of another is kept.
class Answer {
 public:
  Answer(std::uint64_t most_bytes, const std::function<bool(std::string_view)>& take,
         const std::stop_token& stop)
      : most_bytes_(most_bytes), take_(take), stop_(stop) {}

  void begin(int status) { status_ = status; }
  [[nodiscard]] bool has_begun() const { return status_ != 0; }

  // False when no more is of use.
  [[nodiscard]] bool take(std::string_view piece) {
    bytes_ += piece.size();
    if (!is_success(status_)) {
      refusal_.append(piece);
      return bytes_ <= kLongestMessage;
    }
    wants_more_ = bytes_ <= most_bytes_ && take_(piece);
    return wants_more_ && !stop_.stop_requested();
  }

  // Whether who takes it wanted no more.
  [[nodiscard]] bool is_enough() const { return !wants_more_; }

  // Throws what the server has against the question, or that its answer is too long.
  void require_good() const {
    if (!is_success(status_)) throw refused(status_, refusal_);
    if (bytes_ > most_bytes_) throw too_long(most_bytes_);
  }

 private:
  const std::uint64_t most_bytes_;
  const std::function<bool(std::string_view)>& take_;
  const std::stop_token& stop_;
  int status_ = 0;
  std::uint64_t bytes_ = 0;
  bool wants_more_ = true;
  std::string refusal_;
};

ServerAddress address_of(const std::string& url) {
  static const std::regex form(
      R"((?:http(s?)://)?(?:\[([0-9a-fA-F:]+)\]|([^:/?#\[\]]+))(?::(\d{1,5}))?/?)");
  std::smatch parts;
  if (std::regex_match(url, parts, form)) {
    const bool has_tls = parts[1].length() > 0;
    const int usual_port = has_tls ? 443 : 80;
    return {parts[2].matched ? parts[2] : parts[3],
            parts[4].matched ? std::stoi(parts[4]) : usual_port, has_tls};
  }
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("'{}' is no address of a server: write http://host:port or https://host:port",
                  url));
}

// How the server is told by which name it was found.
std::string host_field(const ServerAddress& address) {
  const bool is_ipv6 = address.host.find(':') != std::string::npos;
  return fmt::format("{}:{}", is_ipv6 ? "[" + address.host + "]" : address.host, address.port);
}

std::optional<Tls> tls_for(const std::string& url, const ServerAddress& address,
                           const fs::path& authorities) {
  if (address.has_tls) return Tls::of_client(authorities, address.host);
  if (authorities.empty()) return std::nullopt;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("an authority is for https, and '{}' is without", url));
}

}  // namespace

Remote::Remote(const std::string& url, const std::string& token, const fs::path& authorities,
               std::stop_token stop, std::chrono::seconds patience)
    : url_(url),
      patience_(patience),
      address_(address_of(url)),
      authorization_(bearer(token)),
      stop_(std::move(stop)),
      tls_(tls_for(url, address_, authorities)) {}

Error Remote::lost(const std::string& reason) const {
  if (stop_.stop_requested()) return {ErrorCode::stopped, "stopped"};
  return {ErrorCode::io, fmt::format("no answer from the server {}: {}", url_, reason)};
}

std::string Remote::head_of(const Question& question) const {
  Fields fields;
  fields.add("Host", host_field(address_));
  fields.add("Authorization", authorization_);
  fields.add("Connection", "close");
  if (!question.type.empty()) fields.add("Content-Type", question.type);
  if (question.method == "POST") fields.add("Content-Length", std::to_string(question.bytes));
  return request_head(question.method, question.target, fields);
}

Socket Remote::connected() const {
  try {
    return connect_to(address_.host, address_.port, patience_, stop_);
  } catch (const Error& error) {
    throw lost(error.what());
  }
}

// Hands on the body of a good answer. Of others nothing is taken but what a message may have. A
// server may refuse a body before it has all of it: its answer counts, whatever became of the rest.
void Remote::exchange(const Question& question, std::uint64_t most_bytes, const Take& take) {
  const Patience patience{.silence = question.is_checked ? kCheckShare * patience_ : patience_,
                          .slowest_bytes_per_second = kSlowestBytesPerSecond,
                          .may_close_first = true};
  Connection connection(connected(), patience, tls_ ? &*tls_ : nullptr);
  const std::stop_callback wake(stop_, [&connection] { connection.interrupt(); });
  const std::string head = head_of(question);
  if (connection.write(head.data(), head.size()) >= 0 && question.body) question.body(connection);
  Answer answer(most_bytes, take, stop_);
  std::string reason = fmt::format("the connection ended, or nothing came for {} s",
                                   patience.silence / std::chrono::seconds(1));
  bool whole = false;
  try {
    whole = read_response(
        connection, [&](int status) { answer.begin(status); },
        [&](std::string_view piece) { return answer.take(piece); });
  } catch (const MalformedMessage& error) {
    reason = std::string("it answers in no HTTP: ") + error.what();
  }
  if (const std::string tls = connection.tls_failure(); !tls.empty()) reason = "TLS failed: " + tls;
  if (!answer.has_begun()) throw lost(reason);
  answer.require_good();
  if (!whole && !answer.is_enough()) throw lost(reason);
}

Json Remote::answer(const Question& question) {
  std::string text;
  exchange(question, kLongestAnswer, [&](std::string_view piece) {
    text += piece;
    return true;
  });
  return parse_json(text, kAnswer);
}

Json Remote::get(const std::string& path) {
  return answer({.method = "GET", .target = path});
}

Json Remote::post(const std::string& path, const Json& json) {
  const std::string text = to_text(json);
  return answer({.method = "POST",
                 .target = path,
                 .type = "application/json",
                 .bytes = text.size(),
                 .body = [&text](Connection& connection) {
                   static_cast<void>(connection.write(text.data(), text.size()));
                 }});
}

Json Remote::post(const std::string& path) {
  return answer({.method = "POST", .target = path});
}

Json Remote::upload(const std::string& path, const fs::path& file, const Progress& progress) {
  require_no_secret_key(file);
  InputFile in = opened(file);
  const std::uint64_t bytes = in.bytes();
  const auto send = [&](Connection& connection) {
    std::vector<char> piece(kUploadPiece);
    for (std::uint64_t sent = 0; sent < bytes && !stop_.stop_requested();) {
      const std::size_t count = std::min<std::uint64_t>(bytes - sent, piece.size());
      progress(static_cast<double>(sent) / static_cast<double>(bytes));
      in.read(std::span(piece).first(count));
      if (connection.write(piece.data(), count) < 0) return;
      sent += count;
    }
  };
  return answer({.method = "POST",
                 .target = path,
                 .type = "application/octet-stream",
                 .bytes = bytes,
                 .body = send,
                 .is_checked = true});
}

void Remote::download(const std::string& path, const fs::path& file, std::uint64_t most_bytes) {
  std::ofstream out(file, std::ios::binary);
  exchange({.method = "GET", .target = path}, most_bytes, [&](std::string_view piece) {
    return static_cast<bool>(out.write(piece.data(), static_cast<std::streamsize>(piece.size())));
  });
  out.close();
  if (!out) throw Error(ErrorCode::io, fmt::format("cannot write '{}'", file.string()));
}

// Reads events until the job is finished or the connection ends.
void Remote::follow(const std::string& job, const Progress& progress) {
  EventReader reader([&](const std::string& data) {
    const Json json = Json::parse(data, nullptr, false);
    if (!json.is_object() || !json.contains("id") || json["id"] != job) return true;
    if (!json.contains("state")) return false;  // removed
    const Job now = job_from(json, "the server's event");
    progress(now.fraction);
    return !is_finished(now.state);
  });
  try {
    exchange({.method = "GET", .target = "/v1/events"}, kMostStreamBytes,
             [&](std::string_view piece) { return reader.read(piece); });
  } catch (const Error& error) {
    if (error.code() != ErrorCode::io) throw;
  }
}

Job Remote::wait_for(const std::string& job, const Progress& progress) {
  using Clock = std::chrono::steady_clock;
  for (Clock::time_point was_there = Clock::now();;) {
    try {
      Job now = job_from(get("/v1/jobs/" + job), kAnswer);
      if (is_finished(now.state)) return now;
      follow(job, progress);
      was_there = Clock::now();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::io || Clock::now() - was_there >= patience_) throw;
      pause(stop_);
    }
  }
}

}  // namespace fhe::outsource
