// SPDX-License-Identifier: Apache-2.0
// A backend and its rings whose arithmetic a plug-in does.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "accel/plugin/loaded_plugin.hpp"
#include "accel/plugin/open_backend.hpp"
#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/ring.hpp"

namespace fhe::plugin {

// Opens a backend of the plug-in, with options as the user wrote them.
//
// A plug-in is trusted with the process, but not believed: a result that is not in its range, a
// product that is wrong modulo 2^61 - 1, an exception or a broken rule of the interface is
// Error(wrong_result) that names the plug-in. Products in rings and sums are compared with nothing:
// the conformance suite does that.
BackendPtr open_plugin(const LoadedPlugin& plugin, std::string name, std::string_view options);

// A ring whose arithmetic a plug-in does.
//
// Requires a plug-in with ring_open, and modulus >= 2. `backend` is the one over `open`. Elements
// that the plug-in keeps are checked for their range when they come to the host.
class PluginRing final : public Ring {
 public:
  PluginRing(BackendPtr backend, OpenBackendPtr open, const Integer& modulus);

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
  [[nodiscard]] std::vector<Operand> prepare_all(std::span<const Operand> list) const override;
  [[nodiscard]] std::vector<Operand> keep_all(std::span<const Operand> list) const override;
  [[nodiscard]] std::vector<Operand> selected_elements(std::span<const Operand> list,
                                                       const BlockSelection& selection,
                                                       const Monitor& monitor) const override;
  [[nodiscard]] std::vector<Operand> selected_elements(const CorrectedStream& x,
                                                       const BlockSelection& selection,
                                                       const Monitor& monitor) const override;
  [[nodiscard]] std::vector<Integer> run(const RingProgram& program, std::span<const Integer> cs,
                                         const Monitor& monitor) const override;

 private:
  class OpenRing;
  class OpenOperand;
  class PreparedByPlugin;
  class ElementOfPlugin;

  class PublicElements;
  class RecryptionForPlugin;

  // By the plug-in; nothing where it leaves that to the host.
  [[nodiscard]] std::optional<Integer> run_at_once(const RingProgram& program, const Integer& c,
                                                   const Monitor& monitor) const;

  // The element of the ring that call(fhe_result*, fhe_backend_error*) writes.
  template <class Call>
  [[nodiscard]] Integer element(const Call& call) const;
  // The elements that call(fhe_operand**, fhe_backend_error*), which the monitor may stop, makes
  // and keeps.
  template <class Call>
  [[nodiscard]] std::vector<Operand> elements(std::size_t count, const Call& call,
                                              const Monitor& monitor = {}) const;
  // The same for call(fhe_operand**, const fhe_monitor*, fhe_backend_error*).
  template <class Call>
  [[nodiscard]] std::vector<Operand> watched_elements(std::size_t count, Progress& progress,
                                                      const Call& call) const;
  // The sums over a stream that call(const PublicElements&, fhe_result*, const fhe_monitor*,
  // fhe_backend_error*) writes.
  template <class Call>
  [[nodiscard]] std::vector<Integer> sums(const CorrectedStream& x, std::size_t count,
                                          const Monitor& monitor, const Call& call) const;
  // Counts one pass over a stream and the reductions of its sums.
  void count_pass(const CorrectedStream& x, std::size_t sums) const;
  [[nodiscard]] bool keeps_results() const { return functions().operand_value != nullptr; }
  [[nodiscard]] fhe_factor factor(const Operand& x) const;
  [[nodiscard]] std::vector<fhe_factor> factors(std::span<const Operand> list) const;
  void count_products(std::size_t products, std::size_t reductions) const;
  [[nodiscard]] const fhe_backend_table& functions() const { return open_->functions(); }

  OpenBackendPtr open_;
  std::shared_ptr<const OpenRing> ring_;
};

}  // namespace fhe::plugin
