// SPDX-License-Identifier: Apache-2.0
// The programs that stand in for a card, as processes: fhe-simd and fhe-fake-xdma.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "accel/fpga/devices/open_transport.hpp"
#include "tests/accel/fpga/driver/device_suite.hpp"
#include "tests/accel/fpga/driver/operands_on_device.hpp"
#include "tests/accel/fpga/driver/transports.hpp"
#include "tests/catch.hpp"
#include "tests/cli/process.hpp"
#include "tests/support/errors.hpp"

namespace fhe::fpga::test {

namespace {

using fhe::test::HasCode;
using fhe::test::Launch;
using fhe::test::Outcome;
using fhe::test::Process;
using fhe::test::Sandbox;

// Whether `condition` comes true while the process runs.
bool comes(Process& process, const std::function<bool()>& condition) {
  for (int turn = 0; turn < 3000; ++turn) {
    if (condition()) return true;
    if (!process.running()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

Launch launch(const std::string& program, const std::vector<std::string>& arguments) {
  Launch result{arguments};
  result.program = program;
  return result;
}

}  // namespace

TEST_CASE("transports by name") {
  CHECK(Device(open_transport("model")).info().memory_bytes == std::uint64_t{16} << 30);
  if (is_simulated_here())
    CHECK(Device(open_transport("sim")).info().memory_bytes == std::uint64_t{16} << 30);
  else
    CHECK_THROWS_MATCHES(open_transport("sim"), Error,
                         HasCode(ErrorCode::unsupported, "FHE_HARDWARE"));
  CHECK_THROWS_MATCHES(open_transport("modem"), Error, HasCode(ErrorCode::unknown_name, "model"));
  CHECK_THROWS_MATCHES(open_transport(""), Error, HasCode(ErrorCode::unknown_name));
  CHECK_THROWS_MATCHES(open_transport("socket=/nowhere"), Error, HasCode(ErrorCode::io));
  CHECK_THROWS_MATCHES(open_transport("/nowhere/xdma0,reg=mmap"), Error, HasCode(ErrorCode::io));
  CHECK_THROWS_MATCHES(open_transport("/nowhere/xdma0,reg=no"), Error,
                       HasCode(ErrorCode::unknown_name, "reg=pread"));
}

#ifdef FHE_SIMD_PATH
TEST_CASE("fhe-simd lends a device to one client after the other, and ends when told") {
  const Sandbox sandbox;
  const std::string path = sandbox.file("device");
  Process server(sandbox, launch(FHE_SIMD_PATH, {path}));
  const auto answers = [&] {
    try {
      return open_transport("socket=" + path) != nullptr;
    } catch (const Error&) {
      return false;
    }
  };
  REQUIRE(comes(server, answers));
  for (int client = 0; client < 2; ++client) {
    Device device(open_transport("socket=" + path));
    check_commands(device, small_suite());
  }
  {
    Device device(open_transport("socket=" + path));
    const Placed x = place(device, 5, 512);
    server.send(SIGKILL);
    server.wait();
    CHECK_THROWS_AS(device.run(clear(x.where())), DeviceLost);
  }
  Process again(sandbox, launch(FHE_SIMD_PATH, {path}));  // where the killed one left its socket
  REQUIRE(comes(again, answers));
  again.send(SIGTERM);
  const Outcome outcome = again.wait();
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("fhe-simd refuses what it cannot do") {
  const Sandbox sandbox;
  const Outcome nameless = Process(sandbox, launch(FHE_SIMD_PATH, {})).wait();
  CHECK(nameless.exit_code != 0);
  const Outcome unknown =
      Process(sandbox, launch(FHE_SIMD_PATH, {"--device", "modem", "x"})).wait();
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, Catch::Matchers::ContainsSubstring("there are: model"));
  const Outcome nowhere = Process(sandbox, launch(FHE_SIMD_PATH, {"/nowhere/device"})).wait();
  CHECK(nowhere.exit_code == 5);
}
#endif

#ifdef FHE_FAKE_XDMA_PATH
namespace {

// fhe-fake-xdma, which unmounts its folder also when a test fails.
class ImitatedCard {
 public:
  ImitatedCard(const Sandbox& sandbox, const std::string& folder)
      : process_(sandbox, launch(FHE_FAKE_XDMA_PATH, {folder})) {}
  ~ImitatedCard() { end(); }
  ImitatedCard(const ImitatedCard&) = delete;
  ImitatedCard& operator=(const ImitatedCard&) = delete;

  [[nodiscard]] Process& process() { return process_; }
  Outcome end() {
    if (process_.running()) process_.send(SIGTERM);
    return process_.wait();
  }

 private:
  Process process_;
};

}  // namespace

TEST_CASE("a card behind the nodes of fhe-fake-xdma") {
  const Sandbox sandbox;
  const std::filesystem::path folder = sandbox.file("nodes");
  std::filesystem::create_directory(folder);
  ImitatedCard card(sandbox, folder);
  if (!comes(card.process(), [&] { return std::filesystem::exists(folder / "xdma0_user"); })) {
    WARN("SKIPPED: no file system can be mounted here: " << card.process().error_output());
    return;
  }
  for (const std::string option : {"", ",reg=mmap"}) {
    Device device(open_transport((folder / "xdma0").string() + option));
    CHECK(device.info().description ==
          "card at " + (folder / "xdma0").string() + ", registers by pread, interrupts");
    check_commands(device, small_suite());
    const Integer x = power_of_two(60'000'000) - 12345;  // 7.5 MB
    const DeviceBuffer buffer = device.store(x, 60'000'000);
    CHECK(device.load(buffer, 60'000'000) == x);
  }
  CHECK(card.end().exit_code == 0);
  CHECK(std::filesystem::is_empty(folder));
}
#endif

}  // namespace fhe::fpga::test
