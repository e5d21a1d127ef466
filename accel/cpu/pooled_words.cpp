// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/pooled_words.hpp"

#include <cstdlib>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

namespace fhe::cpu {

namespace {

constexpr std::size_t kAlignment = 64;  // one cache line, one AVX-512 register
constexpr std::size_t kLineWords = kAlignment / sizeof(std::uint64_t);

struct Block {
  std::uint64_t* words = nullptr;
  std::size_t capacity = 0;
  std::thread::id user;  // the thread that has freed it

  // Whether it serves for `size` words without wasting more than half as many.
  [[nodiscard]] bool fits(std::size_t size) const {
    return capacity >= size && capacity - size <= size / 2;
  }
};

// Freed blocks, the oldest first.
class FreeList {
 public:
  FreeList() { blocks_.reserve(kMaxBlocks + 1); }

  // A block of at least `size` words: the newest that this thread has freed, which is the likeliest
  // to be in this core's cache; else the oldest of another thread, which is the likeliest to have
  // left that core's, where writing to it would be slowest. Null when there is none.
  Block take(std::size_t size) {
    const std::lock_guard lock(mutex_);
    const auto user = std::this_thread::get_id();
    for (std::size_t i = blocks_.size(); i-- > 0;) {
      if (blocks_[i].user == user && blocks_[i].fits(size)) return take_out(i);
    }
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (blocks_[i].fits(size)) return take_out(i);
    }
    return {};
  }

  // Frees what does not fit any longer: the oldest blocks, or this one if it is too large itself.
  void keep(Block block) {
    if (block.capacity > kMaxKeptWords) return std::free(block.words);
    const std::lock_guard lock(mutex_);
    blocks_.push_back(block);
    kept_ += block.capacity;
    while (kept_ > kMaxKeptWords || blocks_.size() > kMaxBlocks) std::free(take_out(0).words);
  }

  std::size_t kept() {
    const std::lock_guard lock(mutex_);
    return kept_;
  }

 private:
  static constexpr std::size_t kMaxBlocks = 64;

  Block take_out(std::size_t i) {
    const Block block = blocks_[i];
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(i));
    kept_ -= block.capacity;
    return block;
  }

  std::mutex mutex_;
  std::vector<Block> blocks_;
  std::size_t kept_ = 0;
};

// Never destroyed: plans and spectra in static objects may be freed after it would be.
FreeList& free_list() {
  static auto* const list = new FreeList;
  return *list;
}

}  // namespace

PooledWords::PooledWords(std::size_t size) : size_(size) {
  if (size == 0) return;
  const std::size_t capacity = (size + kLineWords - 1) / kLineWords * kLineWords;
  Block block = free_list().take(capacity);
  if (block.words == nullptr) {
    void* const fresh = std::aligned_alloc(kAlignment, capacity * sizeof(std::uint64_t));
    if (fresh == nullptr) throw std::bad_alloc();
    block.words = static_cast<std::uint64_t*>(fresh);
    block.capacity = capacity;
  }
  words_ = block.words;
  capacity_ = block.capacity;
}

PooledWords::~PooledWords() {
  if (words_ != nullptr) free_list().keep({words_, capacity_, std::this_thread::get_id()});
}

std::size_t kept_words() {
  return free_list().kept();
}

}  // namespace fhe::cpu
