// Signals as users and service managers send them: every wait ends, with exit code 130 and nothing
// left behind.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/apps/program.hpp"
#include "tests/catch.hpp"
#include "tests/cli/workplace.hpp"

namespace fhe::test {

namespace {

using Catch::Matchers::ContainsSubstring;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kMoment(50);
constexpr std::chrono::seconds kSoon(10);

// Whether the process waits for signals itself.
bool is_watching(const Process& process) {
  std::ifstream status("/proc/" + std::to_string(process.id()) + "/status");
  for (std::string word; status >> word;) {
    if (word != "SigBlk:") continue;
    std::string mask;
    status >> mask;
    return (std::stoull(mask, nullptr, 16) >> (SIGTERM - 1) & 1) != 0;
  }
  return false;
}

// Until the process can have come to the place where it waits.
void let_start(Process& process) {
  while (process.running() && !is_watching(process)) std::this_thread::sleep_for(kMoment / 10);
  std::this_thread::sleep_for(kMoment);
  REQUIRE(process.running());
}

// Waits for the end, which must come soon.
Outcome ended(Process& process) {
  const Clock::time_point start = Clock::now();
  while (process.running() && Clock::now() - start < kSoon) std::this_thread::sleep_for(kMoment);
  REQUIRE_FALSE(process.running());
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

// A port of this machine at which nobody ever answers.
class SilentServer {
 public:
  SilentServer() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(bind(socket_, any, size) == 0);
    REQUIRE(listen(socket_, 1) == 0);
    REQUIRE(getsockname(socket_, any, &size) == 0);
    port_ = ntohs(address.sin_port);
  }
  ~SilentServer() { close(socket_); }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  int socket_;
  int port_ = 0;
};

}  // namespace

TEST_CASE("signals: a wait for standard input ends", "[cli]") {
  const Workplace place;
  NamedPipe pipe(place.file("pipe"));
  pipe.open_writer();
  pipe.write_text("101");
  const std::vector<std::string> files = place.list();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    CAPTURE(signal);
    Launch launch{encrypt_from("-")};
    launch.standard_input = place.file("pipe");
    Process encrypt(place, launch);
    let_start(encrypt);
    encrypt.send(signal);
    check_interrupted(encrypt, "fhe: error: stopped while waiting for standard input");
  }
  CHECK(place.list() == files);
}

TEST_CASE("signals: a wait for the writer of a pipe ends", "[cli]") {
  const Workplace place;
  NamedPipe pipe(place.file("pipe"));
  const std::vector<std::string> files = place.list();
  for (const bool is_held : {false, true}) {
    CAPTURE(is_held);
    if (is_held) pipe.open_writer();
    Process encrypt(place, {encrypt_from("pipe")});
    let_start(encrypt);
    encrypt.send(SIGTERM);
    check_interrupted(encrypt, "fhe: error: stopped while waiting for pipe");
  }
  CHECK(place.list() == files);
}

TEST_CASE("signals: bits come through a pipe as they are written", "[cli]") {
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

TEST_CASE("signals: SIGHUP stays ignored where it was", "[cli]") {
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

TEST_CASE("signals: the second one ends a process at once", "[cli]") {
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

TEST_CASE("signals: what does nothing but wait ends soon after one", "[cli][long]") {
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

TEST_CASE("signals: example applications and benchmarks end at once", "[cli][apps]") {
  const Sandbox empty;
  const std::string applications = FHE_APPLICATIONS_DIR;
  std::vector<std::string> programs{applications + "/private_search/private_search",
                                    applications + "/ballot/ballot"};
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

TEST_CASE("signals: a client does not wait for a silent server", "[cli][apps]") {
  const std::string program = std::string(FHE_APPLICATIONS_DIR) + "/outsource/fhe-outsource";
  if (!std::filesystem::exists(program)) return;  // cpp-httplib is not there
  const Sandbox place;
  Launch token{{"token", "alice", "--out", "alice.token"}};
  token.program = program;
  REQUIRE(Process(place, token).wait().exit_code == 0);
  const SilentServer server;
  Launch launch{{"jobs", "--url", server.url(), "--token-file", "alice.token"}};
  launch.program = program;
  Process client(place, launch);
  let_start(client);
  client.send(SIGTERM);
  check_interrupted(client, "fhe-outsource: error: stopped");
}

}  // namespace fhe::test
