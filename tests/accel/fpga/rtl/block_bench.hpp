// SPDX-License-Identifier: Apache-2.0
// Products by an engine that multiplies block by block, against GMP.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libfhe/arith/integer.hpp"
#include "tests/accel/fpga/rtl/block_products.hpp"
#include "tests/accel/fpga/rtl/engine_bench.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

template <class Model>
class BlockBench : public EngineBench<Model> {
  using Bench = EngineBench<Model>;
  using Bench::clocks_until_done, Bench::leave_done, Bench::run_for, Bench::step, Bench::reset;
  using Bench::memory_, Bench::model_;

 public:
  BlockBench() { reset(); }

  // Clocks from that of start to that of done.
  std::uint64_t run(const Product& product, Words* stalls = nullptr) {
    INFO(product.kind);
    const Integer behind = begin(product, stalls);
    const std::uint64_t clocks = clocks_until_done(stalls, 10'000'000);
    const std::size_t bits = product.d_words * kWordBits;
    const Integer exact = product.exact();
    CHECK(memory_.load(kD, product.d_words) == low_bits(exact, bits));
    CHECK(memory_.load(kD + bits / 8, 2) == behind);
    if (product.d_words >= product.a_words + product.b_words)
      CHECK(model_->carry == (exact >> bits != 0));
    leave_done(stalls);
    return clocks;
  }

  // A product that a reset ends after so many clocks.
  void abandon(const Product& product, std::uint64_t clocks) {
    begin(product, nullptr);
    run_for(clocks, nullptr);
    reset();
  }

 private:
  // What lies behind the destination.
  Integer begin(const Product& product, Words* stalls) {
    give(product, model_, memory_);
    step(stalls);
    model_->start = 0;
    CHECK(model_->carry == 0);
    return memory_.load(kD + product.d_words * kWordBits / 8, 2);
  }
};

}  // namespace fhe::test
