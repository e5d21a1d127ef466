// SPDX-License-Identifier: Apache-2.0
// From columns to the product: the serial adders, their thirds, and the fourth adder, against GMP.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "AdditionRecovery.h"
#include "ProductAccumulate.h"
#include "SerialAdder.h"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/accel/fpga/rtl/slots.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::kModulus;
using fhe::test::Simulation;
using fhe::test::slot_clocks;
using fhe::test::SlotClock;
using fhe::test::Words;

constexpr std::size_t kDigitBits = 28;
constexpr std::size_t kBlock = 16;  // digits, of the models
constexpr std::size_t kPairs = kBlock / 2;
constexpr std::size_t kRowDigits = 12;
constexpr std::size_t kThirdBits = kBlock * kDigitBits;

mpz_class power_of_two(std::size_t bits) {
  return mpz_class(1) << bits;
}

// The `width` lowest bits of a port, with sign.
std::int64_t signed_value(std::uint64_t bits, int width) {
  return static_cast<std::int64_t>(bits << (64 - width)) >> (64 - width);
}

// A column of a product: small, or as far from 0 as any; or 0.
mpz_class some_column(Words& words) {
  mpz_class column = static_cast<unsigned long>(words.random() >> (1 + words.below(63)));
  if (words.below(4) == 0) column = power_of_two(63) - power_of_two(36);
  if (words.coin()) column = -column;
  return column;
}

std::uint64_t residue_of(const mpz_class& column) {
  const mpz_class p = static_cast<unsigned long>(kModulus);
  const mpz_class residue = column < 0 ? mpz_class(p + column) : column;
  return mpz_get_ui(residue.get_mpz_t());
}

// sum of elements 2^(28 i)
mpz_class value_of(const std::vector<mpz_class>& columns) {
  mpz_class value;
  for (std::size_t i = columns.size(); i-- > 0;) value = (value << kDigitBits) + columns[i];
  return value;
}

// Two's complement of 66 bits.
void set_column(VlWide<3>& port, const mpz_class& column) {
  const mpz_class bits = column < 0 ? mpz_class(column + power_of_two(66)) : column;
  for (int i = 0; i < 3; ++i) {
    const mpz_class part = (bits >> (32U * static_cast<unsigned>(i))) & mpz_class(0xffffffffUL);
    port[static_cast<std::size_t>(i)] = static_cast<EData>(part.get_ui());
  }
}

// One clock with what the ports show, after some in which the module is held.
template <class Model>
void advance(Simulation<Model>& simulation, Words& words) {
  simulation->advance = 0;
  while (words.below(4) == 0) simulation.clock();
  simulation->advance = 1;
  simulation.clock();
}

template <class Model>
void show(Simulation<Model>& simulation, const SlotClock& clock) {
  simulation->running = clock.running;
  simulation->index = static_cast<CData>(clock.index);
  simulation->first = clock.first;
  simulation->odd_slot = clock.odd_slot;
  simulation->b_used = clock.b_used;
}

// The four halves of the products of a slot, and what becomes of them.
struct Slot {
  std::vector<mpz_class> right_low, right_high, left_low, left_high;

  explicit Slot(Words& words) {
    for (auto* half : {&right_low, &right_high, &left_low, &left_high}) {
      for (std::size_t i = 0; i < kBlock; ++i) half->push_back(some_column(words));
    }
  }

  [[nodiscard]] mpz_class right(const SlotClock& of) const {
    return of.first ? mpz_class(0) : value_of(right_low);
  }
  [[nodiscard]] mpz_class middle(const SlotClock& of) const {
    return mpz_class((of.first ? mpz_class(0) : value_of(right_high)) +
                     (of.b_used ? value_of(left_low) : mpz_class(0)));
  }
  [[nodiscard]] mpz_class left(const SlotClock& of) const {
    return of.b_used ? value_of(left_high) : mpz_class(0);
  }
};

class Recovery {
 public:
  Recovery() {
    recovery_->clear = 1;
    recovery_.clock();
    recovery_->clear = 0;
  }

  // A slot, and clocks enough for all of it to be stored.
  void feed(const Slot& slot, SlotClock of) {
    for (of.index = 0; of.index < kBlock; ++of.index) {
      show(recovery_, of);
      recovery_->right_low = residue_of(slot.right_low[of.index]);
      recovery_->right_high = residue_of(slot.right_high[of.index]);
      recovery_->left_low = residue_of(slot.left_low[of.index]);
      recovery_->left_high = residue_of(slot.left_high[of.index]);
      advance(recovery_, words_);
    }
    show(recovery_, {});
    for (int i = 0; i < 3; ++i) advance(recovery_, words_);
  }

  struct Thirds {
    mpz_class right, middle, left;  // without the carries out of them
  };

  Thirds read(bool odd_slot) {
    Thirds thirds;
    for (std::size_t pair = kPairs; pair-- > 0;) {
      recovery_->pair = static_cast<CData>(pair);
      recovery_->pair_odd_slot = odd_slot;
      advance(recovery_, words_);
      const auto append = [](mpz_class& value, std::uint64_t digits) {
        value = (value << (2 * kDigitBits)) + mpz_class(static_cast<unsigned long>(digits));
      };
      append(thirds.right, recovery_->right);
      append(thirds.middle, recovery_->middle);
      append(thirds.left, recovery_->left);
    }
    return thirds;
  }

  [[nodiscard]] mpz_class middle_carry() {
    return static_cast<long>(signed_value(recovery_->middle_carry, 39));
  }
  [[nodiscard]] mpz_class joined_carry() {
    return static_cast<long>(signed_value(recovery_->joined_carry, 40));
  }

 private:
  Simulation<AdditionRecovery> recovery_;
  Words words_{70};
};

mpz_class low_part(const mpz_class& value) {
  mpz_class result;
  mpz_fdiv_r_2exp(result.get_mpz_t(), value.get_mpz_t(), kThirdBits);
  return result;
}

mpz_class carry_of(const mpz_class& value) {
  mpz_class result;
  mpz_fdiv_q_2exp(result.get_mpz_t(), value.get_mpz_t(), kThirdBits);
  return result;
}

// A third of a row: neither all zeros nor all ones at its top, so that a small carry stays inside.
mpz_class some_third(Words& words) {
  mpz_class third;
  const bool ones = words.coin();  // long carries
  for (std::size_t i = 0; i < kBlock - 1; ++i) {
    const std::uint64_t digit =
        ones ? (std::uint64_t{1} << kDigitBits) - 1 : words.random() >> (64 - kDigitBits);
    third += mpz_class(static_cast<unsigned long>(digit)) << (kDigitBits * i);
  }
  return third + (mpz_class(static_cast<unsigned long>(1 + words.below(1000)))
                  << (kDigitBits * (kBlock - 1)));
}

// What one slot brings to the fourth adder.
struct JoinedSlot {
  mpz_class right, middle, left;
  std::int64_t middle_carry, joined_carry;
};

std::uint64_t digits_of(const mpz_class& third, std::size_t pair) {
  const mpz_class digits = (third >> (2 * kDigitBits * pair)) & (power_of_two(2 * kDigitBits) - 1);
  return digits.get_ui();
}

// The fourth adder and the memory of the product.
class Accumulator {
 public:
  Accumulator(std::size_t x_blocks, std::size_t y_rows, std::uint64_t seed)
      : words_(seed),
        clocks_(slot_clocks(kBlock, x_blocks, y_rows)),
        row_pairs_((x_blocks + 1) * kPairs),
        memory_(row_pairs_ + (y_rows - 1) * kRowDigits / 2) {
    adder_->x_blocks = static_cast<IData>(x_blocks);
    adder_->y_rows = static_cast<IData>(y_rows);
    adder_->clear = 1;
    adder_.clock();
    adder_->clear = 0;
    make_slots();
  }

  mpz_class run() {
    const SlotClock last = clocks_.back();
    for (const SlotClock& clock : clocks_) step(clock);
    for (std::size_t index = 0; index < kBlock; ++index) {
      step({false, index, true, !last.odd_slot, false});
    }
    CHECK(ended_);
    mpz_class product;
    for (std::size_t i = memory_.size(); i-- > 0;) {
      product = (product << (2 * kDigitBits)) + mpz_class(static_cast<unsigned long>(memory_[i]));
    }
    return product;
  }

  // The sum of all thirds and carries at their places.
  [[nodiscard]] mpz_class exact() const {
    mpz_class sum;
    std::size_t row = 0, slot_of_row = 0;
    for (std::size_t s = 0; s < slots_.size(); ++s, ++slot_of_row) {
      if (s > 0 && clocks_[s * kBlock].first) ++row, slot_of_row = 0;
      const JoinedSlot& slot = slots_[s];
      const auto add = [&](const mpz_class& value, std::size_t block) {
        sum += value << (kDigitBits * (row * kRowDigits + block * kBlock));
      };
      const std::size_t middle = 2 * slot_of_row;
      if (slot_of_row > 0) add(slot.right, middle - 1);
      add(slot.middle + mpz_class(static_cast<long>(slot.joined_carry)), middle);
      add(slot.left + mpz_class(static_cast<long>(slot.middle_carry)), middle + 1);
    }
    return sum;
  }

 private:
  void make_slots() {
    for (std::size_t i = 0; i < clocks_.size(); i += kBlock) {
      const SlotClock& clock = clocks_[i];
      const auto carry = [&] { return static_cast<std::int64_t>(words_.below(9)) - 4; };
      JoinedSlot slot{clock.first ? mpz_class(0) : some_third(words_), some_third(words_),
                      clock.b_used ? some_third(words_) : mpz_class(0), clock.b_used ? carry() : 0,
                      clock.first ? 0 : carry()};
      slots_.push_back(slot);
    }
  }

  // One clock: this one's place, the digits of the one before, and the memory.
  void step(const SlotClock& clock) {
    const std::size_t slot = begun_ / kBlock;
    show(adder_, clock);
    adder_.settle();
    CHECK(adder_->pair == clock.index % kPairs);
    CHECK(adder_->pair_odd_slot == clock.odd_slot);
    const std::size_t pair = clock.index % kPairs;
    serve_old();
    adder_->advance = 0;
    while (words_.below(4) == 0) adder_.clock();
    adder_->advance = 1;
    adder_.settle();
    store();
    adder_.clock();
    adder_->right = slot < slots_.size() ? digits_of(slots_[slot].right, pair) : kNothing;
    adder_->middle = slot < slots_.size() ? digits_of(slots_[slot].middle, pair) : kNothing;
    adder_->left = slot > 0 ? digits_of(slots_[slot - 1].left, pair) : kNothing;
    adder_->middle_carry = slot > 0 ? carry_bits(slots_[slot - 1].middle_carry, 39) : kNothing;
    adder_->joined_carry = slot < slots_.size() ? carry_bits(slots_[slot].joined_carry, 40) : 0;
    ++begun_;
  }

  static std::uint64_t carry_bits(std::int64_t carry, int width) {
    return static_cast<std::uint64_t>(carry) & ((std::uint64_t{1} << width) - 1);
  }

  void serve_old() {
    adder_.settle();
    if (!adder_->takes_old) {
      adder_->old = kNothing;
      return;
    }
    REQUIRE(adder_->old_address < memory_.size());
    adder_->old = memory_[adder_->old_address];
  }

  void store() {
    if (!adder_->z_here) return;
    REQUIRE(adder_->z_address == row_ * kRowDigits / 2 + in_row_);
    memory_[adder_->z_address] = adder_->z;
    ++in_row_;
    CHECK(adder_->z_row_ends == (in_row_ == row_pairs_));
    ended_ = adder_->z_ends;
    if (in_row_ == row_pairs_) ++row_, in_row_ = 0;
  }

  static constexpr std::uint64_t kNothing = 0x5a5a5a5a5;

  Simulation<ProductAccumulate> adder_;
  Words words_;
  std::vector<SlotClock> clocks_;
  std::vector<JoinedSlot> slots_;
  std::size_t row_pairs_;
  std::vector<std::uint64_t> memory_;
  std::size_t begun_ = 0, row_ = 0, in_row_ = 0;
  bool ended_ = false;
};

}  // namespace

TEST_CASE("rtl serial_adder: columns to digits and a carry", "[rtl]") {
  Simulation<SerialAdder> adder;
  Words words(71);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<mpz_class> columns, digits;
    for (std::size_t i = 0; i < 1 + words.below(20); ++i) {
      columns.push_back(some_column(words) + some_column(words));
      set_column(adder->column, columns.back());
      adder->first = i == 0;
      advance(adder, words);
      digits.emplace_back(static_cast<unsigned long>(adder->digit));
    }
    const mpz_class carry = static_cast<long>(signed_value(adder->carry, 39));
    REQUIRE(value_of(columns) == value_of(digits) + (carry << (kDigitBits * columns.size())));
  }
}

TEST_CASE("rtl addition_recovery: thirds and carries of slots", "[rtl]") {
  Recovery recovery;
  Words words(72);
  mpz_class left_before;
  for (std::size_t x_blocks : {1U, 2U, 7U, 6U}) {
    const std::vector<SlotClock> clocks = slot_clocks(kBlock, x_blocks, 2);
    for (std::size_t i = 0; i < clocks.size(); i += kBlock) {
      const SlotClock& of = clocks[i];
      const Slot slot(words);
      recovery.feed(slot, of);
      const Recovery::Thirds thirds = recovery.read(of.odd_slot);
      CHECK(thirds.right == low_part(slot.right(of)));
      CHECK(thirds.middle == low_part(slot.middle(of)));
      if (i > 0) CHECK(thirds.left == low_part(left_before));
      CHECK(recovery.read(!of.odd_slot).left == low_part(slot.left(of)));
      CHECK(recovery.middle_carry() == carry_of(slot.middle(of)));
      CHECK(recovery.joined_carry() ==
            carry_of(slot.right(of)) + (of.first ? mpz_class(0) : carry_of(left_before)));
      left_before = slot.left(of);
    }
  }
}

TEST_CASE("rtl product_accumulate: thirds of all rows at their places", "[rtl]") {
  for (std::size_t x_blocks = 1; x_blocks <= 6; ++x_blocks) {
    for (std::size_t y_rows = 1; y_rows <= 4; ++y_rows) {
      INFO(x_blocks << " blocks, " << y_rows << " rows");
      Accumulator accumulator(x_blocks, y_rows, 73 + 10 * x_blocks + y_rows);
      CHECK(accumulator.run() == accumulator.exact());
    }
  }
}
