// SPDX-License-Identifier: Apache-2.0
// The shim itself, before a small program of known calls: the tests would pass for any shim that
// does nothing.
#include <cerrno>
#include <csignal>

#include "tests/catch.hpp"
#include "tests/faults/fault.hpp"

namespace fhe::faults {

namespace {

using test::Launch;
using test::Sandbox;

// The program `victim` (victim.cpp) in the sandbox, under a fault.
Ending run_victim(const Sandbox& sandbox, const Fault& fault, std::uint64_t at) {
  Launch launch;
  launch.program = FHE_FAULTS_VICTIM;
  return run_under(sandbox, launch, fault, at);
}

std::vector<Call> calls_of(const Recording& recording) {
  std::vector<Call> calls;
  for (const Event& event : recording.events) calls.push_back(event.record.call);
  return calls;
}

}  // namespace

TEST_CASE("shim: a recording has the calls on files of the sandbox, and their data", "[faults]") {
  const Sandbox sandbox;
  const Ending ending = run_victim(sandbox, no_fault(), 0);
  CHECK(ending.outcome.out == "12345678 12345678\n");
  const std::vector<Event>& events = ending.recording.events;
  CHECK(calls_of(ending.recording) == std::vector<Call>{Call::create, Call::write, Call::write,
                                                        Call::sync, Call::close, Call::rename,
                                                        Call::open, Call::read, Call::close});
  CHECK(ending.recording.count == events.size());
  REQUIRE(events.size() == 9);
  const std::string root = std::filesystem::canonical(sandbox.path()).string();
  CHECK(events[0].path == root + "/new");
  CHECK(events[1].data == "1234");
  CHECK(events[2].data == "5678");
  CHECK(events[2].record.offset == 4);
  CHECK(events[5].path == root + "/new");
  CHECK(events[5].target == root + "/named");
  CHECK_FALSE(ending.recording.struck());
}

TEST_CASE("shim: the call that is meant fails, and no other", "[faults]") {
  const Sandbox sandbox;
  const Fault full{"full", {Call::write}, Action::fail, ENOSPC};
  CHECK(run_victim(sandbox, full, 2).outcome.out == "1234write: 28\n");
  CHECK(sandbox.read("new") == "1234");
  CHECK(run_victim(sandbox, full, 3).outcome.out == "12345678 12345678\n");
  const Fault broken{"broken", {Call::rename, Call::read}, Action::fail, EIO};
  CHECK(run_victim(sandbox, broken, 1).outcome.out == "12345678 rename: 5\n");
  CHECK(run_victim(sandbox, broken, 2).outcome.out == "12345678 read: 5\n");
}

TEST_CASE("shim: calls are short, or followed by the end of the process", "[faults]") {
  const Fault shortened{"short", {Call::write}, Action::shorten, 0, true};
  const Sandbox sandbox;
  CHECK(run_victim(sandbox, shortened, 1).outcome.out == "1256 1256\n");
  const Sandbox torn;
  const Ending ending = run_victim(torn, {"torn", {Call::write}, Action::tear}, 2);
  CHECK(ending.outcome.signal == SIGKILL);
  CHECK(ending.recording.struck());
  CHECK(torn.read("new") == "123456");
  const Sandbox killed;
  CHECK(run_victim(killed, {"killed", {Call::rename}, Action::end_after}, 1).outcome.signal ==
        SIGKILL);
  CHECK(killed.list() == std::vector<std::string>{"named"});
  const Sandbox spared;
  CHECK(run_victim(spared, {"spared", {Call::rename}, Action::end_before}, 1).outcome.signal ==
        SIGKILL);
  CHECK(spared.list() == std::vector<std::string>{"new"});
}

TEST_CASE("shim: an allocation fails", "[faults]") {
  const Sandbox sandbox;
  const Ending whole = run_victim(sandbox, {"counting", {Call::allocate}}, 0);
  CHECK(whole.recording.count >= 2);
  std::size_t failed = 0;
  for (std::uint64_t at = 1; at <= whole.recording.count; ++at) {
    const Ending ending = run_victim(sandbox, memory_faults().front(), at);
    CHECK(ending.recording.struck());
    if (ending.outcome.out.find("allocate: 12") != std::string::npos) ++failed;
  }
  CHECK(failed == 2);  // malloc and operator new
}

}  // namespace fhe::faults
