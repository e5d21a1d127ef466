// SPDX-License-Identifier: Apache-2.0
// Working memory of the engine: aligned words that are kept for the next user when they are freed.
//
// Memory fresh from the system comes page by page, at a price that exceeds a transform's. So freed
// memory goes to one list of the process, bounded by kMaxKeptWords; the oldest goes first. A thread
// gets what it has freed itself where there is some: what another core has just written is slow to
// write here. Nothing is wiped: what stands in it are operands and results of backend products,
// which are public but for the few that backend.hpp names, and those are as readable in memory
// freed any other way.
//
// Threads: a PooledWords is used like any other value; the list behind them all is guarded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace fhe::cpu {

// The most that is kept, in 64-bit words: 128 MiB, the working memory of modular products of 20
// Mbit on two threads.
inline constexpr std::size_t kMaxKeptWords = std::size_t{1} << 24;

// An array of `size` words, aligned to 64 bytes, of indeterminate contents. Moved but not copied; a
// moved-from one is empty.
class PooledWords {
 public:
  PooledWords() = default;
  // Throws std::bad_alloc.
  explicit PooledWords(std::size_t size);
  ~PooledWords();
  PooledWords(PooledWords&& other) noexcept
      : words_(std::exchange(other.words_, nullptr)),
        capacity_(std::exchange(other.capacity_, 0)),
        size_(std::exchange(other.size_, 0)) {}
  PooledWords& operator=(PooledWords&& other) noexcept {
    PooledWords taken(std::move(other));
    std::swap(words_, taken.words_);
    std::swap(capacity_, taken.capacity_);
    std::swap(size_, taken.size_);
    return *this;
  }

  [[nodiscard]] std::uint64_t* data() { return words_; }
  [[nodiscard]] const std::uint64_t* data() const { return words_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::uint64_t* words_ = nullptr;
  std::size_t capacity_ = 0;  // words that there are; at least size_
  std::size_t size_ = 0;
};

// Words on the list now; at most kMaxKeptWords.
std::size_t kept_words();

}  // namespace fhe::cpu
