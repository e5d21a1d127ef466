// SPDX-License-Identifier: Apache-2.0
// The backend fpga in a test program that is linked with it, under the same name as the plug-in.
#include "accel/fpga/backend/fpga_backend.hpp"
#include "libfhe/arith/registry.hpp"

namespace fhe::test {

namespace {

[[maybe_unused]] const bool kAdded = (register_backend(fpga::factory()), true);

}  // namespace

}  // namespace fhe::test
