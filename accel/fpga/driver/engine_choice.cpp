// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/driver/engine_choice.hpp"

#include <algorithm>
#include <tuple>

#include "accel/fpga/contract/words.hpp"

namespace fhe::fpga {

namespace {

constexpr std::uint64_t kFewWords = 27'000;  // of whole rows times the longer number
constexpr std::uint64_t kShortWords = 49;  // of a longer number in one row, if there is THROUGHPUT
constexpr std::uint64_t kLongElement = 168;  // and of the elements of a sum in rows
constexpr std::uint32_t kPointsMask = 0xff;
constexpr std::uint64_t kMostRowDigits = 384;
constexpr std::uint64_t kDigitBits = 28;

// A product in four steps, beside what its sweeps move through the port of the memory: of an
// operand, and of all others.
constexpr std::uint64_t kColumnsClocks = 2'265;
constexpr std::uint64_t kFourStepClocks = 2'389;

// Pairs of blocks of so many words of two numbers whose products begin in the lowest `words` words.
std::uint64_t blocks_below(std::uint64_t words, std::uint64_t x_words, std::uint64_t y_words,
                           std::uint64_t block) {
  std::uint64_t blocks = 0;
  for (std::uint64_t at = 0; at < std::min(words, x_words); at += block)
    blocks += (std::min(words - at, y_words) + block - 1) / block;
  return blocks;
}

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

std::uint64_t throughput_size(const Equipment& equipment, std::uint64_t shorter) {
  std::uint64_t size = 0;
  while (size + 12 < equipment.throughput_log2_points() && shorter > throughput_block_words(size))
    ++size;
  return size;
}

SecondOperand second_operand_of(const Command& product) {
  if (product.opcode == Opcode::sqr) return SecondOperand::same;
  const auto& [x, y] = std::tie(product.source0, product.source1);
  const bool same_check =
      x.bits == y.bits || y.bits % kWordBits == 0 || !product.has(flag::check_pad);
  const bool is_same = x.address == y.address && words_for_bits(x.bits) == words_for_bits(y.bits);
  return is_same && same_check ? SecondOperand::same : SecondOperand::other;
}

std::uint64_t four_step_clocks(unsigned size, SecondOperand second, std::uint64_t result_words) {
  const std::uint64_t points = std::uint64_t{32'768} << size;  // in words
  const std::uint64_t columns = second == SecondOperand::other ? 2 : 1;
  const std::uint64_t rows = second == SecondOperand::same ? 1 : 2;
  return (columns + rows + 1) * points + columns * kColumnsClocks + 2 * throughput_latency(size) +
         kFourStepClocks + result_words;
}

std::optional<unsigned> choose_four_steps(const Equipment& equipment, const Command& product) {
  if (!equipment.has(feature::four_step) || engine_of(product) != Engine::fastest) return {};
  const std::uint64_t x = words_for_bits(product.source0.bits);
  const std::uint64_t y = product.opcode == Opcode::sqr ? x : words_for_bits(product.source1.bits);
  unsigned size = 0;
  while (size <= kLongestFourSteps && x + y > four_step_words(size)) ++size;
  if (size > kLongestFourSteps) return {};
  const std::uint64_t block = throughput_size(equipment, std::min(x, y));
  const std::uint64_t words = throughput_block_words(block);
  const std::uint64_t blocks = ((x + words - 1) / words) * ((y + words - 1) / words);
  const std::uint64_t by_blocks = blocks * (std::uint64_t{256} << block);
  const std::uint64_t steps =
      four_step_clocks(size, second_operand_of(product), words_for_bits(product.destination.bits));
  return steps < by_blocks ? std::optional(size) : std::nullopt;
}

std::optional<unsigned> choose_four_steps(const Equipment& equipment, const BarrettShape& shape) {
  if (!equipment.has(feature::four_step)) return {};
  const std::uint64_t q = shape.quotient_words(), modulus = shape.modulus_words();
  const std::uint64_t remainder = shape.remainder_words();
  unsigned size = 0;
  while (size <= kLongestCyclicFourSteps && std::max(q, remainder) > four_step_words(size)) ++size;
  if (size > kLongestCyclicFourSteps) return {};
  const std::uint64_t block = throughput_size(equipment, std::min(q, modulus));
  const std::uint64_t blocks = blocks_below(remainder, q, modulus, throughput_block_words(block));
  // And x - q A_0, in two parts where the product is cyclic: a clock for each word.
  const std::uint64_t by_blocks = blocks * (std::uint64_t{256} << block) + 2 * remainder;
  const std::uint64_t words = four_step_words(size), argument = shape.argument_words();
  const std::uint64_t upper = argument > words ? argument - words : 0;
  const std::uint64_t steps =
      four_step_clocks(size, SecondOperand::other, words) + 3 * words + upper;
  return steps < by_blocks ? std::optional(size) : std::nullopt;
}

bool takes_transforms(const Equipment& equipment, const BarrettShape& shape,
                      std::uint64_t argument_words, unsigned size) {
  const std::uint64_t low = shape.shift_low / kWordBits, from = shape.shift_high / kWordBits;
  const std::uint64_t reciprocal = shape.reciprocal_words(), estimate = shape.estimate_words();
  if (argument_words <= low || estimate > four_step_words(size + 1)) return false;
  const std::uint64_t high = argument_words - low;
  const std::uint64_t block = throughput_size(equipment, std::min(high, reciprocal));
  const std::uint64_t words = throughput_block_words(block);
  // Blocks of diagonals that begin more than a block below q are left out.
  const bool leaves_out = shape.may_lose() && from > 2 * words;
  const std::uint64_t blocks =
      blocks_below(estimate, high, reciprocal, words) -
      (leaves_out ? blocks_below(from / words * words - words, high, reciprocal, words) : 0);
  return four_step_clocks(size + 1, SecondOperand::kept, estimate) <
         blocks * (std::uint64_t{256} << block);
}

}  // namespace fhe::fpga
