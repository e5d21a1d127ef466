// SPDX-License-Identifier: Apache-2.0
// The backend on the FPGA device, simulated or real, and its rings.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "accel/fpga/backend/device_recryption.hpp"
#include "accel/fpga/backend/device_session.hpp"
#include "accel/fpga/backend/reductions.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/arith/ring.hpp"

namespace fhe::fpga {

// The backend on the FPGA device, simulated or real.
//
// "fpga:sim", "fpga:model", "fpga:socket=PATH", "fpga:/dev/xdma0", "fpga:/dev/litepcie0": see
// devices/open_transport.hpp.
BackendFactory factory();

// Z/N on the device.
//
// Products and sums are computed and reduced on the device, and the results of many operations stay
// there until the host asks for one. What is short stays on the host: single additions, and sums of
// the corrections of compressed elements. Numbers longer than a sum of products are reduced by
// products of the device. Where its memory is full, operations are done one by one.
class FpgaRing final : public Ring {
 public:
  // `session` is the backend's.
  FpgaRing(BackendPtr backend, std::shared_ptr<DeviceSession> session, const Integer& modulus);

  [[nodiscard]] Integer reduce(const Integer& x) const override;
  [[nodiscard]] Operand prepare(const Integer& x) const override;
  [[nodiscard]] Integer multiply(const Operand& a, const Operand& b) const override;
  [[nodiscard]] Integer dot(std::span<const OperandPair> terms) const override;
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
  [[nodiscard]] std::vector<Operand> keep_all(std::span<const Operand> elements) const override {
    return prepare_all(elements);
  }
  [[nodiscard]] std::vector<Operand> selected_elements(std::span<const Operand> elements,
                                                       const BlockSelection& selection,
                                                       const Monitor& monitor) const override;
  [[nodiscard]] std::vector<Operand> selected_elements(const CorrectedStream& x,
                                                       const BlockSelection& selection,
                                                       const Monitor& monitor) const override;
  // One number at a time: the device has the last program, with its key.
  [[nodiscard]] std::vector<Integer> run(const RingProgram& program, std::span<const Integer> cs,
                                         const Monitor& monitor) const override;

 private:
  class Stage;

  // By the device alone. Nothing where it has too little memory, or as DeviceRecryption::run.
  [[nodiscard]] std::optional<Integer> run_at_once(const RingProgram& program,
                                                   const Integer& c) const;

  // For arguments of this many bits; made when it is first asked for, and kept.
  const Reduction& reduction_for(std::uint64_t argument_bits) const;

  // The sums of the integers that a selection chooses among these on the device, and that of their
  // corrections subtracted, where there are any. Throws OutOfDeviceMemory.
  [[nodiscard]] std::vector<Operand> selected_places(std::span<const DeviceInteger> places,
                                                     std::span<const Integer> corrections,
                                                     const BlockSelection& selection,
                                                     const Monitor& monitor) const;

  // The sums of a selection that DeviceSelection takes, mod N. Throws OutOfDeviceMemory.
  [[nodiscard]] std::vector<Operand> selected_by_device(const CorrectedStream& x,
                                                        const BlockSelection& selection,
                                                        const Monitor& monitor) const;

  // The sums of a stream whose elements are not on the device, each of at most `sum_bits` bits:
  // added on the host, reduced on the device, where they stay. Throws OutOfDeviceMemory.
  [[nodiscard]] std::vector<Operand> selected_on_host(const CorrectedStream& x,
                                                      const BlockSelection& selection,
                                                      std::uint64_t sum_bits,
                                                      const Monitor& monitor) const;

  template <class Weights>
  std::vector<Integer> corrected_sums(const CorrectedStream& x, std::span<const Weights> batch,
                                      const Monitor& monitor) const;

  std::shared_ptr<DeviceSession> session_;
  std::uint32_t bits_;  // of the modulus
  mutable std::mutex mutex_;
  mutable std::map<std::uint32_t, std::unique_ptr<const Reduction>> reductions_;  // by gamma
  mutable std::mutex running_;
  mutable std::unique_ptr<const DeviceRecryption> recryption_;  // or none
};

}  // namespace fhe::fpga
