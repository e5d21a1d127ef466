// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/fault.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

namespace fhe::faults {

namespace {

namespace fs = std::filesystem;

const std::vector<Call>& all_calls() {
  static const std::vector<Call> calls{
      Call::open,   Call::create,   Call::read,   Call::write, Call::sync,    Call::close,
      Call::status, Call::access,   Call::rename, Call::link,  Call::symlink, Call::unlink,
      Call::mkdir,  Call::truncate, Call::mode,   Call::lock,  Call::list,    Call::spawn};
  return calls;
}

// Those that change a file system.
const std::vector<Call>& changes() {
  static const std::vector<Call> calls{Call::create,   Call::write,   Call::sync,   Call::rename,
                                       Call::link,     Call::symlink, Call::unlink, Call::mkdir,
                                       Call::truncate, Call::mode,    Call::close};
  return calls;
}

Fault killed_after() {
  return {"killed after", changes(), Action::end_after};
}

Fault torn() {
  return {"killed in the middle of", {Call::write}, Action::tear};
}

Fault broken_disk() {
  return {"broken disk (EIO)", all_calls(), Action::fail, EIO};
}

Fault full_disk(bool lasting) {
  return {
      lasting ? "full disk (ENOSPC)" : "no space once (ENOSPC)",
      {Call::create, Call::write, Call::sync, Call::rename, Call::link, Call::mkdir, Call::close},
      Action::fail,
      ENOSPC,
      lasting};
}

Fault read_only() {
  return {"read-only (EROFS)",
          {Call::create, Call::rename, Call::link, Call::symlink, Call::unlink, Call::mkdir,
           Call::truncate, Call::mode},
          Action::fail,
          EROFS,
          true};
}

Fault interrupted(std::vector<Call> calls) {
  return {"interrupted (EINTR)", std::move(calls), Action::fail, EINTR};
}

Fault shortened(std::vector<Call> calls, bool lasting) {
  return {lasting ? "short from there on" : "short", std::move(calls), Action::shorten, 0, lasting};
}

// Takes the next `size` bytes of `bytes`.
std::string take(std::string_view& bytes, std::size_t size) {
  const std::string part(bytes.substr(0, size));
  bytes.remove_prefix(part.size());
  return part;
}

}  // namespace

bool Fault::befalls(Call call) const {
  return std::ranges::find(calls, call) != calls.end();
}

const std::vector<Fault>& file_faults() {
  static const std::vector<Fault> faults{
      killed_after(),
      torn(),
      broken_disk(),
      full_disk(true),
      full_disk(false),
      read_only(),
      interrupted({Call::open, Call::create, Call::read, Call::write, Call::sync, Call::lock}),
      shortened({Call::read, Call::write}, false),
      shortened({Call::read, Call::write}, true)};
  return faults;
}

const std::vector<Fault>& reading_faults() {
  static const std::vector<Fault> faults{broken_disk(), interrupted({Call::open, Call::read}),
                                         shortened({Call::read}, false),
                                         shortened({Call::read}, true)};
  return faults;
}

const std::vector<Fault>& service_faults() {
  static const std::vector<Fault> faults{killed_after(), torn(), broken_disk(), full_disk(true)};
  return faults;
}

const std::vector<Fault>& start_faults() {
  static const std::vector<Fault> faults = [] {
    std::vector<Fault> made;
    for (const int error : {EIO, EMFILE, EACCES, ENOMEM, ENOSPC}) {
      made.push_back({strerrorname_np(error), all_calls(), Action::fail, error});
    }
    return made;
  }();
  return faults;
}

const std::vector<Fault>& memory_faults() {
  static const std::vector<Fault> faults{
      {"no memory once", {Call::allocate}, Action::fail, ENOMEM},
      {"no memory from there on", {Call::allocate}, Action::fail, ENOMEM, true}};
  return faults;
}

const Fault& no_fault() {
  static const Fault none{"nothing", all_calls()};
  return none;
}

bool Recording::struck() const {
  return std::ranges::any_of(events,
                             [](const Event& e) { return e.record.action != Action::none; });
}

Recording read_recording(const fs::path& log) {
  Recording recording;
  if (!fs::exists(log)) return recording;
  const std::vector<std::byte> contents = test::read_file(log);
  std::string_view rest(reinterpret_cast<const char*>(contents.data()), contents.size());
  while (rest.size() >= sizeof(Record)) {
    Event event;
    std::memcpy(&event.record, rest.data(), sizeof(Record));
    rest.remove_prefix(sizeof(Record));
    event.path = take(rest, event.record.path_bytes);
    event.target = take(rest, event.record.target_bytes);
    event.data = take(rest, event.record.data_bytes);
    if (event.record.number == 0) {
      recording.count = static_cast<std::uint64_t>(event.record.result);
    } else {
      recording.events.push_back(std::move(event));
    }
  }
  return recording;
}

std::vector<std::string> environment_of(const fs::path& folder, const Fault& fault,
                                        std::uint64_t at, const fs::path& log,
                                        const std::string& argument, const fs::path& once) {
  std::string names;
  for (const Call call : fault.calls) {
    names += fmt::format("{},", kCallNames[static_cast<std::size_t>(call)]);
  }
  const auto set = [](const char* variable, const auto& value) {
    return fmt::format("{}={}", variable, value);
  };
  return {set("LD_PRELOAD", FHE_FAULTS_SHIM),
          set(kCallsVariable, names),
          set(kRootVariable, fs::canonical(folder).string()),
          set(kAtVariable, at),
          set(kLastingVariable, fault.lasting ? 1 : 0),
          set(kActionVariable, static_cast<int>(fault.action)),
          set(kErrorVariable, fault.error),
          set(kLogVariable, log.string()),
          set(kOnceVariable, once.string()),
          set(kArgumentVariable, argument)};
}

Ending end_of(test::Process& process) {
  constexpr std::chrono::seconds kPatience(60);
  Ending ending;
  ending.hung = !process.ends_within(kPatience);
  if (ending.hung) process.send(SIGKILL);
  ending.outcome = process.wait();
  return ending;
}

Ending run_under(const test::Sandbox& sandbox, test::Launch launch, const Fault& fault,
                 std::uint64_t at) {
  const test::Sandbox logs;
  launch.environment = environment_of(sandbox.path(), fault, at, logs.file("log"));
  test::Process process(sandbox, launch);
  Ending ending = end_of(process);
  ending.recording = read_recording(logs.file("log"));
  return ending;
}

}  // namespace fhe::faults
