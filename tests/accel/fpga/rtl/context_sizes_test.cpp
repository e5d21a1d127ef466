// SPDX-License-Identifier: Apache-2.0
// The sizes of a reduction: as the driver says, and no other shapes are sound.
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "ContextSizes28.h"
#include "ContextSizes512.h"
#include "accel/fpga/contract/context.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace {

using fhe::fpga::BarrettShape;
using fhe::test::Operands;
using fhe::test::Simulation;

template <class Model>
constexpr std::uint32_t kUnit = 512;
template <>
constexpr std::uint32_t kUnit<ContextSizes28> = 28;

// The numbers of a record, which are to be those of the shape.
bool fits(const BarrettShape& shape) {
  return shape.phi != 0 && std::uint64_t{shape.phi} + shape.gamma < (std::uint64_t{1} << 32) &&
         shape.is_valid();
}

template <class Model>
struct Bench {
  Bench() {
    model->start = 0;
    model.reset();
  }

  void check(const BarrettShape& shape) {
    CAPTURE(shape.phi, shape.gamma, shape.shift_low, shape.shift_high);
    const auto record = fhe::fpga::encode_context({.shape = shape});
    for (std::size_t i = 0; i < 4; ++i) model->record[i] = record[i];
    model->start = 1;
    model.clock();
    model->start = 0;
    do model.clock();
    while (!model->ready);
    CHECK(model->sound == fits(shape));
    if (!fits(shape)) return;
    CHECK(model->phi_words == shape.modulus_words());
    CHECK(model->input_words == shape.argument_words());
    CHECK(model->reciprocal_words == shape.reciprocal_words());
    CHECK(model->kept_words == shape.quotient_words());
    CHECK(model->remainder_words == shape.remainder_words());
    CHECK(model->scratch_words == shape.scratch_words());
    CHECK(model->may_lose == shape.may_lose());
  }

  Simulation<Model> model;
};

}  // namespace

TEMPLATE_TEST_CASE("rtl context_sizes: as the driver says", "[rtl]", ContextSizes512,
                   ContextSizes28) {
  constexpr std::uint32_t kBits = kUnit<TestType>;
  Operands operands(530);
  Bench<TestType> bench;
  const auto length = [&] {
    return static_cast<std::uint32_t>(
        operands.between(2, (std::size_t{1} << operands.between(2, 31)) - 1));
  };
  for (int trial = 0; trial < 500; ++trial) {
    BarrettShape shape = fhe::fpga::barrett_shape(length(), length(), kBits);
    bench.check(shape);
    shape.shift_high += kBits * static_cast<std::uint32_t>(operands.between(0, 2)) - kBits;
    bench.check(shape);
    shape.shift_low -= static_cast<std::uint32_t>(operands.between(0, kBits));
    bench.check(shape);
  }
}

TEMPLATE_TEST_CASE("rtl context_sizes: the longest numbers", "[rtl]", ContextSizes512,
                   ContextSizes28) {
  Bench<TestType> bench;
  for (const std::uint32_t phi : {2U, 512U, 0x4000'0000U, 0x8000'0000U, 0xffff'0000U}) {
    bench.check(fhe::fpga::barrett_shape(phi, 0xffff'f000U - phi, kUnit<TestType>));
    bench.check(fhe::fpga::barrett_shape(phi, 1, kUnit<TestType>));
  }
}

TEMPLATE_TEST_CASE("rtl context_sizes: at the greatest shifts nothing may be lost", "[rtl]",
                   ContextSizes512, ContextSizes28) {
  constexpr std::uint32_t kBits = kUnit<TestType>;
  Bench<TestType> bench;
  for (const std::uint32_t phi : {20 * kBits + 2, 20 * kBits + 3}) {
    for (const std::uint32_t gamma : {5 * kBits - 3, 5 * kBits - 4}) {
      const BarrettShape shape = fhe::fpga::barrett_shape(phi, gamma, kBits);
      CHECK(shape.may_lose() == (phi != 20 * kBits + 2 || gamma != 5 * kBits - 3));
      bench.check(shape);
    }
  }
}
