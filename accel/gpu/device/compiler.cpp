// SPDX-License-Identifier: Apache-2.0
#include "accel/gpu/device/compiler.hpp"

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "accel/gpu/device/kernel_sources.hpp"
#include "accel/gpu/device/shared_object.hpp"
#include "libfhe/error.hpp"
#include "libfhe/storage/digest.hpp"

namespace fhe::gpu {

namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* const value = secure_getenv(name);
  return value == nullptr ? "" : value;
}

// The functions of NVRTC that are used here, as the CUDA toolkit documents them.
class Nvrtc {
 public:
  Nvrtc()
      : library_("compiler of CUDA, NVRTC",
                 {environment("FHE_NVRTC"), "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) {
    library_.find(version_, "nvrtcVersion");
    library_.find(create_, "nvrtcCreateProgram");
    library_.find(destroy_, "nvrtcDestroyProgram");
    library_.find(compile_, "nvrtcCompileProgram");
    library_.find(log_size_, "nvrtcGetProgramLogSize");
    library_.find(log_, "nvrtcGetProgramLog");
    library_.find(code_size_, "nvrtcGetCUBINSize");
    library_.find(code_, "nvrtcGetCUBIN");
  }

  [[nodiscard]] std::string version() const {
    int major = 0;
    int minor = 0;
    require(version_(&major, &minor), "nvrtcVersion");
    return fmt::format("{}.{}", major, minor);
  }

  [[nodiscard]] std::vector<char> compile(const std::string& architecture) const {
    std::vector<const char*> names;
    std::vector<const char*> texts;
    for (const SourceFile& file : kernel_sources()) {
      names.push_back(file.name);
      texts.push_back(file.text);
    }
    const std::string all = fmt::format("#include \"{}\"\n", names.back());
    Program program = nullptr;
    require(create_(&program, all.c_str(), "kernels.cu", static_cast<int>(names.size()),
                    texts.data(), names.data()),
            "nvrtcCreateProgram");
    const std::string target = "--gpu-architecture=" + architecture;
    const char* const options[] = {target.c_str(), "--std=c++20",
                                   "--device-as-default-execution-space"};
    const int status = compile_(program, static_cast<int>(std::size(options)), options);
    const std::string log = text(program, log_size_, log_);
    const std::string code = status == 0 ? text(program, code_size_, code_) : "";
    destroy_(&program);
    if (status != 0) {
      throw Error(ErrorCode::unsupported, fmt::format("{} does not compile the kernels for {}: {}",
                                                      library_.file(), architecture, log));
    }
    return {code.begin(), code.end()};
  }

 private:
  using Program = struct OpaqueProgram*;

  void require(int status, const char* function) const {
    if (status == 0) return;
    throw Error(ErrorCode::unsupported,
                fmt::format("{} of {} failed with status {}", function, library_.file(), status));
  }

  std::string text(Program program, int (*size)(Program, std::size_t*),
                   int (*get)(Program, char*)) const {
    std::size_t bytes = 0;
    require(size(program, &bytes), "the size of an output");
    std::string out(bytes, '\0');
    require(get(program, out.data()), "an output");
    return out;
  }

  SharedObject library_;
  int (*version_)(int*, int*) = nullptr;
  int (*create_)(Program*, const char*, const char*, int, const char* const*,
                 const char* const*) = nullptr;
  int (*destroy_)(Program*) = nullptr;
  int (*compile_)(Program, int, const char* const*) = nullptr;
  int (*log_size_)(Program, std::size_t*) = nullptr;
  int (*log_)(Program, char*) = nullptr;
  int (*code_size_)(Program, std::size_t*) = nullptr;
  int (*code_)(Program, char*) = nullptr;
};

// Where the code is kept; none for a user without a home.
std::optional<fs::path> cache_file(const std::string& version, const std::string& architecture) {
  fs::path folder = environment("XDG_CACHE_HOME");
  if (!folder.is_absolute()) {
    const fs::path home = environment("HOME");
    if (!home.is_absolute()) return std::nullopt;
    folder = home / ".cache";
  }
  Hasher hasher;
  for (const SourceFile& file : kernel_sources()) hasher.update(std::string_view(file.text));
  return folder / "fhe" /
         fmt::format("gpu-{}-nvrtc-{}-{}.cubin", to_hex(hasher.finish(), 8), version, architecture);
}

}  // namespace

std::vector<char> compiled_kernels(const std::string& architecture) {
  const Nvrtc compiler;
  const auto file = cache_file(compiler.version(), architecture);
  if (file) {
    if (std::optional<std::vector<char>> code = kept_code(*file)) return *std::move(code);
  }
  std::vector<char> code = compiler.compile(architecture);
  if (file) keep_code(*file, code);
  return code;
}

}  // namespace fhe::gpu
