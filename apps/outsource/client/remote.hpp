// SPDX-License-Identifier: Apache-2.0
// The server as its clients see it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "apps/outsource/http.hpp"
#include "apps/outsource/messages.hpp"
#include "libfhe/error.hpp"

namespace fhe::outsource {

// A server as its clients see it (README.md lists the requests). It is not trusted: what it says is
// bounded in size and time, and checked before it is used.

// What errors call that which a server sent.
inline constexpr const char* kAnswer = "the server's answer";

// A server's host and port, and whether it speaks TLS.
struct ServerAddress {
  std::string host;
  int port = 0;
  bool has_tls = false;
};

// One thread at a time. All functions throw Error: with the server's message when it refuses,
// Error(io) when it cannot be reached, Error(malformed_file) for an answer that is none or is too
// long, Error(stopped).
class Remote {
 public:
  using Progress = std::function<void(double fraction)>;

  // `url` is http://host:port or https://host:port; with https the server must show a certificate
  // for that host by an authority of the PEM file `authorities`, or of the system where the path is
  // empty. A server that says nothing for `patience`, or ten times as long about a file that it
  // checks, is as one that cannot be reached. Throws Error(invalid_argument) for what is none, and
  // for authorities without https.
  Remote(const std::string& url, const std::string& token, const std::filesystem::path& authorities,
         std::stop_token stop, std::chrono::seconds patience);

  Json get(const std::string& path);
  Json post(const std::string& path, const Json& json);
  Json post(const std::string& path);

  // Sends a file; returns what the server says about it. Throws Error(invalid_argument) for a
  // secret key, before anything is sent.
  Json upload(const std::string& path, const std::filesystem::path& file, const Progress& progress);

  // Writes what the server sends, at most so many bytes, into a new file. It may be there in part
  // when something is thrown.
  void download(const std::string& path, const std::filesystem::path& file,
                std::uint64_t most_bytes);

  // Waits until a job is finished. Goes on when the server is restarted meanwhile, within patience.
  Job wait_for(const std::string& job, const Progress& progress);

 private:
  // Takes pieces of a body; false: no more of it.
  using Take = std::function<bool(std::string_view piece)>;
  struct Question {
    std::string method;
    std::string target;
    std::string type = {};  // of its body; empty: there is none
    std::uint64_t bytes = 0;
    std::function<void(Connection& connection)> body = {};  // writes so many bytes, if it can
    bool is_checked = false;                                // the body, before it is answered
  };

  [[nodiscard]] Socket connected() const;
  [[nodiscard]] std::string head_of(const Question& question) const;
  void exchange(const Question& question, std::uint64_t most_bytes, const Take& take);
  Json answer(const Question& question);
  [[nodiscard]] Error lost(const std::string& reason) const;
  void follow(const std::string& job, const Progress& progress);

  std::string url_;
  const std::chrono::seconds patience_;
  ServerAddress address_;
  std::string authorization_;
  std::stop_token stop_;
  std::optional<Tls> tls_;
};

// A circuit that somebody else computes, from files to a file.
struct Submission {
  std::filesystem::path key;                  // public
  std::string circuit;                        // one of the server's
  std::filesystem::path circuit_file;         // or one of ours
  std::string label;                          // of ours; empty: it gets the name of its file
  std::vector<std::filesystem::path> inputs;  // ciphertexts, one file for each input word
};

// Told what is being done, and how much of that.
using Watch = std::function<void(const std::string& phase, double fraction)>;

// What the result of a job has to be: ciphertexts of this key.
struct Expectation {
  std::filesystem::path key;          // public
  std::optional<std::uint64_t> bits;  // so many; none: as many as the server says
  std::uint64_t most_bytes = 0;       // of the file
};

// Sends what the server does not have yet and submits the job. Throws as Remote does.
[[nodiscard]] Job submit(Remote& remote, const Submission& submission, const Watch& watch);

// The bits of the outputs of a submission's own circuit; none for one of the server's, of which
// nobody but the server knows.
[[nodiscard]] std::optional<std::uint64_t> output_bits(const Submission& submission);

// Waits for the job and writes its result, after that was read whole and checked; until then, and
// when it is not what is expected, nothing is under `out`. Throws Error(unsupported) with the
// reason when the job has no result, and Error(malformed_file) or Error(wrong_key) when the server
// sends something else.
Job fetch(Remote& remote, const std::string& job, const Expectation& expected,
          const std::filesystem::path& out, const Watch& watch);

}  // namespace fhe::outsource
