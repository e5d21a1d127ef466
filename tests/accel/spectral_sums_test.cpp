// SPDX-License-Identifier: Apache-2.0
// Sums of several sets of weights in the transform domain: equal to the default kernels for every
// number of sets, and right at the bound of what the primes recover.
#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "accel/cpu/kernel.hpp"
#include "accel/cpu/streams/passes.hpp"
#include "accel/cpu/streams/spectral_kernel.hpp"
#include "accel/cpu/streams/streams.hpp"
#include "accel/cpu/three_primes/kernels.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/arith/stream_kernels.hpp"
#include "libfhe/error.hpp"
#include "tests/catch.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/monitors.hpp"
#include "tests/support/stream_operands.hpp"

namespace fhe::test {

namespace {

using cpu::kLanes;
using cpu::LaneBuffer;
using cpu::LaneStream;
using cpu::SpectralPlan;
using cpu::SpectralTransform;
using cpu::StreamKernels;
using cpu::SumSizes;

std::size_t longest(std::span<const DenseWeights> batch) {
  std::size_t bits = 0;
  for (const DenseWeights& weights : batch) {
    for (const Integer& weight : weights) bits = std::max(bits, bit_length(weight));
  }
  return bits;
}

SpectralPlan plan_for(const StreamKernels& kernels, const IntegerStream& stream,
                      std::span<const DenseWeights> batch) {
  const auto plan = cpu::spectral_plan(
      {stream.bits(), stream.count(), longest(batch), batch.size()}, kernels.kernel);
  REQUIRE(plan);
  return *plan;
}

void check_sums(const StreamKernels& kernels, const IntegerStream& stream,
                std::span<const DenseWeights> batch, const SpectralPlan& plan) {
  const auto lanes = LaneStream::open(stream, kernels);
  REQUIRE(lanes);
  const auto device = std::make_shared<MinimalBackend>();
  const auto expected = stream_weighted_sums(stream, batch, *device, Monitor{});
  const auto bytes = device->counts().stream_bytes;
  CHECK(cpu::spectral_lane_sums(*lanes, batch, plan, *device, Monitor{}) == expected);
  CHECK(device->counts().stream_bytes == 2 * bytes);
}

void check_sums(const StreamKernels& kernels, const IntegerStream& stream,
                std::span<const DenseWeights> batch) {
  check_sums(kernels, stream, batch, plan_for(kernels, stream, batch));
}

std::vector<DenseWeights> random_batch(Operands& operands, std::size_t sets, std::size_t count,
                                       std::size_t bits) {
  std::vector<DenseWeights> batch;
  for (std::size_t s = 0; s < sets; ++s) batch.push_back(dense_weights(operands, count, bits));
  return batch;
}

// The sum of `terms` products of a number of `rows` words and one of `weight_rows`, all bits set,
// as each lane finds it.
std::vector<Integer> sums_of_ones(const SpectralTransform& transform, std::size_t rows,
                                  std::size_t weight_rows, std::size_t terms) {
  constexpr std::size_t kPrimes = cpu::three_primes::kPrimes;
  constexpr std::size_t kTerms = cpu::kSpectralTerms;
  const std::size_t n = transform.points();
  const std::size_t digits = (n + 31) / 32 * 32;
  LaneBuffer ones(n * kLanes);
  std::fill_n(ones.data(), ones.size(), ~std::uint64_t{0});
  LaneBuffer residues(kPrimes * kLanes * digits);
  for (std::size_t prime = 0; prime < kPrimes; ++prime) {
    LaneBuffer x(n * kLanes);
    LaneBuffer w(n * kLanes);
    transform.forward(prime, ones.data(), rows, x.data());
    transform.forward(prime, ones.data(), weight_rows, w.data());
    LaneBuffer weights(n * kTerms * cpu::weight_words(1));
    for (std::size_t i = 0; i < n * kTerms; ++i) {
      weights.data()[i * cpu::weight_words(1)] = w.data()[i / kTerms * kLanes];
    }
    LaneBuffer sums(n * kLanes);
    for (std::size_t done = 0; done < terms; done += kTerms) {
      transform.kernel().add_point_products(transform.field(prime),
                                            {.points = n,
                                             .groups = 1,
                                             .terms = std::min(kTerms, terms - done),
                                             .sets = 1,
                                             .x = x.data(),
                                             .x_group = 0,
                                             .x_term = 0,
                                             .weights = weights.data(),
                                             .sums = sums.data(),
                                             .sums_group = 0});
    }
    transform.inverse(prime, sums.data());
    transform.kernel().separate_lanes(sums.data(), n, residues.data() + prime * kLanes * digits,
                                      digits);
  }
  std::vector<Integer> results;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::uint64_t* first = residues.data() + lane * digits;
    const std::uint64_t* of_primes[kPrimes] = {first, first + kLanes * digits,
                                               first + 2 * kLanes * digits};
    std::vector<Limb> limbs(digits + 2);
    const auto spill = transform.recombine(of_primes, digits, limbs.data());
    limbs[digits] = spill.low;
    limbs[digits + 1] = spill.high;
    results.push_back(from_limbs(limbs));
  }
  return results;
}

}  // namespace

TEST_CASE("spectral sums hold at the bound of the primes", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  for (const std::size_t weight_rows : {1U, 15U, 23U, 40U, 64U, 120U, 280U}) {
    // the most terms that a plan takes
    const auto capacity = cpu::three_primes::capacity(cpu::three_primes::kNarrow);
    SumSizes sizes{100'000, capacity / weight_rows, 64 * weight_rows, 16};
    const auto plan = cpu::spectral_plan(sizes, kernels.kernel);
    REQUIRE(plan);
    CAPTURE(weight_rows, plan->points(), plan->chunk_rows);
    REQUIRE(plan->chunk_rows >= 2);
    REQUIRE(plan->chunk_rows + weight_rows <= plan->points() + 1);
    const std::size_t terms = capacity / std::min(weight_rows, plan->chunk_rows);
    const Integer expected = Integer(static_cast<unsigned long>(terms)) *
                             all_ones(64 * plan->chunk_rows) * all_ones(64 * weight_rows);
    for (const Integer& sum :
         sums_of_ones(*plan->transform, plan->chunk_rows, weight_rows, terms)) {
      CHECK(sum == expected);
    }
    sizes.elements = capacity + 1;
    CHECK_FALSE(cpu::spectral_plan(sizes, kernels.kernel));
  }
}

TEST_CASE("spectral sums equal the default ones for every number of sets", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  Operands operands(81);
  for (std::size_t sets = 1; sets <= 20; ++sets) {
    for (std::size_t trial = 0; trial < 2; ++trial) {
      const std::size_t count = operands.between(1, trial == 0 ? 120 : 40);
      const PublicStream stream = random_stream(operands, count, awkward_bits(operands, 150'000));
      const std::size_t weight_bits = operands.between(0, trial == 1 ? 9000 : 3000);
      CAPTURE(sets, count, stream.bits(), weight_bits);
      check_sums(kernels, stream, random_batch(operands, sets, count, weight_bits));
    }
  }
}

TEST_CASE("spectral sums at the ends of chunks and groups", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  Operands operands(82);
  for (const std::size_t count : {1U, 5U, 15U, 16U, 17U, 33U}) {
    const auto batch = random_batch(operands, 5, count, 936);
    const SpectralPlan plan = plan_for(kernels, random_stream(operands, count, 100'000), batch);
    const std::size_t chunk = 64 * plan.chunk_rows;
    for (const std::size_t edge : {chunk, 7 * chunk, 8 * chunk, 9 * chunk, 32 * chunk}) {
      for (const std::size_t bits : {edge - 128, edge - 1, edge, edge + 1, edge + 64}) {
        CAPTURE(count, chunk, bits);
        check_sums(kernels, random_stream(operands, count, bits), batch);
      }
    }
  }
}

TEST_CASE("spectral sums with the largest, the smallest and no weights", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  Operands operands(83);
  for (const std::size_t bits : {1U, 64U, 936U, 2556U, 4096U}) {
    const PublicStream stream = random_stream(operands, 300, 40'000);
    const DenseWeights largest(stream.count(), all_ones(bits));
    const DenseWeights ones(stream.count(), Integer(1));
    const DenseWeights zeros(stream.count());
    CAPTURE(bits);
    check_sums(kernels, stream, std::vector<DenseWeights>{largest, zeros, ones, largest});
    check_sums(kernels, stream, std::vector<DenseWeights>{zeros});
    check_sums(kernels, stream, std::vector<DenseWeights>(17, largest));
  }
}

TEST_CASE("spectral sums that go through the columns in several passes", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  Operands operands(84);
  const PublicStream stream = random_stream(operands, 50, 200'001);
  const auto batch = random_batch(operands, 6, stream.count(), 936);
  SpectralPlan plan = plan_for(kernels, stream, batch);
  REQUIRE(plan.groups > 5);
  for (const std::size_t groups : {1U, 2U, 5U}) {
    plan.groups_at_once = groups;
    check_sums(kernels, stream, batch, plan);
  }
}

TEST_CASE("spectral sums are the same on any number of threads", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  Operands operands(85);
  const PublicStream stream = random_stream(operands, 70, 147'456);
  const auto batch = random_batch(operands, 16, stream.count(), 936);
  for (const std::size_t threads : {1U, 2U, 3U}) {
    const ThreadLimit limit(threads);
    check_sums(kernels, stream, batch);
  }
}

TEST_CASE("dense sums change to the transform domain where it is faster", "[streams]") {
  NEEDS_IFMA_KERNELS;
  const StreamKernels& kernels = *cpu::stream_kernels(cpu::Kernel::ifma);
  // the CNT groups; the first batch that is made in the transform domain
  struct Group {
    std::size_t element_bits;
    std::size_t elements;
    std::size_t weight_bits;
    std::size_t change;
  };
  for (const Group& group : {Group{147'456, 158, 936, 5}, Group{843'033, 572, 1476, 3},
                             Group{4'251'866, 2110, 2016, 3}, Group{19'575'950, 7659, 2556, 2}}) {
    const auto* kernel = cpu::karatsuba_kernel(kernels, group.weight_bits);
    REQUIRE(kernel != nullptr);
    for (std::size_t sets = 1; sets <= 20; ++sets) {
      const SumSizes sizes{group.element_bits, group.elements, group.weight_bits, sets};
      const auto plan = cpu::spectral_plan(sizes, kernels.kernel);
      REQUIRE(plan);
      CAPTURE(group.element_bits, sets);
      CHECK((plan->nanoseconds < cpu::dense_nanoseconds(*kernel, sizes, kernels.kernel)) ==
            (sets >= group.change));
    }
  }

  Operands operands(86);
  const PublicStream stream = random_stream(operands, 40, 60'000);
  const auto device = std::make_shared<MinimalBackend>();
  for (std::size_t sets = 1; sets <= 20; ++sets) {
    const auto batch = random_batch(operands, sets, stream.count(), 936);
    CHECK(cpu::dense_sums(&kernels, stream, batch, *device, Monitor{}) ==
          stream_weighted_sums(stream, batch, *device, Monitor{}));
  }
}

TEST_CASE("spectral sums report their progress and stop when they are told to", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  Operands operands(87);
  const PublicStream stream = random_stream(operands, 100, 147'456);
  const auto batch = random_batch(operands, 8, stream.count(), 936);
  const SpectralPlan plan = plan_for(kernels, stream, batch);
  const auto lanes = LaneStream::open(stream, kernels);
  REQUIRE(lanes);
  const auto device = std::make_shared<MinimalBackend>();
  std::vector<double> fractions;
  Monitor watching;
  watching.progress = [&](std::string_view phase, double fraction) {
    CHECK(phase == "weighted sums");
    fractions.push_back(fraction);
  };
  (void)cpu::spectral_lane_sums(*lanes, batch, plan, *device, watching);
  REQUIRE(fractions.size() > 2);
  CHECK(fractions.back() == 1.0);
  CHECK_THROWS_AS(cpu::spectral_lane_sums(*lanes, batch, plan, *device, stopped_monitor()), Error);
}

TEST_CASE("spectral sums at the size of CNT Toy", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  Operands operands(88);
  const PublicStream stream = random_stream(operands, 158, 147'456);
  check_sums(kernels, stream, random_batch(operands, 16, stream.count(), 936));
}

TEST_CASE("spectral sums at the size of CNT Small", "[streams][long]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  Operands operands(89);
  const PublicStream stream = random_stream(operands, 572, 843'033);
  check_sums(kernels, stream, random_batch(operands, 16, stream.count(), 1476));
}

}  // namespace fhe::test
