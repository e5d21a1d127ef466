// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "accel/cpu/streams/kernels.hpp"
#include "accel/cpu/streams/passes.hpp"
#include "libfhe/arith/parallel.hpp"

namespace fhe::cpu {

namespace {

std::size_t digits_of_modulus(const WindowSpec& spec, const WindowKernel& kernel) {
  return (spec.modulus_bits + kernel.digit_bits - 1) / kernel.digit_bits;
}

// The true leading digits are the estimate and a carry below this (kernels.hpp).
std::uint64_t carry_bound(const WindowSpec& spec, const WindowKernel& kernel) {
  return 2 * digits_of_modulus(spec, kernel) + 1;
}

// Where a window and its rounding bit start in the estimate.
unsigned window_shift(const WindowSpec& spec, const WindowKernel& kernel) {
  return static_cast<unsigned>(kernel.estimate_bits) - 1 - spec.window_bits;
}

// c_{N-1}, ..., c_0 and zeros, `size` words in all, of c scaled so that the modulus is a whole
// number of digits.
std::vector<std::uint64_t> reversed_digits(const Integer& c, const WindowSpec& spec,
                                           const WindowKernel& kernel, std::size_t size) {
  const std::size_t count = digits_of_modulus(spec, kernel);
  const std::size_t bits = count * kernel.digit_bits;
  const Integer scaled = low_bits(c << (bits - spec.modulus_bits), bits);
  std::vector<std::uint64_t> digits(count);
  mpz_export(digits.data(), nullptr, -1, sizeof(std::uint64_t), 0, kLimbBits - kernel.digit_bits,
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

// One pass over the stream for up to kMostNumbers numbers.
//
// Threads take tiles of lane groups, eight elements each. In a tile, the steps go by in strips: the
// digits of the numbers in a strip stay in the cache while all groups of the tile use them.
class WindowPass {
 public:
  WindowPass(std::span<const Integer> numbers, const IntegerStream& elements,
             const LaneStream& lanes, const WindowSpec& spec, const Backend& backend)
      : numbers_(numbers),
        elements_(elements),
        lanes_(lanes),
        kernel_(lanes.kernels().windows),
        spec_(spec),
        backend_(backend),
        step_bits_(kWindowStepDigits * kernel_.digit_bits),
        steps_((lanes.bits() + step_bits_ - 1) / step_bits_),
        last_mask_(lanes.end_mask((steps_ - 1) * step_bits_, 0, step_bits_ / kLimbBits)) {
    const std::size_t digits =
        std::max(digits_of_modulus(spec, kernel_), steps_ * kWindowStepDigits) + kWindowDigitsAhead;
    for (const Integer& c : numbers) reversed_.push_back(reversed_digits(c, spec, kernel_, digits));
  }

  std::vector<std::vector<std::uint32_t>> run(const Monitor& monitor) {
    windows_.assign(numbers_.size(), std::vector<std::uint32_t>(lanes_.count()));
    const std::size_t groups = (lanes_.count() + kLanes - 1) / kLanes;
    const std::size_t tile = std::clamp<std::size_t>(groups / (8 * thread_count()), 1, kMostGroups);
    Progress progress(monitor, "expand", lanes_.count());
    parallel_for((groups + tile - 1) / tile, [&](std::size_t t) {
      const std::size_t first = t * tile;
      run_tile(first, std::min(tile, groups - first), progress);
    });
    return std::move(windows_);
  }

 private:
  static constexpr std::size_t kStripSteps = 32;  // 8 kB of digits a number
  static constexpr std::size_t kMostGroups = 16;

  using Estimates = std::array<std::uint64_t, kMostNumbers * kLanes>;

  void run_tile(std::size_t first_group, std::size_t groups, Progress& progress) {
    alignas(64) std::array<Estimates, kMostGroups> estimates{};
    for (std::size_t step = 0; step < steps_; step += kStripSteps) {
      const std::size_t strip = std::min(kStripSteps, steps_ - step);
      std::array<const std::uint64_t*, kMostNumbers> reversed{};
      for (std::size_t k = 0; k < numbers_.size(); ++k) {
        reversed[k] = reversed_[k].data() + step * kWindowStepDigits;
      }
      const bool is_cut = step + strip == steps_ && !last_mask_.empty();
      const std::uint64_t* mask = is_cut ? last_mask_.data() : nullptr;
      for (std::size_t g = 0; g < groups; ++g) {
        const LaneStart start =
            lanes_.elements((first_group + g) * kLanes, step * kernel_.step_blocks);
        kernel_.add_estimates(lanes_.key(), start, strip,
                              std::span(reversed).first(numbers_.size()), mask,
                              estimates[g].data());
      }
      progress.monitor().throw_if_stopped();
    }
    for (std::size_t g = 0; g < groups; ++g) {
      const std::size_t first = (first_group + g) * kLanes;
      const std::size_t count = std::min(kLanes, lanes_.count() - first);
      for (std::size_t k = 0; k < numbers_.size(); ++k) {
        take_windows(k, first, std::span(estimates[g]).subspan(k * kLanes, count));
      }
      backend_.counters().count_stream_bytes(count * lanes_.bytes_in(0, steps_ * step_bits_));
      progress.advance(count);
    }
  }

  // The windows of number k with the elements from `first` on.
  void take_windows(std::size_t k, std::size_t first, std::span<const std::uint64_t> estimates) {
    const unsigned shift = window_shift(spec_, kernel_);
    const std::uint64_t mask = ~std::uint64_t{0} >> (kLimbBits - kernel_.estimate_bits);
    for (std::size_t lane = 0; lane < estimates.size(); ++lane) {
      const std::uint64_t least = estimates[lane] & mask;
      const std::uint64_t most = least + carry_bound(spec_, kernel_);
      const bool decided = most >= least && most >> shift == least >> shift;
      windows_[k][first + lane] =
          decided ? rounded(least >> shift, spec_)
                  : exact_window(numbers_[k], elements_.element(first + lane), spec_, backend_);
    }
  }

  std::span<const Integer> numbers_;
  const IntegerStream& elements_;
  const LaneStream& lanes_;
  const WindowKernel& kernel_;
  WindowSpec spec_;
  const Backend& backend_;
  std::size_t step_bits_;
  std::size_t steps_;
  LaneBuffer last_mask_;  // of the last step; empty where nothing is cut
  std::vector<std::vector<std::uint64_t>> reversed_;
  std::vector<std::vector<std::uint32_t>> windows_;  // by number
};

}  // namespace

bool has_lane_windows(const WindowSpec& spec, const WindowKernel& kernel) {
  constexpr std::uint64_t kDecided = 256;  // all but one window in so many
  return spec.window_bits + 1 < kernel.estimate_bits &&
         carry_bound(spec, kernel) <= (std::uint64_t{1} << window_shift(spec, kernel)) / kDecided;
}

std::vector<std::vector<std::uint32_t>> lane_product_windows(
    std::span<const Integer> batch, const IntegerStream& elements, const LaneStream& lanes,
    const WindowSpec& spec, const Backend& backend, const Monitor& monitor) {
  std::vector<std::vector<std::uint32_t>> windows;
  for (std::size_t done = 0; done < batch.size(); done += kMostNumbers) {
    const auto some = batch.subspan(done, std::min(kMostNumbers, batch.size() - done));
    WindowPass pass(some, elements, lanes, spec, backend);
    std::ranges::move(pass.run(monitor), std::back_inserter(windows));
  }
  return windows;
}

}  // namespace fhe::cpu
