// SPDX-License-Identifier: Apache-2.0
// Commands on machines that lose power.
#include "tests/faults/power.hpp"

#include "tests/catch.hpp"

namespace fhe::faults {

namespace {

constexpr Steps kQuickPowerSteps{8};

}  // namespace

TEST_CASE("faults: some losses of power", "[faults]") {
  lose_power(keygen_scene(kGroup, false, 1), kQuickPowerSteps);
  lose_power(keygen_scene(kGroup, true, 1), kQuickPowerSteps);
  lose_power(encrypt_scene(kGroup, false, 1), kQuickPowerSteps);
  lose_power(eval_scene(kGroup, 1), kQuickPowerSteps);
  lose_power(run_scene(kGroup, false, 1), kQuickPowerSteps);
  lose_power(run_scene(kGroup, true, 1), kQuickPowerSteps);
}

TEST_CASE("faults: power lost during keygen", "[faults][.sweep]") {
  lose_power(keygen_scene(kGroup, false, 1), kAll);
}

TEST_CASE("faults: power lost during keygen --force", "[faults][.sweep]") {
  lose_power(keygen_scene(kGroup, true, 1), kAll);
}

TEST_CASE("faults: power lost during encrypt, eval and recrypt", "[faults][.sweep]") {
  lose_power(encrypt_scene(kGroup, false, 1), kAll);
  lose_power(encrypt_scene(kGroup, true, 1), kAll);
  lose_power(eval_scene(kGroup, 1), kAll);
  lose_power(recrypt_scene(kGroup, 1), kAll);
}

TEST_CASE("faults: power lost during run --checkpoint", "[faults][.sweep]") {
  lose_power(run_scene(kGroup, false, 1), kAll);
}

TEST_CASE("faults: power lost during run --resume", "[faults][.sweep]") {
  lose_power(run_scene(kGroup, true, 1), kAll);
}

}  // namespace fhe::faults
