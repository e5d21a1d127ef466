// SPDX-License-Identifier: Apache-2.0
// Vectors of secrets: whatever memory one frees (when it is destroyed, when it grows, when an
// exception leaves its scope) is overwritten first. Copies are allowed, and overwritten too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "libfhe/secret/wipe.hpp"

namespace fhe {

// An allocator of memory from operator new, at addresses that are multiples of kAlignment, which is
// overwritten when it is freed.
template <class T, std::size_t kAlignment = alignof(T)>
class WipingAllocator {
 public:
  static_assert(std::is_trivially_destructible_v<T>, "an element's own memory would not be wiped");
  // What the standard asks of an allocator.
  using value_type = T;
  template <class U>
  struct rebind {
    // The allocator for elements of type U.
    using other = WipingAllocator<U, kAlignment>;
  };

  WipingAllocator() = default;
  template <class U>
  // All allocators are the same, whatever the elements.
  explicit(false) WipingAllocator(const WipingAllocator<U, kAlignment>& /*other*/) noexcept {}

  // Memory for `count` elements. Throws std::bad_alloc.
  [[nodiscard]] T* allocate(std::size_t count) {
    if constexpr (kOverAligned) {
      return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t(kAlignment)));
    } else {
      return static_cast<T*>(::operator new(count * sizeof(T)));
    }
  }
  // Overwrites memory that allocate(count) gave, and frees it.
  void deallocate(T* memory, std::size_t count) noexcept {
    wipe(std::as_writable_bytes(std::span(memory, count)));
    if constexpr (kOverAligned) {
      ::operator delete(memory, std::align_val_t(kAlignment));
    } else {
      ::operator delete(memory);
    }
  }

  friend bool operator==(const WipingAllocator&, const WipingAllocator&) { return true; }

 private:
  static constexpr bool kOverAligned = kAlignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__;
};

// A vector whose memory is overwritten before it is freed.
template <class T, std::size_t kAlignment = alignof(T)>
using SecretVector = std::vector<T, WipingAllocator<T, kAlignment>>;

// Secret bytes, and secret positions in a list.
using SecretBytes = SecretVector<std::byte>;
using SecretIndices = SecretVector<std::uint32_t>;

}  // namespace fhe
