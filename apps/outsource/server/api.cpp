// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/server/api.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <span>

#include <fmt/format.h>

#include "apps/outsource/input_file.hpp"
#include "apps/outsource/server/log.hpp"
#include "apps/outsource/server/page.hpp"
#include "apps/support/failure.hpp"

namespace fhe::outsource {

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kJsonType = "application/json";
constexpr std::uint64_t kLongestRequest = 256 * 1024;
constexpr std::size_t kLongestPath = 512;
constexpr std::size_t kSentPiece = 64 * 1024;  // of a file that is sent
// Events: how often it is looked whether the reader is still there, and how long nothing is said.
constexpr std::chrono::milliseconds kEventLook(500);
constexpr std::chrono::seconds kEventSilence(10);

void reply(Response& response, int status, const Json& json) {
  response.status = status;
  response.set_body(to_text(json) + "\n", kJsonType);
}

// Of every answer: no copy is kept, and nothing of it is used by other sites.
Response new_response(const Request& request) {
  Response response;
  response.fields.add("Cache-Control", "no-store");
  response.fields.add("X-Content-Type-Options", "nosniff");
  response.fields.add("Referrer-Policy", "no-referrer");
  response.fields.add("Cross-Origin-Resource-Policy", "same-origin");
  response.fields.add("Cross-Origin-Opener-Policy", "same-origin");
  response.fields.add("X-Request-Id", request.id);
  return response;
}

void require_served(const Request& request) {
  if (request.method != "GET" && request.method != "HEAD" && request.method != "POST" &&
      request.method != "DELETE") {
    throw Refusal(405, "method_not_allowed", "use GET, POST or DELETE");
  }
  if (request.path.size() > kLongestPath) {
    throw Refusal(414, "uri_too_long", "this path is too long");
  }
}

void reply(Response& response, const Refusal& refusal) {
  if (refusal.status() == 401) response.fields.add("WWW-Authenticate", "Bearer");
  if (refusal.wait().count() > 0) {
    response.fields.add("Retry-After", fmt::format("{}", refusal.wait().count()));
  }
  reply(response, refusal.status(), error_json(refusal.code(), apps::one_line(refusal.what())));
}

// "a/b" of "/a/b".
std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t start = 1; start <= path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    parts.push_back(path.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

bool matches(const std::vector<std::string>& pattern, const std::vector<std::string>& parts,
             std::vector<std::string>& names) {
  if (pattern.size() != parts.size()) return false;
  names.clear();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (pattern[i] == "*") {
      names.push_back(parts[i]);
    } else if (pattern[i] != parts[i]) {
      return false;
    }
  }
  return true;
}

// The length of the body. That has to be told beforehand, so that what is too long need not be
// read.
std::uint64_t body_bytes(const Request& request) {
  if (request.fields.has("Content-Encoding") ||
      request.fields.value("Content-Type").starts_with("multipart/form-data")) {
    throw Refusal(415, "unsupported_media_type",
                  "send the file as it is: neither compressed nor as a form");
  }
  if (request.body_bytes) return *request.body_bytes;
  throw Refusal(411, "length_required", "say the length of the body with Content-Length");
}

// Empty where none is given.
std::string label_in(const Request& request) {
  const std::optional<std::string> label = request.parameter("label");
  if (!label || is_label(*label)) return label.value_or("");
  throw Refusal(400, "invalid_argument",
                fmt::format("a label has 1 to {} printable characters of ASCII, and no blank at "
                            "either end: choose another one",
                            kLongestLabel));
}

Json json_of(const CiphertextsEntry& entry) {
  return {{"id", entry.id}, {"bits", entry.bits}, {"bytes", entry.bytes}};
}

Json json_of(const KeyEntry& entry) {
  Json ciphertexts = Json::array();
  for (const CiphertextsEntry& file : entry.ciphertexts) ciphertexts.push_back(json_of(file));
  return {{"id", entry.id},
          {"parameters", entry.parameters},
          {"slots", entry.slots},
          {"bytes", entry.bytes},
          {"ciphertexts", ciphertexts}};
}

Json json_of(const CircuitEntry& entry) {
  return {{"name", entry.name},
          {"label", entry.label},
          {"bytes", entry.bytes},
          {"shipped", entry.shipped}};
}

template <class Entry>
Json json_of(const std::vector<Entry>& entries) {
  Json list = Json::array();
  for (const Entry& entry : entries) list.push_back(json_of(entry));
  return list;
}

std::string event(std::string_view name, const Json& data) {
  return fmt::format("event: {}\ndata: {}\n\n", name, to_text(data));
}

// The jobs of a client as server-sent events: each whenever it changes, and its id when it is gone.
class EventStream {
 public:
  EventStream(const Clients& clients, Jobs& jobs, std::string client)
      : clients_(clients), jobs_(jobs), client_(std::move(client)) {}

  // What there is to say, after some waiting; a comment after long silence. None for a client that
  // may not be here any more.
  std::optional<std::string> next() {
    if (!clients_.has(client_)) return std::nullopt;
    const JobChanges changes = jobs_.wait(client_, version_, kEventLook);
    version_ = changes.version;
    std::string text;
    for (const Job& job : changes.changed) text += event("job", to_json(job));
    const std::set<std::string> present(changes.all.begin(), changes.all.end());
    for (const std::string& id : known_) {
      if (!present.contains(id)) text += event("removed", {{"id", id}});
    }
    known_ = present;
    if (text.empty() && Clock::now() - spoke_at_ >= kEventSilence) text = ": still there\n\n";
    if (!text.empty()) spoke_at_ = Clock::now();
    return text;
  }

 private:
  const Clients& clients_;
  Jobs& jobs_;
  std::string client_;
  std::uint64_t version_ = 0;
  std::set<std::string> known_;
  Clock::time_point spoke_at_;
};

}  // namespace

Api::Api(const Clients& clients, Store& store, Jobs& jobs)
    : clients_(clients),
      store_(store),
      jobs_(jobs),
      routes_{
          {"GET", {"v1", "server"}, 0, &Api::server_facts},
          {"GET", {"v1", "keys"}, 0, &Api::list_keys},
          {"POST", {"v1", "keys"}, store.limits().upload_bytes, &Api::add_key},
          {"DELETE", {"v1", "keys", "*"}, 0, &Api::remove_key},
          {"POST",
           {"v1", "keys", "*", "ciphertexts"},
           store.limits().upload_bytes,
           &Api::add_ciphertexts},
          {"DELETE", {"v1", "keys", "*", "ciphertexts", "*"}, 0, &Api::remove_ciphertexts},
          {"GET", {"v1", "circuits"}, 0, &Api::list_circuits},
          {"POST", {"v1", "circuits"}, store.limits().circuit_bytes, &Api::add_circuit},
          {"GET", {"v1", "circuits", "*"}, 0, &Api::circuit_facts},
          {"DELETE", {"v1", "circuits", "*"}, 0, &Api::remove_circuit},
          {"GET", {"v1", "jobs"}, 0, &Api::list_jobs},
          {"POST", {"v1", "jobs"}, kLongestRequest, &Api::submit_job},
          {"GET", {"v1", "jobs", "*"}, 0, &Api::job_facts},
          {"DELETE", {"v1", "jobs", "*"}, 0, &Api::remove_job},
          {"POST", {"v1", "jobs", "*", "cancel"}, 0, &Api::cancel_job},
          {"POST", {"v1", "jobs", "*", "retry"}, 0, &Api::retry_job},
          {"GET", {"v1", "jobs", "*", "result"}, 0, &Api::send_result},
          {"GET", {"v1", "events"}, 0, &Api::send_events},
      } {}

Response Api::answer(const Request& request, RequestBody& body) {
  Response response = new_response(request);
  try {
    require_served(request);
    if (!answer_anybody(request, response)) answer_client(request, response, body);
  } catch (...) {
    refuse(request, response, std::current_exception());
  }
  return response;
}

Response Api::refuse_head(const Request& request, const std::string& reason) {
  Response response;
  refuse(request, response,
         std::make_exception_ptr(Refusal(
             400, "bad_request", "this is no request that the server understands: " + reason)));
  return response;
}

void Api::log_request(const Request& request, int status) const {
  log_event(spdlog::level::debug, "request", [&] {
    return Said{facts_of(request, status),
                fmt::format("request {} of {} at {}: {} {}: {}", request.id, name_of(request),
                            request.address, request.method, request.path, status)};
  });
}

// The client whose token the request shows.
std::optional<std::string> Api::known_client(const Request& request) const {
  return clients_.find(token_of(request.fields.value("Authorization")));
}

bool Api::is_known(const Request& request) const {
  return known_client(request).has_value();
}

// For the log.
std::string Api::name_of(const Request& request) const {
  return known_client(request).value_or("a stranger");
}

// Of a request and its answer, for the log: neither its headers nor its query.
Json Api::facts_of(const Request& request, int status) const {
  return {{"request", request.id},    {"client", name_of(request)}, {"address", request.address},
          {"method", request.method}, {"path", request.path},       {"status", status}};
}

std::string Api::client_of(const Request& request) const {
  if (const auto client = known_client(request)) return *client;
  throw Refusal(401, "unauthorized", "show a valid token: Authorization: Bearer <token>");
}

const Api::Route& Api::route_of(const Request& request, std::vector<std::string>& names) const {
  const std::vector<std::string> parts = parts_of(request.path);
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  bool other_method = false;
  for (const Route& route : routes_) {
    if (!matches(route.pattern, parts, names)) continue;
    if (route.method == method) return route;
    other_method = true;
  }
  if (other_method) {
    throw Refusal(405, "method_not_allowed", "this method is not for this path");
  }
  throw not_found("such path");
}

// What can be said from the head of a request alone.
void Api::check(const Request& request) const {
  static_cast<void>(client_of(request));
  std::vector<std::string> names;
  const std::uint64_t most_bytes = route_of(request, names).most_bytes;
  if (most_bytes == 0) return;
  const std::uint64_t bytes = body_bytes(request);
  if (bytes <= most_bytes) return;
  throw Refusal(413, "too_large",
                fmt::format("{} bytes are too many: at most {} are taken here", bytes, most_bytes));
}

// What takes no token.
bool Api::answer_anybody(const Request& request, Response& response) const {
  if (request.method != "GET" && request.method != "HEAD") return false;
  if (request.path == "/") {
    response.fields.add("Content-Security-Policy", page_policy());
    response.set_body(std::string(page_html()), "text/html; charset=utf-8");
  } else if (request.path == "/v1/openapi.json") {
    response.set_body(std::string(openapi_json()), kJsonType);
  } else if (request.path == "/v1/health") {
    answer_health(response);
  } else {
    return false;
  }
  return true;
}

void Api::answer_client(const Request& request, Response& response, RequestBody& body) {
  check(request);
  Call call{request, response, body, client_of(request), {}, {}};
  call.slot = requests_.add(call.client, clients_.limits(call.client));
  const Route& route = route_of(request, call.names);
  (this->*route.answer)(call);
}

void Api::refuse(const Request& request, Response& response, const std::exception_ptr& exception) {
  const Refusal refusal = refusal_of(exception);
  log_refusal(request, refusal, apps::describe(exception).message);
  response = new_response(request);
  reply(response, refusal);
}

// By default: what a client sent and was not taken, and what the server could not do.
void Api::log_refusal(const Request& request, const Refusal& refusal, const std::string& reason) {
  if (refusal.status() == 401) return failed_logins_.add(request.address);
  const bool matters = request.method == "POST" || refusal.status() > 500;
  const auto level = refusal.status() == 500 ? spdlog::level::err
                     : matters               ? spdlog::level::warn
                                             : spdlog::level::debug;
  log_event(level, "refusal", [&] {
    Json facts = facts_of(request, refusal.status());
    facts.update({{"code", refusal.code()}, {"reason", reason}});
    return Said{facts, fmt::format("request {} of {}: {} {} refused: {} {}: {}", request.id,
                                   name_of(request), request.method, request.path, refusal.status(),
                                   refusal.code(), reason)};
  });
}

// For everybody: nothing about clients.
void Api::answer_health(Response& response) const {
  using std::chrono::duration_cast;
  const bool low = store_.disk_is_low();
  const JobCounts counts = jobs_.counts();
  const auto uptime = duration_cast<std::chrono::seconds>(Clock::now() - start_).count();
  Json health{{"status", low ? "disk nearly full" : "ok"},
              {"uptime_seconds", uptime},
              {"queued_jobs", counts.queued},
              {"running_jobs", counts.running},
              {"postponed_jobs", counts.postponed},
              {"unsaved_jobs", counts.unsaved},
              {"broken_jobs", counts.broken},
              {"failed_logins", failed_logins_.count()}};
  if (const auto end = certificate_end_.load(); end != std::chrono::system_clock::time_point()) {
    health["certificate_days"] = whole_days_until(end);
  }
  reply(response, low ? 503 : 200, health);
}

void Api::receive(Call& call, const std::function<void(std::span<const std::byte>)>& take) {
  if (!call.body.read(take))
    throw Refusal(408, "incomplete", "the body ended early, or came too slowly");
}

void Api::receive(Call& call, Upload& upload) {
  receive(call, [&](std::span<const std::byte> bytes) { upload.write(bytes); });
  upload.finish();
}

void Api::server_facts(Call& call) {
  const StoreLimits& files = store_.limits();
  const ClientLimits limits = clients_.limits(call.client);
  reply(call.response, 200,
        {{"client", call.client},
         {"upload_bytes", files.upload_bytes},
         {"circuit_bytes", files.circuit_bytes},
         {"quota_bytes", limits.quota_mib << 20},
         {"used_bytes", store_.used_bytes(call.client)},
         {"unfinished_jobs", limits.jobs},
         {"running_jobs", limits.running},
         {"job_seconds", limits.job_seconds},
         {"requests", limits.requests},
         {"requests_a_minute", limits.rate}});
}

void Api::list_keys(Call& call) {
  reply(call.response, 200, {{"keys", json_of(store_.keys(call.client))}});
}

void Api::add_key(Call& call) {
  Upload upload = store_.upload(call.client, body_bytes(call.request), ".fhe");
  receive(call, upload);
  reply(call.response, 201, json_of(store_.add_key(call.client, upload)));
}

void Api::remove_key(Call& call) {
  const std::string& key = call.names.front();
  jobs_.remove_unused(
      call.client, [&](const JobRequest& request) { return request.key == key; },
      [&] { store_.remove_key(call.client, key); });
  reply(call.response, 200, {{"removed", key}});
}

void Api::add_ciphertexts(Call& call) {
  const std::string& key = call.names.front();
  static_cast<void>(store_.key_file(call.client, key));
  Upload upload = store_.upload(call.client, body_bytes(call.request), ".fhe");
  receive(call, upload);
  reply(call.response, 201, json_of(store_.add_ciphertexts(call.client, key, upload)));
}

void Api::remove_ciphertexts(Call& call) {
  const std::string& id = call.names.back();
  jobs_.remove_unused(
      call.client,
      [&](const JobRequest& request) {
        return std::ranges::find(request.inputs, id) != request.inputs.end();
      },
      [&] { store_.remove_ciphertexts(call.client, call.names.front(), id); });
  reply(call.response, 200, {{"removed", id}});
}

void Api::list_circuits(Call& call) {
  reply(call.response, 200, {{"circuits", json_of(store_.circuits(call.client))}});
}

void Api::circuit_facts(Call& call) {
  Json answer{{"name", call.names.front()}};
  answer.update(store_.circuit_facts(call.client, call.names.front()));
  reply(call.response, 200, answer);
}

void Api::add_circuit(Call& call) {
  const std::string format = call.request.parameter("format").value_or("");
  if (format != "blif" && format != "bristol") {
    throw Refusal(400, "invalid_argument", "say ?format=blif or ?format=bristol");
  }
  const std::string label = label_in(call.request);
  Upload upload =
      store_.upload(call.client, body_bytes(call.request), format == "blif" ? ".blif" : ".txt");
  receive(call, upload);
  reply(call.response, 201, json_of(store_.add_circuit(call.client, upload, label)));
}

void Api::remove_circuit(Call& call) {
  const std::string& name = call.names.front();
  jobs_.remove_unused(
      call.client, [&](const JobRequest& request) { return request.circuit == name; },
      [&] { store_.remove_circuit(call.client, name); });
  reply(call.response, 200, {{"removed", name}});
}

void Api::list_jobs(Call& call) {
  Json list = Json::array();
  for (const Job& job : jobs_.wait(call.client, 0, std::chrono::milliseconds(0)).changed) {
    list.push_back(to_json(job));
  }
  reply(call.response, 200, {{"jobs", list}});
}

void Api::submit_job(Call& call) {
  std::string text;
  receive(call, [&](std::span<const std::byte> bytes) {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  const JobRequest request = request_from(parse_json(text, "the request"), "the request");
  reply(call.response, 201, to_json(jobs_.submit(call.client, request)));
}

void Api::job_facts(Call& call) {
  reply(call.response, 200, to_json(jobs_.find(call.client, call.names.front())));
}

void Api::remove_job(Call& call) {
  jobs_.remove(call.client, call.names.front());
  reply(call.response, 200, {{"removed", call.names.front()}});
}

void Api::cancel_job(Call& call) {
  reply(call.response, 200, to_json(jobs_.cancel(call.client, call.names.front())));
}

void Api::retry_job(Call& call) {
  reply(call.response, 200, to_json(jobs_.retry(call.client, call.names.front())));
}

void Api::send_result(Call& call) {
  std::optional<InputFile> found =
      InputFile::open(jobs_.result_file(call.client, call.names.front()));
  if (!found) {
    throw Refusal(500, "result_lost",
                  "the result of this job is not on the server's disk any more: submit it again");
  }
  const auto file = std::make_shared<InputFile>(*std::move(found));
  call.response.fields.add("Content-Type", "application/octet-stream");
  call.response.source_bytes = file->bytes();
  call.response.source = [file, slot = call.slot](BodySink& sink) {
    std::vector<char> piece(kSentPiece);
    for (std::uint64_t left = file->bytes(); left > 0;) {
      const auto part = std::span(piece).first(std::min<std::uint64_t>(left, piece.size()));
      file->read(part);
      if (!sink.write({part.data(), part.size()})) return;
      left -= part.size();
    }
  };
}

void Api::send_events(Call& call) {
  call.response.fields.add("Content-Type", "text/event-stream");
  call.response.source = [events = std::make_shared<EventStream>(clients_, jobs_, call.client),
                          slot = call.slot](BodySink& sink) {
    while (const std::optional<std::string> text = events->next()) {
      if (!sink.is_wanted() || !sink.write(*text)) return;
    }
  };
}

}  // namespace fhe::outsource
