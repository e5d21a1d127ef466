// SPDX-License-Identifier: Apache-2.0
// Sums of selected elements against GMP.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "SelectionEngine4.h"
#include "libfhe/arith/integer.hpp"
#include "tests/accel/fpga/rtl/elements.hpp"
#include "tests/accel/fpga/rtl/engine_bench.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"
#ifndef FHE_NETLIST
#include "SelectionEngine8.h"
#endif

namespace fhe::test {

namespace {

// Netlists are counted of lines of four words and of slices as long as those of the device.
#ifdef FHE_NETLIST
using SelectionEngines = std::tuple<SelectionEngine4>;
constexpr std::size_t kSliceWords = 2048;  // of sums
#else
using SelectionEngines = std::tuple<SelectionEngine4, SelectionEngine8>;
constexpr std::size_t kSliceWords = 32;
#endif

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

Selection stored_selection(Operands& operands, std::size_t count, std::size_t sums,
                           std::size_t words, std::size_t bits) {
  Selection selection = random_selection(operands, count, sums, words);
  selection.stored_bits = bits;
  for (Integer& element : selection.elements) element = low_bits(element, bits);
  return selection;
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

}  // namespace

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
    selection.elements[2] += power_of_two(bits);
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

}  // namespace fhe::test
