// SPDX-License-Identifier: Apache-2.0
#include "accel/plugin/plugin_ring.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace fhe::plugin {

// The plug-in's ring, closed with its last user.
class PluginRing::OpenRing {
 public:
  OpenRing(OpenBackendPtr backend, const Integer& modulus) : backend_(std::move(backend)) {
    const fhe_number n = number(modulus);
    calls().make(ring_, [&](fhe_backend_error* error) {
      return calls().functions().ring_open(backend_->get(), &n, &ring_, error);
    });
  }
  ~OpenRing() {
    PluginCalls::close([&] { calls().functions().ring_close(ring_); });
  }
  OpenRing(const OpenRing&) = delete;
  OpenRing& operator=(const OpenRing&) = delete;

  [[nodiscard]] const PluginCalls& calls() const { return backend_->calls(); }
  [[nodiscard]] const fhe_ring* get() const { return ring_; }

 private:
  OpenBackendPtr backend_;
  fhe_ring* ring_ = nullptr;
};

// What the plug-in has prepared for an element of a ring.
class PluginRing::PreparedByPlugin final : public Operand::Prepared {
 public:
  PreparedByPlugin(std::shared_ptr<const OpenRing> ring, const Integer& x)
      : ring_(std::move(ring)) {
    const fhe_number value = number(x);
    ring_->calls().make(operand_, [&](fhe_backend_error* error) {
      return ring_->calls().functions().ring_prepare(ring_->get(), &value, &operand_, error);
    });
  }
  ~PreparedByPlugin() override {
    PluginCalls::close([&] { ring_->calls().functions().operand_close(operand_); });
  }
  PreparedByPlugin(const PreparedByPlugin&) = delete;
  PreparedByPlugin& operator=(const PreparedByPlugin&) = delete;

  // The plug-in's object, or null for another ring than its own.
  [[nodiscard]] const fhe_operand* of(const OpenRing& ring) const {
    return &ring == ring_.get() ? operand_ : nullptr;
  }

 private:
  std::shared_ptr<const OpenRing> ring_;
  fhe_operand* operand_ = nullptr;
};

PluginRing::PluginRing(BackendPtr backend, OpenBackendPtr open, const Integer& modulus)
    : Ring(std::move(backend), modulus),
      open_(std::move(open)),
      ring_(std::make_shared<const OpenRing>(open_, modulus)) {}

template <class Call>
Integer PluginRing::element(const Call& call) const {
  Results result(1, mpz_size(modulus().get_mpz_t()));
  open_->calls().run([&](fhe_backend_error* error) { return call(result.views(), error); });
  return std::move(result.below(modulus(), open_->calls()).front());
}

fhe_factor PluginRing::factor(const Operand& x) const {
  const auto* const prepared = dynamic_cast<const PreparedByPlugin*>(x.prepared().get());
  return {number(x.value()), prepared == nullptr ? nullptr : prepared->of(*ring_)};
}

void PluginRing::count_products(std::size_t products) const {
  open_->count(backend().counters(), [&](OperationCounters& counters) {
    const std::size_t limbs = mpz_size(modulus().get_mpz_t());
    counters.count_multiplication(limbs, limbs, products);
    counters.count_reduction();
  });
}

Integer PluginRing::reduce(const Integer& x) const {
  const fhe_number value = number(x);
  Integer residue = element([&](fhe_result* result, fhe_backend_error* error) {
    return functions().ring_reduce(ring_->get(), &value, result, error);
  });
  open_->count(backend().counters(),
               [](OperationCounters& counters) { counters.count_reduction(); });
  if (sgn(x) < 0 && sgn(residue) != 0) residue = modulus() - residue;
  return residue;
}

Operand PluginRing::prepare(const Integer& x) const {
  if (functions().ring_prepare == nullptr) return {x};
  return {x, std::make_shared<const PreparedByPlugin>(ring_, x)};
}

Integer PluginRing::multiply(const Operand& a, const Operand& b) const {
  const fhe_factor first = factor(a);
  const fhe_factor second = factor(b);
  Integer product = element([&](fhe_result* result, fhe_backend_error* error) {
    return functions().ring_multiply(ring_->get(), &first, &second, result, error);
  });
  count_products(1);
  return product;
}

Integer PluginRing::dot(std::span<const OperandPair> terms) const {
  if (functions().ring_dot == nullptr || terms.empty()) return Ring::dot(terms);
  std::vector<fhe_factor> first;
  std::vector<fhe_factor> second;
  first.reserve(terms.size());
  second.reserve(terms.size());
  for (const auto& [a, b] : terms) {
    first.push_back(factor(a));
    second.push_back(factor(b));
  }
  Integer sum = element([&](fhe_result* result, fhe_backend_error* error) {
    return functions().ring_dot(ring_->get(), first.data(), second.data(), terms.size(), result,
                                error);
  });
  count_products(terms.size());
  return sum;
}

}  // namespace fhe::plugin
