// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <vector>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/scheme/gh/lattice.hpp"

namespace fhe::gh {

namespace {

// The limbs that one thread packs or unpacks at a time.
constexpr std::size_t kPartLimbs = 1 << 14;

constexpr Limb kTopBit = Limb{1} << (kLimbBits - 1);

// slot = x + X/2: two's complement with the sign bit turned over.
void write_slot(const Integer& x, std::span<Limb> slot) {
  const auto limbs = limbs_of(x);
  std::ranges::copy(limbs, slot.begin());
  std::ranges::fill(slot.subspan(limbs.size()), 0);
  if (x < 0) mpn_neg(slot.data(), slot.data(), static_cast<mp_size_t>(slot.size()));
  slot.back() ^= kTopBit;
}

// x = slot - X/2.
void read_slot(std::span<const Limb> slot, Integer& x) {
  const auto size = static_cast<mp_size_t>(slot.size());
  Limb* const limbs = mpz_limbs_write(x.get_mpz_t(), size);
  std::ranges::copy(slot, limbs);
  limbs[size - 1] ^= kTopBit;
  const bool negative = (limbs[size - 1] & kTopBit) != 0;
  if (negative) mpn_neg(limbs, limbs, size);
  mpz_limbs_finish(x.get_mpz_t(), negative ? -size : size);
}

// sum_i X^i X/2.
Integer bias_of(std::size_t count, std::size_t slot_limbs) {
  std::vector<Limb> limbs(count * slot_limbs);
  for (std::size_t i = 1; i <= count; ++i) limbs[i * slot_limbs - 1] = kTopBit;
  return from_limbs(limbs);
}

}  // namespace

KroneckerRing::KroneckerRing(std::size_t count, std::size_t coefficient_bits)
    : count_(count),
      slot_limbs_(coefficient_bits / kLimbBits + 1),
      bias_(bias_of(count_, slot_limbs_)),
      modulus_(power_of_two(count_ * slot_limbs_ * kLimbBits) + 1) {}

template <class Body>
void KroneckerRing::for_parts(const Body& body) const {
  const std::size_t part = std::max<std::size_t>(1, kPartLimbs / slot_limbs_);
  parallel_for((count_ + part - 1) / part,
               [&](std::size_t k) { body(k * part, std::min(count_, (k + 1) * part)); });
}

SecretInteger KroneckerRing::pack(const SecretIntegers& f, std::size_t first,
                                  std::size_t step) const {
  SecretVector<Limb> limbs(count_ * slot_limbs_);
  for_parts([&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      write_slot(f[first + step * i], std::span(limbs).subspan(i * slot_limbs_, slot_limbs_));
    }
  });
  Integer value = from_limbs(limbs);
  value -= bias_;
  return SecretInteger(std::move(value));
}

SecretInteger KroneckerRing::biased_residue(const Integer& value) const {
  const std::size_t bits = count_ * slot_limbs_ * kLimbBits;
  const SecretInteger high(value >> bits);
  Integer residue = low_bits(value, bits);  // X^N = -1
  residue -= high.value();
  residue += bias_;
  // With coefficients of at most X/2 - 1: -bias <= high <= bias, so 0 <= residue < 2 X^N.
  if (residue >= modulus_) residue -= modulus_;
  return SecretInteger(std::move(residue));
}

SecretIntegers KroneckerRing::unpack(const Integer& value) const {
  const SecretInteger residue = biased_residue(value);
  SecretVector<Limb> limbs(count_ * slot_limbs_);
  std::ranges::copy(limbs_of(residue.value()), limbs.begin());
  SecretIntegers f(count_);
  for_parts([&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      read_slot(std::span(limbs).subspan(i * slot_limbs_, slot_limbs_), f[i]);
    }
  });
  return f;
}

SecretInteger KroneckerRing::times_x(const Integer& value) const {
  return SecretInteger(value << (slot_limbs_ * kLimbBits));
}

std::size_t longest_bits(const SecretIntegers& f) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < f.size(); ++i) longest = std::max(longest, bit_length(f[i]));
  return longest;
}

}  // namespace fhe::gh
