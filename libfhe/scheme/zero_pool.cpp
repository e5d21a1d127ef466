// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/zero_pool.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include <unistd.h>

#include "libfhe/random/hedged_random.hpp"
#include "libfhe/secret/stack.hpp"

namespace fhe {

namespace {

// Made in one pass over the public key: more take no less time each.
constexpr std::size_t kBatch = 16;

// The index of the pool among the splits of a source.
constexpr std::uint64_t kPoolSplit = 0x7a65'726f;

}  // namespace

ZeroPool::ZeroPool(std::shared_ptr<const KeyContext> key, const SecretRandom& random)
    : key_(std::move(key)), random_(random.split(kPoolSplit)), process_(::getpid()) {}

// In a copy of the process there is no thread to wait for, and nothing may be called on it.
ZeroPool::~ZeroPool() {
  if (is_copy()) static_cast<void>(worker_.release());
}

bool ZeroPool::is_copy() const {
  return ::getpid() != process_;
}

void ZeroPool::fill(std::size_t count) {
  if (is_copy()) return;
  const std::lock_guard lock(guard_);
  wanted_ = std::max(wanted_, count);
  if (is_working_ || zeros_.size() >= wanted_) return;
  is_working_ = true;
  try {
    worker_ = std::make_unique<std::jthread>([this](const std::stop_token& stop) { work(stop); });
  } catch (...) {
    is_working_ = false;
    throw;
  }
}

void ZeroPool::work(const std::stop_token& stop) {
  const SecretWork secret;
  try {
    for (std::size_t missing = this->missing(); missing > 0; missing = this->missing()) {
      const std::vector<bool> zeros(std::min(missing, kBatch), false);
      HedgedRandom hedged(*random_, encryption_context(key_->id().digest, std::span(&zeros, 1)));
      const std::vector<Ciphertext> made =
          key_->encrypt(zeros, {}, hedged, {.stop = stop, .progress = {}});
      const std::lock_guard lock(guard_);
      for (const Ciphertext& zero : made) zeros_.emplace_back(zero.value());
    }
  } catch (...) {  // an encryption that misses them meets the same error, and throws it
    const std::lock_guard lock(guard_);
    is_working_ = false;
  }
}

// How many are to be made; the thread ends where there are none.
std::size_t ZeroPool::missing() {
  const std::lock_guard lock(guard_);
  is_working_ = zeros_.size() < wanted_;
  return is_working_ ? wanted_ - zeros_.size() : 0;
}

std::size_t ZeroPool::ready() const {
  if (is_copy()) return 0;
  const std::lock_guard lock(guard_);
  return zeros_.size();
}

std::vector<SecretInteger> ZeroPool::take(std::size_t most) {
  std::vector<SecretInteger> taken;
  if (is_copy()) return taken;
  const std::lock_guard lock(guard_);
  const std::size_t count = std::min(most, zeros_.size());
  taken.reserve(count);
  std::move(zeros_.end() - static_cast<std::ptrdiff_t>(count), zeros_.end(),
            std::back_inserter(taken));
  zeros_.resize(zeros_.size() - count);
  wanted_ -= std::min(wanted_, count);
  return taken;
}

}  // namespace fhe
