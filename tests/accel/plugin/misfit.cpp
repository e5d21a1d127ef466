// SPDX-License-Identifier: Apache-2.0
// Shared objects that are no usable plug-in, each by FHE_MISFIT in its own way.
#include <cstddef>
#include <cstdlib>
#include <stdexcept>

#include "accel/plugin/backend_abi.h"

namespace {

int open(const char* /*options*/, fhe_backend** /*backend*/, fhe_backend_error* /*error*/) {
  return FHE_BACKEND_FAILED;
}
void close(fhe_backend* /*backend*/) {}
void facts(const fhe_backend* /*backend*/, fhe_backend_facts* /*facts*/) {}
int multiply(const fhe_backend* /*backend*/, const fhe_number* /*x*/, const fhe_number* /*y*/,
             fhe_result* /*product*/, fhe_backend_error* /*error*/) {
  return FHE_BACKEND_FAILED;
}
int ring_open(const fhe_backend* /*backend*/, const fhe_number* /*modulus*/, fhe_ring** /*ring*/,
              fhe_backend_error* /*error*/) {
  return FHE_BACKEND_FAILED;
}
void operand_close(fhe_operand* /*operand*/) {}

fhe_backend_table make_table() {
  fhe_backend_table table{};
  table.abi_version = FHE_BACKEND_ABI_VERSION;
  table.size = sizeof table;
  table.open = open;
  table.close = close;
  table.facts = facts;
  table.multiply = multiply;
#if FHE_MISFIT == 1
  table.abi_version = FHE_BACKEND_ABI_VERSION + 1;
#elif FHE_MISFIT == 2
  table.size = offsetof(fhe_backend_table, multiply);
#elif FHE_MISFIT == 3
  table.ring_open = ring_open;
#elif FHE_MISFIT == 4
  table.multiply = nullptr;
#elif FHE_MISFIT == 7
  table.operand_close = operand_close;
#endif
  static_cast<void>(ring_open);
  static_cast<void>(operand_close);
  return table;
}

}  // namespace

#if FHE_MISFIT == 0
extern "C" int another_function() {
  return make_table().size > 0;
}
#else
const fhe_backend_table* fhe_backend_plugin(std::uint32_t /*host_abi_version*/) {
  static const fhe_backend_table table = make_table();
  if (FHE_MISFIT == 8) std::abort();
  if (FHE_MISFIT == 9) std::exit(0);
  if (FHE_MISFIT == 5) throw std::runtime_error("thrown");
  return FHE_MISFIT == 6 ? nullptr : &table;
}
#endif
