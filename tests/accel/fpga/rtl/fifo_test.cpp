// SPDX-License-Identifier: Apache-2.0
// The queues: words in their order, full and empty.
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "DeepFifo512.h"
#include "DeepFifo8.h"
#include "Fifo4.h"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::Simulation;
using fhe::test::Sink;
using fhe::test::Source;
using fhe::test::Words;
using Word = std::array<std::uint64_t, 1>;

// What one holds while nothing leaves, and clocks from the entry of a word until it can leave.
template <class Model>
constexpr std::size_t kHolds = 0;
template <>
constexpr std::size_t kHolds<Fifo4> = 4;
template <>
constexpr std::size_t kHolds<DeepFifo8> = 8 + 4;
template <>
constexpr std::size_t kHolds<DeepFifo512> = 512 + 4;
template <class Model>
constexpr int kLatency = 1;
template <>
constexpr int kLatency<DeepFifo8> = 3;
template <>
constexpr int kLatency<DeepFifo512> = 3;

template <class Model>
struct Bench {
  Bench() {
    model->in_valid = model->out_ready = 0;
    model.reset();
  }

  void step(Words* stalls) {
    in.drive(stalls);
    out.drive(stalls);
    model.settle();
    in.look();
    out.look();
    model.clock();
  }

  Simulation<Model> model;
  Source<QData> in{model->in_valid, model->in_ready, model->in_data};
  Sink<QData> out{model->out_valid, model->out_ready, model->out_data};
};

std::vector<Word> some_words(Words& words, std::size_t count) {
  std::vector<Word> result(count);
  for (Word& word : result) word[0] = words.random();
  return result;
}

}  // namespace

TEMPLATE_TEST_CASE("rtl fifo: words leave in their order, one a clock", "[rtl]", Fifo4, DeepFifo8,
                   DeepFifo512) {
  Words words(201);
  Words stalls(202);
  constexpr int kMany = 2000;  // several times around the deepest one
  for (Words* const will : {static_cast<Words*>(nullptr), &stalls}) {
    Bench<TestType> bench;
    const std::vector<Word> expected = some_words(words, kMany);
    bench.in.put(expected);
    int clocks = 0;
    for (; clocks < 10 * kMany && bench.out.words().size() < expected.size(); ++clocks)
      bench.step(will);
    CHECK(bench.out.words() == expected);
    CHECK((will != nullptr || clocks == kMany + kLatency<TestType>));
  }
}

TEMPLATE_TEST_CASE("rtl fifo: it holds its depth and no more, and nothing after a reset", "[rtl]",
                   Fifo4, DeepFifo8, DeepFifo512) {
  Words words(203);
  Bench<TestType> bench;
  constexpr std::size_t kOffered = kHolds<TestType> + 8;
  bench.in.put(some_words(words, kOffered));
  for (std::size_t i = 0; i < kOffered; ++i) {
    bench.in.drive(nullptr);
    bench.model->out_ready = 0;
    bench.model.settle();
    CHECK(bench.model->in_ready == (i < kHolds<TestType>));
    CHECK(bench.model->out_valid == (i >= kLatency<TestType>));
    bench.in.look();
    bench.model.clock();
  }
  CHECK(bench.in.left() == kOffered - kHolds<TestType>);
  bench.in.forget();
  bench.in.drive(nullptr);
  bench.model.reset();
  CHECK(bench.model->out_valid == 0);
  CHECK(bench.model->in_ready == 1);
  const std::vector<Word> expected = some_words(words, 1);
  bench.in.put(expected);
  for (int i = 0; i < 6; ++i) bench.step(nullptr);
  CHECK(bench.out.words() == expected);
}
