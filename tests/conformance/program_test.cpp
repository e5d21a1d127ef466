// SPDX-License-Identifier: Apache-2.0
// Programs of a ring step by step: whatever the memory, and for several numbers at once.
#include <cstddef>
#include <vector>

#include "apps/conformance/operands.hpp"
#include "apps/conformance/recryptions.hpp"
#include "libfhe/arith/program_run.hpp"
#include "libfhe/arith/registry.hpp"
#include "tests/catch.hpp"

namespace fhe::conformance {

namespace {

// The results of a program for some numbers must be those of its definition.
void check(const Ring& ring, Recryption made, const std::vector<Integer>& cs, std::size_t bytes) {
  const std::vector<Integer> results = made.with_program(
      [&](const RingProgram& program) { return run_step_by_step(ring, program, cs, {}, bytes); });
  REQUIRE(results.size() == cs.size());
  for (std::size_t i = 0; i < cs.size(); ++i) {
    made.c = cs[i];
    CHECK(results[i] == made.result(ring.modulus()));
  }
}

}  // namespace

TEST_CASE("a program gives the same in one stage and in many") {
  Operands operands(41);
  const BackendPtr backend = open_backend();
  for (std::size_t round = 0; round < 20; ++round) {
    const Integer modulus = operands.exactly(300) | 1;
    const auto ring = backend->ring(modulus);
    const Recryption made = random_recryption(operands, modulus, round % 3, 1 + round % 6);
    const std::vector<Integer> cs{made.c, 0, Integer(modulus - 1)};
    for (const std::size_t integers : {1U, 20U, 100U, 10'000U}) {
      CAPTURE(round, integers);
      check(*ring, made, cs, integers * 40);
    }
  }
}

TEST_CASE("a group may take its elements from several streams and from those that are kept") {
  Operands operands(42);
  const Integer modulus = operands.exactly(300) | 1;
  const auto ring = open_backend()->ring(modulus);
  Recryption made = random_recryption(operands, modulus, 1, 5);
  const std::size_t elements = made.elements.count() + made.more_elements.count();
  made.groups = {{.first = 12, .count = 10, .first_window = 3, .window_step = 1},
                 {.first = 20, .count = 9, .first_window = 0, .window_step = 1, .plus = 7},
                 {.first = elements - 1, .count = 3, .first_window = 1, .window_step = 4}};
  made.singles.clear();
  made.constants.clear();
  made.steps.clear();
  for (made.output = 0; made.output < 15; ++made.output) {
    CAPTURE(made.output);
    check(*ring, made, {made.c}, 1);
  }
}

TEST_CASE("products with small constants and inverses are multiples and quotients") {
  Operands operands(43);
  Integer modulus = operands.exactly(300) | 1;
  while (gcd(modulus, 30) != 1) modulus += 2;
  const auto ring = open_backend()->ring(modulus);
  Integer inverse;
  REQUIRE(mpz_invert(inverse.get_mpz_t(), Integer(24).get_mpz_t(), modulus.get_mpz_t()) != 0);
  Recryption made = random_recryption(operands, modulus, 1, 5);
  made.constants = {{.value = -7}, {.value = inverse, .inverse_of = 24}, {.value = 1000}};
  made.steps.clear();
  const auto inputs = static_cast<std::uint32_t>(
      made.with_program([](const RingProgram& program) { return program.inputs(); }));
  const std::uint32_t minus_seven = inputs - 3;
  const std::uint32_t over_24 = inputs - 2;
  const std::uint32_t thousand = inputs - 1;
  const auto step = [&](RingOperationKind operation, std::uint32_t left, std::uint32_t right) {
    made.steps.push_back({operation, left, right});
    made.output = inputs + made.steps.size() - 1;
    check(*ring, made, {made.c}, 1);
    return static_cast<std::uint32_t>(made.output);
  };
  const auto multiple = step(RingOperationKind::multiply, minus_seven, 0);
  const auto product = step(RingOperationKind::multiply, multiple, 1);
  const auto sum = step(RingOperationKind::add, product, step(RingOperationKind::add, 2, thousand));
  const auto quotient = step(RingOperationKind::multiply, sum, over_24);
  step(RingOperationKind::add, step(RingOperationKind::multiply, quotient, quotient), product);
  step(RingOperationKind::multiply, step(RingOperationKind::multiply, thousand, minus_seven),
       over_24);
}

}  // namespace fhe::conformance
