#include "accel/fpga/driver/engine_choice.hpp"

#include <algorithm>

#include "accel/fpga/driver/words.hpp"

namespace fhe::fpga {

namespace {

constexpr std::uint64_t kFewWords = 24'576;  // x_words y_words
constexpr std::uint32_t kPointsMask = 0xff;
constexpr std::uint64_t kMostRowDigits = 384;
constexpr std::uint64_t kDigitBits = 28;

}  // namespace

std::uint64_t row_words(const Equipment& equipment) {
  const std::uint64_t half_points = std::uint64_t{1} << ((equipment.fft_param & kPointsMask) - 1);
  return std::min(half_points, kMostRowDigits) * kDigitBits / kWordBits;
}

Engine choose_engine(const Equipment& equipment, Engine wanted, std::uint64_t x_words,
                     std::uint64_t y_words) {
  if (wanted != Engine::fastest) return wanted;
  const auto [shorter, longer] = std::minmax(x_words, y_words);
  const bool few_words = equipment.has(Engine::fftmul) &&
                         (shorter <= row_words(equipment) || shorter * longer <= kFewWords);
  const bool many_blocks = shorter + longer > parameter::product_words;
  if (equipment.has(Engine::stream768) && !few_words && many_blocks) return Engine::stream768;
  if (equipment.has(Engine::mul768) && !few_words) return Engine::mul768;
  if (equipment.has(Engine::ssmul)) return Engine::ssmul;
  if (equipment.has(Engine::fftmul)) return Engine::fftmul;
  return equipment.has(Engine::stream768) ? Engine::stream768 : Engine::mul768;
}

}  // namespace fhe::fpga
