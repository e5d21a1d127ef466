#include "libfhe/arith/integer.hpp"

#include <algorithm>

namespace fhe {

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

void to_bytes(const Integer& x, std::span<std::byte> out) {
  std::size_t written = 0;
  mpz_export(out.data(), &written, -1, 1, 0, 0, x.get_mpz_t());
  std::ranges::fill(out.subspan(written), std::byte{0});
}

Integer from_bytes(std::span<const std::byte> bytes) {
  Integer result;
  mpz_import(result.get_mpz_t(), bytes.size(), -1, 1, 0, 0, bytes.data());
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
