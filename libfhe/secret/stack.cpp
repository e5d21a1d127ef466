// SPDX-License-Identifier: Apache-2.0
#include "libfhe/secret/stack.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <pthread.h>

#include "libfhe/secret/wipe.hpp"

namespace fhe {

namespace {

// Two of the largest blocks that GMP has on a stack; tests/secrets looks further down.
constexpr std::size_t kStackBytes = std::size_t{128} << 10;
// Left alone at the end of a stack: for the functions that overwrite the rest, and for signals.
constexpr std::size_t kReserveBytes = std::size_t{16} << 10;

// How deep the secret work of this thread is nested.
thread_local constinit unsigned depth = 0;

// The stack of this thread; nothing where the system does not say, as for want of memory.
std::span<std::byte> stack_of_thread() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* lowest = nullptr;
  std::size_t bytes = 0;
  const bool known = pthread_attr_getstack(&attributes, &lowest, &bytes) == 0;
  pthread_attr_destroy(&attributes);
  if (!known) return {};
  return {static_cast<std::byte*>(lowest), bytes};
}

// How much of the stack below the caller to overwrite: nothing of a stack that is not the thread's
// own, such as a coroutine's, whose end nobody knows.
std::size_t bytes_below() {
  thread_local constinit std::span<std::byte> stack;
  if (stack.empty()) stack = stack_of_thread();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto end = reinterpret_cast<std::uintptr_t>(stack.data());
  if (here < end + kReserveBytes || here >= end + stack.size()) return 0;
  return std::min(kStackBytes, here - end - kReserveBytes);
}

[[gnu::noinline]] void wipe_stack(std::size_t bytes) {
  wipe(std::span(static_cast<std::byte*>(__builtin_alloca(bytes)), bytes));
}

// Those of x86 processors without AVX are left as they are: 16 bytes each, which the next copy of
// memory writes over.
void wipe_registers() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx")) wipe_avx_registers();
  if (__builtin_cpu_supports("avx512f")) wipe_avx512_registers();
#elif defined(__aarch64__)
  wipe_neon_registers();
#endif
}

}  // namespace

SecretWork::SecretWork() noexcept {
  ++depth;
}

SecretWork::~SecretWork() {
  if (--depth > 0) return;
  wipe_stack(bytes_below());
  wipe_registers();
}

bool SecretWork::in_progress() noexcept {
  return depth > 0;
}

}  // namespace fhe
