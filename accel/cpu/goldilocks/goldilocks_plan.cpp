// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/goldilocks/goldilocks_plan.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "accel/cpu/bounds.hpp"
#include "accel/cpu/goldilocks/field.hpp"
#include "accel/cpu/goldilocks/kernel_table.hpp"
#include "accel/cpu/goldilocks/tables.hpp"
#include "libfhe/arith/parallel.hpp"

namespace fhe::cpu {

namespace {

using goldilocks::kBlock;
using goldilocks::KernelTable;
using goldilocks::kGroup;
using goldilocks::PassPlan;
using goldilocks::position;

constexpr unsigned kMinDigitBits = 20;  // what join() of the kernels can do
constexpr unsigned kMaxDigitBits = 28;
constexpr std::size_t kMinPoints = kGroup;
constexpr std::size_t kMaxPoints = std::size_t{1} << 24;  // 20-bit digits

constexpr std::size_t kParallelPoints = std::size_t{1} << 16;  // from here on threads pay
constexpr std::size_t kMaxTasks = 64;
constexpr std::size_t kReadAhead = 2;  // limbs that split() may read after its digits

// t of the bound in the header: how many products of N digits of b bits fit below p.
constexpr std::size_t terms(std::size_t points, unsigned digit_bits) {
  const std::uint64_t largest = (std::uint64_t{1} << digit_bits) - 1;
  return static_cast<std::size_t>((goldilocks::kPrime - 1) / (largest * largest) / points);
}
static_assert(terms(std::size_t{1} << 16, 24) == 1 && terms(std::size_t{1} << 16, 25) == 0);
static_assert(terms(kMaxPoints, kMinDigitBits) == 1);

struct Length {
  std::size_t points;
  unsigned digit_bits;

  [[nodiscard]] std::size_t limbs() const { return points * digit_bits / kLimbBits; }
};

std::size_t terms(const Length& length) {
  return terms(length.points, length.digit_bits);
}

// The bound itself, by multiplication.
bool is_exact(const Length& length, std::size_t terms) {
  using goldilocks::Wide;
  const Wide largest = (Wide{1} << length.digit_bits) - 1;
  return terms > 0 && terms * length.points * (largest * largest) < goldilocks::kPrime;
}

Length length_for(std::size_t min_limbs) {
  // 2^k and 3 * 2^(k - 1) by turns: 128, 256, 384, 512, 768, ...
  for (std::size_t power = kMinPoints; power <= kMaxPoints; power *= 2) {
    for (const std::size_t points : {power, power + power / 2}) {
      if (points < 3 * kGroup && points != power) continue;
      for (unsigned bits = kMinDigitBits; bits <= kMaxDigitBits; ++bits) {
        const Length length{points, bits};
        if (terms(length) >= 1 && length.limbs() >= min_limbs) return length;
      }
    }
  }
  throw std::length_error("the Solinas transform has no plan of " + std::to_string(min_limbs) +
                          " limbs; its longest has " +
                          std::to_string(Length{kMaxPoints, kMinDigitBits}.limbs()));
}

const KernelTable& kernels_for(Kernel kernel) {
#if defined(__x86_64__)
  switch (kernel) {
    case Kernel::portable:
    case Kernel::neon:
      break;
    case Kernel::avx2:
    case Kernel::avxifma:
      return goldilocks::avx2_kernels();
    case Kernel::avx512:
      return goldilocks::avx512_kernels();
    case Kernel::ifma:
      return goldilocks::ifma_kernels();
  }
#else
  static_cast<void>(kernel);
#endif
  return goldilocks::portable_kernels();
}

class GoldilocksPlan final : public TransformPlan {
 public:
  using TransformPlan::add_product;
  using TransformPlan::multiply;

  GoldilocksPlan(Length length, const KernelTable& kernels)
      : length_(length), kernels_(kernels), tables_(length.points, kernels.lanes) {
    verify("t N (2^b - 1)^2 < p", [&] { return is_exact(length, terms(length)); });
  }

  [[nodiscard]] std::size_t limbs() const override { return length_.limbs(); }
  [[nodiscard]] std::size_t max_terms() const override { return terms(length_); }

  [[nodiscard]] Spectrum forward(std::span<const Limb> x) const override {
    Spectrum result = entered(x);
    for_children([&](std::size_t first, std::size_t count) {
      kernels_.forward_children(passes(), result.data(), first, count);
    });
    set_terms_in(result, 0);
    return result;
  }

  void multiply(Spectrum& product, const Spectrum& a, const Spectrum& b) const override {
    verify("factors are not sums", [&] { return terms_in(a) == 0 && terms_in(b) == 0; });
    if (product.size() != a.size()) product = Spectrum(a.size());
    for_blocks([&](std::size_t at, std::size_t count) {
      kernels_.multiply(product.data() + at, a.data() + at, b.data() + at, count);
    });
    set_terms_in(product, 1);
  }

  void add_product(Spectrum& sum, const Spectrum& a, const Spectrum& b) const override {
    verify("factors are not sums", [&] { return terms_in(a) == 0 && terms_in(b) == 0; });
    verify("at most max_terms() products in a sum", [&] { return terms_in(sum) < max_terms(); });
    for_blocks([&](std::size_t at, std::size_t count) {
      kernels_.add_product(sum.data() + at, a.data() + at, b.data() + at, count);
    });
    if constexpr (kVerifyBounds) set_terms_in(sum, terms_in(sum) + 1);
  }

  void inverse(Spectrum& spectrum, std::span<Limb> out) const override {
    for_children([&](std::size_t first, std::size_t count) {
      kernels_.inverse_children(passes(), spectrum.data(), nullptr, first, count);
    });
    leave(spectrum.data(), out);
  }

  void product(std::span<const Limb> x, std::span<const Limb> y,
               std::span<Limb> out) const override {
    const bool square = x.data() == y.data() && x.size() == y.size();
    Spectrum a = entered(x);
    Spectrum b = square ? Spectrum() : entered(y);
    for_children([&](std::size_t first, std::size_t count) {
      kernels_.forward_children(passes(), a.data(), first, count);
      if (!square) kernels_.forward_children(passes(), b.data(), first, count);
      kernels_.inverse_children(passes(), a.data(), square ? a.data() : b.data(), first, count);
    });
    leave(a.data(), out);
  }

  void product(std::span<const Limb> x, const Spectrum& y, std::span<Limb> out) const override {
    verify("factors are not sums", [&] { return terms_in(y) == 0; });
    Spectrum a = entered(x);
    for_children([&](std::size_t first, std::size_t count) {
      kernels_.forward_children(passes(), a.data(), first, count);
      kernels_.inverse_children(passes(), a.data(), y.data(), first, count);
    });
    leave(a.data(), out);
  }

 private:
  // A verify build counts the products that a spectrum sums up, 0 for an operand, in a line of
  // memory behind its points.
  [[nodiscard]] std::size_t spectrum_words() const {
    constexpr std::size_t kLine = 8;
    return position(length_.points) + (kVerifyBounds ? kLine : 0);
  }
  [[nodiscard]] std::size_t terms_in(const Spectrum& spectrum) const {
    return spectrum.data()[position(length_.points)];
  }
  void set_terms_in(Spectrum& spectrum, std::size_t count) const {
    if constexpr (kVerifyBounds) spectrum.data()[position(length_.points)] = count;
  }

  [[nodiscard]] const PassPlan& passes() const { return tables_.passes(); }

  // Points that lie together in memory: blocks of kBlock, the last one maybe shorter.
  [[nodiscard]] std::size_t blocks() const { return (length_.points + kBlock - 1) / kBlock; }
  [[nodiscard]] std::size_t points_in(std::size_t index) const {
    return std::min(kBlock, length_.points - index * kBlock);
  }

  // Calls body(first, end) on ranges that cover [0, count), on several threads for long transforms.
  template <class Body>
  void for_ranges(std::size_t count, const Body& body) const {
    const bool parallel = length_.points >= kParallelPoints && thread_count() > 1;
    const std::size_t tasks = parallel ? std::min(count, kMaxTasks) : 1;
    if (tasks <= 1) return body(std::size_t{0}, count);
    parallel_for(tasks,
                 [&](std::size_t task) { body(task * count / tasks, (task + 1) * count / tasks); });
  }

  // Calls body(position, points) for all blocks.
  template <class Body>
  void for_blocks(const Body& body) const {
    for_ranges(blocks(), [&](std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) body(position(i * kBlock), points_in(i));
    });
  }

  // Calls body(first, points) for the root's children, or a few of them together.
  template <class Body>
  void for_children(const Body& body) const {
    const std::size_t unit = std::max(passes().levels[0].child, kGroup);
    for_ranges(length_.points / unit, [&](std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) body(i * unit, unit);
    });
  }

  // Calls body(first, count) for all columns of the root, a block at a time.
  template <class Body>
  void for_root_columns(const Body& body) const {
    const std::size_t columns = passes().levels[0].child;
    const std::size_t step = std::min(columns, kBlock);
    for_ranges(columns / step, [&](std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) body(i * step, step);
    });
  }

  // A spectrum after `enter`.
  [[nodiscard]] Spectrum entered(std::span<const Limb> x) const {
    Spectrum result(spectrum_words());
    enter(result.data(), x);
    return result;
  }

  // The digits of x, and the root pass on them. The upper half of the points is not written when x
  // fills at most the lower one.
  void enter(std::uint64_t* points, std::span<const Limb> x) const {
    const bool half = x.size() * 2 <= limbs();
    const std::size_t used = half ? length_.points / 2 : length_.points;
    const std::size_t filled = std::min(used, digits_in(x.size()));
    for_ranges((used + kBlock - 1) / kBlock, [&](std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) {
        std::uint64_t* to = points + position(i * kBlock);
        const std::size_t count = std::min(kBlock, used - i * kBlock);
        if (i * kBlock >= filled) {
          std::fill_n(to, count, 0);
        } else {
          split_block(to, x, i, count);
        }
      }
    });
    for_root_columns([&](std::size_t first, std::size_t count) {
      kernels_.forward_root(passes(), points, first, count, half);
    });
  }

  [[nodiscard]] std::size_t digits_in(std::size_t limbs) const {
    return (limbs * kLimbBits + length_.digit_bits - 1) / length_.digit_bits;
  }

  // Digits of one block; near the end of x from a copy with zeros after it.
  void split_block(std::uint64_t* to, std::span<const Limb> x, std::size_t index,
                   std::size_t count) const {
    const unsigned bits = length_.digit_bits;
    const std::size_t first_limb = index * kBlock * bits / kLimbBits;
    const std::size_t needed = count * bits / kLimbBits + kReadAhead;
    if (first_limb + needed <= x.size()) {
      kernels_.split(to, x.data() + first_limb, count, bits);
      return;
    }
    Limb copy[kBlock * kMaxDigitBits / kLimbBits + kReadAhead] = {};
    std::copy(x.begin() + static_cast<std::ptrdiff_t>(first_limb), x.end(), copy);
    kernels_.split(to, copy, count, bits);
  }

  // The inverse root pass, and the coefficients as one integer modulo 2^(64 L) - 1.
  void leave(std::uint64_t* points, std::span<Limb> out) const {
    for_root_columns([&](std::size_t first, std::size_t count) {
      kernels_.inverse_root(passes(), points, first, count);
    });
    // What a range carries out: to the limb where the next range starts, cyclically.
    std::vector<unsigned char> carry_into(blocks(), 0);
    for_ranges(blocks(), [&](std::size_t first, std::size_t end) {
      unsigned carry = 0;
      for (std::size_t i = first; i < end; ++i) {
        const std::size_t before = i == 0 ? length_.points : i * kBlock;
        carry =
            kernels_.join(out.data() + first_limb_of(i), points + position(i * kBlock),
                          points + position(before - 8), points_in(i), length_.digit_bits, carry);
      }
      carry_into[end % blocks()] = static_cast<unsigned char>(carry);
    });
    for (std::size_t i = 0; i < blocks(); ++i) {
      if (carry_into[i] != 0) add_one(out, first_limb_of(i));
    }
    if (std::all_of(out.begin(), out.end(), [](Limb limb) { return limb == ~Limb{0}; })) {
      std::fill(out.begin(), out.end(), 0);
    }
  }

  [[nodiscard]] std::size_t first_limb_of(std::size_t index) const {
    return index * kBlock * length_.digit_bits / kLimbBits;
  }

  // Adds 2^(64 at) modulo 2^(64 L) - 1.
  static void add_one(std::span<Limb> out, std::size_t at) {
    const auto size = static_cast<mp_size_t>(out.size());
    const auto skipped = static_cast<mp_size_t>(at);
    mp_limb_t carry = mpn_add_1(out.data() + at, out.data() + at, size - skipped, 1);
    while (carry != 0) carry = mpn_add_1(out.data(), out.data(), size, carry);
  }

  Length length_;
  const KernelTable& kernels_;
  goldilocks::Tables tables_;
};

}  // namespace

std::size_t goldilocks_plan_limbs(std::size_t min_limbs) {
  return length_for(min_limbs).limbs();
}

PlanPtr make_goldilocks_plan(std::size_t min_limbs, Kernel kernel) {
  return std::make_shared<GoldilocksPlan>(length_for(min_limbs), kernels_for(kernel));
}

}  // namespace fhe::cpu
