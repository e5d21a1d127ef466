// SPDX-License-Identifier: Apache-2.0
// A ring whose arithmetic a plug-in does.
#pragma once

#include <memory>
#include <span>

#include "accel/plugin/open_backend.hpp"
#include "libfhe/arith/ring.hpp"

namespace fhe::plugin {

// Requires a plug-in with ring_open, and modulus >= 2. `backend` is the one over `open`.
class PluginRing final : public Ring {
 public:
  PluginRing(BackendPtr backend, OpenBackendPtr open, const Integer& modulus);

  [[nodiscard]] Integer reduce(const Integer& x) const override;
  [[nodiscard]] Operand prepare(const Integer& x) const override;
  [[nodiscard]] Integer multiply(const Operand& a, const Operand& b) const override;
  [[nodiscard]] Integer dot(std::span<const OperandPair> terms) const override;

 private:
  class OpenRing;
  class PreparedByPlugin;

  // The element of the ring that call(fhe_result*, fhe_backend_error*) writes.
  template <class Call>
  [[nodiscard]] Integer element(const Call& call) const;
  [[nodiscard]] fhe_factor factor(const Operand& x) const;
  void count_products(std::size_t products) const;
  [[nodiscard]] const fhe_backend_table& functions() const { return open_->functions(); }

  OpenBackendPtr open_;
  std::shared_ptr<const OpenRing> ring_;
};

}  // namespace fhe::plugin
