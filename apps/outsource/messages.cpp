// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/messages.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace fhe::outsource {

namespace {

constexpr std::array kStates{JobState::queued, JobState::running, JobState::done, JobState::failed,
                             JobState::cancelled};

constexpr std::array kCodes{ErrorCode::invalid_argument,
                            ErrorCode::invalid_parameters,
                            ErrorCode::unknown_name,
                            ErrorCode::noise_exceeded,
                            ErrorCode::wrong_key,
                            ErrorCode::malformed_file,
                            ErrorCode::io,
                            ErrorCode::unsupported,
                            ErrorCode::stopped,
                            ErrorCode::randomness,
                            ErrorCode::out_of_memory,
                            ErrorCode::wrong_result};

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
decltype(auto) checked(std::string_view source, const Read& read) {
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

bool is_label(std::string_view text) {
  const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
  return !text.empty() && text.size() <= kLongestLabel && std::ranges::all_of(text, is_printable) &&
         text.front() != ' ' && text.back() != ' ';
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
          {"error", job.error},
          {"output_bits", job.output_bits},
          {"note", job.note},
          {"tries", job.tries},
          {"label", job.label}};
}

std::string to_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json parse_json(std::string_view text, std::string_view source) {
  return checked(source, [&] { return Json::parse(text); });
}

const Json& member_of(const Json& json, const char* name, std::string_view source) {
  return checked(source, [&]() -> const Json& { return json.at(name); });
}

std::string text_of(const Json& json, const char* name, std::string_view source) {
  return checked(source, [&] { return json.at(name).get<std::string>(); });
}

std::string text_if_any(const Json& json, const char* name, std::string_view source) {
  return checked(source, [&] { return json.value(name, std::string()); });
}

std::uint64_t number_of(const Json& json, const char* name, std::string_view source) {
  return checked(source, [&] { return json.at(name).get<std::uint64_t>(); });
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
               .error = json.at("error").get<std::string>(),
               .output_bits = json.value("output_bits", std::uint64_t{0}),
               .note = json.value("note", std::string()),
               .tries = json.value("tries", std::uint64_t{0}),
               .label = json.value("label", std::string())};
  });
}

std::optional<ErrorCode> error_code_named(std::string_view name) {
  const auto* const code =
      std::ranges::find_if(kCodes, [&](ErrorCode known) { return to_string(known) == name; });
  if (code == kCodes.end()) return std::nullopt;
  return *code;
}

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string replaced(std::string text, const std::string& name, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += by.size()) {
    text.replace(at, name.size(), by);
  }
  return text;
}

Json error_json(std::string_view code, std::string_view message) {
  return {{"error", {{"code", code}, {"message", message}}}};
}

}  // namespace fhe::outsource
