// SPDX-License-Identifier: Apache-2.0
// A plug-in of every function: another backend, named by the options, of the plug-in's own libfhe.
#include "accel/plugin/export_backend.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/error.hpp"

namespace {

fhe::BackendPtr open(std::string_view options) {
  if (options.empty()) {
    throw fhe::Error(fhe::ErrorCode::invalid_argument, "which backend is to be mirrored?");
  }
  return fhe::open_backend(options);
}

}  // namespace

const fhe_backend_table* fhe_backend_plugin(std::uint32_t /*host_abi_version*/) {
  static const fhe_backend_table table =
      fhe::plugin::exported_backend<open>("7.5", "mirrors a backend of its own libfhe");
  return &table;
}
