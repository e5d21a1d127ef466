// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/failing_allocations.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

namespace {

std::atomic<bool> counting = false;
std::atomic<std::size_t> made = 0;
std::atomic<std::size_t> failing = fhe::test::FailingAllocation::kNone;

bool this_one_fails() {
  return counting && made.fetch_add(1) == failing;
}

}  // namespace

extern "C" {

void* __real_malloc(std::size_t size);
void* __real_calloc(std::size_t count, std::size_t size);
void* __real_realloc(void* block, std::size_t size);
void* __real_aligned_alloc(std::size_t alignment, std::size_t size);
int __real_posix_memalign(void** block, std::size_t alignment, std::size_t size);

void* __wrap_malloc(std::size_t size) {
  return this_one_fails() ? nullptr : __real_malloc(size);
}
void* __wrap_calloc(std::size_t count, std::size_t size) {
  return this_one_fails() ? nullptr : __real_calloc(count, size);
}
void* __wrap_realloc(void* block, std::size_t size) {
  return this_one_fails() ? nullptr : __real_realloc(block, size);
}
void* __wrap_aligned_alloc(std::size_t alignment, std::size_t size) {
  return this_one_fails() ? nullptr : __real_aligned_alloc(alignment, size);
}
int __wrap_posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  return this_one_fails() ? ENOMEM : __real_posix_memalign(block, alignment, size);
}

}  // extern "C"

// The other forms of operator new call these, but a sanitizer has a nothrow one of its own.
void* operator new(std::size_t size) {
  void* const block = std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void* operator new(std::size_t size, const std::nothrow_t& /*unused*/) noexcept {
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto bytes = static_cast<std::size_t>(alignment);
  void* const block = std::aligned_alloc(bytes, (size + bytes - 1) / bytes * bytes);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t /*size*/) noexcept {
  std::free(block);
}
void operator delete(void* block, std::align_val_t /*alignment*/) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  std::free(block);
}

namespace fhe::test {

FailingAllocation::FailingAllocation(std::size_t number) {
  made = 0;
  failing = number;
  counting = true;
}

FailingAllocation::~FailingAllocation() {
  counting = false;
}

std::size_t FailingAllocation::count() const {
  return made;
}

}  // namespace fhe::test
