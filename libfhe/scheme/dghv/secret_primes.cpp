// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/secret_primes.hpp"

#include <algorithm>
#include <utility>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/arith/registry.hpp"

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
  if (count == 1) return SecretInteger(std::move(factors[0]));
  const BackendPtr backend = open_backend();
  while (count > 1) {
    monitor.throw_if_stopped();
    const std::size_t pairs = count / 2;
    parallel_for(pairs, [&](std::size_t i) {
      SecretInteger product(backend->multiply(factors[2 * i], factors[2 * i + 1]));
      std::swap(factors[2 * i], product.value());
    });
    for (std::size_t i = 1; i < pairs; ++i) std::swap(factors[i], factors[2 * i]);
    if (count % 2 != 0) std::swap(factors[pairs], factors[count - 1]);
    count = pairs + count % 2;
  }
  return SecretInteger(std::move(factors[0]));
}

ChineseRemainders::ChineseRemainders(const SecretPrimes& primes, const Monitor& monitor)
    : primes_(primes) {
  if (primes.size() == 1) return;
  SecretIntegers moduli(primes.size());
  std::ranges::copy(primes.span(), moduli.span().begin());
  tree_.emplace(std::move(moduli), bit_length(primes.product()), open_backend(), monitor);
}

SecretIntegers ChineseRemainders::combine(const SlotIntegers& residues, std::size_t first,
                                          std::size_t count, const Monitor& monitor) const {
  SecretIntegers combined(count);
  parallel_for(count, [&](std::size_t i) {
    monitor.throw_if_stopped();
    if (!tree_) {
      combined[i] = residues.front()[first + i];
      return;
    }
    SecretIntegers own(residues.size());
    for (std::size_t j = 0; j < own.size(); ++j) own[j] = residues[j][first + i];
    SecretInteger x = tree_->combine(own.span(), monitor);
    set_centred(combined[i], x.value(), primes_.product());
  });
  return combined;
}

SlotIntegers ChineseRemainders::residues(SecretIntegers numbers, const Monitor& monitor) const {
  SlotIntegers found;
  for (std::size_t j = 0; j < primes_.size(); ++j) found.emplace_back(numbers.size());
  parallel_for(numbers.size(), [&](std::size_t i) {
    monitor.throw_if_stopped();
    SecretInteger x;
    std::swap(x.value(), numbers[i]);
    if (!tree_) {
      set_centred(found.front()[i], x.value(), primes_.product());
      return;
    }
    mpz_fdiv_r(x.value().get_mpz_t(), x.value().get_mpz_t(), primes_.product().get_mpz_t());
    const SecretVector<Limb> limbs = tree_->residues(x.value(), monitor);
    const std::size_t each = tree_->residue_limbs();
    for (std::size_t j = 0; j < primes_.size(); ++j) {
      const SecretInteger residue(from_limbs(std::span(limbs).subspan(j * each, each)));
      set_centred(found[j][i], residue.value(), primes_[j]);
    }
  });
  return found;
}

}  // namespace fhe::dghv
