// Holders of secret integers that overwrite them when they go. Not installed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/random/secret_random.hpp"

namespace fhe {

// One secret integer; move-only.
class SecretInteger {
 public:
  SecretInteger() = default;
  explicit SecretInteger(Integer value) : value_(std::move(value)) {}
  ~SecretInteger() { wipe(value_); }
  SecretInteger(SecretInteger&& other) noexcept { std::swap(value_, other.value_); }
  SecretInteger& operator=(SecretInteger&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }

  [[nodiscard]] const Integer& value() const { return value_; }

 private:
  Integer value_;
};

// A fixed number of secret limbs, least significant first, zeros at the start; move-only. Unlike an
// Integer it keeps leading zeros, so that its length tells nothing.
class SecretLimbs {
 public:
  explicit SecretLimbs(std::size_t count) : limbs_(count) {}
  // |x|, padded with zeros to `count` limbs. Requires that it fits.
  SecretLimbs(const Integer& x, std::size_t count) : limbs_(count) {
    std::ranges::copy(limbs_of(x), limbs_.begin());
  }
  ~SecretLimbs() { wipe(std::as_writable_bytes(std::span(limbs_))); }
  SecretLimbs(SecretLimbs&&) noexcept = default;
  SecretLimbs& operator=(SecretLimbs&& other) noexcept {
    limbs_.swap(other.limbs_);
    return *this;
  }

  [[nodiscard]] std::size_t size() const { return limbs_.size(); }
  [[nodiscard]] Limb* data() { return limbs_.data(); }
  [[nodiscard]] const Limb* data() const { return limbs_.data(); }
  [[nodiscard]] Limb& operator[](std::size_t i) { return limbs_[i]; }
  [[nodiscard]] const Limb& operator[](std::size_t i) const { return limbs_[i]; }

  // 1 if the number is at most `bound`, else 0, in time that depends on the sizes alone.
  [[nodiscard]] Limb at_most(const Integer& bound) const {
    if (limbs_of(bound).size() > size()) return 1;
    const SecretLimbs padded(bound, size());
    SecretLimbs difference(size());
    return 1 - mpn_sub_n(difference.data(), padded.data(), data(), static_cast<mp_size_t>(size()));
  }

  // The number, in time that depends on its length.
  [[nodiscard]] SecretInteger to_integer() const { return SecretInteger(from_limbs(limbs_)); }

 private:
  std::vector<Limb> limbs_;
};

// Several secret integers; move-only.
class SecretIntegers {
 public:
  explicit SecretIntegers(std::size_t count) : values_(count) {}
  ~SecretIntegers() {
    for (Integer& value : values_) wipe(value);
  }
  SecretIntegers(SecretIntegers&&) noexcept = default;
  SecretIntegers& operator=(SecretIntegers&& other) noexcept {
    values_.swap(other.values_);
    return *this;
  }

  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] Integer& operator[](std::size_t i) { return values_[i]; }
  [[nodiscard]] const Integer& operator[](std::size_t i) const { return values_[i]; }

 private:
  std::vector<Integer> values_;
};

// A fixed number of secret indices, zeros at the start; move-only.
class SecretIndices {
 public:
  explicit SecretIndices(std::size_t count) : values_(count) {}
  explicit SecretIndices(std::vector<std::uint32_t> values) : values_(std::move(values)) {}
  ~SecretIndices() { wipe(std::as_writable_bytes(std::span(values_))); }
  SecretIndices(SecretIndices&&) noexcept = default;
  SecretIndices& operator=(SecretIndices&& other) noexcept {
    values_.swap(other.values_);
    return *this;
  }

  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] std::uint32_t& operator[](std::size_t i) { return values_[i]; }
  [[nodiscard]] std::uint32_t operator[](std::size_t i) const { return values_[i]; }
  [[nodiscard]] std::span<std::uint32_t> span() { return values_; }
  [[nodiscard]] std::span<const std::uint32_t> span() const { return values_; }

 private:
  std::vector<std::uint32_t> values_;
};

}  // namespace fhe
