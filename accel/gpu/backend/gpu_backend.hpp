// SPDX-License-Identifier: Apache-2.0
// The backend on a GPU, and its rings.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accel/gpu/backend/arithmetic.hpp"
#include "accel/gpu/backend/modulus.hpp"
#include "accel/gpu/backend/stream_passes.hpp"
#include "accel/gpu/device/device.hpp"
#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/ring.hpp"

namespace fhe::gpu {

// The backend "gpu".

// Opens the card of that number (none: 0), or with "host" the kernels on the processor. Throws
// Error(invalid_argument) for other options, and what the devices throw (device.hpp).
BackendPtr open(std::string_view options);

// The backend on any device.
BackendPtr open_on(std::string name, DevicePtr device);

// Z/N on a GPU.
//
// Products and sums are computed on the device; results of the functions for many elements stay
// there. Requires a modulus that Modulus::fits.
class GpuRing final : public Ring {
 public:
  // What works on the device. Backends share it with their rings, and these with their elements.
  struct Workshop {
    explicit Workshop(DevicePtr device)
        : arithmetic(std::move(device)),
          passes(arithmetic, arithmetic.device()->memory_bytes() / 2) {}

    Arithmetic arithmetic;
    StreamPasses passes;
  };
  using WorkshopPtr = std::shared_ptr<const Workshop>;

  GpuRing(BackendPtr backend, WorkshopPtr workshop, const Integer& modulus);

  [[nodiscard]] Operand prepare(const Integer& x) const override;
  [[nodiscard]] Integer multiply(const Operand& a, const Operand& b) const override;
  [[nodiscard]] Integer dot(std::span<const OperandPair> terms) const override;
  // Weights and elements are valid ones: the host's side of the plug-in has checked them.
  [[nodiscard]] std::vector<Integer> weighted_sums(const CorrectedStream& x,
                                                   std::span<const DenseWeights> batch,
                                                   const Monitor& monitor) const override;
  [[nodiscard]] std::vector<Integer> weighted_sums(const CorrectedStream& x,
                                                   std::span<const SparseWeights> batch,
                                                   const Monitor& monitor) const override;
  [[nodiscard]] std::vector<Operand> compute_all(std::span<const RingOperation> operations,
                                                 Progress& progress) const override;
  [[nodiscard]] std::vector<Operand> dot_all(std::span<const std::vector<OperandPair>> sums,
                                             Progress& progress) const override;
  [[nodiscard]] std::vector<Operand> prepare_all(std::span<const Operand> elements) const override;
  [[nodiscard]] std::vector<Operand> keep_all(std::span<const Operand> elements) const override;
  [[nodiscard]] std::vector<Operand> selected_elements(std::span<const Operand> elements,
                                                       const BlockSelection& selection,
                                                       const Monitor& monitor) const override;
  [[nodiscard]] std::vector<Operand> selected_elements(const CorrectedStream& x,
                                                       const BlockSelection& selection,
                                                       const Monitor& monitor) const override;

 private:
  class Core;
  class OnDevice;

  // The operand's place on the device; it is copied there if it has none.
  [[nodiscard]] ElementPtr element(const Operand& x) const;
  [[nodiscard]] std::vector<Operand> operands(std::vector<ElementPtr> elements) const;
  [[nodiscard]] Products products(std::span<const OperandPair> terms) const;
  template <class Weights>
  [[nodiscard]] std::vector<ElementPtr> weighted(const Elements& elements,
                                                 std::span<const Weights> batch, std::size_t first,
                                                 const Monitor& monitor) const;
  template <class Weights>
  [[nodiscard]] std::vector<Integer> all_weighted_sums(const CorrectedStream& x,
                                                       std::span<const Weights> batch,
                                                       const Monitor& monitor) const;
  [[nodiscard]] std::vector<ElementPtr> reduced(StreamPasses::Sums sums) const;
  void count_pass(const CorrectedStream& x, std::size_t sums) const;
  void count_products(std::size_t products, std::size_t reductions) const;

  std::shared_ptr<const Core> core_;
};

}  // namespace fhe::gpu
