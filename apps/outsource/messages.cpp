#include "apps/outsource/messages.hpp"

#include <array>

#include <fmt/format.h>

#include "libfhe/error.hpp"

namespace fhe::outsource {

namespace {

constexpr std::array kStates{JobState::queued, JobState::running, JobState::done, JobState::failed,
                             JobState::cancelled};

Error malformed(std::string_view source, std::string_view what) {
  return {ErrorCode::malformed_file, fmt::format("{}: {}", source, what)};
}

JobState state_from(const std::string& text, std::string_view source) {
  for (const JobState state : kStates) {
    if (to_string(state) == text) return state;
  }
  throw malformed(source, fmt::format("'{}' is no state of a job", text));
}

// What `read` makes of the JSON, with the library's exceptions turned into ours.
template <class Read>
auto checked(std::string_view source, const Read& read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& error) {
    throw malformed(source, error.what());
  }
}

}  // namespace

std::string_view to_string(JobState state) {
  switch (state) {
    case JobState::queued:
      return "queued";
    case JobState::running:
      return "running";
    case JobState::done:
      return "done";
    case JobState::failed:
      return "failed";
    case JobState::cancelled:
      return "cancelled";
  }
  return "unknown";
}

Json to_json(const Job& job) {
  return {{"id", job.id},
          {"key", job.request.key},
          {"circuit", job.request.circuit},
          {"inputs", job.request.inputs},
          {"state", to_string(job.state)},
          {"fraction", job.fraction},
          {"created", job.created},
          {"started", job.started},
          {"finished", job.finished},
          {"products", job.products},
          {"recryptions", job.recryptions},
          {"error", job.error}};
}

std::string to_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json parse_json(std::string_view text, std::string_view source) {
  return checked(source, [&] { return Json::parse(text); });
}

JobRequest request_from(const Json& json, std::string_view source) {
  return checked(source, [&] {
    return JobRequest{.key = json.at("key").get<std::string>(),
                      .circuit = json.at("circuit").get<std::string>(),
                      .inputs = json.at("inputs").get<std::vector<std::string>>()};
  });
}

Job job_from(const Json& json, std::string_view source) {
  return checked(source, [&] {
    return Job{.id = json.at("id").get<std::string>(),
               .request = request_from(json, source),
               .state = state_from(json.at("state").get<std::string>(), source),
               .fraction = json.at("fraction").get<double>(),
               .created = json.at("created").get<std::int64_t>(),
               .started = json.at("started").get<std::int64_t>(),
               .finished = json.at("finished").get<std::int64_t>(),
               .products = json.at("products").get<std::uint64_t>(),
               .recryptions = json.at("recryptions").get<std::uint64_t>(),
               .error = json.at("error").get<std::string>()};
  });
}

Json error_json(std::string_view code, std::string_view message) {
  return {{"error", {{"code", code}, {"message", message}}}};
}

}  // namespace fhe::outsource
