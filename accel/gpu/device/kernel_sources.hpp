// SPDX-License-Identifier: Apache-2.0
// The text of the kernels, for a compiler at run time.
#pragma once

#include <span>

namespace fhe::gpu {

struct SourceFile {
  const char* name;  // as others include it
  const char* text;
};

// All files of accel/gpu/kernels; the last one includes the others.
[[nodiscard]] std::span<const SourceFile> kernel_sources();

}  // namespace fhe::gpu
