// SPDX-License-Identifier: Apache-2.0
// What multiplies two integers: the device and its driver choose alike.
#include "accel/fpga/driver/engine_choice.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "EngineChoiceBlocks.h"
#include "EngineChoiceFour.h"
#include "EngineChoiceRows.h"
#include "EngineChoiceThroughput.h"
#include "EngineChoiceTwo.h"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace {

using fhe::fpga::Engine;
using fhe::fpga::Equipment;
using fhe::test::Operands;
using fhe::test::Simulation;

// The FEATURES of the models.
template <class Model>
constexpr std::uint32_t kFeatures = 0;
template <>
constexpr std::uint32_t kFeatures<EngineChoiceBlocks> = 0x001;
template <>
constexpr std::uint32_t kFeatures<EngineChoiceRows> = 0x002;
template <>
constexpr std::uint32_t kFeatures<EngineChoiceTwo> = 0x003;
template <>
constexpr std::uint32_t kFeatures<EngineChoiceFour> = 0x20b;
template <>
constexpr std::uint32_t kFeatures<EngineChoiceThroughput> = 0x1002;

// rtl/operation_kinds.svh
unsigned kind_of(Engine engine) {
  switch (engine) {
    case Engine::stream768:
      return 3;
    case Engine::fftmul:
      return 4;
    case Engine::ssmul:
      return 5;
    case Engine::throughput:
      return 9;
    default:
      return 2;
  }
}

template <class Model>
struct Bench {
  void check(Engine wanted, std::uint64_t a_words, std::uint64_t b_words) {
    CAPTURE(static_cast<int>(wanted), a_words, b_words);
    model->engine = static_cast<CData>(wanted);
    model->a_words = static_cast<IData>(a_words);
    model->b_words = static_cast<IData>(b_words);
    model.settle();
    if (!equipment.has(wanted)) return;
    const Engine chosen = choose_engine(equipment, wanted, a_words, b_words);
    CHECK(equipment.has(chosen));
    CHECK(model->kind == kind_of(chosen));
  }

  Simulation<Model> model;
  Equipment equipment{.features = kFeatures<Model>, .fft_param = 8};
};

}  // namespace

TEMPLATE_TEST_CASE("rtl engine_choice: as the driver says", "[rtl]", EngineChoiceBlocks,
                   EngineChoiceRows, EngineChoiceTwo, EngineChoiceFour, EngineChoiceThroughput) {
  Operands operands(520);
  Bench<TestType> bench;
  const auto length = [&](std::size_t bits) {
    return operands.between(0, (std::size_t{1} << operands.between(0, bits)) - 1);
  };
  for (int trial = 0; trial < 4000; ++trial) {
    const auto engine = static_cast<Engine>(operands.coin() ? 0 : operands.between(0, 7));
    bench.check(engine, length(24), length(operands.coin() ? 24 : 8));
  }
}

TEST_CASE("rtl engine_choice: at the ends of rows and of blocks", "[rtl]") {
  Bench<EngineChoiceFour> bench;
  for (const auto& [a, b] :
       std::initializer_list<std::pair<std::size_t, std::size_t>>{{0, 0},
                                                                  {7, 9'000'000},
                                                                  {8, 1928},
                                                                  {8, 1929},
                                                                  {8, 4095},
                                                                  {161, 161},
                                                                  {162, 162},
                                                                  {1024, 4000},
                                                                  {1025, 3072},
                                                                  {1025, 3073},
                                                                  {1536, 1536},
                                                                  {1536, 1537},
                                                                  {1537, 1537}}) {
    bench.check(Engine::fastest, a, b);
    bench.check(Engine::fastest, b, a);
  }
}

TEST_CASE("rtl engine_choice: the throughput multiplier, but for short numbers in one row",
          "[rtl]") {
  Bench<EngineChoiceThroughput> bench;
  for (const std::size_t a : {0U, 1U, 7U, 8U, 49U}) {
    for (const std::size_t b : {0U, 7U, 8U, 49U, 50U, 5000U}) {
      bench.check(Engine::fastest, a, b);
      bench.check(Engine::fastest, b, a);
    }
  }
  CHECK(choose_engine(bench.equipment, Engine::fastest, 7, 49) == Engine::fftmul);
  CHECK(choose_engine(bench.equipment, Engine::fastest, 7, 50) == Engine::throughput);
  CHECK(choose_engine(bench.equipment, Engine::fastest, 8, 8) == Engine::throughput);
}
