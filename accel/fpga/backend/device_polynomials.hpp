// SPDX-License-Identifier: Apache-2.0
// Products of polynomials on a device with a polynomial multiplier (its feature karat).
#pragma once

#include <memory>
#include <string_view>

#include "accel/polynomials/polynomial_multiplier.hpp"
#include "libfhe/arith/integer.hpp"

namespace fhe {

namespace fpga {
class Device;
}

// A multiplier on this device. Batches go to the device as streams; operands of any length go
// together with those of the next power of two. The multiplier throws Error(invalid_argument) for
// an operand of more coefficients than the device takes (128 in the simulated one): the caller
// splits longer ones. Every function throws what the driver throws, including fpga::DeviceLost and
// fpga::OutOfDeviceMemory. Polynomials stay in the device's memory until something else is put in
// their place.
//
// Throws Error(invalid_argument) for modulus < 2 and for one of more bits than the device's
// coefficients have, Error(unsupported) for a device without a polynomial multiplier.
[[nodiscard]] std::unique_ptr<PolynomialMultiplier> device_polynomial_multiplier(
    Integer modulus, std::shared_ptr<fpga::Device> device);

// A multiplier on the device of this name, such as "sim=karatsuba", "model=karatsuba",
// "socket=PATH" or "/dev/xdma0": fpga/devices/open_transport.hpp.
[[nodiscard]] std::unique_ptr<PolynomialMultiplier> device_polynomial_multiplier(
    Integer modulus, std::string_view device);

}  // namespace fhe
