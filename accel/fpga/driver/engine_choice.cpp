// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/driver/engine_choice.hpp"

#include <algorithm>

#include "accel/fpga/contract/words.hpp"

namespace fhe::fpga {

namespace {

constexpr std::uint64_t kFewWords = 27'000;  // of whole rows times the longer number
constexpr std::uint64_t kShortWords = 49;  // of a longer number in one row, if there is THROUGHPUT
constexpr std::uint64_t kLongElement = 168;  // and of the elements of a sum in rows
constexpr std::uint32_t kPointsMask = 0xff;
constexpr std::uint64_t kMostRowDigits = 384;
constexpr std::uint64_t kDigitBits = 28;

}  // namespace

std::uint64_t log2_points(const Equipment& equipment) {
  return equipment.fft_param & kPointsMask;
}

std::uint64_t block_words(const Equipment& equipment) {
  return (kDigitBits << (log2_points(equipment) - 1)) / kWordBits;
}

std::uint64_t row_words(const Equipment& equipment) {
  return std::min(block_words(equipment), kMostRowDigits * kDigitBits / kWordBits);
}

bool sums_in_rows(const Equipment& equipment, Engine wanted, std::uint64_t element_bits,
                  std::uint64_t weight_bits) {
  const bool others_are_faster =
      equipment.has(Engine::throughput) && words_for_bits(element_bits) > kLongElement;
  return equipment.has(Engine::fftmul) &&
         (wanted == Engine::fftmul || (wanted == Engine::fastest && !others_are_faster)) &&
         weight_bits + parameter::sum_margin <= row_words(equipment) * kWordBits;
}

Engine choose_engine(const Equipment& equipment, Engine wanted, std::uint64_t x_words,
                     std::uint64_t y_words) {
  if (wanted != Engine::fastest) return wanted;
  const auto [shorter, longer] = std::minmax(x_words, y_words);
  const bool few_words =
      equipment.has(Engine::fftmul) && (shorter <= row_words(equipment) ||
                                        (shorter + row_words(equipment) - 1) * longer <= kFewWords);
  const bool one_short_row =
      equipment.has(Engine::fftmul) && shorter <= row_words(equipment) && longer <= kShortWords;
  if (equipment.has(Engine::throughput) && !one_short_row) return Engine::throughput;
  const bool many_blocks = shorter + longer > parameter::product_words;
  if (equipment.has(Engine::stream768) && !few_words && many_blocks) return Engine::stream768;
  if (equipment.has(Engine::mul768) && !few_words) return Engine::mul768;
  if (equipment.has(Engine::ssmul)) return Engine::ssmul;
  if (equipment.has(Engine::fftmul)) return Engine::fftmul;
  return equipment.has(Engine::stream768) ? Engine::stream768 : Engine::mul768;
}

}  // namespace fhe::fpga
