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
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>

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
// A large key takes a while to check.
constexpr Patience kPatience{.silence = std::chrono::seconds(600),
                             .slowest_bytes_per_second = 1024,
                             .may_close_first = true};
constexpr std::chrono::seconds kPause(1);
constexpr int kAttempts = 30;
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

void require_no_secret_key(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::array<std::byte, kAnnouncingBytes> start{};
  in.read(reinterpret_cast<char*>(start.data()), start.size());
  if (announced_kind(start) != ObjectKind::secret_key) return;
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

struct Address {
  std::string host;
  int port;
  bool has_tls;
};

Address address_of(const std::string& url) {
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

std::optional<fs::path> trusted_authorities(const std::string& url, const fs::path& authorities) {
  if (address_of(url).has_tls) return authorities;
  if (authorities.empty()) return std::nullopt;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("an authority is for https, and '{}' is without", url));
}

}  // namespace

PatientClient::PatientClient(const std::string& host, int port,
                             const std::optional<fs::path>& authorities)
    : httplib::ClientImpl(host, port) {
  if (authorities) tls_ = Tls::of_client(*authorities, host);
}

bool PatientClient::process_socket(const Socket& socket,
                                   std::function<bool(httplib::Stream&)> callback) {
  const int own = ::fcntl(socket.sock, F_DUPFD_CLOEXEC, 0);
  if (own < 0) return false;
  Connection connection(own, kPatience, tls_ ? &*tls_ : nullptr);
  connection_ = &connection;
  const bool good = callback(connection);
  connection_ = nullptr;
  tls_failure_ = connection.tls_failure();
  return good;
}

Remote::Remote(const std::string& url, const std::string& token, const fs::path& authorities,
               std::stop_token stop)
    : url_(url),
      authorization_(bearer(token)),
      stop_(std::move(stop)),
      client_(address_of(url).host, address_of(url).port, trusted_authorities(url, authorities)),
      wake_(stop_, [this] { client_.stop(); }) {
  client_.set_decompress(false);
}

Error Remote::lost(httplib::Error reason) const {
  if (stop_.stop_requested()) return {ErrorCode::stopped, "stopped"};
  const std::string& tls = client_.tls_failure();
  return {ErrorCode::io,
          fmt::format("no answer from the server {}: {}", url_,
                      tls.empty() ? httplib::to_string(reason) + " failed" : "TLS failed: " + tls)};
}

httplib::Request Remote::request(const std::string& method, const std::string& path) const {
  httplib::Request request;
  request.method = method;
  request.path = path;
  request.set_header("Authorization", authorization_);
  return request;
}

// Hands on the body of a good answer. Of others, and in pieces of a length of their own, which
// httplib would read without a limit, nothing is taken but what a message may have.
void Remote::exchange(httplib::Request& request, std::uint64_t most_bytes, const Take& take) {
  std::string refusal;
  std::uint64_t bytes = 0;
  int status = 0;
  bool wants_more = true;
  request.response_handler = [&](const httplib::Response& head) {
    status = head.status;
    const bool plain = !head.has_header("Transfer-Encoding");
    client_.head_is_read(plain && is_success(status) ? most_bytes + 1 : kLongestMessage);
    return true;
  };
  request.content_receiver = [&](const char* data, std::size_t size, std::uint64_t, std::uint64_t) {
    bytes += size;
    if (!is_success(status)) {
      refusal.append(data, size);
      return bytes <= kLongestMessage;
    }
    wants_more = bytes <= most_bytes && take({data, size});
    return wants_more && !stop_.stop_requested();
  };
  httplib::Response response;
  httplib::Error error = httplib::Error::Success;
  const bool whole = client_.send(request, response, error);
  if (status == 0) throw lost(error);
  if (!is_success(status)) throw refused(status, refusal);
  if (bytes > most_bytes) throw too_long(most_bytes);
  if (!whole && wants_more) throw lost(error);
}

Json Remote::answer(httplib::Request request) {
  std::string text;
  exchange(request, kLongestAnswer, [&](std::string_view piece) {
    text += piece;
    return true;
  });
  return parse_json(text, kAnswer);
}

Json Remote::get(const std::string& path) {
  return answer(request("GET", path));
}

Json Remote::post(const std::string& path, const Json& json) {
  httplib::Request post = request("POST", path);
  post.body = to_text(json);
  post.set_header("Content-Type", "application/json");
  return answer(std::move(post));
}

Json Remote::post(const std::string& path) {
  return answer(request("POST", path));
}

Json Remote::upload(const std::string& path, const fs::path& file, const Progress& progress) {
  std::error_code failure;
  const std::uintmax_t bytes = fs::file_size(file, failure);
  std::ifstream in(file, std::ios::binary);
  if (failure || !in) {
    throw Error(ErrorCode::io, fmt::format("cannot read '{}'", file.string()));
  }
  require_no_secret_key(file);
  std::vector<char> piece(kUploadPiece);
  httplib::Request post = request("POST", path);
  post.set_header("Content-Type", "application/octet-stream");
  post.content_length_ = bytes;
  post.content_provider_ = [&](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
    const std::size_t count = std::min(length, piece.size());
    progress(static_cast<double>(offset) / static_cast<double>(bytes));
    in.seekg(static_cast<std::streamoff>(offset));
    return !stop_.stop_requested() && in.read(piece.data(), static_cast<std::streamsize>(count)) &&
           sink.write(piece.data(), count);
  };
  return answer(std::move(post));
}

void Remote::download(const std::string& path, const fs::path& file, std::uint64_t most_bytes) {
  std::ofstream out(file, std::ios::binary);
  httplib::Request get = request("GET", path);
  exchange(get, most_bytes, [&](std::string_view piece) {
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
  httplib::Request get = request("GET", "/v1/events");
  try {
    exchange(get, kMostStreamBytes, [&](std::string_view piece) { return reader.read(piece); });
  } catch (const Error& error) {
    if (error.code() != ErrorCode::io) throw;
  }
}

Job Remote::wait_for(const std::string& job, const Progress& progress) {
  std::optional<Error> failure;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (attempt > 0) pause(stop_);
    try {
      Job now = job_from(get("/v1/jobs/" + job), kAnswer);
      if (is_finished(now.state)) return now;
      follow(job, progress);
      attempt = -1;  // it was there
    } catch (const Error& error) {
      if (error.code() != ErrorCode::io) throw;
      failure = error;
    }
  }
  throw *failure;
}

}  // namespace fhe::outsource
