// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "apps/outsource/client/remote.hpp"
#include "apps/support/temporary_folder.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/circuit/netlist_files.hpp"
#include "libfhe/error.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/storage/container.hpp"

namespace fhe::outsource {

namespace {

namespace fs = std::filesystem;

// What the server calls things becomes part of paths.
std::string id_in(const Json& answer) {
  constexpr std::size_t kLongest = 64;
  std::string id = text_of(answer, "id", kAnswer);
  if (!id.empty() && id.size() <= kLongest && is_hex(id)) return id;
  throw Error(ErrorCode::malformed_file, fmt::format("{}: it gives a name that is none", kAnswer));
}

Remote::Progress phase(const Watch& watch, std::string name) {
  return [&watch, name = std::move(name)](double fraction) { watch(name, fraction); };
}

// The id of the key, which is sent unless the server has it.
std::string send_key(Remote& remote, const fs::path& file, const Watch& watch) {
  const ContainerReader reader(file);
  if (reader.header().kind == ObjectKind::public_key) {
    std::string id = to_hex(reader.header().key_id);
    const Json answer = remote.get("/v1/keys");
    for (const Json& key : member_of(answer, "keys", kAnswer)) {
      if (text_of(key, "id", kAnswer) == id) return id;
    }
  }
  return id_in(remote.upload("/v1/keys", file, phase(watch, "sending the key")));
}

// A query of an address holds no other characters as they are.
std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
    encoded += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

// A file may have a name that is no label: then it has none.
std::string label_of(const Submission& submission) {
  if (!submission.label.empty()) return submission.label;
  const std::string name = submission.circuit_file.filename().string();
  return is_label(name) ? name : std::string();
}

std::string send_circuit(Remote& remote, const Submission& submission, const Watch& watch) {
  if (submission.circuit_file.empty()) return submission.circuit;
  const bool blif = submission.circuit_file.extension() == ".blif";
  std::string path = fmt::format("/v1/circuits?format={}", blif ? "blif" : "bristol");
  if (const std::string label = label_of(submission); !label.empty()) {
    path += "&label=" + percent_encoded(label);
  }
  return text_of(remote.upload(path, submission.circuit_file, phase(watch, "sending the circuit")),
                 "name", kAnswer);
}

// The bytes that a file of so many ciphertexts of a key can have at most.
std::uint64_t most_file_bytes(const PublicKey& key, std::uint64_t bits) {
  constexpr std::uint64_t kHeader = 16 * 1024;
  constexpr std::uint64_t kNoise = 4;
  return kHeader + bits * (bit_length(key.modulus()) / 8 + 1 + kNoise);
}

// What is said about the file that was fetched, without its passing name.
std::vector<Ciphertext> read_result(const fs::path& file, const PublicKey& key) {
  try {
    return load_ciphertexts(file, key);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("what the server sends as the result cannot be used: {}",
                                          replaced(error.what(), file.string(), "result")));
  }
}

void require_bits(std::uint64_t found, std::uint64_t expected) {
  if (found == expected) return;
  throw Error(ErrorCode::malformed_file,
              fmt::format("the result holds {} bits instead of {}", found, expected));
}

}  // namespace

Job submit(Remote& remote, const Submission& submission, const Watch& watch) {
  JobRequest request;
  request.key = send_key(remote, submission.key, watch);
  request.circuit = send_circuit(remote, submission, watch);
  for (const fs::path& input : submission.inputs) {
    request.inputs.push_back(
        id_in(remote.upload(fmt::format("/v1/keys/{}/ciphertexts", request.key), input,
                            phase(watch, "sending ciphertexts"))));
  }
  const Json json{{"key", request.key}, {"circuit", request.circuit}, {"inputs", request.inputs}};
  const Json answer = remote.post("/v1/jobs", json);
  static_cast<void>(id_in(answer));
  return job_from(answer, kAnswer);
}

std::optional<std::uint64_t> output_bits(const Submission& submission) {
  if (submission.circuit_file.empty()) return std::nullopt;
  return load_netlist(submission.circuit_file).output_bits();
}

Job fetch(Remote& remote, const std::string& job, const Expectation& expected, const fs::path& out,
          const Watch& watch) {
  const PublicKey key = load_public_key(expected.key);
  Job now = remote.wait_for(job, phase(watch, "circuit"));
  if (now.state != JobState::done) {
    throw Error(ErrorCode::unsupported, fmt::format("job {} is {}{}{}", job, to_string(now.state),
                                                    now.error.empty() ? "" : ": ", now.error));
  }
  const std::uint64_t bits = expected.bits.value_or(now.output_bits);
  const fs::path place = out.has_parent_path() ? out.parent_path() : fs::path(".");
  const apps::TemporaryFolder folder(".fhe-outsource-fetch", place);
  const fs::path file = folder / "result.fhe";
  remote.download(fmt::format("/v1/jobs/{}/result", job), file,
                  std::min(most_file_bytes(key, bits), expected.most_bytes));
  const std::vector<Ciphertext> result = read_result(file, key);
  require_bits(result.size(), bits);
  save(out, result, key);
  return now;
}

}  // namespace fhe::outsource
