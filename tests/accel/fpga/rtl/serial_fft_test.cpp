// SPDX-License-Identifier: Apache-2.0
// The serial transforms and their parts, with holds between the clocks, against sums by definition.
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "MdcForwardFar.h"
#include "MdcForwardNear.h"
#include "MdcInverseNear.h"
#include "MdcLast.h"
#include "MemoryLine1.h"
#include "MemoryLine3.h"
#include "MemoryLine8.h"
#include "PointwiseProducts.h"
#include "SerialFft256.h"
#include "SerialFft512.h"
#include "SerialIfft256.h"
#include "SerialIfft512.h"
#include "SignedDigits.h"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/pipeline.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::add_mod;
using fhe::test::check_pipeline;
using fhe::test::kModulus;
using fhe::test::kRoot;
using fhe::test::multiply_mod;
using fhe::test::power_mod;
using fhe::test::Simulation;
using fhe::test::Words;
using Residues = std::vector<std::uint64_t>;
using Pair = std::pair<std::uint64_t, std::uint64_t>;

constexpr std::uint64_t kDigit = std::uint64_t{1} << 28;
constexpr std::size_t kBlocks = 5;

std::uint64_t subtract_mod(std::uint64_t a, std::uint64_t b) {
  return add_mod(a, kModulus - b);
}

std::uint64_t inverse_mod(std::uint64_t x) {
  return power_mod(x, kModulus - 2);
}

// A root of unity of order n, as the ROMs have it.
std::uint64_t root(std::size_t n) {
  return power_mod(kRoot, 65536 / n);
}

// The lowest log2(n) bits of i in reverse order.
std::size_t reversed(std::size_t i, std::size_t n) {
  std::size_t result = 0;
  for (; n > 1; n /= 2, i /= 2) result = 2 * result + i % 2;
  return result;
}

// X(f) = sum of x(n) w^(f n), f = 0 .. w's order - 1; and so back, for w^-1, without the division.
Residues transform(const Residues& x, std::uint64_t w) {
  const std::size_t k = x.size();
  Residues powers(k, 1);
  for (std::size_t i = 1; i < k; ++i) powers[i] = multiply_mod(powers[i - 1], w);
  Residues result(k);
  for (std::size_t f = 0; f < k; ++f) {
    for (std::size_t n = 0; n < k; ++n) {
      result[f] = add_mod(result[f], multiply_mod(x[n], powers[f * n % k]));
    }
  }
  return result;
}

std::uint64_t awkward_digit(Words& words) {
  constexpr std::array<std::uint64_t, 5> kAwkward = {0, kDigit / 2 - 1, kDigit / 2, kDigit - 1, 1};
  return words.coin() ? kAwkward[words.below(kAwkward.size())] : words.below(kDigit);
}

Residues awkward_digits(Words& words, std::size_t count) {
  Residues digits(count);
  for (std::uint64_t& digit : digits) digit = awkward_digit(words);
  return digits;
}

// What signed_digits makes of a block.
Residues signed_residues(const Residues& digits) {
  Residues result = digits;
  for (std::size_t i = 0; i + 1 < digits.size(); ++i) {
    if (digits[i] < kDigit / 2) continue;
    result[i] = subtract_mod(result[i], kDigit);
    result[i + 1] = add_mod(result[i + 1], 1);
  }
  return result;
}

template <class Model>
constexpr std::size_t kPoints = 256;
template <>
constexpr std::size_t kPoints<SerialFft512> = 512;
template <>
constexpr std::size_t kPoints<SerialIfft512> = 512;

// Stages with factors.
constexpr std::size_t factor_stages(std::size_t points) {
  return points == 256 ? 7 : 8;
}

struct Stage {
  std::size_t distance;
  bool forward, scale;

  // Of butterfly i of 128: forward, 128 / distance factors in bit-reversed order; back, 2 distance
  // factors.
  [[nodiscard]] std::uint64_t factor(std::size_t i) const {
    const std::size_t factors = forward ? 128 / distance : 2 * distance;
    const std::uint64_t w = root(2 * factors);
    if (forward) return power_mod(w, reversed(i / distance, factors));
    return multiply_mod(inverse_mod(power_mod(w, i % factors)), upper_factor());
  }

  [[nodiscard]] std::uint64_t upper_factor() const { return scale ? inverse_mod(256) : 1; }
};

template <class Model>
constexpr Stage kStage = {};
template <>
constexpr Stage kStage<MdcForwardFar> = {64, true, false};
template <>
constexpr Stage kStage<MdcForwardNear> = {1, true, false};
template <>
constexpr Stage kStage<MdcInverseNear> = {1, false, false};
template <>
constexpr Stage kStage<MdcLast> = {64, false, true};

}  // namespace

TEMPLATE_TEST_CASE("rtl memory_line: words come out as they went in", "[rtl]", MemoryLine1,
                   MemoryLine3, MemoryLine8) {
  constexpr std::size_t kClocks = std::is_same_v<TestType, MemoryLine1>   ? 1
                                  : std::is_same_v<TestType, MemoryLine3> ? 3
                                                                          : 8;
  Simulation<TestType> line;
  Words words(50);
  check_pipeline(
      line, kClocks, 2000, [&] { return line->in = words.random(); }, [&] { return line->out; });
}

TEST_CASE("rtl signed_digits: the value of a block stays", "[rtl]") {
  constexpr std::size_t kLength = 16;
  Simulation<SignedDigits> digits;
  Words words(51);
  Residues block, expected;
  std::size_t i = 0;
  check_pipeline(
      digits, 1, 400 * kLength,
      [&] {
        if (i % kLength == 0) {
          block = awkward_digits(words, kLength);
          expected = signed_residues(block);
        }
        digits->digit = static_cast<IData>(block[i % kLength]);
        digits->first = i % kLength == 0;
        digits->last = i % kLength == kLength - 1;
        return expected[i++ % kLength];
      },
      [&] { return digits->residue; });
}

TEMPLATE_TEST_CASE("rtl mdc_stage: butterflies of points that are apart", "[rtl]", MdcForwardFar,
                   MdcForwardNear, MdcInverseNear, MdcLast) {
  constexpr std::size_t kPairs = 128;
  constexpr Stage kThis = kStage<TestType>;
  constexpr std::size_t kDistance = kThis.distance;
  Simulation<TestType> stage;
  Words words(52);
  Residues upper(kPairs), lower(kPairs);
  std::vector<Pair> expected(kPairs);
  std::size_t i = 0;
  const auto next_block = [&] {
    for (std::size_t j = 0; j < kPairs; ++j) upper[j] = words.residue(), lower[j] = words.residue();
    for (std::size_t j = 0; j < kPairs; ++j) {
      const Residues& points = j % (2 * kDistance) < kDistance ? upper : lower;
      const std::size_t first = j - j % (2 * kDistance) + j % kDistance;
      const std::uint64_t a = multiply_mod(points[first], kThis.upper_factor());
      const std::uint64_t b = multiply_mod(points[first + kDistance], kThis.factor(j));
      expected[j] = {add_mod(a, b), subtract_mod(a, b)};
    }
  };
  check_pipeline(
      stage, kDistance + 17, kBlocks * kPairs,
      [&] {
        const std::size_t j = i++ % kPairs;
        if (j == 0) next_block();
        stage->index = static_cast<CData>(j);
        stage->upper = upper[j];
        stage->lower = lower[j];
        return std::pair(j, expected[j]);
      },
      [&] {
        return std::pair(std::size_t{stage->index_next},
                         Pair(stage->upper_next, stage->lower_next));
      });
}

TEMPLATE_TEST_CASE("rtl serial_fft: the spectra of blocks of digits", "[rtl]", SerialFft256,
                   SerialFft512) {
  constexpr std::size_t k = kPoints<TestType>;
  Simulation<TestType> fft;
  Words words(53);
  Residues block, spectrum;
  std::size_t i = 0;
  check_pipeline(
      fft, k / 2 + 17 * factor_stages(k), kBlocks * k / 2,
      [&] {
        const std::size_t j = i++ % (k / 2);
        if (j == 0) {
          block = awkward_digits(words, k / 2);
          Residues padded = signed_residues(block);
          padded.resize(k);
          spectrum = transform(padded, root(k));
        }
        fft->index = static_cast<CData>(j);
        fft->digit = static_cast<IData>(block[j]);
        return Pair(spectrum[reversed(2 * j, k)], spectrum[reversed(2 * j + 1, k)]);
      },
      [&] { return Pair(fft->upper, fft->lower); });
}

TEMPLATE_TEST_CASE("rtl serial_ifft: spectra to columns", "[rtl]", SerialIfft256, SerialIfft512) {
  constexpr std::size_t k = kPoints<TestType>;
  Simulation<TestType> ifft;
  Words words(54);
  Residues spectrum(k), columns;
  std::size_t i = 0;
  check_pipeline(
      ifft, k / 2 + 1 + 17 * factor_stages(k), kBlocks * k / 2,
      [&] {
        const std::size_t j = i++ % (k / 2);
        if (j == 0) {
          for (std::uint64_t& point : spectrum) point = words.residue();
          columns = transform(spectrum, inverse_mod(root(k)));
          for (std::uint64_t& column : columns) column = multiply_mod(column, inverse_mod(k));
        }
        ifft->index = static_cast<CData>(j);
        ifft->upper = spectrum[reversed(2 * j, k)];
        ifft->lower = spectrum[reversed(2 * j + 1, k)];
        return Pair(columns[j], columns[j + k / 2]);
      },
      [&] { return Pair(ifft->low, ifft->high); });
}

TEST_CASE("rtl pointwise_products: all slots of a row by the row", "[rtl]") {
  constexpr std::size_t kPairs = 8;
  Simulation<PointwiseProducts> pointwise;
  Words words(55);
  std::vector<Pair> row(kPairs);
  bool first = true;
  std::size_t i = 0;
  // what `a` gives in the first slot of a row is not looked at
  using Expected = std::array<std::uint64_t, 4>;
  std::deque<bool> firsts;
  check_pipeline(
      pointwise, 12, 200 * kPairs,
      [&] {
        const std::size_t j = i++ % kPairs;
        if (j == 0) first = i == 1 || words.below(3) == 0;
        const Pair a(words.residue(), words.residue());
        const Pair b(words.residue(), words.residue());
        if (first) row[j] = a;
        pointwise->first = first;
        pointwise->index = static_cast<CData>(j);
        std::tie(pointwise->a_upper, pointwise->a_lower) = a;
        std::tie(pointwise->b_upper, pointwise->b_lower) = b;
        firsts.push_back(first);
        return Expected{first ? 0 : multiply_mod(a.first, row[j].first),
                        first ? 0 : multiply_mod(a.second, row[j].second),
                        multiply_mod(b.first, row[j].first), multiply_mod(b.second, row[j].second)};
      },
      [&] {
        const bool of_first = firsts.front();
        firsts.pop_front();
        return Expected{of_first ? 0 : pointwise->right_upper,
                        of_first ? 0 : pointwise->right_lower, pointwise->left_upper,
                        pointwise->left_lower};
      });
}
