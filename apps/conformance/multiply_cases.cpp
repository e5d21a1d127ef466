// SPDX-License-Identifier: Apache-2.0
// What a backend says of itself, its products and its counters.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "apps/conformance/cases.hpp"
#include "apps/conformance/key_streams.hpp"
#include "apps/conformance/trial.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/arith/ring.hpp"

namespace fhe::conformance {

namespace {

void product(Trial& trial, const Integer& x, const Integer& y, const Integer& expected,
             std::string_view on_threads = "") {
  trial.equal(
      trial.backend().multiply(x, y), expected,
      fmt::format("the product of {} by {} bits {}", bit_length(x), bit_length(y), on_threads));
}

void product_both_ways(Trial& trial, const Integer& x, const Integer& y) {
  const Integer expected = x * y;
  product(trial, x, y, expected);
  product(trial, y, x, expected);
}

// (2^bits - 1)^2
Integer square_of_all_ones(std::size_t bits) {
  return power_of_two(2 * bits) - power_of_two(bits + 1) + 1;
}

void describes_itself(Trial& trial) {
  const BackendInfo info = trial.backend().info();
  trial.holds(!info.name.empty(), "the backend has a name");
  trial.holds(!info.description.empty(), "the backend has a description");
  trial.holds(info.max_operand_bits >= 64, "operands may have 64 bits or more");
  trial.holds(std::ranges::count(info.native, "multiply") == 1,
              "the native operations name multiply once");
}

void small_products(Trial& trial) {
  for (int x = -6; x <= 6; ++x) {
    for (int y = -6; y <= 6; ++y) {
      trial.equal(trial.backend().multiply(x, y), x * y, fmt::format("{} times {}", x, y));
    }
  }
}

void random_products(Trial& trial) {
  Operands& operands = trial.operands();
  for (int round = 0; round < 150; ++round) {
    const std::size_t longest = round % 30 == 0 ? std::size_t{40'000} : std::size_t{3000};
    const Integer x = operands.with_random_sign(operands.bits(operands.between(0, longest)));
    const Integer y = operands.with_random_sign(operands.bits(operands.between(0, longest)));
    product_both_ways(trial, x, y);
  }
}

void carries(Trial& trial) {
  for (const std::size_t bits : {std::size_t{64}, std::size_t{65}, std::size_t{1000},
                                 std::size_t{8192}, std::size_t{50'000}}) {
    const std::vector<Integer> special{0,
                                       1,
                                       all_ones(bits),
                                       power_of_two(bits),
                                       power_of_two(bits) + 1,
                                       power_of_two(bits - 1),
                                       trial.operands().runs(bits),
                                       -all_ones(bits)};
    for (const Integer& x : special) {
      for (const Integer& y : special) product(trial, x, y, x * y);
    }
  }
}

void squares(Trial& trial) {
  for (const std::size_t bits : {1U, 64U, 100U, 5000U, 100'000U}) {
    const Integer x = trial.operands().exactly(bits);
    const Integer negative = -x;
    const Integer copy = -negative;
    const Integer expected = x * x;
    product(trial, x, x, expected, "(one object)");
    product(trial, x, copy, expected, "(equal objects)");
    product(trial, negative, negative, expected, "(one object, negative)");
    product(trial, negative, x, -expected, "(of which one is negative)");
    trial.equal(x, copy, "a factor after the product");
  }
}

void assigned_to_factors(Trial& trial) {
  const Backend& backend = trial.backend();
  for (const std::size_t bits : {std::size_t{3000}, long_bits(backend) / 2}) {
    Integer x = all_ones(bits);
    const Integer y = all_ones(bits > 1000 ? bits - 1000 : 1);
    x = backend.multiply(x, y);
    trial.equal(x, all_ones(bits) * y, "a product that was assigned to its factor");
    Integer square = y;
    square = backend.multiply(square, square);
    trial.equal(square, y * y, "a square that was assigned to its factor");
  }
}

void different_lengths(Trial& trial) {
  Operands& operands = trial.operands();
  const std::size_t longest = long_bits(trial.backend());
  for (const Integer& large :
       {operands.exactly(longest), all_ones(longest), power_of_two(longest - 1)}) {
    for (const std::size_t bits : {1U, 63U, 64U, 65U, 936U, 20'000U}) {
      product_both_ways(trial, large, operands.exactly(std::min<std::size_t>(bits, longest)));
    }
  }
}

void by_thread_counts(Trial& trial) {
  Operands& operands = trial.operands();
  // A quarter apart, from one bit on: past every break-even size and change of plan.
  for (std::size_t bits = 1; bits <= long_bits(trial.backend()) / 2; bits += 1 + bits / 4) {
    const Integer x = operands.exactly(bits);
    const Integer y = operands.coin() ? all_ones(bits) : operands.runs(bits);
    const Integer expected = x * y;
    for_thread_counts(
        [&](std::string_view on_threads) { product(trial, x, y, expected, on_threads); });
  }
}

void length_ratios(Trial& trial) {
  const std::size_t longest = long_bits(trial.backend());
  for (const std::size_t ratio : {1U, 2U, 3U, 4U, 5U, 7U, 10U, 30U, 100U, 1000U, 10'000U}) {
    const Integer large = trial.operands().exactly(longest);
    product_both_ways(trial, large, all_ones(std::max<std::size_t>(1, longest / ratio)));
  }
}

void up_to_40_mbit(Trial& trial) {
  constexpr std::size_t kLongest = 40'000'000;
  const std::size_t limit = std::max<std::size_t>(64, trial.backend().info().max_operand_bits);
  for (const std::size_t wanted : {std::size_t{2'500'000}, std::size_t{9'000'000}, kLongest}) {
    const std::size_t bits = std::min(wanted, limit);
    const Integer x = all_ones(bits);
    const Integer squared = square_of_all_ones(bits);
    const Integer random = trial.operands().exactly(bits);
    const Integer scaled = (random << bits) - random;  // random * x
    for_thread_counts([&](std::string_view on_threads) {
      product(trial, x, x, squared, on_threads);
      product(trial, x, random, scaled, on_threads);
    });
    const Integer small = trial.operands().exactly(std::max<std::size_t>(1, bits / 10'000));
    product(trial, x, small, (small << bits) - small);
    product(trial, small, random, small * random);
  }
}

void two_long_operands(Trial& trial) {
  const std::size_t longest = long_bits(trial.backend());
  const Integer x = trial.operands().exactly(longest);
  const Integer y = trial.operands().runs(longest);
  product(trial, x, y, x * y);
  product(trial, x, x, x * x);
  product(trial, all_ones(longest), all_ones(longest), square_of_all_ones(longest));
}

void longest_operands(Trial& trial) {
  const Backend& backend = trial.backend();
  const std::size_t limit = backend.info().max_operand_bits;
  // Software takes more than is worth multiplying in a test.
  if (limit <= std::size_t{1} << 28) {
    const Integer longest = all_ones(limit);
    product(trial, longest, longest, longest * longest);
    product(trial, longest, 3, longest * 3);
  }
  const Integer too_long = power_of_two(limit);
  trial.refuses(
      ErrorCode::invalid_argument, [&] { static_cast<void>(backend.multiply(too_long, 3)); },
      "multiplying a first operand of one bit more than the longest");
  trial.refuses(
      ErrorCode::invalid_argument, [&] { static_cast<void>(backend.multiply(3, too_long)); },
      "multiplying a second operand of one bit more than the longest");
}

void many_threads(Trial& trial) {
  const std::vector<Integer> factors = trial.operands().list(64, 5000);
  std::vector<Integer> products(factors.size());
  parallel_for(factors.size(), [&](std::size_t i) {
    products[i] = trial.backend().multiply(factors[i], factors[factors.size() - 1 - i]);
  });
  for (std::size_t i = 0; i < factors.size(); ++i) {
    trial.equal(products[i], factors[i] * factors[factors.size() - 1 - i],
                fmt::format("product {} of 64 that are made at once", i));
  }
}

void no_counter_fell(Trial& trial, const OperationCounts& before, const OperationCounts& after) {
  trial.holds(
      after.multiplications >= before.multiplications &&
          after.limb_products >= before.limb_products && after.reductions >= before.reductions &&
          after.stream_bytes >= before.stream_bytes && after.device_clocks >= before.device_clocks,
      "no counter goes back");
}

void counters(Trial& trial) {
  const Backend& backend = trial.backend();
  const OperationCounts before = backend.counts();
  const KeyStream key = public_key(trial.operands(), 3, 1000);
  const auto ring = backend.ring(key.modulus);
  trial.equal(ring->multiply(Integer(1), Integer(1)), 1, "1 times 1 in a ring");
  const OperationCounts between = backend.counts();
  const std::vector<DenseWeights> batch{{1, 2, 3}};
  trial.holds(ring->weighted_sums(key.view(), batch, trial.monitor()).size() == 1,
              "there is one sum for one set of weights");
  const OperationCounts after = backend.counts();
  no_counter_fell(trial, before, between);
  no_counter_fell(trial, between, after);
  const OperationCounts done = after - before;
  trial.holds(done.reductions >= 2, "a product and a sum in a ring count 2 reductions");
  trial.holds(done.stream_bytes >= 3 * 1000 / 8, "the bytes of the stream are counted");
  trial.holds(done.multiplications < 1000, "no more than 1000 products are counted");
}

}  // namespace

std::vector<Case> multiply_cases() {
  return {
      {"a backend describes itself", "backend", describes_itself},
      {"products of small numbers of every sign", "backend", small_products},
      {"products of random operands of many lengths", "backend", random_products},
      {"products with operands that stress carries", "backend", carries},
      {"squares of one and the same object", "backend", squares},
      {"a product may be assigned to its factors", "backend", assigned_to_factors},
      {"products of very different lengths", "backend", different_lengths},
      {"products of one bit and more, by thread counts", "backend", by_thread_counts},
      {"products of lengths 1 to 10,000", "backend", length_ratios},
      {.name = "products up to 40 Mbit", .area = "backend", .run = up_to_40_mbit, .is_long = true},
      {"products of two long operands", "backend", two_long_operands},
      {.name = "operands up to the longest are taken and longer ones refused",
       .area = "backend",
       .run = longest_operands,
       .is_long = true},
      {"one backend serves many threads at once", "backend", many_threads},
      {"the counters of a backend only grow", "backend", counters},
  };
}

}  // namespace fhe::conformance
