// SPDX-License-Identifier: Apache-2.0
// Products of long integers in memory by one transform in four steps, against GMP, and their
// clocks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "libfhe/arith/integer.hpp"
#include "tests/accel/fpga/rtl/block_products.hpp"
#include "tests/accel/fpga/rtl/engine_bench.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test::four_step {

constexpr std::uint64_t kScratch = 0x5'0000'1000;
constexpr std::uint64_t kPoints = 0x6'1000'0000;

// Those of b: they stay in scratch memory, are left at kPoints, or were left there before.
enum class Points { scratch, left, taken };

inline const std::string kSquare = "square of ";
inline const std::string kByBlocks = "by blocks: ";
inline const std::string kCyclic = "cyclic: ";

// Words of the operands of a transform of 2^18 points.
constexpr std::size_t kLeastWords = 11264;

// log2 of the points, less 18.
inline std::size_t size_of(const Product& product) {
  const bool is_cyclic = product.kind.starts_with(kCyclic);
  const std::size_t words = is_cyclic ? product.d_words : product.a_words + product.b_words;
  std::size_t size = 0;
  while (words > kLeastWords << size) ++size;
  return size;
}

// Clocks of a product, from `start` to `done`, within kNear: what each sweep moves through the
// port, and what it takes to begin and to end.
constexpr std::uint64_t kNear = 30;
inline std::uint64_t law(const Product& product, Points points) {
  const std::size_t size = size_of(product);
  const std::uint64_t port = std::uint64_t{32768} << size;
  const std::uint64_t pipeline = 1172 + (std::uint64_t{512} << size) - 512 + 11 * size;
  const std::uint64_t rows = product.kind.starts_with(kSquare) ? 1 : 2;
  const std::uint64_t columns = rows == 1 || points == Points::taken ? 1 : 2;
  return (columns + rows + 1) * port + columns * 2265 + 2 * pipeline + 2389 + product.d_words;
}

template <class Model>
class FourStepEngine : public EngineBench<Model> {
 public:
  FourStepEngine() { this->reset(); }

  void run(const Product& product, Words* stalls = nullptr, Points points = Points::scratch) {
    INFO(product.kind);
    const Integer behind = begin(product, stalls, points);
    const std::uint64_t clocks = this->clocks_until_done(stalls, 10'000'000);
    const std::size_t bits = product.d_words * kWordBits;
    const Integer result = this->memory_.load(kD, product.d_words);
    if (product.kind.starts_with(kCyclic)) {
      const Integer whole = result + (Integer(this->model_->carry) << bits);
      CHECK((whole - product.exact()) % all_ones(bits) == 0);
    } else {
      CHECK(result == fhe::low_bits(product.exact(), bits));
      CHECK(this->model_->carry == 0);
    }
    CHECK(this->memory_.load(kD + bits / 8, 2) == behind);
    carried_ = this->model_->carry != 0;
    const bool reads = product.a_words != 0 && product.b_words != 0;  // or memory is not waited for
    if (stalls == nullptr && reads && !product.kind.starts_with(kByBlocks)) {
      CHECK(clocks + kNear >= law(product, points));
      CHECK(clocks <= law(product, points) + kNear);
    }
    this->leave_done(stalls);
  }

  // Whether the last product had a carry out of its last word.
  [[nodiscard]] bool carried() const { return carried_; }

  // A product that a reset ends after so many clocks.
  void abandon(const Product& product, std::uint64_t clocks) {
    begin(product, nullptr, Points::scratch);
    this->run_for(clocks, nullptr);
    this->reset();
  }

 private:
  // What lies behind the destination.
  Integer begin(const Product& product, Words* stalls, Points points) {
    auto& model = this->model_;
    give(product, model, this->memory_);
    if (product.kind.starts_with(kSquare)) model->b_address = kA;
    model->sum = 0;
    model->d_from = 0;
    model->four_step =
        product.kind.starts_with(kByBlocks) ? 0 : static_cast<CData>(size_of(product) + 1);
    model->cyclic = product.kind.starts_with(kCyclic);
    model->scratch = kScratch;
    model->keeps = points != Points::scratch;
    model->kept = points == Points::taken;
    model->b_points = kPoints;
    this->step(stalls);
    model->start = 0;
    return this->memory_.load(kD + product.d_words * kWordBits / 8, 2);
  }

  bool carried_ = false;
};

inline Product square(Integer a, std::size_t words) {
  return {.kind = kSquare + std::to_string(words) + " words",
          .a_words = words,
          .b_words = words,
          .d_words = 2 * words,
          .a = a,
          .b = a};
}

// Modulo 2^M - 1, M the bits of the fewest words that hold either operand.
inline Product cyclic(Product product) {
  product.kind = kCyclic + product.kind;
  product.d_words = kLeastWords;
  while (product.d_words < std::max(product.a_words, product.b_words)) product.d_words *= 2;
  return product;
}

// All columns are 2^22 - 1 but for two neighbours, digit k and the next one, which are 2^22: what
// is left of their row runs over the ends of all rows above.
inline Product full_columns(std::size_t k) {
  constexpr std::size_t kDigit = 22;
  const Integer pair = 1 + (Integer((1 << kDigit) - 2) << kDigit);
  Product product = cyclic(ones(kLeastWords, 1));
  product.kind += " and " + std::to_string(k);
  product.a = product.a / all_ones(2 * kDigit) * pair + (Integer(1) << kDigit * k);
  product.b = 1 + (Integer(1) << kDigit);
  return product;
}

// Whose product is so many bits of ones and zeros below.
inline Product power_less_one(std::size_t bits, std::size_t zeros) {
  const std::size_t words = (std::max(bits, zeros) / kWordBits) + 1;
  Product product = ones(words, words);
  product.kind = std::to_string(bits) + " ones, " + std::to_string(zeros) + " zeros";
  product.a = all_ones(bits);
  product.b = Integer(1) << zeros;
  return product;
}

inline Product by_blocks(Product product) {
  product.kind = kByBlocks + product.kind;
  return product;
}

// (2^n - 1) (2^k + 1): all digits of many rows carry.
inline Product carry_chain(std::size_t n, std::size_t k) {
  Product product{.kind = "carry chain " + std::to_string(n) + ", " + std::to_string(k),
                  .a_words = (n - 1) / kWordBits + 1,
                  .b_words = k / kWordBits + 1,
                  .d_words = 0,
                  .a = all_ones(n),
                  .b = (Integer(1) << k) + 1};
  product.d_words = product.a_words + product.b_words;
  return product;
}

}  // namespace fhe::test::four_step
