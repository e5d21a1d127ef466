// SPDX-License-Identifier: Apache-2.0
// Streams from one word width to another: the same bits, at the rate of the narrower side.
#include <algorithm>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "Gearbox256To512.h"
#include "Gearbox384To512.h"
#include "Gearbox512To256.h"
#include "Gearbox512To28.h"
#include "Gearbox512To384.h"
#include "Gearbox512To64.h"
#include "Gearbox56To512.h"
#include "Gearbox64To512.h"
#include "libfhe/arith/integer.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace {

using fhe::Integer;
using fhe::test::integer_of;
using fhe::test::kPortLimbs;
using fhe::test::limbs_of_integer;
using fhe::test::Operands;
using fhe::test::Simulation;
using fhe::test::Sink;
using fhe::test::Source;
using fhe::test::WordOf;
using fhe::test::Words;

constexpr std::size_t kSomeBits = 20 * 10752;  // whole words of all widths

template <class Port>
constexpr std::size_t kWidth = 8 * sizeof(Port);
template <>
constexpr std::size_t kWidth<IData> = 28;

// A port of 56 bits looks like one of 64.
template <class Model>
constexpr std::size_t kInBits =
    kWidth<std::remove_reference_t<decltype(std::declval<Model&>().in_data)>>;
template <>
constexpr std::size_t kInBits<Gearbox56To512> = 56;
template <class Model>
constexpr std::size_t kOutBits =
    kWidth<std::remove_reference_t<decltype(std::declval<Model&>().out_data)>>;

template <class Model>
struct Bench {
  using In = std::remove_reference_t<decltype(std::declval<Model&>().in_data)>;
  using Out = std::remove_reference_t<decltype(std::declval<Model&>().out_data)>;
  static constexpr std::size_t kIn = kInBits<Model>, kOut = kOutBits<Model>;

  Bench() {
    model->in_valid = model->out_ready = 0;
    clear();
  }

  void clear() {
    model->clear = 1;
    model.clock();
    model->clear = 0;
    model.settle();
  }

  void put(const Integer& x) {
    for (std::size_t bit = 0; bit < kSomeBits; bit += kIn) {
      const auto limbs = limbs_of_integer(fhe::low_bits(x >> bit, kIn), kPortLimbs<In>);
      WordOf<In> word;
      std::copy(limbs.begin(), limbs.end(), word.begin());
      in.put(word);
    }
  }

  [[nodiscard]] Integer got() const {
    Integer result;
    std::size_t bit = 0;
    for (const auto& word : out.words()) {
      result += Integer(integer_of(word) << bit);
      bit += kOut;
    }
    return result;
  }

  void step(Words* stalls) {
    in.drive(stalls);
    out.drive(stalls);
    model.settle();
    in.look();
    out.look();
    model.clock();
  }

  // Clocks until kSomeBits have left.
  std::size_t run(Words* stalls) {
    std::size_t clocks = 0;
    for (; out.words().size() * kOut < kSomeBits; ++clocks) {
      if (clocks > kSomeBits) FAIL("no end");
      step(stalls);
    }
    return clocks;
  }

  Simulation<Model> model;
  Source<In> in{model->in_valid, model->in_ready, model->in_data};
  Sink<Out> out{model->out_valid, model->out_ready, model->out_data};
};

using AllWidths = std::tuple<Gearbox512To384, Gearbox384To512, Gearbox512To256, Gearbox256To512,
                             Gearbox512To64, Gearbox64To512, Gearbox512To28, Gearbox56To512>;

}  // namespace

TEMPLATE_LIST_TEST_CASE("rtl gearbox: the same bits, a narrow word a clock", "[rtl]", AllWidths) {
  constexpr std::size_t kNarrow = std::min(Bench<TestType>::kIn, Bench<TestType>::kOut);
  Operands operands(204);
  Bench<TestType> bench;
  const Integer x = operands.bits(kSomeBits);
  bench.put(x);
  // The first word waits for nothing but its own bits.
  CHECK(bench.run(nullptr) == kSomeBits / kNarrow + 1);
  CHECK(bench.got() == x);
  CHECK(bench.model->out_valid == 0);
}

TEMPLATE_LIST_TEST_CASE("rtl gearbox: both sides may stall", "[rtl]", AllWidths) {
  Operands operands(205);
  Words stalls(206);
  Bench<TestType> bench;
  const Integer x = operands.bits(kSomeBits);
  bench.put(x);
  bench.run(&stalls);
  CHECK(bench.got() == x);
}

TEMPLATE_LIST_TEST_CASE("rtl gearbox: nothing is left when it is cleared", "[rtl]", AllWidths) {
  Operands operands(207);
  for (std::size_t clocks = 1; clocks < 12; ++clocks) {
    Bench<TestType> bench;
    bench.put(operands.bits(kSomeBits));
    for (std::size_t i = 0; i < clocks; ++i) bench.step(nullptr);
    bench.in.forget();
    bench.in.drive(nullptr);
    bench.clear();
    CHECK(bench.model->out_valid == 0);
    bench.out.forget();
    const Integer x = operands.bits(kSomeBits);
    bench.put(x);
    bench.run(nullptr);
    CHECK(bench.got() == x);
  }
}
