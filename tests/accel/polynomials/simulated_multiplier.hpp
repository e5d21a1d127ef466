// SPDX-License-Identifier: Apache-2.0
// The simulated polynomial multiplier as a stream of products, and as a PolynomialMultiplier.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "accel/polynomials/hardware_format.hpp"
#include "accel/polynomials/polynomial_multiplier.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

// When a product went through, in clocks since the start of the stream.
struct Passage {
  std::uint64_t first_in = 0;
  std::uint64_t last_out = 0;
};

template <class Model, std::size_t kCoefficientBits>
class ProductStream {
 public:
  static constexpr std::size_t kLimbs = kCoefficientBits / 64;
  using Operands = PolynomialMultiplier::Operands;
  using NormalizedModulus = karatsuba::NormalizedModulus;

  ProductStream() {
    model_->in_valid = model_->out_ready = 0;
    model_.reset();
  }

  // Queues a modulus and a size; sizes are powers of two that the model accepts.
  void set(const Integer& modulus, std::size_t size) {
    const NormalizedModulus normalized(modulus, kCoefficientBits);
    queue({.kind = kModulus, .a = {normalized.modulus()}, .b = {normalized.barrett()}});
    queue({.kind = kSize, .a = {Integer(static_cast<unsigned long>(size / 4))}, .b = {Integer(0)}});
    moduli_.push_back(normalized);
    size_ = size;
  }

  // Queues a product of operands of up to the size that was set last.
  void push(const Operands& operands) {
    const std::size_t quarter = size_ / 4;
    const NormalizedModulus& modulus = moduli_.back();
    for (std::size_t j = 0; j < quarter; ++j) {
      Message message{.kind = kCoefficient, .product = expected_.size(), .first = j == 0};
      for (std::size_t i = 0; i < 4; ++i) {
        message.a.push_back(modulus.scaled(at(operands.a, j + i * quarter)));
        message.b.push_back(at(operands.b, j + i * quarter));
      }
      queue(message);
    }
    expected_.push_back({.size = size_, .modulus = moduli_.size() - 1});
  }

  // Runs until all products are out. With `stalls`, both sides stall at random.
  std::vector<Polynomial> run(test::Operands* stalls = nullptr) {
    std::vector<Polynomial> products;
    passages_.assign(expected_.size(), {});
    for (std::uint64_t clock = 0, idle = 0; products.size() < expected_.size(); ++clock) {
      const bool moved = send(clock, stalls) | receive(clock, products);
      idle = moved ? 0 : idle + 1;
      if (idle > 100000) FAIL("no end");
      model_.clock();
    }
    expected_.clear();
    return products;
  }

  // So many clocks of what is queued; then a reset, and nothing is queued.
  void abandon(int clocks) {
    passages_.assign(expected_.size(), {});
    std::vector<Polynomial> products;
    for (int clock = 0; clock < clocks; ++clock) {
      send(static_cast<std::uint64_t>(clock), nullptr);
      receive(static_cast<std::uint64_t>(clock), products);
      model_.clock();
    }
    model_->in_valid = 0;
    model_.reset();
    messages_.clear();
    expected_.clear();
    beats_ = 0;
  }

  // Of the products of the last run.
  [[nodiscard]] const std::vector<Passage>& passages() const { return passages_; }

  Simulation<Model>& model() { return model_; }

 private:
  enum Kind : std::uint8_t { kCoefficient, kModulus, kSize };

  struct Message {
    Kind kind;
    std::vector<Integer> a{};
    std::vector<Integer> b{};
    std::size_t product = 0;
    bool first = false;  // of its product
  };

  struct Expected {
    std::size_t size;
    std::size_t modulus;
  };

  static Integer at(const Polynomial& x, std::size_t i) { return i < x.size() ? x[i] : Integer(0); }

  void queue(const Message& message) { messages_.push_back(message); }

  template <class Port>
  static void set_lanes(Port& port, const std::vector<Integer>& lanes) {
    std::vector<std::uint64_t> limbs(kPortLimbs<Port>, 0x0123456789abcdef);  // in lanes not used
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const auto value = limbs_of(lanes[i]);
      const auto lane = limbs.begin() + static_cast<std::ptrdiff_t>(i * kLimbs);
      std::fill_n(std::ranges::copy(value, lane).out, kLimbs - value.size(), 0);
    }
    set_limbs(port, limbs);
  }

  template <class Port>
  static Integer lane(const Port& port, std::size_t i) {
    std::vector<Limb> limbs(kLimbs);
    for (std::size_t k = 0; k < kLimbs; ++k) limbs[k] = limb(port, i * kLimbs + k);
    return from_limbs(limbs);
  }

  bool send(std::uint64_t clock, test::Operands* stalls) {
    const bool offered = !messages_.empty() && (stalls == nullptr || stalls->coin());
    model_->in_valid = offered ? 1 : 0;
    if (offered) {
      const Message& message = messages_.front();
      model_->in_kind = message.kind;
      set_lanes(model_->in_a, message.a);
      set_lanes(model_->in_b, message.b);
    }
    model_->out_ready = stalls == nullptr || stalls->coin() ? 1 : 0;
    model_.settle();
    if (!offered || model_->in_ready == 0) return false;
    if (messages_.front().first) passages_[messages_.front().product].first_in = clock;
    messages_.pop_front();
    return true;
  }

  bool receive(std::uint64_t clock, std::vector<Polynomial>& products) {
    if (model_->out_valid == 0 || model_->out_ready == 0) return false;
    const Expected& expected = expected_[products.size()];
    const std::size_t quarter = expected.size / 4;
    if (beats_ == 0) current_.assign(2 * expected.size, Integer(-1));
    const std::size_t j = model_->out_index;
    REQUIRE(j < quarter);
    CHECK(current_[j] == -1);  // each index once
    for (std::size_t i = 0; i < 8; ++i) {
      current_[j + i * quarter] =
          moduli_[expected.modulus].unscaled(lane(model_->out_coefficients, i));
    }
    if (++beats_ < quarter) return true;
    beats_ = 0;
    CHECK(current_.back() == 0);
    current_.pop_back();
    passages_[products.size()].last_out = clock;
    products.push_back(current_);
    return true;
  }

  Simulation<Model> model_;
  std::deque<Message> messages_;
  std::vector<NormalizedModulus> moduli_;
  std::vector<Expected> expected_;
  std::vector<Passage> passages_;
  std::size_t size_ = 0;
  Polynomial current_;
  std::size_t beats_ = 0;
};

}  // namespace fhe::test
