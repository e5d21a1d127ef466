// A circuit that somebody else computes, from files to a file.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "apps/outsource/client/remote.hpp"

namespace fhe::outsource {

struct Submission {
  std::filesystem::path key;                  // public
  std::string circuit;                        // one of the server's
  std::filesystem::path circuit_file;         // or one of ours
  std::vector<std::filesystem::path> inputs;  // ciphertexts, one file for each input word
};

// Told what is being done, and how much of that.
using Watch = std::function<void(const std::string& phase, double fraction)>;

// Sends what the server does not have yet and submits the job. Throws as Remote does.
[[nodiscard]] Job submit(Remote& remote, const Submission& submission, const Watch& watch);

// Waits for the job and writes its result. Throws Error(unsupported) with the reason when there is
// none.
Job fetch(Remote& remote, const std::string& job, const std::filesystem::path& out,
          const Watch& watch);

}  // namespace fhe::outsource
