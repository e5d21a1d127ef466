// SPDX-License-Identifier: Apache-2.0
#include "accel/gpu/backend/gpu_backend.hpp"
#include "accel/plugin/export_backend.hpp"

const fhe_backend_table* fhe_backend_plugin(std::uint32_t /*host_abi_version*/) {
  static const fhe_backend_table table = fhe::plugin::exported_backend<fhe::gpu::open>(
      FHE_GPU_VERSION, "products on a GPU; gpu:host runs its kernels on the processor");
  return &table;
}
