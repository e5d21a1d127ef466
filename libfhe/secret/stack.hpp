// SPDX-License-Identifier: Apache-2.0
// Stacks and registers that secrets were computed on. What a function leaves there when it returns
// lies there until another writes over it: GMP keeps operands and scratch on the stack, up to 64
// KiB at a time, and copies of memory pass through registers. No type can wipe that. Not installed.
#pragma once

namespace fhe {

// Work on secrets, which leaves nothing of itself on the stack and in the vector registers: when
// the outermost one of a thread goes, also by an exception, it overwrites the stack below the
// function that it stands in. So it stands in functions that hold no secret on the stack
// themselves: the public operations on secret keys. Bodies of parallel loops that other threads
// take up meanwhile count as a part of it (arith/parallel.hpp). Costs a few microseconds for each
// thread.
class SecretWork {
 public:
  SecretWork() noexcept;
  ~SecretWork();
  SecretWork(const SecretWork&) = delete;
  SecretWork& operator=(const SecretWork&) = delete;

  // Whether there is one on this thread.
  [[nodiscard]] static bool in_progress() noexcept;
};

// Overwriting the vector registers, those that not every processor of an architecture has among
// them. Each is defined for its architecture alone; call none where the processor lacks what it is
// named after.

// ymm0 to ymm15, and what they are parts of.
void wipe_avx_registers() noexcept;

// zmm16 to zmm31, through which copies of memory pass.
void wipe_avx512_registers() noexcept;

// v0 to v31 of AArch64.
void wipe_neon_registers() noexcept;

}  // namespace fhe
