// SPDX-License-Identifier: Apache-2.0
// Commands on disks that fail and in processes that are killed, call by call.
#include <functional>

#include "tests/catch.hpp"
#include "tests/faults/sweep.hpp"

namespace fhe::faults {

namespace {

constexpr Steps kQuickFileSteps{2};

void every_call(const std::function<Scene(std::size_t)>& scene) {
  sweep_threads(scene, file_faults(), kAll);
}

}  // namespace

TEST_CASE("faults: some calls of key generation", "[faults]") {
  sweep(keygen_scene(kGroup, false, 1), file_faults(), kQuickFileSteps);
  sweep(keygen_scene(kGroup, true, 4), file_faults(), kQuickFileSteps);
}

TEST_CASE("faults: some calls of encryption and decryption", "[faults]") {
  sweep(encrypt_scene(kGroup, false, 1), file_faults(), kQuickFileSteps);
  sweep(encrypt_scene(kGroup, true, 4), file_faults(), kQuickFileSteps);
  sweep(decrypt_scene(kGroup), reading_faults(), kQuickFileSteps);
}

TEST_CASE("faults: some calls of gates and recryptions", "[faults]") {
  sweep(recrypt_scene(kGroup, 1), file_faults(), kQuickFileSteps);
  sweep(eval_scene(kGroup, 4), file_faults(), kQuickFileSteps);
}

TEST_CASE("faults: some calls of runs", "[faults]") {
  sweep(run_scene(kGroup, false, 1), file_faults(), kQuickFileSteps);
  sweep(run_scene(kGroup, true, 4), file_faults(), kQuickFileSteps);
}

TEST_CASE("faults: every call of keygen", "[faults][.sweep]") {
  every_call([](std::size_t threads) { return keygen_scene(kGroup, false, threads); });
}

TEST_CASE("faults: every call of keygen --force", "[faults][.sweep]") {
  every_call([](std::size_t threads) { return keygen_scene(kGroup, true, threads); });
}

TEST_CASE("faults: every call of encrypt", "[faults][.sweep]") {
  every_call([](std::size_t threads) { return encrypt_scene(kGroup, false, threads); });
}

TEST_CASE("faults: every call of encrypt over a file", "[faults][.sweep]") {
  every_call([](std::size_t threads) { return encrypt_scene(kGroup, true, threads); });
}

TEST_CASE("faults: every call of decrypt", "[faults][.sweep]") {
  sweep(decrypt_scene(kGroup), reading_faults(), kAll);
}

TEST_CASE("faults: every call of recrypt", "[faults][.sweep]") {
  every_call([](std::size_t threads) { return recrypt_scene(kGroup, threads); });
}

TEST_CASE("faults: every call of eval", "[faults][.sweep]") {
  every_call([](std::size_t threads) { return eval_scene(kGroup, threads); });
}

TEST_CASE("faults: every call of run --checkpoint", "[faults][.sweep]") {
  every_call([](std::size_t threads) { return run_scene(kGroup, false, threads); });
}

TEST_CASE("faults: every call of run --resume", "[faults][.sweep]") {
  every_call([](std::size_t threads) { return run_scene(kGroup, true, threads); });
}

}  // namespace fhe::faults
