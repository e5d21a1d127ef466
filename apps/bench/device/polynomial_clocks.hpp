// SPDX-License-Identifier: Apache-2.0
// What products of polynomials take on a device, by the clocks that it counts.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "accel/polynomials/polynomial_multiplier.hpp"
#include "libfhe/arith/integer.hpp"

namespace fhe::bench {

class PolynomialDevice {
 public:
  // The device of this name, such as "sim=karatsuba". Throws what opening it does, and
  // Error(unsupported) for one without a polynomial multiplier.
  explicit PolynomialDevice(const std::string& name);
  ~PolynomialDevice();

  struct Run {
    std::vector<Polynomial> products;
    double clocks_per_product;
  };
  // The products of a batch that is not empty; nothing where the device takes no such operands.
  [[nodiscard]] std::optional<Run> multiply_all(
      const Integer& modulus, const std::vector<PolynomialMultiplier::Operands>& batch) const;

 private:
  struct Opened;
  std::unique_ptr<Opened> opened_;
};

}  // namespace fhe::bench
