// Streams from one word width to another: the same bits, at the rate of the narrower side.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "Gearbox384To512.h"
#include "Gearbox512To384.h"
#include "Gearbox512To64.h"
#include "Gearbox64To512.h"
#include "tests/accel/fpga/golden.hpp"
#include "tests/accel/fpga/simulation.hpp"
#include "tests/accel/fpga/streams.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::kPortLimbs;
using fhe::test::Simulation;
using fhe::test::Sink;
using fhe::test::Source;
using fhe::test::WordOf;
using fhe::test::Words;
using Limbs = std::vector<std::uint64_t>;

template <class Model>
struct Bench {
  using In = std::remove_reference_t<decltype(std::declval<Model&>().in_data)>;
  using Out = std::remove_reference_t<decltype(std::declval<Model&>().out_data)>;
  static constexpr std::size_t kIn = kPortLimbs<In>, kOut = kPortLimbs<Out>;

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

  void put(const Limbs& limbs) {
    for (std::size_t i = 0; i < limbs.size(); i += kIn) {
      WordOf<In> word;
      std::copy_n(limbs.begin() + static_cast<std::ptrdiff_t>(i), kIn, word.begin());
      in.put(word);
    }
  }

  [[nodiscard]] Limbs got() const {
    Limbs limbs;
    for (const auto& word : out.words()) limbs.insert(limbs.end(), word.begin(), word.end());
    return limbs;
  }

  void step(Words* stalls) {
    in.drive(stalls);
    out.drive(stalls);
    model.settle();
    in.look();
    out.look();
    model.clock();
  }

  // Clocks until so many limbs have left.
  std::size_t run(std::size_t limbs, Words* stalls) {
    std::size_t clocks = 0;
    for (; out.words().size() * kOut < limbs; ++clocks) {
      if (clocks > 10 * limbs) FAIL("no end");
      step(stalls);
    }
    return clocks;
  }

  Simulation<Model> model;
  Source<In> in{model->in_valid, model->in_ready, model->in_data};
  Sink<Out> out{model->out_valid, model->out_ready, model->out_data};
};

constexpr std::size_t kSomeLimbs = 24 * 40;  // whole words of all widths

Limbs some_limbs(Words& words) {
  Limbs limbs(kSomeLimbs);
  for (std::uint64_t& limb : limbs) limb = words.random();
  return limbs;
}

}  // namespace

TEMPLATE_TEST_CASE("rtl gearbox: the same bits, a narrow word a clock", "[rtl]", Gearbox512To384,
                   Gearbox384To512, Gearbox512To64, Gearbox64To512) {
  constexpr std::size_t kNarrow = std::min(Bench<TestType>::kIn, Bench<TestType>::kOut);
  Words words(204);
  Bench<TestType> bench;
  const Limbs limbs = some_limbs(words);
  bench.put(limbs);
  // The first word waits for nothing but its own bits.
  CHECK(bench.run(kSomeLimbs, nullptr) == kSomeLimbs / kNarrow + 1);
  CHECK(bench.got() == limbs);
  CHECK(bench.model->out_valid == 0);
}

TEMPLATE_TEST_CASE("rtl gearbox: both sides may stall", "[rtl]", Gearbox512To384, Gearbox384To512,
                   Gearbox512To64, Gearbox64To512) {
  Words words(205);
  Words stalls(206);
  Bench<TestType> bench;
  const Limbs limbs = some_limbs(words);
  bench.put(limbs);
  bench.run(kSomeLimbs, &stalls);
  CHECK(bench.got() == limbs);
}

TEMPLATE_TEST_CASE("rtl gearbox: nothing is left when it is cleared", "[rtl]", Gearbox512To384,
                   Gearbox384To512, Gearbox512To64, Gearbox64To512) {
  Words words(207);
  for (std::size_t clocks = 1; clocks < 12; ++clocks) {
    Bench<TestType> bench;
    bench.put(some_limbs(words));
    for (std::size_t i = 0; i < clocks; ++i) bench.step(nullptr);
    bench.in.forget();
    bench.in.drive(nullptr);
    bench.clear();
    CHECK(bench.model->out_valid == 0);
    bench.out.forget();
    const Limbs limbs = some_limbs(words);
    bench.put(limbs);
    bench.run(kSomeLimbs, nullptr);
    CHECK(bench.got() == limbs);
  }
}
