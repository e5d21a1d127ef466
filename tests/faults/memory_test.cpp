// SPDX-License-Identifier: Apache-2.0
// Commands that run out of memory, at any allocation.
#include <cstdint>
#include <functional>
#include <string>

#include "tests/catch.hpp"
#include "tests/faults/sweep.hpp"

namespace fhe::faults {

namespace {

constexpr Steps kQuickMemorySteps{8};
constexpr Steps kMany{500};  // a command makes tens of thousands

void many_allocations(const std::function<Scene(std::size_t)>& scene) {
  sweep_threads(scene, memory_faults(), kMany);
}

// The command with every product by NTL, which has an allocator of its own.
Scene by_ntl(Scene scene) {
  scene.command.insert(scene.command.end(), {"--backend", "ntl"});
  return scene;
}

Ending run_worker(const Fault& fault, std::uint64_t at) {
  const test::Sandbox sandbox;
  test::Launch launch{{}};
  launch.program = FHE_FAULTS_WORKER;
  return run_under(sandbox, launch, fault, at);
}

}  // namespace

TEST_CASE("faults: a thread that lacked memory works on", "[faults]") {
  const Ending whole = run_worker({"counting", {Call::allocate}}, 0);
  REQUIRE(whole.outcome.out == "complete\ncomplete\n");
  REQUIRE(whole.recording.count > 0);
  std::size_t lacked = 0;
  for (const Fault& fault : memory_faults()) {
    for (std::uint64_t at = 1; at <= whole.recording.count; ++at) {
      CAPTURE(fault.name, at);
      const Ending ending = run_worker(fault, at);
      CAPTURE(ending.outcome.out, ending.outcome.err);
      CHECK_FALSE(ending.hung);
      CHECK(ending.outcome.exit_code == 0);
      CHECK(ending.outcome.out.find("cut short") == std::string::npos);
      if (ending.outcome.out == "no memory\ncomplete\n") ++lacked;
    }
  }
  CHECK(lacked > 0);
}

TEST_CASE("faults: some allocations of commands", "[faults]") {
  sweep(keygen_scene(kGroup, false, 4), memory_faults(), kQuickMemorySteps);
  sweep(encrypt_scene(kGroup, true, 1), memory_faults(), kQuickMemorySteps);
  sweep(decrypt_scene(kGroup), memory_faults(), kQuickMemorySteps);
  sweep(by_ntl(eval_scene(kGroup, 1)), memory_faults(), kQuickMemorySteps);
  sweep(run_scene(kGroup, true, 4), memory_faults(), kQuickMemorySteps);
}

TEST_CASE("faults: many allocations of keygen", "[faults][.sweep]") {
  many_allocations([](std::size_t threads) { return keygen_scene(kGroup, false, threads); });
}

TEST_CASE("faults: many allocations of keygen --force", "[faults][.sweep]") {
  many_allocations([](std::size_t threads) { return keygen_scene(kGroup, true, threads); });
}

TEST_CASE("faults: many allocations of encrypt", "[faults][.sweep]") {
  many_allocations([](std::size_t threads) { return encrypt_scene(kGroup, true, threads); });
}

TEST_CASE("faults: many allocations of decrypt", "[faults][.sweep]") {
  sweep(decrypt_scene(kGroup), memory_faults(), kMany);
}

TEST_CASE("faults: many allocations of recrypt", "[faults][.sweep]") {
  many_allocations([](std::size_t threads) { return recrypt_scene(kGroup, threads); });
}

TEST_CASE("faults: many allocations of eval", "[faults][.sweep]") {
  many_allocations([](std::size_t threads) { return eval_scene(kGroup, threads); });
}

TEST_CASE("faults: many allocations of eval on the ntl backend", "[faults][.sweep]") {
  many_allocations([](std::size_t threads) { return by_ntl(eval_scene(kGroup, threads)); });
}

TEST_CASE("faults: many allocations of run --checkpoint", "[faults][.sweep]") {
  many_allocations([](std::size_t threads) { return run_scene(kGroup, false, threads); });
}

TEST_CASE("faults: many allocations of run --resume", "[faults][.sweep]") {
  many_allocations([](std::size_t threads) { return run_scene(kGroup, true, threads); });
}

}  // namespace fhe::faults
