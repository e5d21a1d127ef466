// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/integer.hpp"

#include <algorithm>
#include <bit>

#include "libfhe/arith/gmp_memory.hpp"

namespace fhe {

// Here because no program that uses the library is linked without this file.
[[maybe_unused]] const bool kGmpMemoryIsOurs = gmp_memory_is_ours();

std::size_t bit_length(const Integer& x) {
  return x == 0 ? 0 : mpz_sizeinbase(x.get_mpz_t(), 2);
}

Integer power_of_two(std::size_t exponent) {
  Integer result;
  mpz_setbit(result.get_mpz_t(), exponent);
  return result;
}

std::span<const Limb> limbs_of(const Integer& x) {
  return {mpz_limbs_read(x.get_mpz_t()), mpz_size(x.get_mpz_t())};
}

Integer from_limbs(std::span<const Limb> limbs) {
  Integer result;
  if (limbs.empty()) return result;
  const auto count = static_cast<mp_size_t>(limbs.size());
  std::ranges::copy(limbs, mpz_limbs_write(result.get_mpz_t(), count));
  mpz_limbs_finish(result.get_mpz_t(), count);
  return result;
}

// The bytes of a limb lie in memory as they do in these sequences: no conversion is needed.
static_assert(std::endian::native == std::endian::little, "little-endian limbs are assumed");

void to_bytes(const Integer& x, std::span<std::byte> out) {
  const auto bytes = std::as_bytes(limbs_of(x));
  const auto used = bytes.first(std::min(bytes.size(), out.size()));
  std::ranges::fill(std::ranges::copy(used, out.begin()).out, out.end(), std::byte{0});
}

Integer from_bytes(std::span<const std::byte> bytes) {
  Integer result;
  if (bytes.empty()) return result;
  const std::size_t count = limbs_for_bits(8 * bytes.size());
  const auto size = static_cast<mp_size_t>(count);
  const std::span limbs(mpz_limbs_write(result.get_mpz_t(), size), count);
  limbs.back() = 0;
  std::ranges::copy(bytes, std::as_writable_bytes(limbs).begin());
  mpz_limbs_finish(result.get_mpz_t(), size);
  return result;
}

Integer low_bits(const Integer& x, std::size_t bits) {
  Integer result;
  mpz_fdiv_r_2exp(result.get_mpz_t(), x.get_mpz_t(), bits);
  return result;
}

void add_into(std::span<Limb> sum, std::span<const Limb> addend) {
  if (addend.empty()) return;
  const Limb carry =
      mpn_add_n(sum.data(), sum.data(), addend.data(), static_cast<mp_size_t>(addend.size()));
  if (carry != 0) {
    const auto rest = sum.subspan(addend.size());
    mpn_add_1(rest.data(), rest.data(), static_cast<mp_size_t>(rest.size()), carry);
  }
}

}  // namespace fhe
