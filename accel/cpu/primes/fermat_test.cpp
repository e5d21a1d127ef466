// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/primes/fermat.hpp"

#include "accel/cpu/simd/digit.hpp"
#include "libfhe/secret/vector.hpp"

namespace fhe::cpu {

namespace {

// The vector code of a kernel; null where it has none.
FermatLanes fermat_lanes_of([[maybe_unused]] Kernel kernel) {
#ifdef FHE_FERMAT_KERNEL
  if (kernel == Kernel::ifma) return ifma_fermat_lanes;
#endif
#ifdef FHE_AVXIFMA
  if (kernel == Kernel::avxifma) return avxifma_fermat_lanes;
#endif
  return nullptr;
}

constexpr std::size_t kRowBytes = 64;

// Bits [52 index, 52 (index + 1)) of x.
std::uint64_t digit_of(std::span<const Limb> x, std::size_t index) {
  const std::size_t limb = index * kDigitBits / kLimbBits;
  const std::size_t shift = index * kDigitBits % kLimbBits;
  Limb digit = x[limb] >> shift;
  if (shift > kLimbBits - kDigitBits && limb + 1 < x.size()) {
    digit |= x[limb + 1] << (kLimbBits - shift);
  }
  return digit & kDigitMask;
}

class LaneFermatTest final : public FermatTest {
 public:
  LaneFermatTest(std::size_t bits, FermatLanes fermat_lanes)
      : fermat_lanes_(fermat_lanes), bits_(bits), digits_((bits + kDigitBits - 1) / kDigitBits) {}

  [[nodiscard]] std::size_t width() const override {
    return kFermatLanes * fermat_vectors(digits_);
  }

  [[nodiscard]] std::vector<bool> passes(std::span<const Limb> numbers) const override {
    const std::size_t limbs = limbs_for_bits(bits_);
    const std::size_t count = numbers.size() / limbs;
    SecretVector<std::uint64_t, kRowBytes> rows(width() * digits_);
    for (std::size_t lane = 0; lane < width(); ++lane) {
      // Lanes that are left take the first number again.
      const auto number = numbers.subspan(lane < count ? lane * limbs : 0, limbs);
      std::uint64_t* const column =
          rows.data() + lane / kFermatLanes * digits_ * kFermatLanes + lane % kFermatLanes;
      for (std::size_t i = 0; i < digits_; ++i) column[i * kFermatLanes] = digit_of(number, i);
    }
    const std::uint32_t passed = fermat_lanes_(rows.data(), digits_, bits_);
    std::vector<bool> results(count);
    for (std::size_t lane = 0; lane < count; ++lane) results[lane] = (passed >> lane & 1) != 0;
    return results;
  }

 private:
  FermatLanes fermat_lanes_;
  std::size_t bits_;
  std::size_t digits_;
};

}  // namespace

bool has_fermat_test(Kernel kernel) {
  return fermat_lanes_of(kernel) != nullptr;
}

std::unique_ptr<FermatTest> fermat_test(std::size_t bits, Kernel kernel) {
  const FermatLanes fermat_lanes = fermat_lanes_of(kernel);
  if (fermat_lanes == nullptr || bits > kMaxFermatDigits * kDigitBits) return nullptr;
  return std::make_unique<LaneFermatTest>(bits, fermat_lanes);
}

}  // namespace fhe::cpu
