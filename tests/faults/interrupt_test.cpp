// `fhe run` that is interrupted, or loses its device, at any moment: what it says is always the
// same, and a checkpoint goes on from there.
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include <fmt/format.h>

#include "libfhe/circuit/bristol.hpp"
#include "tests/catch.hpp"
#include "tests/cli/workplace.hpp"
#include "tests/faults/fault.hpp"
#include "tests/support/circuits.hpp"

namespace fhe::faults {

namespace {

using test::Arguments;
using test::Launch;
using test::Outcome;
using test::Process;
using test::Workplace;
using Clock = std::chrono::steady_clock;

constexpr const char* kKeys = "toy/public.fhe";
constexpr const char* kProduct = "100011\n";  // 7 times 7 is 49

// Keys of cnt-toy, at whose size loops inside of loops run in parallel, and a circuit.
class MultiplyingPlace : public Workplace {
 public:
  MultiplyingPlace() {
    succeed({"keygen", "--params", "cnt-toy", "--out", "toy"});
    succeed({"encrypt", "--key", kKeys, "--bits", "111000", "--out", "x.fhe"});
    write("multiply.txt", to_bristol(test::multiplier_circuit(6)));
  }

  // `fhe run` on two threads.
  static Arguments command(const Arguments& more = {}) {
    Arguments result{"run",     "multiply.txt", "--key", kKeys,   "--input",   "x.fhe",
                     "--input", "x.fhe",        "--out", "z.fhe", "--threads", "2"};
    result.insert(result.end(), more.begin(), more.end());
    return result;
  }

  void check_product() const {
    CHECK(succeed({"decrypt", "--key", "toy/secret.fhe", "z.fhe"}).out == kProduct);
    std::filesystem::remove(file("z.fhe"));
  }
};

// How long the command takes when nothing happens to it.
Clock::duration duration_of(const MultiplyingPlace& place, const Arguments& command) {
  const Clock::time_point start = Clock::now();
  place.succeed(command);
  place.check_product();
  return Clock::now() - start;
}

// Lets the run go on for `time`, does `disturb`, and returns how it ended.
Outcome disturbed(const MultiplyingPlace& place, const Arguments& command, Clock::duration time,
                  const std::function<void(Process&)>& disturb) {
  Process run(place, {command});
  const Clock::time_point moment = Clock::now() + time;
  while (run.running() && Clock::now() < moment) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (run.running()) disturb(run);
  const Ending ending = end_of(run);
  CHECK_FALSE(ending.hung);
  return ending.outcome;
}

// Interrupts runs at `times` moments, of which the last is past the usual end.
void interrupt(int times) {
  const MultiplyingPlace place;
  const Arguments plain = MultiplyingPlace::command();
  const Arguments saving = MultiplyingPlace::command({"--checkpoint", "saved.fhe"});
  const Clock::duration whole = duration_of(place, plain);
  const std::vector<std::string> files = place.list();
  int interrupted = 0;
  for (int i = 0; i < times; ++i) {
    Arguments command = i % 3 == 0 ? saving : plain;
    if (i % 3 == 0 && std::filesystem::exists(place.file("saved.fhe"))) {
      command.emplace_back("--resume");
    }
    const int signal = i % 2 == 0 ? SIGINT : SIGTERM;
    const Outcome outcome =
        disturbed(place, command, whole * (i + 1) / times, [&](Process& run) { run.send(signal); });
    INFO(fmt::format("interruption {}: exit code {}, signal {}: {}", i, outcome.exit_code,
                     outcome.signal, outcome.err));
    if (outcome.exit_code == 0) {
      place.check_product();
    } else {
      // Before the tool watches for signals they end it in the usual way.
      const bool at_the_start = outcome.signal == signal && outcome.err.empty();
      CHECK((at_the_start || outcome.exit_code == test::kInterrupted));
      if (!at_the_start) CHECK_THAT(outcome.err, Catch::Matchers::StartsWith("fhe: error: "));
      ++interrupted;
    }
    std::vector<std::string> left = place.list();
    std::erase(left, "saved.fhe");
    CHECK(left == files);
  }
  CHECK(interrupted > times / 4);
  if (!std::filesystem::exists(place.file("saved.fhe"))) return;
  place.succeed(MultiplyingPlace::command({"--checkpoint", "saved.fhe", "--resume"}));
  place.check_product();
}

// A server of a device, which listens.
class LentDevice {
 public:
  LentDevice() : server_(sandbox_, launch()) {
    while (server_.running() && !std::filesystem::exists(sandbox_.file("device"))) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    REQUIRE(server_.running());
  }

  [[nodiscard]] std::string backend() const {
    return "fpga:socket=" + sandbox_.file("device").string();
  }
  void lose() const { server_.send(SIGKILL); }

 private:
  static Launch launch() {
    Launch launch{{"device"}};
    launch.program = FHE_SIMD_PATH;
    return launch;
  }

  test::Sandbox sandbox_;
  Process server_;
};

// Simulated, the run would take minutes; here it always ends early.
void lose_device(int times) {
  constexpr std::chrono::milliseconds kLongest(1500);
  const MultiplyingPlace place;
  const auto command = [](const LentDevice& device) {
    return MultiplyingPlace::command({"--backend", device.backend()});
  };
  const std::vector<std::string> files = place.list();
  for (int i = 0; i < times; ++i) {
    const LentDevice device;
    const Outcome outcome = disturbed(place, command(device), kLongest * (i + 1) / times,
                                      [&](Process&) { device.lose(); });
    INFO(fmt::format("loss {}: exit code {}, signal {}: {}", i, outcome.exit_code, outcome.signal,
                     outcome.err));
    CHECK(outcome.exit_code == test::kIo);
    CHECK_THAT(outcome.err, Catch::Matchers::StartsWith("fhe: error: ") &&
                                Catch::Matchers::ContainsSubstring("device"));
    CHECK(place.list() == files);
  }
}

}  // namespace

TEST_CASE("faults: runs are interrupted", "[faults]") {
  interrupt(10);
}

TEST_CASE("faults: runs lose their device", "[faults]") {
  lose_device(10);
}

TEST_CASE("faults: runs are interrupted three hundred times", "[faults][long]") {
  interrupt(300);
}

TEST_CASE("faults: runs lose their device three hundred times", "[faults][long]") {
  lose_device(300);
}

}  // namespace fhe::faults
