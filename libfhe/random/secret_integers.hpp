// Holders of secret integers that overwrite them when they go. Not installed.
#pragma once

#include <cstddef>
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

}  // namespace fhe
