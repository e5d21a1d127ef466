// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <string_view>

#include "accel/fpga/backend/fpga_backend.hpp"
#include "accel/plugin/export_backend.hpp"

namespace {

fhe::BackendPtr open(std::string_view options) {
  return fhe::fpga::factory().open(options);
}

}  // namespace

const fhe_backend_table* fhe_backend_plugin(std::uint32_t /*host_abi_version*/) {
  static const auto* const summary =
      new std::string(fhe::fpga::factory().summary);  // for the table
  static const fhe_backend_table table =
      fhe::plugin::exported_backend<open>(FHE_FPGA_VERSION, summary->c_str());
  return &table;
}
