// SPDX-License-Identifier: Apache-2.0
// Signals as users and service managers send them: every wait ends, with exit code 130 and nothing
// left behind.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/support/interrupt.hpp"
#include "tests/apps/program.hpp"
#include "tests/apps/talk.hpp"
#include "tests/catch.hpp"
#include "tests/cli/terminal.hpp"
#include "tests/cli/workplace.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/process_facts.hpp"

namespace fhe::test {

namespace {

using Catch::Matchers::ContainsSubstring;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kMoment(50);
constexpr std::chrono::seconds kSoon(10);

// Whether the process waits for signals itself. Until its program is loaded it may have all signals
// blocked: ThreadSanitizer does that around fork.
bool is_watching(const Process& process) {
  const std::string text = fact_of(process.id(), "status", "SigBlk:");
  if (text.empty()) return false;
  const unsigned long long blocked = std::stoull(text, nullptr, 16);
  const auto has = [&](int signal) { return (blocked >> (signal - 1) & 1) != 0; };
  return has(SIGTERM) && !has(SIGUSR1);
}

// Until the process can have come to the place where it waits.
void let_start(Process& process) {
  while (process.running() && !is_watching(process)) std::this_thread::sleep_for(kMoment / 10);
  std::this_thread::sleep_for(kMoment);
  REQUIRE(process.running());
}

// Waits for the end, which must come soon.
Outcome ended(Process& process) {
  REQUIRE(process.ends_within(kSoon));
  return process.wait();
}

void check_interrupted(Process& process, const std::string& message) {
  const Outcome outcome = ended(process);
  INFO(outcome.err);
  CHECK(outcome.exit_code == kInterrupted);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, ContainsSubstring(message));
}

// A pipe with a name, which this process can hold open for writing.
class NamedPipe {
 public:
  explicit NamedPipe(std::filesystem::path path) : path_(std::move(path)) {
    REQUIRE(mkfifo(path_.c_str(), 0600) == 0);
  }
  ~NamedPipe() {
    if (writer_ >= 0) close(writer_);
  }
  NamedPipe(const NamedPipe&) = delete;
  NamedPipe& operator=(const NamedPipe&) = delete;

  void open_writer() {
    writer_ = open(path_.c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(writer_ >= 0);
  }
  void write_text(const std::string& text) const {
    REQUIRE(write(writer_, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }

 private:
  std::filesystem::path path_;
  int writer_ = -1;
};

Arguments encrypt_from(const std::string& input) {
  return {"encrypt", "--key", "keys/public.fhe", "--in", input, "--out", "x.fhe"};
}

Arguments new_passphrase_from(const Arguments& source) {
  Arguments arguments{"passwd", "--key", "keys/secret.fhe"};
  arguments.insert(arguments.end(), source.begin(), source.end());
  return arguments;
}

// Until the terminal shows `text`.
void wait_for(Process& process, Terminal& terminal, const std::string& text) {
  while (process.running() && terminal.shown().find(text) == std::string::npos) {
    std::this_thread::sleep_for(kMoment / 10);
  }
  INFO(terminal.shown());
  REQUIRE(process.running());
}

// The command reads what comes through a pipe, and no line of that comes.
void check_wait_for_input_ends(const Workplace& place, const Arguments& command) {
  NamedPipe pipe(place.file("pipe"));
  pipe.open_writer();
  pipe.write_text("101");
  const std::vector<std::string> files = place.list();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    CAPTURE(signal);
    Launch launch{command};
    launch.standard_input = place.file("pipe");
    Process process(place, launch);
    let_start(process);
    process.send(signal);
    check_interrupted(process, "fhe: error: stopped while waiting for standard input");
  }
  CHECK(place.list() == files);
}

// The command names a pipe, which nobody, or somebody who is silent, has open for writing.
void check_wait_for_pipe_ends(const Workplace& place, const Arguments& command) {
  NamedPipe pipe(place.file("pipe"));
  const std::vector<std::string> files = place.list();
  for (const bool is_held : {false, true}) {
    CAPTURE(is_held);
    if (is_held) pipe.open_writer();
    Process process(place, {command});
    let_start(process);
    process.send(SIGTERM);
    check_interrupted(process, "fhe: error: stopped while waiting for pipe");
  }
  CHECK(place.list() == files);
}

}  // namespace

TEST_CASE("signals: a wait for standard input ends", "[cli][alone]") {
  const Workplace place;
  check_wait_for_input_ends(place, encrypt_from("-"));
  std::filesystem::remove(place.file("pipe"));
  check_wait_for_input_ends(place, {"decrypt", "--key", "keys/secret.fhe", "-"});
}

TEST_CASE("signals: a wait for the writer of a pipe ends", "[cli][alone]") {
  const Workplace place;
  check_wait_for_pipe_ends(place, encrypt_from("pipe"));
  std::filesystem::remove(place.file("pipe"));
  check_wait_for_pipe_ends(place, {"decrypt", "--key", "pipe", "x.fhe"});
}

TEST_CASE("signals: a wait for a passphrase ends", "[cli][alone]") {
  const Workplace place;
  const std::string key = place.read("keys/secret.fhe");
  check_wait_for_pipe_ends(place, new_passphrase_from({"--new-passphrase-file", "pipe"}));
  std::filesystem::remove(place.file("pipe"));
  check_wait_for_input_ends(place, new_passphrase_from({"--new-passphrase-file", "-"}));
  CHECK(place.read("keys/secret.fhe") == key);
}

// The shell shows afterwards what the tool has left of the terminal.
TEST_CASE("signals: Ctrl-C ends the wait for a passphrase at the terminal", "[cli][alone]") {
  const Workplace place;
  const std::string key = place.read("keys/secret.fhe");
  Terminal terminal;
  REQUIRE(terminal.echoes());
  Launch launch{{"-c", "trap : INT; \"$0\" \"$@\"; code=$?; stty -a < /dev/tty >&2; exit $code",
                 FHE_CLI_PATH}};
  for (const std::string& argument : new_passphrase_from({})) launch.arguments.push_back(argument);
  launch.program = "/bin/sh";
  launch.terminal = terminal.name();
  Process passwd(place, launch);
  wait_for(passwd, terminal, "New passphrase: ");
  const Clock::time_point asked_at = Clock::now();
  while (terminal.echoes() && Clock::now() - asked_at < kSoon) {
    std::this_thread::sleep_for(kMoment);
  }
  CHECK_FALSE(terminal.echoes());
  terminal.type("hunter2\x03");  // and Ctrl-C
  CHECK(ended(passwd).exit_code == kInterrupted);
  CHECK_THAT(terminal.shown(),
             ContainsSubstring("fhe: error: stopped while waiting for /dev/tty") &&
                 ContainsSubstring(" echo ") && !ContainsSubstring("hunter2"));
  CHECK(place.read("keys/secret.fhe") == key);
}

TEST_CASE("signals: bits come through a pipe as they are written", "[cli][alone]") {
  const Workplace place;
  auto pipe = std::make_unique<NamedPipe>(place.file("pipe"));
  Process encrypt(place, {encrypt_from("pipe")});
  let_start(encrypt);
  pipe->open_writer();
  pipe->write_text("10");
  std::this_thread::sleep_for(kMoment);
  pipe->write_text(" 11\n");
  pipe.reset();  // the end
  const Outcome outcome = ended(encrypt);
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(place.decrypt("x.fhe") == "1011\n");
}

TEST_CASE("signals: SIGHUP stays ignored where it was", "[cli][alone]") {
  const Workplace place;
  NamedPipe pipe(place.file("pipe"));
  Launch launch{{"-c", "trap '' HUP; exec \"$0\" \"$@\"", FHE_CLI_PATH}};
  for (const std::string& argument : encrypt_from("pipe")) launch.arguments.push_back(argument);
  launch.program = "/bin/sh";
  Process encrypt(place, launch);
  let_start(encrypt);
  encrypt.send(SIGHUP);
  std::this_thread::sleep_for(2 * kMoment);
  CHECK(encrypt.running());
  encrypt.send(SIGTERM);
  check_interrupted(encrypt, "stopped while waiting");
}

TEST_CASE("signals: the second one ends a process at once", "[cli][alone]") {
  const Workplace place;
  const NamedPipe pipe(place.file("pipe"));
  Process show(place, {{"params", "show", "./pipe"}});  // waits where nothing looks for a stop
  let_start(show);
  show.send(SIGTERM);
  std::this_thread::sleep_for(kMoment);
  CHECK(show.running());
  const Clock::time_point start = Clock::now();
  show.send(SIGTERM);
  check_interrupted(show, "");
  CHECK(Clock::now() - start < std::chrono::seconds(2));
}

TEST_CASE("signals: what does nothing but wait ends soon after one", "[cli][alone][long]") {
  const Workplace place;
  const NamedPipe pipe(place.file("pipe"));
  const std::vector<std::string> files = place.list();
  Process show(place, {{"params", "show", "./pipe"}});
  Process keygen(place, {{"keygen", "--params", "./pipe", "--out", "new"}});
  for (Process* const process : {&show, &keygen}) {
    let_start(*process);
    process->send(SIGINT);
  }
  for (Process* const process : {&show, &keygen}) {
    check_interrupted(*process, "fhe: error: stopped on request while waiting");
  }
  CHECK(place.list() == files);
}

TEST_CASE("signals: who works on after one is not taken to wait", "[cli][alone][long]") {
  const auto work_on = [] {
    const apps::InterruptWatch watch;
    kill(getpid(), SIGTERM);
    constexpr std::chrono::seconds kLongerThanIdle(6);
    for (const Clock::time_point start = Clock::now(); Clock::now() - start < kLongerThanIdle;) {
    }
    return std::string(watch.token().stop_requested() ? "asked to stop" : "not asked");
  };
  CHECK(in_child(work_on) == "asked to stop");
}

TEST_CASE("signals: example applications and benchmarks end at once", "[cli][alone][apps]") {
  const Sandbox empty;
  const std::string applications = FHE_APPLICATIONS_DIR;
  std::vector<std::string> programs{applications + "/private_search/fhe-private-search",
                                    applications + "/ballot/fhe-ballot"};
#ifdef FHE_BENCH_PATH
  programs.emplace_back(FHE_BENCH_PATH);
#endif
  for (const std::string& program : programs) {
    CAPTURE(program);
    Launch launch{{"--params", "gh-8192", "--threads", "1"}};
    launch.program = program;
    Process process(empty, launch);
    let_start(process);
    process.send(SIGTERM);
    CHECK(ended(process).exit_code == kInterrupted);
  }
}

TEST_CASE("signals: a client does not wait for a silent server", "[cli][alone][apps]") {
  const std::string program = std::string(FHE_APPLICATIONS_DIR) + "/outsource/fhe-outsource";
  if (!std::filesystem::exists(program)) return;  // Boost is not there
  const Sandbox place;
  Launch token{{"token", "alice", "--out", "alice.token"}};
  token.program = program;
  REQUIRE(Process(place, token).wait().exit_code == 0);
  const Listener silent;
  Launch launch{{"jobs", "--url", url_of(silent.port()), "--token-file", "alice.token"}};
  launch.program = program;
  Process client(place, launch);
  let_start(client);
  client.send(SIGTERM);
  check_interrupted(client, "fhe-outsource: error: stopped");
}

}  // namespace fhe::test
