// SPDX-License-Identifier: Apache-2.0
// The elements of streams against those of the library.
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <tuple>
#include <type_traits>
#include <utility>

#include "ElementMemory4.h"
#include "libfhe/arith/integer.hpp"
#include "libfhe/random/public_stream.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"
#ifndef FHE_NETLIST
#include "ElementMemory8.h"
#endif

namespace fhe::test {

namespace {

// Netlists are counted of lines of four words.
#ifdef FHE_NETLIST
using ElementMemories = std::tuple<ElementMemory4>;
#else
using ElementMemories = std::tuple<ElementMemory4, ElementMemory8>;
#endif

struct Stream {
  StreamSeed seed{};
  std::uint32_t purpose = 0;
  std::uint32_t bits = 1;

  [[nodiscard]] Integer element(std::uint32_t index) const {
    return PublicStream(seed, static_cast<StreamPurpose>(purpose), index, 1, bits).element(0);
  }
};

Stream random_stream(Words& words, std::uint32_t bits) {
  Stream stream{.purpose = static_cast<std::uint32_t>(words.random()), .bits = bits};
  for (std::byte& byte : stream.seed) byte = static_cast<std::byte>(words.random());
  return stream;
}

template <class Memory>
class Elements {
 public:
  Elements() {
    model_->start = model_->read_valid = 0;
    model_.reset();
    CHECK(model_->read_ready == 0);
    CHECK_FALSE(answers());
  }

  void begin(const Stream& stream) {
    std::array<std::uint64_t, 2> seed{};
    for (std::size_t i = 0; i < 16; ++i)
      seed.at(i / 8) |= std::to_integer<std::uint64_t>(stream.seed.at(i)) << 8 * (i % 8);
    for (std::size_t i = 0; i < seed.size(); ++i) set_limb(model_->seed, i, seed.at(i));
    model_->purpose = stream.purpose;
    model_->bits = stream.bits;
    model_->start = 1;
    model_.clock();
    model_->start = 0;
    model_->purpose = model_->bits = 0;
    expected_.clear();
    clock_ = 0;
  }

  // A request, when one is taken: of word `number` of an element, or of the line that this is in.
  void ask(std::uint32_t index, std::uint32_t number, bool line, const Integer& element) {
    model_->read_address = std::uint64_t{index} << 32 | std::uint64_t{number} << 6;
    model_->read_line = line;
    model_->read_valid = 1;
    while (model_->read_ready == 0) step();
    const std::size_t first = line ? number - number % kWords : number;
    const std::size_t words = line ? kWords : 1;
    expected_.push_back(
        {clock_ + kLatency, line, low_bits(element >> (kWordBits * first), kWordBits * words)});
    step();
    model_->read_valid = 0;
  }

  // A clock; an answer comes exactly when it must.
  void step() {
    model_.clock();
    ++clock_;
    const bool due = !expected_.empty() && expected_.front().clock == clock_;
    REQUIRE(model_->line_valid == (due && expected_.front().line));
    REQUIRE(model_->word_valid == (due && !expected_.front().line));
    if (!due) return;
    CHECK((expected_.front().line ? value(model_->line) : value(model_->word)) ==
          expected_.front().value);
    expected_.pop_front();
  }

  void finish() {
    while (!expected_.empty()) step();
  }

  void reset() {
    model_.reset();
    CHECK(model_->read_ready == 0);
    for (int i = 0; i < 20; ++i) {
      model_.clock();
      CHECK_FALSE(answers());
    }
  }

 private:
  static constexpr std::uint64_t kLatency = 12;
  static constexpr std::size_t kWords =
      kPortLimbs<std::remove_cvref_t<decltype(std::declval<Memory&>().line)>> / kWordLimbs;
  struct Answer {
    std::uint64_t clock;
    bool line;
    Integer value;
  };

  [[nodiscard]] bool answers() { return model_->line_valid != 0 || model_->word_valid != 0; }

  template <class Port>
  static Integer value(const Port& port) {
    std::array<std::uint64_t, kPortLimbs<Port>> limbs{};
    for (std::size_t i = 0; i < limbs.size(); ++i) limbs.at(i) = limb(port, i);
    return integer_of(limbs);
  }

  Simulation<Memory> model_;
  std::deque<Answer> expected_;
  std::uint64_t clock_ = 0;
};

}  // namespace

TEMPLATE_LIST_TEST_CASE("rtl element_memory: words and lines of elements, in any order", "[rtl]",
                        ElementMemories) {
  Words words(260);
  Elements<TestType> elements;
  for (int trial = 0; trial < 60; ++trial) {
    const auto bits = static_cast<std::uint32_t>(trial % 4 == 0 ? kWordBits * (1 + words.below(9))
                                                                : 1 + words.below(5000));
    const Stream stream = random_stream(words, bits);
    elements.begin(stream);
    for (int i = 0; i < 30; ++i) {
      const auto index = static_cast<std::uint32_t>(words.random());
      const auto number = static_cast<std::uint32_t>(words.below(bits / kWordBits + 6));
      elements.ask(index, number, words.coin(), stream.element(index));
      while (words.coin()) elements.step();
    }
    if (trial % 7 == 3) {
      elements.reset();
    } else if (trial % 7 != 5) {  // or a new stream comes while answers are under way
      elements.finish();
    }
  }
}

TEMPLATE_LIST_TEST_CASE("rtl element_memory: an element of the longest keys", "[rtl]",
                        ElementMemories) {
  Words words(261);
  Elements<TestType> elements;
  constexpr std::uint32_t kBits = 19'575'950;
  const Stream stream = random_stream(words, kBits);
  const Integer element = stream.element(4711);
  elements.begin(stream);
  for (const std::uint32_t number : {0U, 1U, 0x1ffU, 0x200U, 38'233U, 38'234U, 38'235U, 70'000U}) {
    elements.ask(4711, number, false, element);
    elements.ask(4711, number, true, element);
  }
  elements.finish();
}

}  // namespace fhe::test
