// SPDX-License-Identifier: Apache-2.0
// The leading bits of products of elements against GMP.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "WindowEngine4.h"
#include "accel/fpga/contract/register_map.hpp"
#include "libfhe/arith/integer.hpp"
#include "tests/accel/fpga/rtl/elements.hpp"
#include "tests/accel/fpga/rtl/engine_bench.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"
#ifndef FHE_NETLIST
#include "ShortWindowEngine4.h"
#include "ShortWindowEngine8.h"
#include "WindowEngine8.h"
#endif

namespace fhe::test {

namespace {

// Netlists are counted of lines of four words and of windows as long as those of the device.
#ifdef FHE_NETLIST
using WindowEngines = std::tuple<WindowEngine4>;
using ShortWindowEngines = WindowEngines;
#else
using WindowEngines = std::tuple<WindowEngine4, WindowEngine8>;
using ShortWindowEngines = std::tuple<ShortWindowEngine4, ShortWindowEngine8>;
#endif
using ShortWindows = std::tuple_element_t<0, ShortWindowEngines>;

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
      const Integer digit = low_bits(elements[which] >> (32 * k), 32);
      const std::size_t end = bits - 32 * k;  // of the window
      sum += digit * (end >= 96 ? Integer(c >> (end - 96)) : Integer(c << (96 - end)));
    }
    return low_bits(sum, 96);
  }
  // Without its bits above the width.
  [[nodiscard]] Integer mask(const Integer& entry) const {
    const unsigned below = 96 - width;
    return Integer(entry + power_of_two(below - 1)) >> below;
  }
  [[nodiscard]] bool is_undecided(const Integer& entry) const {
    return width != 0 && mask(entry) != mask(entry + (Integer(16 * words) << 32));
  }
  [[nodiscard]] Integer all_results() const {
    Integer results;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const Integer entry = result(i);
      results += width == 0 ? Integer(entry << (128 * i))
                            : Integer(low_bits(mask(entry), width) << (8 * i));
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

Products stored_products(Products products, std::size_t bits) {
  products.stored_bits = bits;
  for (Integer& element : products.elements) element = low_bits(element, bits);
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
      reversed = (reversed << kWordBits) + low_bits(products.c >> (kWordBits * i), kWordBits);
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

}  // namespace

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
  constexpr std::size_t kSliceLines = fpga::parameter::window_words / kWords;
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
  for (const int skip : {1, 2, 11, 254, 255}) {
    Products products = random_products(operands, 5, 2);
    products.skip = static_cast<std::uint8_t>(skip);
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
  products.elements[4] += power_of_two(1000);
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
    const Integer step = power_of_two(96 - width);
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

}  // namespace fhe::test
