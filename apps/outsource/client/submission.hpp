// SPDX-License-Identifier: Apache-2.0
// A circuit that somebody else computes, from files to a file.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/outsource/client/remote.hpp"

namespace fhe::outsource {

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
