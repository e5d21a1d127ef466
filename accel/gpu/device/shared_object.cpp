// SPDX-License-Identifier: Apache-2.0
#include "accel/gpu/device/shared_object.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libfhe/error.hpp"

namespace fhe::gpu {

SharedObject::SharedObject(const std::string& what, std::initializer_list<std::string> files) {
  for (const std::string& file : files) {
    if (file.empty()) continue;
    handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) continue;
    file_ = file;
    return;
  }
  throw Error(ErrorCode::unsupported,
              fmt::format("there is no {}: none of {} can be loaded", what, fmt::join(files, " ")));
}

void* SharedObject::symbol(const char* name) const {
  void* const found = dlsym(handle_, name);
  if (found == nullptr) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{} has no function {}: it is too old", file_, name));
  }
  return found;
}

}  // namespace fhe::gpu
