// SPDX-License-Identifier: Apache-2.0
// What happens when a plug-in calls exit().
#pragma once

#include <filesystem>

namespace fhe::plugin {

// While one lives, its thread runs code of the plug-in, and exit() in it ends the process with
// status 1 and a line on standard error: scripts must not take it for the success of the program.
// A thread of the plug-in's own is not watched.
class ExitGuard {
 public:
  // The path must outlive the object.
  explicit ExitGuard(const std::filesystem::path& plugin) noexcept;
  ~ExitGuard();
  ExitGuard(const ExitGuard&) = delete;
  ExitGuard& operator=(const ExitGuard&) = delete;

 private:
  const std::filesystem::path* outer_;
};

}  // namespace fhe::plugin
