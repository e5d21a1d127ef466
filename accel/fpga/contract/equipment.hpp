// SPDX-License-Identifier: Apache-2.0
// What a device has to compute with: its registers FEATURES and .._PARAM.
#pragma once

#include <cstdint>

#include "accel/fpga/contract/register_values.hpp"
#include "accel/fpga/contract/words.hpp"

namespace fhe::fpga {

struct Equipment {
  std::uint32_t features = 0;   // bits of namespace feature
  std::uint32_t fft_param = 0;  // 0 where there is no such engine
  std::uint32_t lhw_param = 0;
  std::uint32_t ss_param = 0;
  std::uint32_t karat_param = 0;
  std::uint32_t throughput_param = 0;
  std::uint32_t elements_param = 0;

  bool operator==(const Equipment&) const = default;

  [[nodiscard]] bool has(std::uint32_t feature_bit) const { return has_bit(features, feature_bit); }
  // Bits of a word of the super-size multiplier, 0 where there is none.
  [[nodiscard]] std::uint32_t super_size_bits() const { return ss_param >> 16; }
  // What the shifts of a context are multiples of: see PROGRAMMING.md.
  [[nodiscard]] std::uint32_t reduction_bits() const {
    return has(feature::ssmul) ? super_size_bits() : kWordBits;
  }
  // One that multiplies integers.
  [[nodiscard]] bool has(Engine engine) const;

  // Whether the parameters that this driver relies on are those of possible engines.
  [[nodiscard]] bool is_sound() const;

  // Of the polynomial multiplier, 0 where there is none: the most coefficients, and their bits.
  [[nodiscard]] std::uint32_t most_coefficients() const {
    return has(feature::karat) ? std::uint32_t{1} << log2_coefficients() : 0;
  }
  [[nodiscard]] std::uint32_t log2_coefficients() const { return karat_param & 0xff; }
  // Of the longest product of the throughput multiplier.
  [[nodiscard]] std::uint32_t throughput_log2_points() const { return throughput_param & 0xff; }
  // Of the elements of streams, that are made at a time.
  [[nodiscard]] std::uint32_t line_words() const { return elements_param; }
  [[nodiscard]] std::uint32_t coefficient_bits() const {
    return has(feature::karat) ? karat_param >> 8 & 0xff : 0;
  }
};

constexpr std::uint32_t kSimulatedFeatures =
    kNeededFeatures | bit(feature::irq) | bit(feature::run) | bit(feature::simulated);

// Of the devices that are simulated and modelled.
inline constexpr Equipment kStandardEquipment = {
    .features = kSimulatedFeatures | bit(feature::mul768) | bit(feature::stream768) |
                bit(feature::fftmul) | bit(feature::lhw) | bit(feature::modred) |
                bit(feature::product_sum) | bit(feature::elements),
    .fft_param = 8 | 28U << 8,
    .lhw_param = kSparseLimits,
    .elements_param = 4};

// Of those that multiply polynomials, and no long integers.
inline constexpr Equipment kKaratsubaEquipment = {
    .features = kSimulatedFeatures | bit(feature::karat),
    .karat_param = 7 | 64 << 8};  // 128 coefficients of 64 bits

// With the super-size multiplier alone: 16 points, digits and words of 28 bits.
inline constexpr Equipment kSuperSizeEquipment = {
    .features = kSimulatedFeatures | bit(feature::ssmul) | bit(feature::modred) |
                bit(feature::product_sum) | bit(feature::nested_sum),
    .ss_param = 4 | 28 << 8 | 28 << 16};

// The same with 128 points, those of the paper: words of 224 bits.
inline constexpr Equipment kSuperSize128Equipment = {.features = kSuperSizeEquipment.features,
                                                     .ss_param = 7 | 28 << 8 | 224 << 16};

// With the throughput multiplier in place of the other two by a long transform, and elements twice
// as fast.
inline constexpr Equipment kThroughputEquipment = {
    .features = kSimulatedFeatures | bit(feature::throughput) | bit(feature::four_step) |
                bit(feature::fftmul) | bit(feature::lhw) | bit(feature::modred) |
                bit(feature::product_sum) | bit(feature::elements),
    .fft_param = 8 | 28U << 8,
    .lhw_param = kSparseLimits,
    .throughput_param = 16 | 24U << 8,
    .elements_param = 8};

inline bool Equipment::has(Engine engine) const {
  switch (engine) {
    case Engine::fastest:
      return has(Engine::mul768) || has(Engine::fftmul) || has(Engine::ssmul) ||
             has(Engine::stream768) || has(Engine::throughput);
    case Engine::mul768:
      return has(feature::mul768);
    case Engine::fftmul:
      return has(feature::fftmul);
    case Engine::ssmul:
      return has(feature::ssmul);
    case Engine::stream768:
      return has(feature::stream768);
    case Engine::throughput:
      return has(feature::throughput);
  }
  return false;
}

// Coefficients of whole limbs of 64 bits, so that eight fill words of device memory; polynomials of
// 8 of them at least, and as many as a command can say. Products of 2^12 to 2^16 digits of 24 bits,
// and rows of 2^12 to 2^15 points of those in four steps. Lines of elements of 4 or 8 words.
inline bool Equipment::is_sound() const {
  const bool multiplies_polynomials = coefficient_bits() != 0 && coefficient_bits() % 64 == 0 &&
                                      log2_coefficients() >= 3 && log2_coefficients() < 16;
  const bool has_lengths = throughput_log2_points() >= 12 && throughput_log2_points() <= 16 &&
                           throughput_param >> 8 == 24;
  const bool has_rows = has(feature::throughput) && throughput_log2_points() >= 15;
  const bool has_lines = line_words() == 4 || line_words() == 8;
  return (!has(feature::lhw) || lhw_param == kSparseLimits) &&
         (!has(feature::ssmul) || super_size_bits() != 0) &&
         (!has(feature::karat) || multiplies_polynomials) &&
         (!has(feature::throughput) || has_lengths) && (!has(feature::four_step) || has_rows) &&
         (!has(feature::elements) || has_lines);
}

}  // namespace fhe::fpga
