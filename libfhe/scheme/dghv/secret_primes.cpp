// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/secret_primes.hpp"

#include <algorithm>
#include <utility>

#include "libfhe/arith/parallel.hpp"

namespace fhe::dghv {

namespace {

SecretIntegers copy_of(const SecretIntegers& values) {
  SecretIntegers copies(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) copies[i] = values[i];
  return copies;
}

SecretIntegers list_of(SecretInteger value) {
  SecretIntegers list(1);
  std::swap(list[0], value.value());
  return list;
}

}  // namespace

void set_centred(Integer& residue, const Integer& x, const Integer& n) {
  mpz_fdiv_r(residue.get_mpz_t(), x.get_mpz_t(), n.get_mpz_t());
  if (2 * residue > n) residue -= n;
}

SecretPrimes::SecretPrimes(SecretIntegers primes)
    : primes_(std::move(primes)), product_(product_tree(copy_of(primes_), {})) {}

SecretPrimes::SecretPrimes(SecretInteger prime) : SecretPrimes(list_of(std::move(prime))) {}

SecretInteger product_tree(SecretIntegers factors, const Monitor& monitor) {
  std::size_t count = factors.size();
  while (count > 1) {
    monitor.throw_if_stopped();
    const std::size_t pairs = count / 2;
    parallel_for(pairs, [&](std::size_t i) {
      SecretInteger product(factors[2 * i] * factors[2 * i + 1]);
      std::swap(factors[2 * i], product.value());
    });
    for (std::size_t i = 1; i < pairs; ++i) std::swap(factors[i], factors[2 * i]);
    if (count % 2 != 0) std::swap(factors[pairs], factors[count - 1]);
    count = pairs + count % 2;
  }
  return SecretInteger(std::move(factors[0]));
}

// e_j = (pi / p_j) ((pi / p_j)^-1 mod p_j).
ChineseRemainders::ChineseRemainders(const SecretPrimes& primes)
    : primes_(primes), units_(primes.size()) {
  parallel_for(primes.size(), [&](std::size_t j) {
    const SecretInteger others(primes.product() / primes[j]);
    SecretInteger inverse;
    mpz_invert(inverse.value().get_mpz_t(), others.value().get_mpz_t(), primes[j].get_mpz_t());
    // GMP frees the target of a product before it allocates, and units_[j] is wiped if that throws.
    SecretInteger unit(others.value() * inverse.value());
    std::swap(units_[j], unit.value());
  });
}

SecretIntegers ChineseRemainders::combine(const SlotIntegers& residues,
                                          const Monitor& monitor) const {
  SecretIntegers combined(residues.front().size());
  Progress progress(monitor, "noise of all slots", combined.size());
  parallel_for(combined.size(), [&](std::size_t i) {
    Integer& x = combined[i];
    for (std::size_t j = 0; j < units_.size(); ++j) x += residues[j][i] * units_[j];
    set_centred(x, x, primes_.product());
    progress.advance();
  });
  return combined;
}

}  // namespace fhe::dghv
