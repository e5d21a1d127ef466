// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/zero_pool.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <set>
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

// The pools of a process whose threads may work. Never destroyed: pools of static storage are used
// until the end.
class WorkingPools {
 public:
  // Adds a pool. Returns whether it may work, since the process does not end yet.
  static bool add(ZeroPool* pool) {
    WorkingPools& here = of_this_process();
    const std::lock_guard lock(here.guard_);
    if (!here.is_ended_) here.pools_.insert(pool);
    return !here.is_ended_;
  }

  static void remove(ZeroPool* pool) {
    WorkingPools* const here = found();
    if (here == nullptr) return;
    const std::lock_guard lock(here->guard_);
    here->pools_.erase(pool);
  }

 private:
  // A copy of a process (fork) has none of its pools, and a mutex of its own.
  [[nodiscard]] bool are_here() const { return process_ == ::getpid(); }

  // Null where there are none yet.
  static WorkingPools* found() {
    WorkingPools* const last = last_.load();
    return last != nullptr && last->are_here() ? last : nullptr;
  }

  static WorkingPools& of_this_process() {
    WorkingPools* last = last_.load();
    if (last != nullptr && last->are_here()) return *last;
    auto fresh = std::make_unique<WorkingPools>();
    if (!last_.compare_exchange_strong(last, fresh.get())) return *last;
    if (last == nullptr) static_cast<void>(std::atexit(end));
    return *fresh.release();
  }

  static void end() {
    WorkingPools* const here = found();
    if (here == nullptr) return;
    const std::lock_guard lock(here->guard_);
    here->is_ended_ = true;
    for (ZeroPool* const pool : here->pools_) pool->end();
  }

  static inline std::atomic<WorkingPools*> last_ = nullptr;

  pid_t process_ = ::getpid();
  std::mutex guard_;
  std::set<ZeroPool*> pools_;
  bool is_ended_ = false;
};

}  // namespace

ZeroPool::ZeroPool(std::shared_ptr<const KeyContext> key, const SecretRandom& random)
    : key_(std::move(key)), random_(random.split(kPoolSplit)), process_(::getpid()) {}

// In a copy of the process there is no thread to wait for, and nothing may be called on it.
ZeroPool::~ZeroPool() {
  if (is_copy()) {
    static_cast<void>(worker_.release());
  } else {
    WorkingPools::remove(this);
  }
}

// Waits without the lock, which the thread needs to end. The thread itself may have called exit(),
// in a backend.
void ZeroPool::end() {
  std::unique_ptr<std::jthread> worker;
  const std::lock_guard lock(guard_);
  is_ended_ = true;
  std::swap(worker, worker_);
  if (worker != nullptr && worker->get_id() == std::this_thread::get_id()) worker->detach();
}

bool ZeroPool::is_copy() const {
  return ::getpid() != process_;
}

void ZeroPool::fill(std::size_t count) {
  if (is_copy() || !WorkingPools::add(this)) return;
  const std::lock_guard lock(guard_);
  wanted_ = std::max(wanted_, count);
  if (is_ended_ || is_working_ || zeros_.size() >= wanted_) return;
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
