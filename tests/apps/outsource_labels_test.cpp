// SPDX-License-Identifier: Apache-2.0
// What clients call the circuits that they send.
#include <csignal>
#include <filesystem>

#include "tests/apps/outsource_service.hpp"

namespace fhe::test {

namespace {

// A service to which circuits are sent under labels.
class LabellingService : public AddingService {
 public:
  [[nodiscard]] nlohmann::json send(const std::string& query, int status = 201) const {
    return expect(status, "POST", "/v1/circuits?format=bristol" + query, read("circuits/add4.txt"));
  }

  [[nodiscard]] nlohmann::json labels(const std::string& name = "alice") const {
    nlohmann::json found;
    const nlohmann::json answer = expect(200, "GET", "/v1/circuits", "", name);
    for (const nlohmann::json& circuit : answer.at("circuits")) {
      found[circuit.at("name").get<std::string>()] = circuit.at("label");
    }
    return found;
  }
};

}  // namespace

TEST_CASE("outsource: a circuit keeps what its client calls it", "[apps][outsource]") {
  LabellingService service;
  service.start();
  const std::string name = service.send("&label=Sum+of%20%3Ci%3E4%3C%2Fi%3E%20bits").at("name");
  const std::string label = "Sum of <i>4</i> bits";
  CHECK(service.labels() == nlohmann::json{{"add4.txt", ""}, {name, label}});
  CHECK(service.labels("bob") == nlohmann::json{{"add4.txt", ""}});
  const std::string path = "/v1/circuits/" + name;
  CHECK(service.expect(200, "GET", path).at("label") == label);
  CHECK(service.expect(200, "GET", "/v1/circuits/add4.txt").at("label") == "");

  const std::string key = service.upload("/v1/keys", "keys/public.fhe");
  const std::string input = service.upload("/v1/keys/" + key + "/ciphertexts", "a.fhe");
  const nlohmann::json request{{"key", key}, {"circuit", name}, {"inputs", {input, input}}};
  const std::string job = service.expect(201, "POST", "/v1/jobs", request.dump()).at("id");
  const auto label_of_job = [&] {
    return service.expect(200, "GET", "/v1/jobs/" + job).at("label");
  };
  CHECK(label_of_job() == label);

  // Sent again it is the same circuit, which gets the new label if there is one; a job keeps its
  // own.
  CHECK(service.send("").at("label") == label);
  CHECK(service.send("&label=sum").at("label") == "sum");
  CHECK(service.labels().at(name) == "sum");
  CHECK(service.stop(SIGTERM) == 0);
  const std::string folder = "data/clients/alice/circuits/";
  const std::string of_nothing = folder + std::string(64, 'a') + ".txt.label";
  service.write(of_nothing, "left by a server that was killed");
  service.start();
  CHECK_FALSE(std::filesystem::exists(service.file(of_nothing)));
  CHECK(service.labels().at(name) == "sum");
  CHECK(label_of_job() == label);
  service.forget_jobs();
  static_cast<void>(service.expect(200, "DELETE", path));
  CHECK(std::filesystem::is_empty(service.file(folder)));
  CHECK(service.send("").at("label") == "");

  // What somebody else has written there is no label.
  service.write(folder + name + ".label", "two\x1b[2J");
  CHECK(service.labels().at(name) == "");
}

TEST_CASE("outsource: what is no label is refused", "[apps][outsource]") {
  LabellingService service;
  service.start();
  for (const std::string& wrong :
       {std::string(), std::string("%20x"), std::string("x+"), std::string("a%0Ab"),
        std::string("%1B%5B2J"), std::string("%C3%BC"), std::string("%7F"), std::string("%00"),
        std::string("a%E2%80%AEb"), std::string(65, 'a')}) {
    INFO(wrong);
    service.expect_error(400, "a label has 1 to 64 printable", "POST",
                         "/v1/circuits?format=bristol&label=" + wrong,
                         service.read("circuits/add4.txt"));
  }
  CHECK(service.labels().size() == 1);
  const std::string longest(64, 'a');
  CHECK(service.send("&label=" + longest).at("label") == longest);
}

TEST_CASE("outsource: the client sends labels and shows them", "[apps][outsource]") {
  LabellingService service;
  service.start();
  const auto submit = [&](Arguments options) {
    Arguments arguments{"submit", "--key",   "keys/public.fhe", "--input",
                        "a.fhe",  "--input", "b.fhe",           "--detach"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return service.client(arguments);
  };
  CHECK(submit({"--circuit-file", "circuits/add4.txt"}).exit_code == 0);
  const Outcome first = service.client({"circuits"});
  CHECK_THAT(first.out, Catch::Matchers::StartsWith("add4.txt\n"));
  CHECK_THAT(first.out, Catch::Matchers::EndsWith(".txt  add4.txt\n"));
  CHECK(submit({"--circuit-file", "circuits/add4.txt", "--label", "a + b & \"c\" %41"}).exit_code ==
        0);
  const std::string shown = "a + b & \"c\" %41";
  CHECK_THAT(service.client({"circuits"}).out, Catch::Matchers::EndsWith(".txt  " + shown + "\n"));
  const std::vector<std::string> jobs = lines_of(service.client({"jobs"}).out);
  REQUIRE(jobs.size() == 3);
  CHECK_THAT(jobs[1], Catch::Matchers::ContainsSubstring("  add4.txt ("));
  CHECK_THAT(jobs[2], Catch::Matchers::ContainsSubstring("  " + shown + " ("));

  for (const Arguments& wrong :
       {Arguments{"--circuit", "add4.txt", "--label", "sum"},
        Arguments{"--circuit-file", "circuits/add4.txt", "--label", "two\nlines"}}) {
    const Outcome refused = submit(wrong);
    CHECK(refused.exit_code == kUsage);
    CHECK_THAT(refused.err, Catch::Matchers::ContainsSubstring("--label"));
  }
  // The name of a file need not be a label.
  service.write("circuits/\xC3\xBC.txt", service.read("circuits/add4.txt"));
  CHECK(submit({"--circuit-file", "circuits/\xC3\xBC.txt"}).exit_code == 0);
}

}  // namespace fhe::test
