// SPDX-License-Identifier: Apache-2.0
// The description of a server's requests (OpenAPI) against the server, and against its README.
#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/apps/outsource_service.hpp"

namespace fhe::test {

namespace {

using Json = nlohmann::json;

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

// A description, and what it says of answers.
class Description {
 public:
  explicit Description(Json json) : json_(std::move(json)) {}

  [[nodiscard]] const Json& json() const { return json_; }

  // "GET /v1/jobs/{JOB}" and all others.
  [[nodiscard]] std::set<std::string> requests() const {
    std::set<std::string> all;
    for (const auto& [path, methods] : json_.at("paths").items()) {
      for (const auto& [method, operation] : methods.items()) {
        all.insert(upper(method) + " " + path);
      }
    }
    return all;
  }

  // What is wrong with an answer to a request of `requests()`; empty: nothing.
  [[nodiscard]] std::string wrong_answer(const std::string& request, const Reply& reply) const {
    const std::size_t blank = request.find(' ');
    std::string method = request.substr(0, blank);
    std::ranges::transform(method, method.begin(), [](unsigned char c) { return std::tolower(c); });
    const Json& answers =
        json_.at("paths").at(request.substr(blank + 1)).at(method).at("responses");
    const std::string status = std::to_string(reply.status);
    if (!answers.contains(status)) return "no status " + status;
    const Json& content = resolved(answers.at(status)).at("content");
    const std::string media = content.begin().key();
    if (reply.head.find("Content-Type: " + media) == std::string::npos) return "not " + media;
    if (media != "application/json") return "";
    return wrong_value(content.begin()->at("schema"), Json::parse(reply.body), "$");
  }

  // What is wrong with a value by a schema, of the part of JSON Schema that the description uses.
  [[nodiscard]] std::string wrong_value(const Json& reference, const Json& value,
                                        const std::string& where) const {
    const Json& schema = resolved(reference);
    const std::string type = schema.at("type");
    if (!has_type(value, type)) return where + " is no " + type;
    if (schema.contains("enum") && !holds(schema.at("enum"), value)) return where + ": not listed";
    if (schema.contains("pattern") &&
        !std::regex_search(value.get<std::string>(), std::regex(schema.at("pattern")))) {
      return where + ": not by its pattern";
    }
    if (schema.contains("minimum") && value < schema.at("minimum")) return where + ": too small";
    if (schema.contains("maximum") && value > schema.at("maximum")) return where + ": too large";
    if (type == "array") return wrong_item(schema, value, where);
    return type == "object" && schema.contains("properties") ? wrong_member(schema, value, where)
                                                             : "";
  }

  [[nodiscard]] const Json& resolved(const Json& part) const {
    if (!part.contains("$ref")) return part;
    return json_.at(Json::json_pointer(part.at("$ref").get<std::string>().substr(1)));
  }

 private:
  static bool holds(const Json& list, const Json& value) {
    return std::ranges::find(list, value) != list.end();
  }

  static bool has_type(const Json& value, const std::string& type) {
    return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
           (type == "string" && value.is_string()) || (type == "boolean" && value.is_boolean()) ||
           (type == "integer" && value.is_number_integer()) ||
           (type == "number" && value.is_number());
  }

  [[nodiscard]] std::string wrong_item(const Json& schema, const Json& value,
                                       const std::string& where) const {
    for (const Json& item : value) {
      if (std::string wrong = wrong_value(schema.at("items"), item, where + "[]"); !wrong.empty()) {
        return wrong;
      }
    }
    return "";
  }

  // Of an object, which has all that is required and nothing that is not described.
  [[nodiscard]] std::string wrong_member(const Json& schema, const Json& value,
                                         const std::string& where) const {
    for (const Json& name : schema.at("required")) {
      if (!value.contains(name)) return where + " lacks " + name.get<std::string>();
    }
    for (const auto& [name, member] : value.items()) {
      if (!schema.at("properties").contains(name)) return where + " has " + name;
      std::string wrong = wrong_value(schema.at("properties").at(name), member, where + "." + name);
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  const Json json_;
};

constexpr const char* kSources = FHE_TEST_DATA_DIR "/../../apps/outsource/";

Description description_in_sources() {
  std::ifstream file(std::string(kSources) + "server/openapi.json");
  return Description(Json::parse(file));
}

Description description_of(const Service& service) {
  const Reply reply = reply_to(service.port(), "GET /v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n");
  REQUIRE(reply.status == 200);
  return Description(Json::parse(reply.body));
}

// Checks an answer to each request, by the name that the description has for it.
class Witness {
 public:
  explicit Witness(const Service& service) : service_(service), words_(description_of(service)) {}

  Json ask(const std::string& request, const std::string& path, int status,
           const std::string& body = {}) {
    const std::string method = request.substr(0, request.find(' '));
    const Reply reply = service_.ask(method, path, body);
    INFO(request << ": " << reply.status << " " << reply.head << " " << reply.body);
    CHECK(reply.status == status);
    CHECK(words_.wrong_answer(request, reply).empty());
    if (status < 300) seen_.insert(request);
    return Json::parse(reply.body, nullptr, false);
  }

  [[nodiscard]] const Description& words() const { return words_; }
  [[nodiscard]] const std::set<std::string>& seen() const { return seen_; }

 private:
  const Service& service_;
  const Description words_;
  std::set<std::string> seen_;  // that were answered well
};

}  // namespace

TEST_CASE("outsource: every answer is as the description of the server says", "[apps][outsource]") {
  AddingService service;
  service.start();
  Witness witness(service);
  for (const std::string path : {"/", "/v1/openapi.json", "/v1/health", "/v1/server", "/v1/keys",
                                 "/v1/circuits", "/v1/jobs"}) {
    witness.ask("GET " + path, path, 200);
  }
  const std::string key =
      witness.ask("POST /v1/keys", "/v1/keys", 201, service.read("keys/public.fhe")).at("id");
  const std::string files = "/v1/keys/" + key + "/ciphertexts";
  const auto send = [&](const std::string& file) -> std::string {
    return witness.ask("POST /v1/keys/{KEY}/ciphertexts", files, 201, service.read(file)).at("id");
  };
  const std::string a = send("a.fhe");
  const std::string b = send("b.fhe");
  const std::string own = witness
                              .ask("POST /v1/circuits", "/v1/circuits?format=bristol", 201,
                                   service.read("circuits/add4.txt"))
                              .at("name");
  witness.ask("GET /v1/circuits/{NAME}", "/v1/circuits/" + own, 200);
  const auto submit = [&] {
    return witness
        .ask("POST /v1/jobs", "/v1/jobs", 201,
             Json{{"key", key}, {"circuit", own}, {"inputs", {a, b}}}.dump())
        .at("id")
        .get<std::string>();
  };
  const std::string job = submit();
  const std::string path = "/v1/jobs/" + job;
  eventually([&] { return witness.ask("GET /v1/jobs/{JOB}", path, 200).at("state") == "done"; });
  witness.ask("GET /v1/jobs/{JOB}/result", path + "/result", 200);
  for (const std::string list : {"/v1/keys", "/v1/circuits", "/v1/jobs"}) {
    witness.ask("GET " + list, list, 200);
  }
  witness.ask("POST /v1/jobs/{JOB}/cancel", path + "/cancel", 200);

  // Refusals, too.
  witness.ask("POST /v1/jobs/{JOB}/retry", path + "/retry", 409);
  witness.ask("GET /v1/jobs/{JOB}", "/v1/jobs/0123", 404);
  witness.ask("POST /v1/jobs", "/v1/jobs", 422, "garbage");
  witness.ask("POST /v1/jobs", "/v1/jobs", 422,
              Json{{"key", key}, {"circuit", own}, {"inputs", {a}}}.dump());
  witness.ask("POST /v1/circuits", "/v1/circuits", 400, "garbage");
  witness.ask("POST /v1/circuits", "/v1/circuits?format=blif", 422, "garbage");
  witness.ask("POST /v1/keys", "/v1/keys", 422, service.read("keys/secret.fhe"));
  witness.ask("DELETE /v1/circuits/{NAME}", "/v1/circuits/add4.txt", 403);

  witness.ask("DELETE /v1/jobs/{JOB}", path, 200);
  witness.ask("DELETE /v1/circuits/{NAME}", "/v1/circuits/" + own, 200);
  witness.ask("DELETE /v1/keys/{KEY}/ciphertexts/{ID}", files + "/" + a, 200);
  witness.ask("DELETE /v1/keys/{KEY}", "/v1/keys/" + key, 200);

  // A stream does not end, and a job that fails takes a process that dies (other tests have both).
  std::set<std::string> left;
  std::ranges::set_difference(witness.words().requests(), witness.seen(),
                              std::inserter(left, left.end()));
  CHECK(left == std::set<std::string>{"GET /v1/events", "POST /v1/jobs/{JOB}/retry"});
}

TEST_CASE("outsource: the description of answers would notice others", "[apps][outsource]") {
  const Description words = description_in_sources();
  const Json& health = words.json().at("components").at("schemas").at("Health");
  const Json good{{"status", "ok"},    {"uptime_seconds", 1}, {"queued_jobs", 0},
                  {"running_jobs", 0}, {"postponed_jobs", 0}, {"unsaved_jobs", 0},
                  {"broken_jobs", 0},  {"failed_logins", 0}};
  const auto wrong = [&](const char* name, const Json& value) {
    Json other = good;
    other[name] = value;
    return !words.wrong_value(health, other, "$").empty();
  };
  CHECK(words.wrong_value(health, good, "$").empty());
  CHECK(wrong("status", 1));
  CHECK(wrong("queued_jobs", -1));
  CHECK(wrong("queued_jobs", 0.5));
  CHECK(wrong("clients", "alice"));
  Json less = good;
  less.erase("status");
  CHECK_FALSE(words.wrong_value(health, less, "$").empty());
}

TEST_CASE("outsource: README lists the requests that the description has", "[apps][outsource]") {
  const std::set<std::string> described = description_in_sources().requests();
  std::set<std::string> listed;
  std::ifstream readme(std::string(kSources) + "README.md");
  const std::regex name("`(GET|POST|DELETE) (/[^`?]*)[^`]*`");
  const std::regex also("`(GET|POST|DELETE) (/[^`,]*)`, `(/[^`]*)`");
  for (std::string line; std::getline(readme, line);) {
    std::smatch parts;
    if (!line.starts_with("| `") || !std::regex_search(line, parts, name)) continue;
    const auto braced = [](const std::string& path) {
      return std::regex_replace(path, std::regex("/([A-Z]+)"), "/{$1}");
    };
    listed.insert(parts.str(1) + " " + braced(parts.str(2)));
    if (std::regex_search(line, parts, also))
      listed.insert(parts.str(1) + " " + braced(parts.str(3)));
  }
  CHECK(listed == described);
}

}  // namespace fhe::test
