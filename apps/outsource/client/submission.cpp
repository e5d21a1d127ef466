#include "apps/outsource/client/submission.hpp"

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/wire/container.hpp"

namespace fhe::outsource {

namespace {

namespace fs = std::filesystem;

Remote::Progress phase(const Watch& watch, std::string name) {
  return [&watch, name = std::move(name)](double fraction) { watch(name, fraction); };
}

// The id of the key, which is sent unless the server has it.
std::string send_key(Remote& remote, const fs::path& file, const Watch& watch) {
  const ContainerReader reader(file);
  if (reader.header().kind == ObjectKind::public_key) {
    const std::string id = to_hex(reader.header().key_id);
    const Json answer = remote.get("/v1/keys");
    for (const Json& key : answer.at("keys")) {
      if (key.at("id") == id) return id;
    }
  }
  return remote.upload("/v1/keys", file, phase(watch, "sending the key")).at("id");
}

std::string send_circuit(Remote& remote, const Submission& submission, const Watch& watch) {
  if (submission.circuit_file.empty()) return submission.circuit;
  const bool blif = submission.circuit_file.extension() == ".blif";
  const std::string path = fmt::format("/v1/circuits?format={}", blif ? "blif" : "bristol");
  return remote.upload(path, submission.circuit_file, phase(watch, "sending the circuit"))
      .at("name");
}

}  // namespace

Job submit(Remote& remote, const Submission& submission, const Watch& watch) {
  JobRequest request;
  request.key = send_key(remote, submission.key, watch);
  request.circuit = send_circuit(remote, submission, watch);
  for (const fs::path& input : submission.inputs) {
    request.inputs.push_back(remote
                                 .upload(fmt::format("/v1/keys/{}/ciphertexts", request.key), input,
                                         phase(watch, "sending ciphertexts"))
                                 .at("id"));
  }
  const Json json{{"key", request.key}, {"circuit", request.circuit}, {"inputs", request.inputs}};
  return job_from(remote.post("/v1/jobs", json), "the server's answer");
}

Job fetch(Remote& remote, const std::string& job, const fs::path& out, const Watch& watch) {
  Job now = remote.wait_for(job, phase(watch, "circuit"));
  if (now.state != JobState::done) {
    throw Error(ErrorCode::unsupported, fmt::format("job {} is {}{}{}", job, to_string(now.state),
                                                    now.error.empty() ? "" : ": ", now.error));
  }
  remote.download(fmt::format("/v1/jobs/{}/result", job), out);
  return now;
}

}  // namespace fhe::outsource
