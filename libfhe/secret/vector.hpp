// Vectors of secrets: what one frees, when it goes or grows or is left by an exception, is
// overwritten first. Copies are allowed; they are overwritten too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "libfhe/secret/wipe.hpp"

namespace fhe {

// Memory from operator new, at addresses that are multiples of kAlignment, overwritten when it is
// given back.
template <class T, std::size_t kAlignment = alignof(T)>
class WipingAllocator {
 public:
  static_assert(std::is_trivially_destructible_v<T>, "an element's own memory would not be wiped");
  using value_type = T;
  template <class U>
  struct rebind {
    using other = WipingAllocator<U, kAlignment>;
  };

  WipingAllocator() = default;
  template <class U>
  explicit(false) WipingAllocator(const WipingAllocator<U, kAlignment>& /*other*/) noexcept {}

  [[nodiscard]] T* allocate(std::size_t count) {
    if constexpr (kOverAligned) {
      return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t(kAlignment)));
    } else {
      return static_cast<T*>(::operator new(count * sizeof(T)));
    }
  }
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

template <class T, std::size_t kAlignment = alignof(T)>
using SecretVector = std::vector<T, WipingAllocator<T, kAlignment>>;

using SecretBytes = SecretVector<std::byte>;
using SecretIndices = SecretVector<std::uint32_t>;

}  // namespace fhe
