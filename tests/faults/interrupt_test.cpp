// SPDX-License-Identifier: Apache-2.0
// `fhe run` that is interrupted, or loses its device, at any moment: what it says is always the
// same, and a checkpoint goes on from there. The moments are chosen by what it shows on its
// terminal, so that they are those of a run that goes on, on a busy machine too.
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <thread>

#include <fmt/format.h>

#include "libfhe/circuit/bristol.hpp"
#include "tests/catch.hpp"
#include "tests/cli/terminal.hpp"
#include "tests/cli/workplace.hpp"
#include "tests/faults/fault.hpp"
#include "tests/support/circuits.hpp"

namespace fhe::faults {

namespace {

using test::Arguments;
using test::Launch;
using test::Outcome;
using test::Process;
using test::Terminal;
using test::Workplace;

constexpr const char* kKeys = "toy/public.fhe";
constexpr const char* kProduct = "100011000000\n";  // 7 times 7 is 49

// Keys of cnt-toy, at whose size loops inside of loops run in parallel, and a circuit that keeps a
// fast machine busy for several drawings of the progress bar.
class MultiplyingPlace : public Workplace {
 public:
  MultiplyingPlace() {
    succeed({"keygen", "--params", "cnt-toy", "--out", "toy"});
    succeed({"encrypt", "--key", kKeys, "--bits", "111000000000", "--out", "x.fhe"});
    write("multiply.txt", to_bristol(test::multiplier_circuit(12)));
  }

  // `fhe run` on two threads.
  static Arguments command(const Arguments& more = {}) {
    Arguments result{"run",     "multiply.txt", "--key", kKeys,   "--input",   "x.fhe",
                     "--input", "x.fhe",        "--out", "z.fhe", "--threads", "2"};
    result.insert(result.end(), more.begin(), more.end());
    return result;
  }

  // The same, which saves how far it is and perhaps goes on from there.
  static Arguments saving(bool resume) {
    const Arguments more{"--checkpoint", "saved.fhe", "--checkpoint-interval", "0", "--resume"};
    return command({more.begin(), more.end() - (resume ? 0 : 1)});
  }

  void check_product() const {
    CHECK(succeed({"decrypt", "--key", "toy/secret.fhe", "z.fhe"}).out == kProduct);
    std::filesystem::remove(file("z.fhe"));
  }
};

// A moment of a run, as it shows itself how far it is.
struct Moment {
  static constexpr int kStart = -2;  // before it shows anything
  static constexpr int kFirst = -1;  // whatever it shows first
  static constexpr int kEnd = 100;

  int percent = kStart;  // of the circuit
  std::chrono::milliseconds later{0};
};

int shown_percent(const std::string& shown) {
  const std::string circuit = "circuit [";
  const std::string end_of_bar = "] ";
  if (shown.empty()) return Moment::kStart;
  const std::size_t bar = shown.rfind(circuit);
  if (bar == std::string::npos) return Moment::kFirst;
  const std::size_t number = shown.find(end_of_bar, bar);
  if (number == std::string::npos) return Moment::kFirst;
  return std::atoi(shown.c_str() + number + end_of_bar.size());
}

struct Disturbed {
  Outcome outcome;
  std::string shown;  // on its terminal
};

// Does `disturb` at this moment of a run, unless that ended before, and returns how it ended.
Disturbed disturbed(const MultiplyingPlace& place, const Arguments& command, const Moment& moment,
                    const std::function<void(Process&)>& disturb) {
  Terminal terminal;
  Launch launch{command};
  launch.terminal = terminal.name();
  Process run(place, launch);
  while (run.running() && shown_percent(terminal.shown()) < moment.percent) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::this_thread::sleep_for(moment.later);
  if (run.running()) disturb(run);
  const Ending ending = end_of(run);
  CHECK_FALSE(ending.hung);
  return {ending.outcome, terminal.shown()};
}

// The i-th of `times` moments: from the first line to past the end, and not only when a line comes.
Moment moment_of(int i, int times) {
  constexpr int kBefore = 5;  // percent, for what is done before the circuit
  const int percent = (Moment::kEnd + kBefore) * i / times - kBefore;
  return {.percent = std::max(Moment::kFirst, percent),
          .later = std::chrono::milliseconds(i % 7 * 15)};
}

// Interrupts runs at `times` moments. Every third one saves checkpoints, and goes on from the last.
void interrupt(int times) {
  const MultiplyingPlace place;
  const auto is_saved = [&] { return std::filesystem::exists(place.file("saved.fhe")); };
  const std::vector<std::string> files = place.list();
  int interrupted = 0;
  for (int i = 0; i < times; ++i) {
    Arguments command = MultiplyingPlace::command();
    if (i % 3 == 0) command = MultiplyingPlace::saving(is_saved());
    constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
    const int signal = kSignals[static_cast<std::size_t>(i / 3) % kSignals.size()];
    const auto [outcome, shown] =
        disturbed(place, command, moment_of(i, times), [&](Process& run) { run.send(signal); });
    INFO(fmt::format("interruption {}: exit code {}, signal {}: {}", i, outcome.exit_code,
                     outcome.signal, shown));
    if (outcome.exit_code == 0) {
      place.check_product();
    } else {
      CHECK(outcome.exit_code == test::kInterrupted);
      CHECK_THAT(shown, Catch::Matchers::ContainsSubstring("fhe: error: stopped"));
      ++interrupted;
    }
    std::vector<std::string> left = place.list();
    std::erase(left, "saved.fhe");
    CHECK(left == files);
  }
  CAPTURE(interrupted, times);
  CHECK(interrupted > 0);  // how many end before their signal comes depends on the machine
  if (!is_saved()) return;
  place.succeed(MultiplyingPlace::saving(true));
  place.check_product();
}

#ifdef FHE_SIMD_PATH
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
  constexpr std::chrono::milliseconds kLongest(500);
  const MultiplyingPlace place;
  const std::vector<std::string> files = place.list();
  for (int i = 0; i < times; ++i) {
    const LentDevice device;
    const Moment moment{.percent = i % 10 == 0 ? Moment::kStart : Moment::kFirst,
                        .later = kLongest * i / times};
    const auto [outcome, shown] =
        disturbed(place, MultiplyingPlace::command({"--backend", device.backend()}), moment,
                  [&](Process&) { device.lose(); });
    INFO(fmt::format("loss {}: exit code {}, signal {}: {}", i, outcome.exit_code, outcome.signal,
                     shown));
    CHECK(outcome.exit_code == test::kIo);
    CHECK_THAT(shown, Catch::Matchers::ContainsSubstring("fhe: error: ") &&
                          Catch::Matchers::ContainsSubstring("device"));
    CHECK(place.list() == files);
  }
}
#endif

}  // namespace

TEST_CASE("faults: runs are interrupted", "[faults][alone]") {
  interrupt(10);
}

TEST_CASE("faults: runs are interrupted three hundred times", "[faults][alone][long]") {
  interrupt(300);
}

#ifdef FHE_SIMD_PATH
TEST_CASE("faults: runs lose their device", "[faults][alone]") {
  lose_device(10);
}

TEST_CASE("faults: runs lose their device three hundred times", "[faults][alone][long]") {
  lose_device(300);
}
#endif

}  // namespace fhe::faults
