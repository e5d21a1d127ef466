// SPDX-License-Identifier: Apache-2.0
// Z/N on a GPU.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "accel/gpu/backend/arithmetic.hpp"
#include "accel/gpu/backend/modulus.hpp"
#include "libfhe/arith/ring.hpp"

namespace fhe::gpu {

// Products and sums are computed on the device; results of the functions for many elements stay
// there. Requires a modulus that Modulus::fits.
class GpuRing final : public Ring {
 public:
  GpuRing(BackendPtr backend, std::shared_ptr<const Arithmetic> arithmetic, const Integer& modulus);

  [[nodiscard]] Operand prepare(const Integer& x) const override;
  [[nodiscard]] Integer multiply(const Operand& a, const Operand& b) const override;
  [[nodiscard]] Integer dot(std::span<const OperandPair> terms) const override;
  [[nodiscard]] std::vector<Operand> compute_all(std::span<const RingOperation> operations,
                                                 Progress& progress) const override;
  [[nodiscard]] std::vector<Operand> dot_all(std::span<const std::vector<OperandPair>> sums,
                                             Progress& progress) const override;
  [[nodiscard]] std::vector<Operand> prepare_all(std::span<const Operand> elements) const override;

 private:
  class Core;
  class OnDevice;

  // The operand's place on the device; it is copied there if it has none.
  [[nodiscard]] ElementPtr element(const Operand& x) const;
  [[nodiscard]] Operand operand(ElementPtr element) const;
  [[nodiscard]] Products products(std::span<const OperandPair> terms) const;
  void count_products(std::size_t products, std::size_t reductions) const;

  std::shared_ptr<const Core> core_;
};

}  // namespace fhe::gpu
