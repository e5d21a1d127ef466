// SPDX-License-Identifier: Apache-2.0
// The elements of streams against those of the library, and sums of selected elements against GMP.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ElementMemory4.h"
#include "SelectionEngine4.h"
#include "WindowEngine4.h"
#include "accel/fpga/contract/register_map.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/random/public_stream.hpp"
#include "tests/accel/fpga/rtl/engine_bench.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"
#ifndef FHE_NETLIST
#include "ElementMemory8.h"
#include "SelectionEngine8.h"
#include "ShortWindowEngine4.h"
#include "ShortWindowEngine8.h"
#include "WindowEngine8.h"
#endif

namespace {

using fhe::Integer;
using fhe::PublicStream;
using fhe::StreamPurpose;
using fhe::StreamSeed;
using fhe::test::all_ones;
using fhe::test::EngineBench;
using fhe::test::integer_of;
using fhe::test::kLineWords;
using fhe::test::kPortLimbs;
using fhe::test::kWordBits;
using fhe::test::limb;
using fhe::test::Operands;
using fhe::test::set_limb;
using fhe::test::Simulation;
using fhe::test::Word512;
using fhe::test::Words;

// The engines, with lines of four words and of eight, and windows that are short enough for many of
// them; netlists are those of a device with lines of four words, whose slices are long.
#ifdef FHE_NETLIST
using ElementMemories = std::tuple<ElementMemory4>;
using SelectionEngines = std::tuple<SelectionEngine4>;
using WindowEngines = std::tuple<WindowEngine4>;
using ShortWindowEngines = WindowEngines;
constexpr std::size_t kSliceWords = 2048;  // of sums
#else
using ElementMemories = std::tuple<ElementMemory4, ElementMemory8>;
using SelectionEngines = std::tuple<SelectionEngine4, SelectionEngine8>;
using WindowEngines = std::tuple<WindowEngine4, WindowEngine8>;
using ShortWindowEngines = std::tuple<ShortWindowEngine4, ShortWindowEngine8>;
constexpr std::size_t kSliceWords = 32;
#endif
using ShortWindows = std::tuple_element_t<0, ShortWindowEngines>;

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
    expected_.push_back({clock_ + kLatency, line,
                         fhe::low_bits(element >> (kWordBits * first), kWordBits * words)});
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
      kPortLimbs<std::remove_cvref_t<decltype(std::declval<Memory&>().line)>> /
      fhe::test::kWordLimbs;
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

constexpr std::uint64_t kElements = std::uint64_t{7} << 32;
constexpr std::uint64_t kStored = 0x200'0000;
constexpr std::uint64_t kMasks = 0x1000;
constexpr std::uint64_t kSums = 0x100'0000;

struct Selection {
  std::vector<Integer> elements{};
  std::vector<std::uint8_t> masks{};
  std::size_t sums = 1;
  std::size_t words = 1;        // of a sum
  std::size_t stored_bits = 0;  // of an element that is stored; 0: they are generated

  [[nodiscard]] Integer sum(std::size_t which) const {
    Integer result;
    for (std::size_t i = 0; i < elements.size(); ++i)
      if ((masks[i] >> which & 1) != 0) result += elements[i];
    return result;
  }
};

Selection random_selection(Operands& operands, std::size_t count, std::size_t sums,
                           std::size_t words) {
  Selection selection{.sums = sums, .words = words};
  const bool long_ones = operands.coin();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t bits = words * kWordBits - 16;
    selection.elements.push_back(long_ones ? all_ones(bits) : operands.bits(bits));
    selection.masks.push_back(long_ones ? 0xff
                                        : static_cast<std::uint8_t>(operands.between(0, 255)));
  }
  return selection;
}

// Puts elements one after the other, with ones behind the last one, and says how many words each
// has.
template <class Memory>
std::size_t store_elements(Memory& memory, const std::vector<Integer>& elements, std::size_t bits) {
  const std::size_t words = (bits + kWordBits - 1) / kWordBits;
  std::uint64_t address = kStored;
  for (const Integer& element : elements) {
    memory.store(address, element, words);
    address += words * kWordBits / 8;
  }
  memory.store(address, all_ones(4 * kWordBits), 4);
  return words;
}

template <class Engine>
class SelectionUnit : public EngineBench<Engine> {
  using Bench = EngineBench<Engine>;
  using Bench::memory_, Bench::model_, Bench::step, Bench::reset, Bench::run_for;

 public:
  SelectionUnit() { reset(); }

  // Clocks from that of start to that of done.
  std::uint64_t run(const Selection& selection, Words* stalls = nullptr) {
    const Integer behind = begin(selection, stalls);
    const std::uint64_t clocks = this->clocks_until_done(stalls, 1'000'000);
    for (std::size_t j = 0; j < selection.sums; ++j)
      CHECK(memory_.load(address_of_sum(selection, j), selection.words) == selection.sum(j));
    CHECK(memory_.load(address_of_sum(selection, selection.sums), 2) == behind);
    this->leave_done(stalls);
    return clocks;
  }

  // One that a reset ends after so many clocks.
  void abandon(const Selection& selection, std::uint64_t clocks, Words* stalls) {
    begin(selection, stalls);
    run_for(clocks, stalls);
    reset();
  }

 private:
  static std::uint64_t address_of_sum(const Selection& selection, std::size_t which) {
    return kSums + which * selection.words * kWordBits / 8;
  }

  // What lies behind the sums.
  Integer begin(const Selection& selection, Words* stalls) {
    const std::size_t count = selection.elements.size();
    const bool stored = selection.stored_bits != 0;
    Integer masks;
    for (std::size_t i = 0; i < count; ++i) {
      // Behind an element are zeros, which are read where lines are not full or few.
      if (!stored)
        memory_.store(kElements + (std::uint64_t{i} << 32), selection.elements[i],
                      selection.words + 4 * kLineWords<Engine>);
      masks += Integer(selection.masks[i]) << (8 * i);
    }
    const std::size_t element_words =
        stored ? store_elements(memory_, selection.elements, selection.stored_bits) : 0;
    const std::size_t mask_words = (count + 63) / 64;
    memory_.store(kMasks, masks, mask_words);
    model_->start = 1;
    model_->terms = static_cast<SData>(count);
    model_->sums = static_cast<CData>(selection.sums);
    model_->stored = stored;
    model_->element_words = static_cast<IData>(element_words);
    model_->a_address = stored ? kStored : kElements;
    model_->a_words = static_cast<IData>(selection.words);
    model_->a_tail = static_cast<SData>(selection.stored_bits % kWordBits);
    model_->b_address = kMasks;
    model_->b_words = static_cast<IData>(mask_words);
    model_->b_tail = static_cast<SData>(8 * count % kWordBits);
    model_->d_address = kSums;
    step(stalls);
    model_->start = 0;
    return memory_.load(address_of_sum(selection, selection.sums), 2);
  }
};

// Of c of `words` words and elements.
struct Products {
  Integer c;
  std::vector<Integer> elements{};
  std::size_t words = 1;
  std::size_t stored_bits = 0;  // of an element that is stored; 0: they are generated
  unsigned width = 0;           // of masks; 0: the results are entries
  std::uint8_t skip = 0;        // elements of the stream between two

  // By definition: window_engine.sv.
  [[nodiscard]] Integer result(std::size_t which) const {
    const std::size_t bits = words * kWordBits;
    Integer sum;
    for (std::size_t k = 0; k < bits / 32; ++k) {
      const Integer digit = fhe::low_bits(elements[which] >> (32 * k), 32);
      const std::size_t end = bits - 32 * k;  // of the window
      sum += digit * (end >= 96 ? Integer(c >> (end - 96)) : Integer(c << (96 - end)));
    }
    return fhe::low_bits(sum, 96);
  }
  // Without its bits above the width.
  [[nodiscard]] Integer mask(const Integer& entry) const {
    const unsigned below = 96 - width;
    return Integer(entry + fhe::power_of_two(below - 1)) >> below;
  }
  [[nodiscard]] bool is_undecided(const Integer& entry) const {
    return width != 0 && mask(entry) != mask(entry + (Integer(16 * words) << 32));
  }
  [[nodiscard]] Integer all_results() const {
    Integer results;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const Integer entry = result(i);
      results += width == 0 ? Integer(entry << (128 * i))
                            : Integer(fhe::low_bits(mask(entry), width) << (8 * i));
    }
    return results;
  }
  [[nodiscard]] bool is_undecided() const {
    for (std::size_t i = 0; i < elements.size(); ++i)
      if (is_undecided(result(i))) return true;
    return false;
  }
  [[nodiscard]] std::size_t result_words() const {
    return (elements.size() * (width == 0 ? 128 : 8) + kWordBits - 1) / kWordBits;
  }
};

Selection stored_selection(Operands& operands, std::size_t count, std::size_t sums,
                           std::size_t words, std::size_t bits) {
  Selection selection = random_selection(operands, count, sums, words);
  selection.stored_bits = bits;
  for (Integer& element : selection.elements) element = fhe::low_bits(element, bits);
  return selection;
}

Products stored_products(Products products, std::size_t bits) {
  products.stored_bits = bits;
  for (Integer& element : products.elements) element = fhe::low_bits(element, bits);
  return products;
}

Products masks_of(Products products, unsigned width) {
  products.width = width;
  return products;
}

Products random_products(Operands& operands, std::size_t count, std::size_t words) {
  const std::size_t bits = words * kWordBits;
  Products products{.c = operands.coin() ? all_ones(bits) : operands.bits(bits), .words = words};
  for (std::size_t i = 0; i < count; ++i)
    products.elements.push_back(operands.coin() ? operands.bits(bits) : operands.runs(bits));
  return products;
}

// As in the device, or by slices of two lines and few elements for each reading of c.
template <class Engine>
class WindowUnit : public EngineBench<Engine> {
  using Bench = EngineBench<Engine>;
  using Bench::memory_, Bench::model_, Bench::step, Bench::reset, Bench::run_for;

 public:
  WindowUnit() { reset(); }

  // Clocks from that of start to that of done.
  std::uint64_t run(const Products& products, Words* stalls = nullptr) {
    const std::size_t words = products.result_words();
    const Integer behind = begin(products, stalls);
    const std::uint64_t clocks = this->clocks_until_done(stalls, 1'000'000);
    CHECK(memory_.load(kSums, words) == products.all_results());
    CHECK(memory_.load(kSums + words * kWordBits / 8, 2) == behind);
    CHECK((model_->undecided != 0) == products.is_undecided());
    this->leave_done(stalls);
    return clocks;
  }

  void abandon(const Products& products, std::uint64_t clocks, Words* stalls) {
    begin(products, stalls);
    run_for(clocks, stalls);
    reset();
  }

 private:
  Integer begin(const Products& products, Words* stalls) {
    const std::size_t count = products.elements.size();
    const bool stored = products.stored_bits != 0;
    Integer reversed;
    for (std::size_t i = 0; i < products.words; ++i) {
      reversed = (reversed << kWordBits) + fhe::low_bits(products.c >> (kWordBits * i), kWordBits);
    }
    memory_.store(kMasks, reversed, products.words);
    for (std::size_t i = 0; i < count && !stored; ++i) {
      memory_.store(kElements + (i * (std::uint64_t{products.skip} + 1) << 32),
                    products.elements[i], products.words + kLineWords<Engine> - 1);
    }
    const std::size_t element_words =
        stored ? store_elements(memory_, products.elements, products.stored_bits) : 0;
    model_->start = 1;
    model_->terms = static_cast<SData>(count);
    model_->skip = products.skip;
    model_->stored = stored;
    model_->element_words = static_cast<IData>(element_words);
    model_->a_address = stored ? kStored : kElements;
    model_->a_words = static_cast<IData>(products.words);
    model_->a_tail = static_cast<SData>(products.stored_bits % kWordBits);
    model_->b_address = kMasks;
    model_->mask_width = static_cast<CData>(products.width);
    model_->d_address = kSums;
    model_->d_words = static_cast<IData>(products.result_words());
    step(stalls);
    model_->start = 0;
    return memory_.load(kSums + products.result_words() * kWordBits / 8, 2);
  }
};

// That so many words fill.
template <class Engine>
std::size_t lines_of(std::size_t words) {
  return (words + kLineWords<Engine> - 1) / kLineWords<Engine>;
}

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

TEMPLATE_LIST_TEST_CASE("rtl selection_engine: sums of any length, with and without stalls",
                        "[rtl]", SelectionEngines) {
  Operands operands(262);
  Words stalls(263);
  SelectionUnit<TestType> unit;
  for (const std::size_t count : {1U, 2U, 63U, 64U, 65U, 130U}) {
    for (const std::size_t words :
         {std::size_t{1}, std::size_t{3}, std::size_t{4}, std::size_t{5}, std::size_t{16},
          std::size_t{17}, std::size_t{19}, kSliceWords - 1, kSliceWords, kSliceWords + 1,
          2 * kSliceWords, std::size_t{90}}) {
      if (count * words > 12'000) continue;
      const std::size_t sums = operands.between(1, 8);
      CAPTURE(count, words, sums);
      unit.run(random_selection(operands, count, sums, words), operands.coin() ? nullptr : &stalls);
    }
  }
}

TEST_CASE("rtl selection_engine: no element, or all of them, in a sum", "[rtl]") {
  SelectionUnit<SelectionEngine4> unit;
  const std::vector<Integer> ones(70, all_ones(20 * kWordBits - 10));
  for (const std::uint8_t mask : std::array<std::uint8_t, 4>{0x00, 0x01, 0x80, 0xff}) {
    unit.run({.elements = ones,
              .masks = std::vector<std::uint8_t>(ones.size(), mask),
              .sums = 8,
              .words = 20});
  }
}

// The law of selection_engine.sv with the memory here, which answers three clocks earlier than that
// of the device, of which device_test.cpp counts each clock.
TEMPLATE_LIST_TEST_CASE("rtl selection_engine: a line a clock", "[rtl]", SelectionEngines) {
  Operands operands(264);
  SelectionUnit<TestType> unit;
  for (const std::size_t count : {1U, 64U, 65U, 130U, 200U}) {
    for (const std::size_t words : {std::size_t{1}, std::size_t{5}, std::size_t{17}, kSliceWords,
                                    kSliceWords + 9, 3 * kSliceWords}) {
      if (count * words > 140'000) continue;
      const std::size_t sums = operands.between(1, 8);
      std::uint64_t expected = 24;
      for (std::size_t at = 0; at < words; at += kSliceWords) {
        const std::size_t here = std::min(words - at, kSliceWords);
        const std::size_t lines = std::max<std::size_t>(lines_of<TestType>(here), 4);
        expected += 35 + (count + 63) / 64 + count * lines + sums * here;
      }
      CAPTURE(count, words, sums);
      CHECK(unit.run(random_selection(operands, count, sums, words)) == expected);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("rtl selection_engine: a reset ends sums in any of their phases", "[rtl]",
                        SelectionEngines) {
  Operands operands(265);
  Words stalls(266);
  SelectionUnit<TestType> unit;
  for (std::uint64_t clocks = 1; clocks < 400; clocks += 11) {
    unit.abandon(random_selection(operands, 12, 5, kSliceWords * 3 / 2), clocks,
                 clocks % 2 == 0 ? &stalls : nullptr);
    unit.run(random_selection(operands, 3, 2, 18));
  }
}

TEMPLATE_LIST_TEST_CASE("rtl window_engine: leading bits of products, with and without stalls",
                        "[rtl]", ShortWindowEngines) {
  Operands operands(267);
  Words stalls(268);
  WindowUnit<TestType> unit;
  for (const std::size_t count : {1U, 2U, 3U, 4U, 5U, 8U, 9U, 21U}) {
    for (const std::size_t words : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 16U, 17U, 20U, 33U}) {
      CAPTURE(count, words);
      const Products products = random_products(operands, count, words);
      unit.run(products);
      unit.run(products, &stalls);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("rtl window_engine: leading bits by the slices and chunks of the device",
                        "[rtl]", WindowEngines) {
  Operands operands(286);
  Words stalls(287);
  WindowUnit<TestType> unit;
  for (const auto& [count, words] : {std::pair<std::size_t, std::size_t>{511, 2},
                                     {512, 5},
                                     {513, 66},
                                     {3, 64},
                                     {4, 63},
                                     {7, 260},
                                     {1, 200}}) {
    CAPTURE(count, words);
    unit.run(random_products(operands, count, words), operands.coin() ? nullptr : &stalls);
  }
}

// A line a clock, once the words of c are there that a slice of the first element meets.
TEMPLATE_LIST_TEST_CASE("rtl window_engine: a line a clock, a word of c a clock", "[rtl]",
                        WindowEngines) {
  Operands operands(269);
  WindowUnit<TestType> unit;
  constexpr std::size_t kWords = kLineWords<TestType>;
  constexpr std::size_t kSliceLines = fhe::fpga::parameter::window_words / kWords;
  for (const auto& [words, count] : {std::pair<std::size_t, std::size_t>{1, kWords},
                                     {1, 513},
                                     {4, kWords + 1},
                                     {5, 64},
                                     {30, 10},
                                     {64, kWords},
                                     {65, kWords + 1},
                                     {70, 515},
                                     {300, 64}}) {
    const std::size_t lines = lines_of<TestType>(words);
    CAPTURE(words, count);
    CHECK(unit.run(random_products(operands, count, words)) ==
          59 + count * lines + (kWords - 1) * std::min(lines, kSliceLines));
  }
  for (const std::size_t words : {1U, 5U, 64U, 200U, 300U}) {
    CAPTURE(words);
    CHECK(unit.run(random_products(operands, 1, words)) == 59 + kWords * lines_of<TestType>(words));
  }
}

// Stored elements come through the same port as c.
TEMPLATE_LIST_TEST_CASE("rtl window_engine: a word a clock of stored elements and of c", "[rtl]",
                        WindowEngines) {
  Operands operands(288);
  WindowUnit<TestType> unit;
  for (const std::size_t words : {1U, 5U, 30U, 64U, 128U, 300U}) {
    for (const std::size_t count : {1U, 2U, 10U}) {
      const std::size_t line_words = kLineWords<TestType> * lines_of<TestType>(words);
      const std::uint64_t clocks =
          unit.run(stored_products(random_products(operands, count, words), words * kWordBits));
      CAPTURE(words, count);
      CHECK(clocks >= 57 + words + count * line_words);
      CHECK(clocks <= 59 + words + count * line_words);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("rtl window_engine: a reset ends products in any of their phases", "[rtl]",
                        ShortWindowEngines) {
  Operands operands(270);
  Words stalls(271);
  WindowUnit<TestType> unit;
  for (std::uint64_t clocks = 1; clocks < 100; clocks += 3) {
    unit.abandon(random_products(operands, 9, 22), clocks, clocks % 2 == 0 ? &stalls : nullptr);
    unit.run(random_products(operands, 3, 2));
  }
}

TEMPLATE_LIST_TEST_CASE("rtl selection_engine: elements that are stored, of any length", "[rtl]",
                        SelectionEngines) {
  Operands operands(272);
  Words stalls(273);
  SelectionUnit<TestType> unit;
  for (const std::size_t count : {1U, 2U, 5U, 64U, 65U}) {
    for (const std::size_t element_words : {1U, 2U, 3U, 4U, 5U, 16U, 17U, 35U, 66U}) {
      const std::size_t bits = element_words * kWordBits - operands.between(0, 511);
      const std::size_t words =
          (bits + 16 + kWordBits - 1) / kWordBits + operands.between(0, 1) * 20;
      const std::size_t sums = operands.between(1, 8);
      CAPTURE(count, bits, words, sums);
      unit.run(stored_selection(operands, count, sums, words, bits),
               operands.coin() ? nullptr : &stalls);
      CHECK_FALSE(unit.pad_error());
    }
  }
}

TEST_CASE("rtl selection_engine: a bit above a stored element is an error of its pad", "[rtl]") {
  Operands operands(274);
  for (const std::size_t element_words : {1U, 3U, 16U, 20U}) {
    const std::size_t bits = element_words * kWordBits - 5;
    SelectionUnit<SelectionEngine4> unit;
    Selection selection = stored_selection(operands, 4, 2, element_words + 1, bits);
    unit.run(selection);
    CHECK_FALSE(unit.pad_error());
    selection.elements[2] += fhe::power_of_two(bits);
    unit.run(selection);
    CHECK(unit.pad_error());
  }
}

// The clocks of a line for an element of few words, whose words come one a clock.
TEMPLATE_LIST_TEST_CASE("rtl selection_engine: short elements that are stored cost a line", "[rtl]",
                        SelectionEngines) {
  Operands operands(275);
  SelectionUnit<TestType> unit;
  for (const std::size_t element_words : {1U, 2U, 3U}) {
    for (const std::size_t count : {64U, 200U}) {
      const std::size_t bits = element_words * kWordBits - 100;
      const std::uint64_t clocks = unit.run(stored_selection(operands, count, 3, 4, bits));
      CAPTURE(element_words, count);
      CHECK(clocks >= kLineWords<TestType> * count);
      CHECK(clocks <= kLineWords<TestType> * count + 100);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("rtl selection_engine: a reset ends sums of stored elements", "[rtl]",
                        SelectionEngines) {
  Operands operands(276);
  Words stalls(277);
  SelectionUnit<TestType> unit;
  for (std::uint64_t clocks = 1; clocks < 200; clocks += 7) {
    unit.abandon(stored_selection(operands, 12, 5, 20, 19 * kWordBits), clocks,
                 clocks % 2 == 0 ? &stalls : nullptr);
    unit.run(stored_selection(operands, 3, 2, 4, 1000));
    unit.run(random_selection(operands, 3, 2, 18));
  }
}

TEMPLATE_LIST_TEST_CASE("rtl window_engine: elements that are stored, of any length", "[rtl]",
                        ShortWindowEngines) {
  Operands operands(278);
  Words stalls(279);
  WindowUnit<TestType> unit;
  for (const std::size_t count : {1U, 2U, 5U, 21U}) {
    for (const std::size_t words : {1U, 2U, 3U, 20U}) {
      for (const std::size_t element_words : {std::size_t{1}, words}) {
        const std::size_t bits = element_words * kWordBits - operands.between(0, 511);
        const Products products = stored_products(random_products(operands, count, words), bits);
        CAPTURE(count, words, bits);
        unit.run(products, operands.coin() ? nullptr : &stalls);
        unit.run(masks_of(products, static_cast<unsigned>(operands.between(1, 8))));
        CHECK_FALSE(unit.pad_error());
      }
    }
  }
}

TEST_CASE("rtl window_engine: elements with others between them", "[rtl]") {
  Operands operands(284);
  WindowUnit<ShortWindows> unit;
  for (const std::uint8_t skip : {1, 2, 11, 254, 255}) {
    Products products = random_products(operands, 5, 2);
    products.skip = skip;
    unit.run(products);
    unit.run(masks_of(products, 5));
  }
}

TEST_CASE("rtl window_engine: a bit above a stored element is an error of its pad", "[rtl]") {
  Operands operands(280);
  WindowUnit<ShortWindows> unit;
  Products products = stored_products(random_products(operands, 5, 3), 1000);
  unit.run(products);
  CHECK_FALSE(unit.pad_error());
  products.elements[4] += fhe::power_of_two(1000);
  unit.run(products);
  CHECK(unit.pad_error());
}

TEST_CASE("rtl window_engine: masks of every width, with and without stalls", "[rtl]") {
  Operands operands(281);
  Words stalls(282);
  WindowUnit<ShortWindows> unit;
  for (unsigned width = 1; width <= 8; ++width) {
    for (const std::size_t count : {1U, 2U, 63U, 64U, 65U, 130U}) {
      const std::size_t words = operands.between(1, 3);
      CAPTURE(width, count, words);
      unit.run(masks_of(random_products(operands, count, words), width),
               operands.coin() ? nullptr : &stalls);
    }
  }
}

// Entries are multiples of the leading bits of c where elements are small. These bits are next to
// an edge between two masks: at it, below it, and just as far below it as may be missing.
TEST_CASE("rtl window_engine: masks that are decided and that are not", "[rtl]") {
  Operands operands(283);
  WindowUnit<ShortWindows> unit;
  int decided = 0, undecided = 0;
  for (unsigned width = 1; width <= 8; ++width) {
    const Integer step = fhe::power_of_two(96 - width);
    for (const std::size_t words : {1U, 2U, 3U}) {
      const Integer missing = Integer(16 * words) << 32;
      const Integer edge = step / 2 + step * operands.bits(width - 1);
      for (const Integer& below : {Integer(0), Integer(1), missing, Integer(missing + 1)}) {
        Products products{.c = Integer(edge - below) << (words * kWordBits - 96),
                          .elements = {0, 1, 0},
                          .words = words,
                          .width = width};
        CAPTURE(width, words, below);
        unit.run(products);
        (products.is_undecided() ? undecided : decided) += 1;
        products.elements = {3, 1, 2, 1U << 31};
        unit.run(stored_products(products, 32));
      }
    }
  }
  CHECK(decided == 48);
  CHECK(undecided == 48);
}

TEST_CASE("rtl window_engine: a reset ends masks in any of their phases", "[rtl]") {
  Operands operands(284);
  Words stalls(285);
  WindowUnit<ShortWindows> unit;
  for (std::uint64_t clocks = 1; clocks < 100; clocks += 3) {
    unit.abandon(masks_of(stored_products(random_products(operands, 9, 10), 5000), 5), clocks,
                 clocks % 2 == 0 ? &stalls : nullptr);
    unit.run(masks_of(random_products(operands, 3, 2), 3));
    unit.run(random_products(operands, 3, 2));
  }
}
