// SPDX-License-Identifier: Apache-2.0
// Carries of the rows of a transform in four steps, against sums of their columns.
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "RowCarries.h"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::integer_of;
using fhe::test::kModulus;
using fhe::test::Lanes;
using fhe::test::set_limbs;
using fhe::test::Simulation;
using fhe::test::Words;

constexpr std::size_t kRows = 64;
constexpr std::size_t kColumns = 16;

// Rows of columns of a product, side by side, against their sums.
class Rows {
 public:
  explicit Rows(std::uint64_t seed) : words_(seed) {
    model_->in_valid = 0;
    model_->pending_row = 0;
    model_.reset();
  }

  // So many beats of every row, of which each begins with what it is.
  template <class Column>
  void check(std::size_t beats, Column column) {
    std::vector<mpz_class> right(kRows), digits(kRows);
    for (std::size_t beat = 0; beat < beats; ++beat) {
      for (std::size_t row = 0; row < kRows; ++row) {
        Lanes columns{};
        for (std::size_t i = 0; i < kColumns; ++i) {
          columns[i] = column(row);
          right[row] += mpz_class(columns[i]) << kDigitBits * (kColumns * beat + i);
        }
        give(beat, row, columns, digits);
        while (words_.below(8) == 0) clock(digits);
      }
    }
    for (int i = 0; i < 3; ++i) clock(digits);
    CHECK(under_way_.empty());
    for (std::size_t row = 0; row < kRows; ++row) {
      INFO("row " << row);
      model_->pending_row = static_cast<CData>(row);
      model_.settle();
      const mpz_class pending(model_->pending);
      CHECK(digits[row] + (pending << kDigitBits * kColumns * beats) == right[row]);
    }
  }

 private:
  static constexpr std::size_t kDigitBits = 22;

  struct UnderWay {
    std::size_t beat, row;
    int clocks;
  };

  void give(std::size_t beat, std::size_t row, const Lanes& columns,
            std::vector<mpz_class>& digits) {
    model_->in_valid = 1;
    model_->in_fresh = beat == 0;
    model_->row = static_cast<CData>(row);
    set_limbs(model_->columns, columns);
    under_way_.push_back({beat, row, 0});
    clock(digits);
    model_->in_valid = 0;
  }

  void clock(std::vector<mpz_class>& digits) {
    model_.clock();
    for (UnderWay& beat : under_way_) ++beat.clocks;
    const bool due = !under_way_.empty() && under_way_.front().clocks == 2;
    CHECK(model_->out_valid == due);
    if (!due) return;
    std::array<std::uint64_t, 6> limbs{};
    for (std::size_t i = 0; i < 11; ++i)
      limbs[i / 2] |= std::uint64_t{model_->digits[i]} << 32 * (i % 2);
    digits[under_way_.front().row] += integer_of(limbs)
                                      << kDigitBits * kColumns * under_way_.front().beat;
    under_way_.pop_front();
  }

  Simulation<RowCarries> model_;
  std::deque<UnderWay> under_way_;
  Words words_;
};

}  // namespace

TEST_CASE("rtl row_carries: digits of every kind of columns, and what is left", "[rtl]") {
  Words words(404);
  Rows rows(405);
  constexpr std::uint64_t kLargest = kModulus - 1;
  rows.check(1, [](std::size_t) { return kLargest; });
  rows.check(5, [](std::size_t) { return kLargest; });
  rows.check(4, [](std::size_t) { return std::uint64_t{0}; });
  rows.check(4, [&](std::size_t) { return words.residue(); });
  rows.check(4, [](std::size_t row) { return row % 2 == 0 ? 0x3fffff : kLargest; });
  // A carry that runs through all digits, in every row from another place.
  std::array<std::size_t, kRows> given{};
  rows.check(8, [&](std::size_t row) -> std::uint64_t {
    return given[row]++ == row ? 0x400000 : 0x3fffff;
  });
}
