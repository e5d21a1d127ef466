// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/gmp_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <gmp.h>
#include <malloc.h>
#include <pthread.h>

// What GMP starts with. Weak: where a GMP has no such symbol, its functions are left as they are.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" [[gnu::weak]] void* __gmp_default_allocate(std::size_t);

namespace fhe {

namespace {

// The block that this thread freed last: wiped, and still allocated. Trivial, because integers of
// static storage are freed after the thread's other objects are gone.
thread_local constinit void* kept_block = nullptr;
thread_local constinit bool end_is_watched = false;
thread_local constinit bool thread_ends = false;

void end_thread(void* /*unused*/) {
  thread_ends = true;
  std::free(std::exchange(kept_block, nullptr));
}

// Calls end_thread at the end of each thread that gave it a value but the main one, whose block
// goes with the process. An object with a destructor would do the same, but glibc ends the process
// when it has no memory to note that object.
class EndOfThreads {
 public:
  EndOfThreads() : exists_(pthread_key_create(&key_, end_thread) == 0) {}

  // Whether the end of this thread is watched from now on; not so for want of memory or of keys.
  [[nodiscard]] bool watch() const {
    static const char any_value = 0;
    return exists_ && pthread_setspecific(key_, &any_value) == 0;
  }

 private:
  pthread_key_t key_{};
  bool exists_;
};

// The kept block of a thread whose end cannot be watched leaks with it.
void watch_end_of_thread() {
  static const EndOfThreads ends;
  if (!end_is_watched) end_is_watched = ends.watch();
}

// GMP's own idea of a block's size can be wrong after an exception, malloc's cannot.
void wipe_block(void* block) {
  explicit_bzero(block, malloc_usable_size(block));
}

// A block for `size` bytes, the kept one where it fits without much waste.
void* take(std::size_t size) {
  if (kept_block != nullptr) {
    const std::size_t kept_size = malloc_usable_size(kept_block);
    if (kept_size >= size && kept_size / 2 <= size) return std::exchange(kept_block, nullptr);
  }
  if (void* const block = std::malloc(size)) return block;
  // The kept block may be in use still: see the header. It leaks, or its owner frees it again.
  kept_block = nullptr;
  throw std::bad_alloc();
}

void give_back(void* block) {
  if (block == nullptr) return;
  wipe_block(block);
  if (thread_ends) {
    std::free(block);
    return;
  }
  watch_end_of_thread();
  std::free(std::exchange(kept_block, block));
}

void* allocate(std::size_t size) {
  return take(size);
}

// A larger block is a new one: realloc would leave the old limbs behind.
void* reallocate(void* block, std::size_t old_size, std::size_t new_size) {
  const std::size_t usable = malloc_usable_size(block);
  if (usable >= new_size && usable / 2 <= new_size) return block;
  void* const moved = take(new_size);
  std::memcpy(moved, block, std::min({usable, old_size, new_size}));
  give_back(block);
  return moved;
}

void release(void* block, std::size_t /*size*/) {
  give_back(block);
}

bool install() {
  void* (*current)(std::size_t) = nullptr;
  mp_get_memory_functions(&current, nullptr, nullptr);
  if (current == nullptr || current != &__gmp_default_allocate) return false;
  mp_set_memory_functions(allocate, reallocate, release);
  return true;
}

}  // namespace

bool gmp_memory_is_ours() {
  static const bool installed = install();
  void* (*current)(std::size_t) = nullptr;
  mp_get_memory_functions(&current, nullptr, nullptr);
  return installed && current == &allocate;
}

}  // namespace fhe
