// SPDX-License-Identifier: Apache-2.0
// What can happen to a program: faults, and a run of a program under one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/cli/process.hpp"
#include "tests/faults/calls.hpp"

namespace fhe::faults {

// A kind of fault: what it does, and the calls that it can befall.
struct Fault {
  std::string name;
  std::vector<Call> calls;
  Action action = Action::none;
  int error = 0;         // of Action::fail
  bool lasting = false;  // it befalls one call, or that and all later ones

  [[nodiscard]] bool kills() const {
    return action != Action::none && action != Action::fail && action != Action::shorten;
  }
  [[nodiscard]] bool befalls(Call call) const;
};

// Those of files: a kill after each call that changes something and in the middle of each write, a
// disk that is full, broken or read-only, interrupted and short calls.
[[nodiscard]] const std::vector<Fault>& file_faults();

// Those of them that can befall a command that only reads.
[[nodiscard]] const std::vector<Fault>& reading_faults();

// Those to which a server and its workers, of more calls than a command, are put.
[[nodiscard]] const std::vector<Fault>& service_faults();

// Those of a start: one call that fails, for each of the reasons that may have passed with the
// next.
[[nodiscard]] const std::vector<Fault>& start_faults();

// One allocation that fails, or that and all later ones.
[[nodiscard]] const std::vector<Fault>& memory_faults();

// Every call on files, as it is.
[[nodiscard]] const Fault& no_fault();

// One counted call of a run.
struct Event {
  Record record{};
  std::string path;
  std::string target;
  std::string data;
};

// What the calls of a run were, and how many.
struct Recording {
  std::vector<Event> events;
  std::uint64_t count = 0;  // known only when the program ended by itself

  [[nodiscard]] bool struck() const;  // something happened to a call
};

[[nodiscard]] Recording read_recording(const std::filesystem::path& log);

// The environment of a program whose `at`-th call (from 1) of those of the fault it befalls, among
// its calls on files in `folder`, which is there. `argument`: only processes that have it on their
// command line, empty: all. `once`: a file that is not there yet, after which one process is struck
// and no other; empty: any number.
[[nodiscard]] std::vector<std::string> environment_of(const std::filesystem::path& folder,
                                                      const Fault& fault, std::uint64_t at,
                                                      const std::filesystem::path& log,
                                                      const std::string& argument = {},
                                                      const std::filesystem::path& once = {});

// How a run ended.
struct Ending {
  test::Outcome outcome;
  bool hung = false;  // ended by the test, after longer than anything takes
  Recording recording;
};

[[nodiscard]] Ending run_under(const test::Sandbox& sandbox, test::Launch launch,
                               const Fault& fault, std::uint64_t at);

// The end of a process that must end soon; it is killed when it does not.
[[nodiscard]] Ending end_of(test::Process& process);

}  // namespace fhe::faults
