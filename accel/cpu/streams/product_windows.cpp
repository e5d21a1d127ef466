// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/streams/product_windows.hpp"

#include <algorithm>
#include <array>

#include "accel/cpu/streams/digit.hpp"
#include "accel/cpu/streams/window_kernel.hpp"
#include "libfhe/arith/parallel.hpp"

namespace fhe::cpu {

namespace {

std::size_t digits_of_modulus(const WindowSpec& spec) {
  return (spec.modulus_bits + kDigitBits - 1) / kDigitBits;
}

// The true leading digit is the estimate and a carry below this. Digit N-2 has N-1 low and N-2
// high products, and digits further down carry less than 2N into it.
std::uint64_t carry_bound(const WindowSpec& spec) {
  return 2 * digits_of_modulus(spec) + 1;
}

// Where a window and its rounding bit start in the leading digit.
unsigned window_shift(const WindowSpec& spec) {
  return static_cast<unsigned>(kDigitBits) - 1 - spec.window_bits;
}

// c_{N-1}, ..., c_0 and zeros, `size` words in all, of c scaled so that the modulus is a whole
// number of digits.
std::vector<std::uint64_t> reversed_digits(const Integer& c, const WindowSpec& spec,
                                           std::size_t size) {
  const std::size_t count = digits_of_modulus(spec);
  const std::size_t padding = count * kDigitBits - spec.modulus_bits;
  const Integer scaled = low_bits(c << padding, count * kDigitBits);
  std::vector<std::uint64_t> digits(count);
  mpz_export(digits.data(), nullptr, -1, sizeof(std::uint64_t), 0, 64 - kDigitBits,
             scaled.get_mpz_t());
  std::ranges::reverse(digits);
  digits.resize(size);
  return digits;
}

std::uint32_t rounded(std::uint64_t window_and_next_bit, const WindowSpec& spec) {
  const std::uint64_t mask = (std::uint64_t{1} << spec.window_bits) - 1;
  return static_cast<std::uint32_t>(((window_and_next_bit + 1) >> 1) & mask);
}

std::uint32_t exact_window(const Integer& c, const Integer& y, const WindowSpec& spec,
                           const Backend& backend) {
  const Integer product = low_bits(backend.multiply(c, y), spec.modulus_bits);
  const Integer leading = product >> (spec.modulus_bits - spec.window_bits - 1);
  return rounded(leading.get_ui(), spec);
}

}  // namespace

bool has_lane_windows(const WindowSpec& spec) {
  constexpr std::uint64_t kDecided = 256;  // all but one window in so many
  return spec.window_bits + 1 < kDigitBits &&
         carry_bound(spec) <= (std::uint64_t{1} << window_shift(spec)) / kDecided;
}

std::vector<std::uint32_t> lane_product_windows(const Integer& c, const IntegerStream& elements,
                                                const LaneStream& lanes, const WindowSpec& spec,
                                                const Backend& backend, const Monitor& monitor) {
  constexpr std::size_t kStepBits = kWindowStepWords * kLimbBits;
  const std::size_t steps = (lanes.bits() + kStepBits - 1) / kStepBits;
  const std::size_t digits = std::max(digits_of_modulus(spec), steps * kWindowStepDigits) + 1;
  const std::vector<std::uint64_t> reversed = reversed_digits(c, spec, digits);
  LaneBuffer last_mask = lanes.end_mask((steps - 1) * kStepBits, 0, kWindowStepWords);
  if (last_mask.empty()) {
    last_mask = LaneBuffer(kWindowStepWords * kLanes);
    std::fill_n(last_mask.data(), last_mask.size(), ~std::uint64_t{0});
  }
  const unsigned shift = window_shift(spec);
  const std::uint64_t bound = carry_bound(spec);
  std::vector<std::uint32_t> windows(lanes.count());
  Progress progress(monitor, "expand", lanes.count());
  parallel_for((lanes.count() + kLanes - 1) / kLanes, [&](std::size_t group) {
    const std::size_t first = group * kLanes;
    const std::size_t count = std::min(kLanes, lanes.count() - first);
    alignas(64) std::array<std::uint64_t, kLanes> estimates;
    window_estimates(lanes.key(), lanes.elements(first, 0), steps, reversed.data(),
                     last_mask.data(), estimates.data());
    for (std::size_t lane = 0; lane < count; ++lane) {
      const std::uint64_t least = estimates[lane] & kDigitMask;
      const bool decided = (least + bound) >> shift == least >> shift;
      windows[first + lane] = decided
                                  ? rounded(least >> shift, spec)
                                  : exact_window(c, elements.element(first + lane), spec, backend);
    }
    backend.counters().count_stream_bytes(count * lanes.bytes_in(0, steps * kStepBits));
    progress.advance(count);
  });
  return windows;
}

}  // namespace fhe::cpu
