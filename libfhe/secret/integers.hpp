// SPDX-License-Identifier: Apache-2.0
// Integers of secrets: overwritten when they go, also where a program has memory functions of its
// own in GMP (arith/gmp_memory.hpp). Move-only, so that no copy is made by accident. Not installed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <gmpxx.h>

#include "libfhe/secret/vector.hpp"
#include "libfhe/secret/wipe.hpp"

namespace fhe {

// One secret integer.
class SecretInteger {
 public:
  SecretInteger() = default;
  explicit SecretInteger(mpz_class value) : value_(std::move(value)) {}
  ~SecretInteger() { wipe(value_); }
  SecretInteger(SecretInteger&& other) noexcept { std::swap(value_, other.value_); }
  SecretInteger& operator=(SecretInteger&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }

  [[nodiscard]] mpz_class& value() { return value_; }
  [[nodiscard]] const mpz_class& value() const { return value_; }

 private:
  mpz_class value_;
};

// Several secret integers.
class SecretIntegers {
 public:
  explicit SecretIntegers(std::size_t count) : values_(count) {}
  ~SecretIntegers() {
    for (mpz_class& value : values_) wipe(value);
  }
  SecretIntegers(SecretIntegers&&) noexcept = default;
  SecretIntegers& operator=(SecretIntegers&& other) noexcept {
    values_.swap(other.values_);
    return *this;
  }

  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] mpz_class& operator[](std::size_t i) { return values_[i]; }
  [[nodiscard]] const mpz_class& operator[](std::size_t i) const { return values_[i]; }
  [[nodiscard]] std::span<mpz_class> span() { return values_; }
  [[nodiscard]] std::span<const mpz_class> span() const { return values_; }

 private:
  std::vector<mpz_class> values_;
};

// A fixed number of secret limbs, least significant first, zeros at the start. Unlike an integer it
// keeps leading zeros, so that its length tells nothing.
class SecretLimbs {
 public:
  explicit SecretLimbs(std::size_t count) : limbs_(count) {}
  // |x|, padded with zeros to `count` limbs. Requires that it fits.
  SecretLimbs(const mpz_class& x, std::size_t count) : limbs_(count) {
    std::copy_n(mpz_limbs_read(x.get_mpz_t()), mpz_size(x.get_mpz_t()), limbs_.begin());
  }
  SecretLimbs(SecretLimbs&&) noexcept = default;
  SecretLimbs& operator=(SecretLimbs&&) noexcept = default;

  [[nodiscard]] std::size_t size() const { return limbs_.size(); }
  [[nodiscard]] mp_limb_t* data() { return limbs_.data(); }
  [[nodiscard]] const mp_limb_t* data() const { return limbs_.data(); }
  [[nodiscard]] mp_limb_t& operator[](std::size_t i) { return limbs_[i]; }
  [[nodiscard]] const mp_limb_t& operator[](std::size_t i) const { return limbs_[i]; }

  // 1 if the number is at most `bound`, else 0, in time that depends on the sizes alone.
  [[nodiscard]] mp_limb_t at_most(const mpz_class& bound) const {
    if (mpz_size(bound.get_mpz_t()) > size()) return 1;
    const SecretLimbs padded(bound, size());
    SecretLimbs difference(size());
    return 1 - mpn_sub_n(difference.data(), padded.data(), data(), static_cast<mp_size_t>(size()));
  }

  // The number, in time that depends on its length.
  [[nodiscard]] SecretInteger to_integer() const {
    SecretInteger number;
    const auto count = static_cast<mp_size_t>(size());
    std::ranges::copy(limbs_, mpz_limbs_write(number.value().get_mpz_t(), count));
    mpz_limbs_finish(number.value().get_mpz_t(), count);
    return number;
  }

 private:
  SecretVector<mp_limb_t> limbs_;
};

}  // namespace fhe
