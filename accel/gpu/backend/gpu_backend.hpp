// SPDX-License-Identifier: Apache-2.0
// The backend "gpu".
#pragma once

#include <string>
#include <string_view>

#include "accel/gpu/device/device.hpp"
#include "libfhe/arith/backend.hpp"

namespace fhe::gpu {

// Opens the card of that number (none: 0), or with "host" the kernels on the processor. Throws
// Error(invalid_argument) for other options, and what the devices throw (device.hpp).
BackendPtr open(std::string_view options);

// The backend on any device.
BackendPtr open_on(std::string name, DevicePtr device);

}  // namespace fhe::gpu
