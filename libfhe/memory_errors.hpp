// SPDX-License-Identifier: Apache-2.0
// Lack of memory as an Error, as every operation of the library reports what it cannot do. Not
// installed.
#pragma once

#include <new>
#include <utility>

#include "libfhe/error.hpp"

namespace fhe {

// Throws Error(out_of_memory) without needing memory for it.
[[noreturn]] void throw_out_of_memory();

// What `operation` returns. The std::bad_alloc of the standard library, of oneTBB and of GMP
// (arith/gmp_memory.hpp) leaves as Error(out_of_memory): the outermost frame of each public
// operation is a call of this.
template <class Operation>
decltype(auto) reporting_memory(Operation&& operation) {
  try {
    return std::forward<Operation>(operation)();
  } catch (const std::bad_alloc&) {
    throw_out_of_memory();
  }
}

}  // namespace fhe
