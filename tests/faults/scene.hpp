// SPDX-License-Identifier: Apache-2.0
// A command, what was there before it, and what may be there afterwards, whatever happened to it.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/cli/workplace.hpp"
#include "tests/faults/fault.hpp"
#include "tests/faults/snapshot.hpp"

namespace fhe::faults {

// The parameter group of most sweeps.
inline constexpr const char* kGroup = "cnt-mini";

struct Scene {
  std::string name;
  Snapshot before;
  test::Arguments command;
  // Files that the command makes or changes. All others must stay as they are.
  std::set<std::string> targets;
  // Targets that may be there or not after a run that was killed or could remove nothing.
  std::set<std::string> between;
  // Targets that may be there or not after a run that was killed or failed, and are not when it
  // succeeded, unless it warned.
  std::set<std::string> kept;
  // What is wrong with the targets of a run that succeeded; empty when they are right.
  std::function<std::string(const test::Sandbox&)> wrong;
  std::optional<std::string> output = {};  // of a run that succeeded
  // A command that only reads. Of what a killed one left it sees the old state or the new one.
  test::Arguments reading = {};
  // The command by which a user goes on, whatever happened.
  std::function<test::Arguments(const test::Sandbox&)> next;
};

// These are the scenes of the suite, at so many threads. `replacing`: there are keys, or a result,
// already.
[[nodiscard]] Scene keygen_scene(const std::string& group, bool replacing, std::size_t threads);
[[nodiscard]] Scene encrypt_scene(const std::string& group, bool replacing, std::size_t threads);
[[nodiscard]] Scene recrypt_scene(const std::string& group, std::size_t threads);
[[nodiscard]] Scene eval_scene(const std::string& group, std::size_t threads);
// Writes no file.
[[nodiscard]] Scene decrypt_scene(const std::string& group);
// A run with a checkpoint; with `resume` one that goes on from a checkpoint.
[[nodiscard]] Scene run_scene(const std::string& group, bool resume, std::size_t threads);

// Which states are right after a fault. Files of `loose` may be there or not.
struct Allowed {
  bool old_state = true;
  bool new_state = true;
  bool leftovers = false;  // files that are in no state, for the next start to remove
  std::set<std::string> loose = {};
};

// What is wrong with the sandbox after the command or a part of it, or after the next start, which
// it makes unless all is as before; empty when nothing is.
[[nodiscard]] std::string what_is_wrong(const Scene& scene, const test::Sandbox& sandbox,
                                        const Allowed& allowed);

// The same after a run that ended under a fault: its exit code, signal and message count too.
[[nodiscard]] std::string what_is_wrong(const Scene& scene, const test::Sandbox& sandbox,
                                        const Fault& fault, const Ending& ending);

}  // namespace fhe::faults
