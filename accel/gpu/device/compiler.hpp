// SPDX-License-Identifier: Apache-2.0
// The kernels as machine code of a GPU: compiled at run time by NVRTC, and kept in a file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fhe::gpu {

// The code of all kernels for an architecture such as "sm_90". NVRTC is libnvrtc.so of the CUDA
// toolkit, or the file that the environment variable FHE_NVRTC names (the package
// nvidia-cuda-nvrtc-cu12 of the Python index has one); it takes about ten seconds. So the code is
// kept in the folder fhe of XDG_CACHE_HOME, or of ~/.cache, under a name that tells the digest of
// the sources, NVRTC's version and the architecture; where it cannot be kept, it is compiled again
// the next time. Throws Error(unsupported) when NVRTC is missing or refuses the kernels.
[[nodiscard]] std::vector<char> compiled_kernels(const std::string& architecture);

// Compiled code in a file, from one run of a program to the next.

// The code that keep_code() wrote there, whose digest is in front of it; nothing where there is no
// such file, and for one that is torn, altered or anything else.
[[nodiscard]] std::optional<std::vector<char>> kept_code(const std::filesystem::path& file);

// Writes code for its owner: the file appears whole or not at all, whoever else writes it. That it
// cannot be written does no harm.
void keep_code(const std::filesystem::path& file, const std::vector<char>& code);

}  // namespace fhe::gpu
