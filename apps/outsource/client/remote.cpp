#include "apps/outsource/client/remote.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "apps/outsource/tokens.hpp"
#include "libfhe/wire/atomic_file.hpp"
#include "libfhe/wire/container.hpp"

namespace fhe::outsource {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = 64 * 1024;
constexpr std::size_t kLongestEvent = 1024 * 1024;
constexpr std::chrono::seconds kAnswerTime(600);  // a large key takes a while to check
constexpr std::chrono::seconds kPause(1);
constexpr int kAttempts = 30;  // to reach a server that was there before
constexpr std::array kCodes{ErrorCode::invalid_argument,
                            ErrorCode::invalid_parameters,
                            ErrorCode::unknown_name,
                            ErrorCode::noise_exceeded,
                            ErrorCode::wrong_key,
                            ErrorCode::malformed_file,
                            ErrorCode::io,
                            ErrorCode::unsupported};

// The server's code when it is one of the library's.
ErrorCode code_of(const std::string& name) {
  const auto code =
      std::ranges::find_if(kCodes, [&](ErrorCode known) { return to_string(known) == name; });
  return code == kCodes.end() ? ErrorCode::unsupported : *code;
}

Error refused(const httplib::Response& response, std::string_view body) {
  const Json json = Json::parse(body, nullptr, false);
  if (!json.is_object() || !json.contains("error") || !json["error"].is_object()) {
    return {ErrorCode::unsupported, fmt::format("the server answers {}", response.status)};
  }
  const Json& error = json["error"];
  return {code_of(error.value("code", std::string())),
          fmt::format("the server answers {}: {}", response.status,
                      error.value("message", std::string()))};
}

bool is_success(const httplib::Response& response) {
  return response.status >= 200 && response.status < 300;
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
    constexpr std::string_view prefix = "data: ";
    const std::string line = std::exchange(line_, {});
    return !line.starts_with(prefix) || take_(line.substr(prefix.size()));
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

}  // namespace

Remote::Remote(const std::string& url, const std::string& token, std::stop_token stop)
    : url_(url), stop_(std::move(stop)), client_(url), wake_(stop_, [this] { client_.stop(); }) {
  if (!client_.is_valid()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("'{}' is no address of a server: write http://host:port", url));
  }
  client_.set_default_headers({{"Authorization", bearer(token)}});
  client_.set_read_timeout(kAnswerTime);
  client_.set_write_timeout(kAnswerTime);
}

Error Remote::lost(httplib::Error reason) const {
  if (stop_.stop_requested()) return {ErrorCode::stopped, "stopped"};
  return {ErrorCode::io,
          fmt::format("no answer from the server {}: {} failed", url_, httplib::to_string(reason))};
}

Json Remote::checked(const httplib::Result& result) const {
  if (!result) throw lost(result.error());
  if (!is_success(*result)) throw refused(*result, result->body);
  return parse_json(result->body, "the server's answer");
}

Json Remote::get(const std::string& path) {
  return checked(client_.Get(path));
}

Json Remote::post(const std::string& path, const Json& json) {
  return checked(client_.Post(path, to_text(json), "application/json"));
}

Json Remote::post(const std::string& path) {
  return checked(client_.Post(path));
}

Json Remote::upload(const std::string& path, const fs::path& file, const Progress& progress) {
  std::error_code failure;
  const std::uintmax_t bytes = fs::file_size(file, failure);
  std::ifstream in(file, std::ios::binary);
  if (failure || !in) {
    throw Error(ErrorCode::io, fmt::format("cannot read '{}'", file.string()));
  }
  require_no_secret_key(file);
  std::vector<char> piece(kPiece);
  const auto send = [&](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
    const std::size_t count = std::min(length, piece.size());
    progress(static_cast<double>(offset) / static_cast<double>(bytes));
    in.seekg(static_cast<std::streamoff>(offset));
    return !stop_.stop_requested() && in.read(piece.data(), static_cast<std::streamsize>(count)) &&
           sink.write(piece.data(), count);
  };
  return checked(client_.Post(path, bytes, send, "application/octet-stream"));
}

void Remote::download(const std::string& path, const fs::path& file) {
  AtomicFile out(file, FileAccess::everyone);
  httplib::Response head;
  std::string refusal;
  const auto start = [&](const httplib::Response& response) {
    head = response;
    return true;
  };
  const auto take = [&](const char* data, std::size_t bytes) {
    if (is_success(head)) {
      out.write(std::as_bytes(std::span(data, bytes)));
    } else if (refusal.size() < kLongestEvent) {
      refusal.append(data, bytes);
    }
    return !stop_.stop_requested();
  };
  const httplib::Result result = client_.Get(path, start, take);
  if (!result) throw lost(result.error());
  if (!is_success(head)) throw refused(head, refusal);
  out.commit();
}

// Reads events until the job is finished or the connection ends.
void Remote::follow(const std::string& job, const Progress& progress) {
  EventReader reader([&](const std::string& data) {
    const Json json = Json::parse(data, nullptr, false);
    if (!json.is_object() || json.value("id", std::string()) != job) return true;
    if (!json.contains("state")) return false;  // removed
    const Job now = job_from(json, "the server's event");
    progress(now.fraction);
    return !is_finished(now.state);
  });
  static_cast<void>(client_.Get("/v1/events", [&](const char* data, std::size_t bytes) {
    return !stop_.stop_requested() && reader.read({data, bytes});
  }));
}

Job Remote::wait_for(const std::string& job, const Progress& progress) {
  std::optional<Error> failure;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (attempt > 0) pause(stop_);
    try {
      const std::string source = "the server's answer";
      Job now = job_from(get("/v1/jobs/" + job), source);
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
