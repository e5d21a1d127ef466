// SPDX-License-Identifier: Apache-2.0
// The backends that tests run over.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/arith/ring.hpp"
#include "libfhe/error.hpp"

namespace fhe::test {

// The least that a backend must be: `info` and `multiply`. It shows that everything else works on
// the defaults.
class MinimalBackend final : public Backend {
 public:
  [[nodiscard]] BackendInfo info() const override {
    return {.name = "minimal",
            .description = "only multiply, by GMP",
            .max_operand_bits = std::size_t{1} << 34,
            .native = {"multiply"}};
  }
  [[nodiscard]] Integer multiply(const Integer& x, const Integer& y) const override {
    if (std::max(bit_length(x), bit_length(y)) > info().max_operand_bits) {
      throw Error(ErrorCode::invalid_argument, "an operand is longer than this backend accepts");
    }
    return x * y;
  }
};

// A ring whose products are 0.
class ForgetfulRing final : public Ring {
 public:
  using Ring::Ring;
  [[nodiscard]] Operand prepare(const Integer& /*x*/) const override { return Operand(Integer(0)); }
  [[nodiscard]] Integer multiply(const Operand& /*a*/, const Operand& /*b*/) const override {
    return 0;
  }
};

// A device whose sums are 0, and its products modulo a number: encryptions lack their masks.
class ForgetfulBackend final : public Backend {
 public:
  [[nodiscard]] BackendInfo info() const override { return MinimalBackend().info(); }
  [[nodiscard]] Integer multiply(const Integer& x, const Integer& y) const override {
    return x * y;
  }
  [[nodiscard]] std::vector<Integer> weighted_sums(const IntegerStream& /*stream*/,
                                                   std::span<const DenseWeights> batch,
                                                   const Monitor& /*monitor*/) const override {
    return std::vector<Integer>(batch.size());
  }
  [[nodiscard]] std::vector<Integer> weighted_sums(const IntegerStream& /*stream*/,
                                                   std::span<const SparseWeights> batch,
                                                   const Monitor& /*monitor*/) const override {
    return std::vector<Integer>(batch.size());
  }
  [[nodiscard]] std::shared_ptr<const Ring> ring(const Integer& modulus) const override {
    return std::make_shared<const ForgetfulRing>(shared_from_this(), modulus);
  }
};

inline BackendFactory minimal_backend_factory(std::string name) {
  return {.name = std::move(name),
          .summary = "only multiply, by GMP",
          .open = [](std::string_view) { return std::make_shared<const MinimalBackend>(); }};
}

// Every registered kind that can be opened without options on this machine, with each of its
// variants, and the minimal one.
std::vector<BackendPtr> backends_under_test();

}  // namespace fhe::test
