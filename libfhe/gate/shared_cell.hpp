// SPDX-License-Identifier: Apache-2.0
// What the copies of a SharedCiphertext share. Not installed.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "libfhe/scheme/ciphertext.hpp"

namespace fhe {

// An encrypted bit: the least noisy ciphertext of it that is known and, for a sum that was not
// refreshed itself, its terms, which have no terms themselves. Any number of threads at once.
class SharedCell {
 public:
  using Pointer = std::shared_ptr<SharedCell>;
  using Value = std::shared_ptr<const Ciphertext>;

  // The sum of the terms, and of 1 if it is inverted; no terms: a bit of its own.
  struct Sum {
    std::vector<Pointer> terms;  // in ascending order
    bool inverted = false;
  };

  SharedCell(Ciphertext c, Sum sum)
      : least_(std::make_shared<const Ciphertext>(std::move(c))), sum_(std::move(sum)) {}

  [[nodiscard]] Value least() const {
    const std::lock_guard lock(mutex_);
    return least_;
  }

  [[nodiscard]] Sum sum() const {
    const std::lock_guard lock(mutex_);
    return sum_;
  }

  // Keeps the ciphertext, of the same bit, if it has less noise. Returns the one that is kept.
  Value improve(Ciphertext c) {
    auto value = std::make_shared<const Ciphertext>(std::move(c));
    const std::lock_guard lock(mutex_);
    if (value->noise() < least_->noise()) least_ = std::move(value);
    return least_;
  }

  // The same with a refreshed ciphertext. A sum has no more use for its terms.
  void refresh(Ciphertext c) {
    improve(std::move(c));
    Sum dropped;  // behind the lock: the last owner of a term frees it
    const std::lock_guard lock(mutex_);
    std::swap(sum_, dropped);
  }

  // In how many sums the bit was when they were refreshed themselves.
  [[nodiscard]] unsigned refreshed_sums() const {
    const std::lock_guard lock(mutex_);
    return refreshed_sums_;
  }
  void count_refreshed_sum() {
    const std::lock_guard lock(mutex_);
    ++refreshed_sums_;
  }

 private:
  mutable std::mutex mutex_;
  Value least_;
  Sum sum_;
  unsigned refreshed_sums_ = 0;
};

}  // namespace fhe
