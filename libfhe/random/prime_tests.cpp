// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "libfhe/random/prime_search.hpp"
#include "libfhe/secret/integers.hpp"
#include "libfhe/secret/vector.hpp"

namespace fhe {

namespace {

__extension__ using Wide = unsigned __int128;

using Residue = SecretVector<Limb>;

// Arithmetic modulo an odd n on residues x R mod n, R = 2^(64 limbs), by Montgomery's product. Each
// residue has as many limbs as n and is below n.
class OddModulus {
 public:
  // n must outlive it.
  explicit OddModulus(const Integer& n)
      : modulus_(n),
        n_(limbs_of(n).begin(), limbs_of(n).end()),
        sum_(n_.size() + 2),
        rest_(n_.size()) {
    Limb inverse = n_[0];  // three bits
    for (int right = 3; right < static_cast<int>(kLimbBits); right *= 2) {
      inverse *= 2 - n_[0] * inverse;
    }
    negated_inverse_ = 0 - inverse;
  }

  // x R mod n.
  [[nodiscard]] Residue residue(unsigned long x) const {
    SecretInteger rest;
    mpz_mul_2exp(rest.value().get_mpz_t(), Integer(x).get_mpz_t(), n_.size() * kLimbBits);
    mpz_mod(rest.value().get_mpz_t(), rest.value().get_mpz_t(), modulus_.get_mpz_t());
    Residue result(n_.size());
    std::ranges::copy(limbs_of(rest.value()), result.begin());
    return result;
  }

  // out = x y - z, which may all be one.
  void multiply_subtract(const Residue& x, const Residue& y, const Residue& z, Residue& out) {
    switch (n_.size()) {
      case 3:
        multiply(x, y, std::integral_constant<std::size_t, 3>{});
        break;
      case 4:
        multiply(x, y, std::integral_constant<std::size_t, 4>{});
        break;
      case 5:
        multiply(x, y, std::integral_constant<std::size_t, 5>{});
        break;
      default:
        multiply(x, y, n_.size());
    }
    reduce_once(sum_, out);
    subtract(out, z, out);
  }

  void subtract(const Residue& x, const Residue& y, Residue& out) const {
    const auto size = static_cast<mp_size_t>(n_.size());
    const Limb borrow = mpn_sub_n(out.data(), x.data(), y.data(), size);
    mpn_cnd_add_n(borrow, out.data(), out.data(), n_.data(), size);
  }

 private:
  // sum = x y / R, below 2 n. Each factor adds factor y + m n, with the m that leaves no remainder
  // by 2^64. Where the length is known, digits stay in registers.
  template <class Length>
  void multiply(const Residue& x, const Residue& y, Length size) {
    Limb* const sum = sum_.data();
    const Limb* const n = n_.data();
    std::fill_n(sum, size + 1, Limb{0});
    for (std::size_t k = 0; k < size; ++k) {
      const Limb factor = x[k];
      Wide product = static_cast<Wide>(factor) * y[0] + sum[0];
      const Limb m = static_cast<Limb>(product) * negated_inverse_;
      Wide multiple = static_cast<Wide>(m) * n[0] + static_cast<Limb>(product);
      for (std::size_t i = 1; i < size; ++i) {
        product =
            static_cast<Wide>(factor) * y[i] + sum[i] + static_cast<Limb>(product >> kLimbBits);
        multiple = static_cast<Wide>(m) * n[i] + static_cast<Limb>(product) +
                   static_cast<Limb>(multiple >> kLimbBits);
        sum[i - 1] = static_cast<Limb>(multiple);
      }
      product = (product >> kLimbBits) + sum[size] + static_cast<Limb>(multiple >> kLimbBits);
      sum[size - 1] = static_cast<Limb>(product);
      sum[size] = static_cast<Limb>(product >> kLimbBits);
    }
  }

  // x - n unless that is negative, for x < 2 n.
  void reduce_once(const Residue& x, Residue& out) {
    const auto size = static_cast<mp_size_t>(n_.size());
    const Limb borrow = mpn_sub_n(rest_.data(), x.data(), n_.data(), size);
    const bool is_below = x[n_.size()] < borrow;
    std::copy_n(is_below ? x.begin() : rest_.begin(), n_.size(), out.begin());
  }

  const Integer& modulus_;
  Residue n_;
  Residue sum_;
  Residue rest_;
  Limb negated_inverse_;
};

// P with D = P^2 - 4 no square modulo n; 0 where a D shows that n is composite.
unsigned long parameter_for(const Integer& n) {
  constexpr unsigned long kFirst = 3;
  constexpr unsigned long kSquaresSuspected = 32;
  for (unsigned long p = kFirst;; ++p) {
    if (p == kSquaresSuspected && mpz_perfect_square_p(n.get_mpz_t()) != 0) return 0;
    const unsigned long d = p * p - 4;
    const int symbol = mpz_ui_kronecker(d, n.get_mpz_t());
    if (symbol == -1) return p;
    if (symbol == 0 && mpz_divisible_p(Integer(d).get_mpz_t(), n.get_mpz_t()) == 0) return 0;
  }
}

bool is_zero(const Residue& x) {
  return std::ranges::all_of(x, [](Limb limb) { return limb == 0; });
}

}  // namespace

bool passes_power_test(const Integer& n, unsigned long base) {
  const SecretInteger last(n - 1);
  const mp_bitcnt_t s = mpz_scan1(last.value().get_mpz_t(), 0);
  const SecretInteger d(last.value() >> s);
  SecretInteger power(base);
  Integer& x = power.value();
  mpz_powm(x.get_mpz_t(), x.get_mpz_t(), d.value().get_mpz_t(), n.get_mpz_t());
  if (x == 1 || x == last.value()) return true;
  for (mp_bitcnt_t r = 1; r < s; ++r) {
    x = x * x % n;
    if (x == last.value()) return true;
  }
  return false;
}

bool passes_lucas_test(const Integer& n) {
  const unsigned long p = parameter_for(n);
  if (p == 0) return false;
  SecretInteger odd_part(n + 1);
  Integer& d = odd_part.value();
  const mp_bitcnt_t s = mpz_scan1(d.get_mpz_t(), 0);
  d >>= s;
  OddModulus modulus(n);
  const Residue two = modulus.residue(2);
  const Residue parameter = modulus.residue(p);
  // V_k and V_(k+1), for k the leading bits of d.
  Residue v = two;
  Residue next = parameter;
  for (std::size_t bit = bit_length(d); bit-- > 0;) {
    if (mpz_tstbit(d.get_mpz_t(), bit) != 0) std::swap(v, next);
    modulus.multiply_subtract(v, next, parameter, next);
    modulus.multiply_subtract(v, v, two, v);
    if (mpz_tstbit(d.get_mpz_t(), bit) != 0) std::swap(v, next);
  }
  // D U_d = 2 V_(d+1) - P V_d, and V_d = +-2: U_d is 0 where V_(d+1) is P or -P with it.
  Residue rest(v.size());
  const auto are = [&](const Residue& x, const Residue& y) {
    modulus.subtract(v, x, rest);
    if (!is_zero(rest)) return false;
    modulus.subtract(next, y, rest);
    return is_zero(rest);
  };
  const auto minus = [&](const Residue& x) {
    Residue negated(x.size());
    modulus.subtract(negated, x, negated);
    return negated;
  };
  if (are(two, parameter) || are(minus(two), minus(parameter))) return true;
  for (mp_bitcnt_t r = 0; r + 1 < s; ++r) {
    if (is_zero(v)) return true;
    modulus.multiply_subtract(v, v, two, v);
  }
  return false;
}

}  // namespace fhe
