// SPDX-License-Identifier: Apache-2.0
// What every backend must do, run over every backend there is: the registered kinds that open on
// this machine, those named in FHE_TEST_BACKENDS and the minimal one. Results are compared with the
// plain GMP forms of tests/support/oracle.hpp. Tagged [many]: what takes a simulated device, at
// 40,000 clocks a product, longer than ten minutes together.
#include <algorithm>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/arith/ring.hpp"
#include "libfhe/error.hpp"
#include "libfhe/random/public_stream.hpp"
#include "tests/catch.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/monitors.hpp"
#include "tests/support/operands.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/vectors.hpp"

namespace fhe::test {

namespace {

const Monitor kUnwatched;

// Runs the test case once for each backend, and names it in every failed check.
#define FOR_EACH_BACKEND(backend)                                         \
  const BackendPtr backend = GENERATE(from_range(backends_under_test())); \
  const Backend& device = *(backend);                                     \
  INFO("backend " << device.info().name << ": " << device.info().description)

// The default number of threads, fewer, and more than this machine may have.
const std::vector<std::size_t> kThreadCounts{0, 1, 2, 3};

// The longest operand to try: a megabit, or half of what the backend takes.
std::size_t long_bits(const Backend& backend) {
  return std::min(std::size_t{1} << 20, backend.info().max_operand_bits / 2);
}

// Stops a call from its own first progress report that is not the initial one.
Monitor stopping_midway(std::stop_source& source) {
  Monitor monitor;
  monitor.stop = source.get_token();
  monitor.progress = [&source](std::string_view, double fraction) {
    if (fraction > 0) source.request_stop();
  };
  return monitor;
}

std::vector<Integer> awkward_moduli() {
  Operands operands(31);
  std::vector<Integer> moduli{2, 3, 4, 5, 7, 64, 65, 127, 128, 255, 256, 257};
  for (const std::size_t bits : {63U, 64U, 65U, 127U, 128U, 129U, 1000U, 4096U}) {
    moduli.push_back(power_of_two(bits));
    moduli.push_back(power_of_two(bits) - 1);
    moduli.push_back(power_of_two(bits) + 1);
    moduli.push_back(operands.exactly(bits));
    moduli.push_back(operands.exactly(bits) | 1);
  }
  return moduli;
}

std::vector<Integer> awkward_residues(const Integer& n, Operands& operands) {
  std::vector<Integer> residues{0, 1, n - 1, n / 2, operands.below(n), operands.below(n)};
  if (n > 2) residues.push_back(2);
  return residues;
}

SparseWeights sparse(Operands& operands, std::size_t count, std::size_t ones, std::size_t bits) {
  SparseWeights weights{.ones_per_weight = ones, .positions = {}};
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::uint32_t> all(bits);
    for (std::size_t p = 0; p < bits; ++p) all[p] = static_cast<std::uint32_t>(p);
    for (std::size_t k = 0; k < ones; ++k) {
      std::swap(all[k], all[operands.between(k, bits - 1)]);
      weights.positions.push_back(all[k]);
    }
  }
  return weights;
}

BlockSelection selection(Operands& operands, std::size_t count, std::size_t block_size,
                         unsigned width) {
  BlockSelection result{.block_size = block_size, .width = width, .masks = {}};
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t all = width == 32 ? ~0U : (1U << width) - 1;
    const std::size_t pick = operands.between(0, 4);
    const auto random = static_cast<std::uint32_t>(operands.between(0, all));
    result.masks.push_back(pick == 0 ? 0 : pick == 1 ? all : random);
  }
  return result;
}

// A stream, corrections for it (or none) and a modulus.
struct KeyStream {
  std::unique_ptr<IntegerStream> elements;
  std::vector<Integer> corrections;
  Integer modulus;

  [[nodiscard]] CorrectedStream view() const { return {*elements, corrections}; }
};

std::vector<Integer> random_corrections(Operands& operands, std::size_t count, std::size_t bits) {
  std::vector<Integer> corrections(count);
  for (Integer& correction : corrections) {
    correction = operands.with_random_sign(operands.bits(operands.between(0, bits)));
  }
  return corrections;
}

// Corrections run up to a little beyond the elements, so that some x_i are negative.
KeyStream stored_key(Operands& operands, std::size_t count, std::size_t bits, bool corrected) {
  KeyStream key;
  key.elements = std::make_unique<StoredStream>(operands.list(count, bits), bits);
  if (corrected) key.corrections = random_corrections(operands, count, bits + 3);
  key.modulus = operands.exactly(std::max<std::size_t>(2, operands.between(bits / 2, bits + 2)));
  return key;
}

KeyStream public_key(Operands& operands, std::size_t count, std::size_t bits) {
  StreamSeed seed;
  to_bytes(operands.bits(128), seed);
  KeyStream key;
  key.elements =
      std::make_unique<PublicStream>(seed, StreamPurpose::public_elements, 5, count, bits);
  key.corrections = random_corrections(operands, count, bits / 3);
  key.modulus = operands.exactly(bits);
  return key;
}

// Short and long elements around limb borders; the long ones span several slices of a pass.
struct StreamShape {
  std::size_t count;
  std::size_t bits;
};
const std::vector<StreamShape> kShapes{{1, 1},     {1, 64},      {2, 63},     {3, 65},
                                       {5, 1},     {7, 128},     {64, 130},   {65, 1000},
                                       {200, 777}, {12, 32'768}, {9, 32'769}, {4, 70'001}};

template <class Weights>
void check_weighted_sums(const Backend& backend, const KeyStream& key,
                         const std::vector<Weights>& batch) {
  const auto ring = backend.ring(key.modulus);
  std::vector<Integer> expected;
  for (const Weights& weights : batch) {
    expected.push_back(oracle::weighted_sum(key.view(), weights, key.modulus));
  }
  for (const std::size_t threads : kThreadCounts) {
    const ThreadLimit limit(threads);
    CAPTURE(threads, key.elements->count(), key.elements->bits(), batch.size());
    CHECK(ring->weighted_sums(key.view(), batch, kUnwatched) == expected);
  }
}

void check_selected_sums(const Backend& backend, const KeyStream& key,
                         const BlockSelection& which) {
  const auto ring = backend.ring(key.modulus);
  const auto expected = oracle::selected_sums(key.view(), which, key.modulus);
  for (const std::size_t threads : kThreadCounts) {
    const ThreadLimit limit(threads);
    CAPTURE(threads, key.elements->count(), key.elements->bits(), which.block_size, which.width);
    CHECK(ring->selected_sums(key.view(), which, kUnwatched) == expected);
  }
}

void check_windows(const Backend& backend, const Integer& c, const IntegerStream& stream,
                   const WindowSpec& spec) {
  std::vector<std::uint32_t> expected;
  for (const Integer& y : oracle::elements(stream)) {
    expected.push_back(oracle::product_window(c, y, spec));
  }
  for (const std::size_t threads : kThreadCounts) {
    const ThreadLimit limit(threads);
    CAPTURE(threads, spec.modulus_bits, spec.window_bits, c);
    CHECK(backend.product_windows(c, stream, spec, kUnwatched) == expected);
  }
}

}  // namespace

// ---- the backend itself

TEST_CASE("a registered backend opens or says why this machine has none", "[backend]") {
  for (const BackendFactory& factory : registered_backends()) {
    CAPTURE(factory.name);
    try {
      const BackendPtr backend = open_backend(factory.name);
      CHECK(backend != nullptr);
    } catch (const Error& error) {
      CHECK(factory.name != default_backend_name());
      CHECK_FALSE(std::string(error.what()).empty());
    }
  }
}

TEST_CASE("a backend describes itself", "[backend]") {
  FOR_EACH_BACKEND(backend);
  const BackendInfo info = device.info();
  CHECK_FALSE(info.name.empty());
  CHECK_FALSE(info.description.empty());
  CHECK(info.max_operand_bits >= 64);
  CHECK(std::ranges::count(info.native, "multiply") == 1);
}

TEST_CASE("products of small numbers of every sign", "[backend]") {
  FOR_EACH_BACKEND(backend);
  for (int x = -6; x <= 6; ++x) {
    for (int y = -6; y <= 6; ++y) CHECK(device.multiply(x, y) == x * y);
  }
}

TEST_CASE("products of random operands of many lengths", "[backend]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(41);
  for (int round = 0; round < 150; ++round) {
    const std::size_t longest = round % 30 == 0 ? std::size_t{40'000} : std::size_t{3000};
    const Integer x = operands.with_random_sign(operands.bits(operands.between(0, longest)));
    const Integer y = operands.with_random_sign(operands.bits(operands.between(0, longest)));
    const Integer expected = x * y;
    CHECK(device.multiply(x, y) == expected);
    CHECK(device.multiply(y, x) == expected);
  }
}

TEST_CASE("products with operands that stress carries", "[backend]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(42);
  for (const std::size_t bits : {std::size_t{64}, std::size_t{65}, std::size_t{1000},
                                 std::size_t{8192}, std::size_t{50'000}}) {
    const std::vector<Integer> special{0,
                                       1,
                                       all_ones(bits),
                                       power_of_two(bits),
                                       power_of_two(bits) + 1,
                                       power_of_two(bits - 1),
                                       operands.runs(bits),
                                       -all_ones(bits)};
    for (const Integer& x : special) {
      for (const Integer& y : special) CHECK(device.multiply(x, y) == x * y);
    }
  }
}

TEST_CASE("squares of one and the same object", "[backend]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(43);
  for (const std::size_t bits : {1U, 64U, 100U, 5000U, 100'000U}) {
    const Integer x = operands.exactly(bits);
    const Integer copy = x;
    const Integer negative = -x;
    const Integer expected = x * x;
    CHECK(device.multiply(x, x) == expected);
    CHECK(device.multiply(x, copy) == expected);
    CHECK(device.multiply(negative, negative) == expected);
    CHECK(device.multiply(negative, x) == -expected);
    CHECK(x == copy);
  }
}

TEST_CASE("a product may be assigned to its factors", "[backend]") {
  FOR_EACH_BACKEND(backend);
  for (const std::size_t bits : {std::size_t{3000}, long_bits(device) / 2}) {
    Integer x = all_ones(bits);
    const Integer y = all_ones(bits - 1000);
    x = device.multiply(x, y);
    CHECK(x == all_ones(bits) * y);
    Integer square = y;
    square = device.multiply(square, square);
    CHECK(square == y * y);
  }
}

TEST_CASE("products of very different lengths", "[backend]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(44);
  const std::size_t longest = long_bits(device);
  for (const Integer& large :
       {operands.exactly(longest), all_ones(longest), power_of_two(longest - 1)}) {
    for (const std::size_t bits : {1U, 63U, 64U, 65U, 936U, 20'000U}) {
      const Integer small = operands.exactly(std::min<std::size_t>(bits, longest));
      CHECK(device.multiply(large, small) == large * small);
      CHECK(device.multiply(small, large) == large * small);
    }
  }
}

TEST_CASE("products of one bit and more, by thread counts", "[backend]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(48);
  // A quarter apart, from one bit on: past every break-even size and change of plan.
  for (std::size_t bits = 1; bits <= long_bits(device) / 2; bits += 1 + bits / 4) {
    const Integer x = operands.exactly(bits);
    const Integer y = operands.coin() ? all_ones(bits) : operands.runs(bits);
    const Integer expected = x * y;
    for (const std::size_t threads : kThreadCounts) {
      const ThreadLimit limit(threads);
      CAPTURE(bits, threads);
      CHECK(device.multiply(x, y) == expected);
    }
  }
}

TEST_CASE("products of lengths 1 to 10,000", "[backend]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(49);
  const std::size_t longest = long_bits(device);
  for (const std::size_t ratio : {1U, 2U, 3U, 4U, 5U, 7U, 10U, 30U, 100U, 1000U, 10'000U}) {
    const Integer large = operands.exactly(longest);
    const Integer small = all_ones(std::max<std::size_t>(1, longest / ratio));
    const Integer expected = large * small;
    CAPTURE(ratio);
    CHECK(device.multiply(large, small) == expected);
    CHECK(device.multiply(small, large) == expected);
  }
}

TEST_CASE("products up to 40 Mbit", "[backend][long]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(50);
  constexpr std::size_t kLongest = 40'000'000;
  for (const std::size_t wanted : {std::size_t{2'500'000}, std::size_t{9'000'000}, kLongest}) {
    const std::size_t bits = std::min(wanted, device.info().max_operand_bits);
    const Integer x = all_ones(bits);
    const Integer squared = power_of_two(2 * bits) - power_of_two(bits + 1) + 1;
    const Integer random = operands.exactly(bits);
    const Integer scaled = (random << bits) - random;  // random * x
    for (const std::size_t threads : kThreadCounts) {
      const ThreadLimit limit(threads);
      CAPTURE(bits, threads);
      CHECK(device.multiply(x, x) == squared);
      CHECK(device.multiply(x, random) == scaled);
    }
    const Integer small = operands.exactly(bits / 10'000);
    CHECK(device.multiply(x, small) == (small << bits) - small);
    CHECK(device.multiply(small, random) == small * random);
  }
}

TEST_CASE("products of two long operands", "[backend]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(45);
  const std::size_t longest = long_bits(device);
  const Integer x = operands.exactly(longest);
  const Integer y = operands.runs(longest);
  CHECK(device.multiply(x, y) == x * y);
  CHECK(device.multiply(x, x) == x * x);
  CHECK(device.multiply(all_ones(longest), all_ones(longest)) ==
        power_of_two(2 * longest) - power_of_two(longest + 1) + 1);
}

TEST_CASE("operands up to the longest are taken and longer ones refused", "[backend][long]") {
  FOR_EACH_BACKEND(backend);
  // The minimal backend has no check of its own: what GMP does with longer operands is its limit.
  if (device.info().name == "minimal") return;
  const std::size_t limit = device.info().max_operand_bits;
  // Software takes more than is worth multiplying in a test.
  if (limit <= std::size_t{1} << 28) {
    const Integer longest = all_ones(limit);
    CHECK(device.multiply(longest, longest) == longest * longest);
    CHECK(device.multiply(longest, 3) == longest * 3);
  }
  const Integer too_long = power_of_two(limit);
  CHECK_THROWS_MATCHES(device.multiply(too_long, 3), Error, HasCode(ErrorCode::invalid_argument));
  CHECK_THROWS_MATCHES(device.multiply(3, too_long), Error, HasCode(ErrorCode::invalid_argument));
}

TEST_CASE("one backend serves many threads at once", "[backend]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(46);
  const std::vector<Integer> factors = operands.list(64, 5000);
  std::vector<Integer> products(factors.size());
  parallel_for(factors.size(), [&](std::size_t i) {
    products[i] = device.multiply(factors[i], factors[factors.size() - 1 - i]);
  });
  for (std::size_t i = 0; i < factors.size(); ++i) {
    CHECK(products[i] == factors[i] * factors[factors.size() - 1 - i]);
  }
}

TEST_CASE("the counters of a backend only grow", "[backend]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(47);
  const OperationCounts before = device.counts();
  const KeyStream key = public_key(operands, 3, 1000);
  const auto ring = device.ring(key.modulus);
  CHECK(ring->multiply(Integer(1), Integer(1)) == 1);
  const std::vector<DenseWeights> batch{{1, 2, 3}};
  CHECK(ring->weighted_sums(key.view(), batch, kUnwatched).size() == 1);
  const OperationCounts done = device.counts() - before;
  CHECK(done.reductions >= 2);
  CHECK(done.stream_bytes >= 3 * 1000 / 8);
  CHECK(done.multiplications < 1000);
}

// ---- the ring

TEST_CASE("a ring needs a modulus of at least 2", "[ring]") {
  FOR_EACH_BACKEND(backend);
  for (const int modulus : {1, 0, -1, -7}) {
    CHECK_THROWS_MATCHES(device.ring(modulus), Error, HasCode(ErrorCode::invalid_argument));
  }
}

TEST_CASE("a ring keeps its backend alive", "[ring]") {
  for (const BackendFactory& factory : registered_backends()) {
    std::shared_ptr<const Ring> ring;
    try {
      ring = factory.open("")->ring(1009);
    } catch (const Error&) {
      continue;
    }
    CHECK(ring->multiply(Integer(1008), Integer(1008)) == 1);
    CHECK_FALSE(ring->backend().info().name.empty());
  }
}

TEST_CASE("reduction in rings of every kind of modulus", "[ring][many]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(51);
  for (const Integer& n : awkward_moduli()) {
    const auto ring = device.ring(n);
    CHECK(ring->modulus() == n);
    const Integer quotient = operands.bits(2 * bit_length(n));
    for (int offset = -1; offset <= 1; ++offset) {
      for (const Integer& multiple : {Integer(0), n, Integer(n * n), Integer(quotient * n)}) {
        const Integer x = multiple + offset;
        CHECK(ring->reduce(x) == oracle::mod(x, n));
        CHECK(ring->reduce(-x) == oracle::mod(-x, n));
      }
    }
    const Integer random = operands.bits(10 * bit_length(n));
    CHECK(ring->reduce(random) == oracle::mod(random, n));
  }
}

TEST_CASE("sums, differences and products in rings of every kind of modulus", "[ring][many]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(52);
  for (const Integer& n : awkward_moduli()) {
    const auto ring = device.ring(n);
    const std::vector<Integer> residues = awkward_residues(n, operands);
    for (const Integer& a : residues) {
      for (const Integer& b : residues) {
        CHECK(ring->add(a, b) == oracle::mod(a + b, n));
        CHECK(ring->subtract(a, b) == oracle::mod(a - b, n));
        CHECK(ring->multiply(a, b) == oracle::mod(a * b, n));
      }
    }
  }
}

TEST_CASE("prepared and plain operands give the same products", "[ring]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(53);
  for (const std::size_t bits : {2U, 64U, 1000U, 30'000U}) {
    const Integer n = operands.exactly(bits);
    const auto ring = device.ring(n);
    const Integer a = operands.below(n);
    const Integer b = operands.below(n);
    const Operand prepared_a = ring->prepare(a);
    const Operand prepared_b = ring->prepare(b);
    const Integer expected = oracle::mod(a * b, n);
    CHECK(prepared_a.value() == a);
    CHECK(ring->multiply(prepared_a, prepared_b) == expected);
    CHECK(ring->multiply(prepared_a, b) == expected);
    CHECK(ring->multiply(a, prepared_b) == expected);
    CHECK(ring->multiply(prepared_a, prepared_a) == oracle::mod(a * a, n));
    const Operand same = a;
    CHECK(ring->multiply(same, same) == oracle::mod(a * a, n));
    const std::vector<OperandPair> mixed{
        {prepared_a, b}, {a, prepared_b}, {prepared_a, prepared_a}};
    CHECK(ring->dot(mixed) == oracle::mod(2 * a * b + a * a, n));
  }
}

TEST_CASE("an operand prepared by one ring is a plain value to another", "[ring]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(54);
  const Integer small = operands.exactly(300);
  const Integer large = operands.exactly(9000);
  const Integer a = operands.below(small);
  const Integer b = operands.below(small);
  const Operand prepared = device.ring(small)->prepare(a);
  CHECK(device.ring(large)->multiply(prepared, b) == oracle::mod(a * b, large));
  for (const BackendPtr& other : backends_under_test()) {
    CHECK(other->ring(large)->multiply(prepared, b) == oracle::mod(a * b, large));
  }
}

TEST_CASE("dot products of many lengths", "[ring]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(55);
  for (const std::size_t bits : {2U, 65U, 2000U}) {
    const Integer n = operands.exactly(bits);
    const auto ring = device.ring(n);
    CHECK(ring->dot({}) == 0);
    for (const std::size_t count : {1U, 2U, 3U, 17U, 150U}) {
      std::vector<OperandPair> terms;
      Integer expected;
      for (std::size_t i = 0; i < count; ++i) {
        const Integer a = i % 3 == 0 ? Integer(n - 1) : operands.below(n);
        const Integer b = i % 4 == 0 ? Integer(n - 1) : operands.below(n);
        terms.emplace_back(a, i % 2 == 0 ? Operand(b) : ring->prepare(b));
        expected += a * b;
      }
      CHECK(ring->dot(terms) == oracle::mod(expected, n));
    }
  }
}

TEST_CASE("a ring over a long modulus", "[ring]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(56);
  const Integer n = operands.exactly(long_bits(device) / 4);
  const auto ring = device.ring(n);
  const Integer a = operands.below(n);
  const Integer b = operands.below(n);
  const Integer last = n - 1;
  const Integer expected = oracle::mod(a * b, n);
  for (const std::size_t threads : kThreadCounts) {
    const ThreadLimit limit(threads);
    CAPTURE(threads);
    CHECK(ring->multiply(a, b) == expected);
    CHECK(ring->multiply(last, last) == 1);
  }
}

// ---- weighted sums

TEST_CASE("dense weighted sums over stored streams", "[weighted_sums][many]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(61);
  const bool corrected = GENERATE(false, true);
  for (const StreamShape& shape : kShapes) {
    const KeyStream key = stored_key(operands, shape.count, shape.bits, corrected);
    for (const std::size_t batch_size : {0U, 1U, 3U}) {
      std::vector<DenseWeights> batch;
      for (std::size_t b = 0; b < batch_size; ++b) {
        batch.push_back(operands.list(shape.count, operands.between(1, 300)));
      }
      check_weighted_sums(device, key, batch);
    }
  }
}

TEST_CASE("sparse weighted sums over stored streams", "[weighted_sums]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(62);
  const bool corrected = GENERATE(false, true);
  for (const StreamShape& shape : kShapes) {
    const KeyStream key = stored_key(operands, shape.count, shape.bits, corrected);
    for (const std::size_t batch_size : {0U, 1U, 3U}) {
      std::vector<SparseWeights> batch;
      for (std::size_t b = 0; b < batch_size; ++b) {
        batch.push_back(
            sparse(operands, shape.count, operands.between(1, 15), operands.between(15, 1000)));
      }
      check_weighted_sums(device, key, batch);
    }
  }
}

TEST_CASE("weighted sums over public streams", "[weighted_sums]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(63);
  for (const std::size_t bits : {1000U, 40'001U}) {
    const KeyStream key = public_key(operands, 40, bits);
    std::vector<DenseWeights> dense_batch{operands.list(40, 936), operands.list(40, 936)};
    std::vector<SparseWeights> sparse_batch{sparse(operands, 40, 15, 936)};
    check_weighted_sums(device, key, dense_batch);
    check_weighted_sums(device, key, sparse_batch);
  }
}

TEST_CASE("weights at the ends of their range", "[weighted_sums][many]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(64);
  const std::size_t count = 50;
  // All bits set everywhere: the longest carries that a sum can have.
  KeyStream key = stored_key(operands, count, 66'000, true);
  key.elements =
      std::make_unique<StoredStream>(std::vector<Integer>(count, all_ones(66'000)), 66'000);
  const std::vector<DenseWeights> batch{
      DenseWeights(count, 0), DenseWeights(count, 1), DenseWeights(count, all_ones(64)),
      DenseWeights(count, power_of_two(64)), DenseWeights(count, all_ones(1000))};
  check_weighted_sums(device, key, batch);
  // Short weights alone: sums without a long weight among them may be made in another way.
  for (const std::size_t bits : {1U, 63U, 64U, 65U, 128U, 256U, 257U}) {
    check_weighted_sums(device, key,
                        std::vector<DenseWeights>{DenseWeights(count, all_ones(bits)),
                                                  DenseWeights(count, power_of_two(bits - 1)),
                                                  DenseWeights(count, 0)});
  }

  const SparseWeights none{.ones_per_weight = 0, .positions = {}};
  const SparseWeights lowest{.ones_per_weight = 1, .positions = SecretIndices(count, 0)};
  const SparseWeights limb{.ones_per_weight = 1, .positions = SecretIndices(count, 64)};
  const SparseWeights high{.ones_per_weight = 1, .positions = SecretIndices(count, 2047)};
  check_weighted_sums(device, key, std::vector<SparseWeights>{none, lowest, limb, high});
}

TEST_CASE("weighted sums over an empty stream are zero", "[weighted_sums]") {
  FOR_EACH_BACKEND(backend);
  const StoredStream empty({}, 500);
  const auto ring = device.ring(101);
  const std::vector<DenseWeights> dense_batch(2);
  const std::vector<SparseWeights> sparse_batch(2);
  const std::vector<Integer> zeros(2);
  CHECK(ring->weighted_sums({empty, {}}, dense_batch, kUnwatched) == zeros);
  CHECK(ring->weighted_sums({empty, {}}, sparse_batch, kUnwatched) == zeros);
}

TEST_CASE("weights and corrections that do not fit the stream are refused", "[weighted_sums]") {
  FOR_EACH_BACKEND(backend);
  const StoredStream stream({1, 2, 3}, 10);
  const auto ring = device.ring(101);
  const std::vector<DenseWeights> fitting{{1, 1, 1}};
  const std::vector<DenseWeights> shorter{{1, 1, 1}, {1, 1}};
  const std::vector<SparseWeights> sparse_fitting{{.ones_per_weight = 1, .positions = {1, 1, 1}}};
  const std::vector<SparseWeights> longer{{.ones_per_weight = 1, .positions = {1, 1, 1, 1}}};
  const std::vector<Integer> corrections{1, 2};
  const auto is_refused = HasCode(ErrorCode::invalid_argument);
  CHECK_THROWS_MATCHES(ring->weighted_sums({stream, {}}, shorter, kUnwatched), Error, is_refused);
  CHECK_THROWS_MATCHES(ring->weighted_sums({stream, {}}, longer, kUnwatched), Error, is_refused);
  CHECK_THROWS_MATCHES(ring->weighted_sums({stream, corrections}, fitting, kUnwatched), Error,
                       is_refused);
  CHECK_THROWS_MATCHES(ring->weighted_sums({stream, corrections}, sparse_fitting, kUnwatched),
                       Error, is_refused);
}

// ---- selected sums

TEST_CASE("bit-selected sums over stored streams", "[selected_sums][many]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(71);
  const bool corrected = GENERATE(false, true);
  for (const StreamShape& shape : kShapes) {
    const KeyStream key = stored_key(operands, shape.count, shape.bits, corrected);
    for (unsigned width = 1; width <= 6; ++width) {
      const std::size_t block_size = operands.between(1, shape.count + 1);
      check_selected_sums(device, key, selection(operands, shape.count, block_size, width));
    }
  }
}

TEST_CASE("bit-selected sums with blocks of every size", "[selected_sums][many]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(72);
  const KeyStream key = public_key(operands, 30, 500);
  for (std::size_t block_size = 1; block_size <= 32; ++block_size) {
    check_selected_sums(device, key, selection(operands, 30, block_size, 5));
  }
  check_selected_sums(device, key, selection(operands, 30, 7, 32));
}

TEST_CASE("bit-selected sums of nothing and of everything", "[selected_sums]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(73);
  KeyStream key = stored_key(operands, 40, 66'000, true);
  key.elements = std::make_unique<StoredStream>(std::vector<Integer>(40, all_ones(66'000)), 66'000);
  for (const std::uint32_t mask : {0U, 31U}) {
    check_selected_sums(
        device, key, {.block_size = 10, .width = 5, .masks = std::vector<std::uint32_t>(40, mask)});
  }
  const StoredStream empty({}, 500);
  CHECK(device.ring(101)->selected_sums({empty, {}}, {}, kUnwatched).empty());
}

TEST_CASE("a selection that does not fit the stream is refused", "[selected_sums]") {
  FOR_EACH_BACKEND(backend);
  const StoredStream stream({1, 2, 3}, 10);
  const auto ring = device.ring(101);
  const std::vector<Integer> corrections{1, 2};
  const auto is_refused = HasCode(ErrorCode::invalid_argument);
  const BlockSelection fitting{.block_size = 2, .width = 1, .masks = {1, 1, 1}};
  const BlockSelection short_masks{.block_size = 2, .width = 1, .masks = {1, 1}};
  CHECK_THROWS_MATCHES(ring->selected_sums({stream, {}}, short_masks, kUnwatched), Error,
                       is_refused);
  CHECK_THROWS_MATCHES(ring->selected_sums({stream, corrections}, fitting, kUnwatched), Error,
                       is_refused);
}

TEST_CASE("a selection of blocks, widths or mask bits that do not exist is refused",
          "[selected_sums]") {
  FOR_EACH_BACKEND(backend);
  const StoredStream stream({1, 2, 3}, 10);
  const auto ring = device.ring(101);
  const auto is_refused = HasCode(ErrorCode::invalid_argument);
  const BlockSelection outside_width{.block_size = 2, .width = 1, .masks = {1, 1, 2}};
  const BlockSelection too_wide{.block_size = 2, .width = 33, .masks = {1, 1, 1}};
  const BlockSelection no_width{.block_size = 2, .width = 0, .masks = {1, 1, 1}};
  const BlockSelection no_blocks{.block_size = 0, .width = 1, .masks = {1, 1, 1}};
  CHECK_THROWS_MATCHES(ring->selected_sums({stream, {}}, outside_width, kUnwatched), Error,
                       is_refused);
  CHECK_THROWS_MATCHES(ring->selected_sums({stream, {}}, too_wide, kUnwatched), Error, is_refused);
  CHECK_THROWS_MATCHES(ring->selected_sums({stream, {}}, no_width, kUnwatched), Error, is_refused);
  CHECK_THROWS_MATCHES(ring->selected_sums({stream, {}}, no_blocks, kUnwatched), Error, is_refused);
}

// ---- product windows

TEST_CASE("product windows of random operands", "[product_windows]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(81);
  for (const std::size_t modulus_bits : {2U, 3U, 33U, 63U, 64U, 65U, 127U, 128U, 200U, 1000U}) {
    const StoredStream stream(operands.list(20, modulus_bits), modulus_bits);
    for (unsigned window = 1; window <= 32 && window < modulus_bits; window += window < 8 ? 1 : 6) {
      check_windows(device, operands.bits(modulus_bits), stream, {modulus_bits, window});
    }
  }
}

TEST_CASE("product windows where operands are shorter or longer than the modulus",
          "[product_windows]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(82);
  const StoredStream narrow(operands.list(10, 100), 100);
  const StoredStream zero_width({0, 0}, 0);
  for (const Integer& c : {Integer(0), Integer(1), operands.bits(50), operands.exactly(700),
                           operands.exactly(5000), all_ones(700)}) {
    check_windows(device, c, narrow, {700, 5});
    check_windows(device, c, narrow, {100, 32});
    check_windows(device, c, zero_width, {100, 5});
  }
}

TEST_CASE("product windows of single bits and of all ones", "[product_windows][many]") {
  FOR_EACH_BACKEND(backend);
  for (const std::size_t m : {std::size_t{64}, std::size_t{150}, std::size_t{192}}) {
    std::vector<Integer> elements{0, 1, all_ones(m), all_ones(m - 1)};
    for (std::size_t position = 0; position < m; position += 7) {
      elements.push_back(power_of_two(position));
    }
    const StoredStream stream(elements, m);
    for (const Integer& c : elements) check_windows(device, c, stream, {m, 5});
  }
}

TEST_CASE("product windows at, just below and just above a rounding boundary",
          "[product_windows][many]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(83);
  for (const std::size_t m : {std::size_t{40}, std::size_t{64}, std::size_t{129}, std::size_t{320},
                              std::size_t{1001}, std::size_t{33'000}}) {
    for (const unsigned window : {1U, 5U, 17U, 32U}) {
      // An odd c can be inverted, so there is an element for every wanted product.
      const Integer modulus = power_of_two(m);
      const Integer c = operands.bits(m) | 1;
      Integer inverse;
      REQUIRE(mpz_invert(inverse.get_mpz_t(), c.get_mpz_t(), modulus.get_mpz_t()) != 0);
      const Integer half_unit = power_of_two(m - window - 1);
      const Integer last_boundary = modulus - half_unit;
      const Integer some_boundary = (2 * operands.bits(window) + 1) * half_unit;
      std::vector<Integer> elements;
      for (const Integer& boundary : {half_unit, some_boundary, last_boundary, modulus}) {
        for (const int offset : {-70, -2, -1, 0, 1, 2, 70}) {
          elements.push_back(oracle::mod((boundary + offset) * inverse, modulus));
        }
      }
      check_windows(device, c, StoredStream(elements, m), {m, window});
    }
  }
}

TEST_CASE("product windows over a public stream", "[product_windows]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(84);
  StreamSeed seed;
  to_bytes(operands.bits(128), seed);
  // More limbs than one chunk of the default kernel reads.
  for (const std::size_t m : {std::size_t{1'000}, std::size_t{300'032}}) {
    const PublicStream stream(seed, StreamPurpose::squash, 1, 10, m);
    check_windows(device, operands.bits(m - 5), stream, {m, 5});
  }
}

TEST_CASE("product windows equal the expand vectors", "[product_windows]") {
  FOR_EACH_BACKEND(backend);
  const auto vectors = scheme_vectors("expand");
  REQUIRE(vectors.size() == 12);
  for (const auto& vector : vectors) {
    const std::size_t bits = vector.at("limbs").get<std::size_t>() * kLimbBits;
    const StoredStream stream({from_hex(vector.at("u"))}, bits);
    const std::vector<std::uint32_t> expected{vector.at("z").get<std::uint32_t>()};
    CHECK(device.product_windows(from_hex(vector.at("c")), stream, {bits, 5}, kUnwatched) ==
          expected);
  }
}

TEST_CASE("product windows that do not exist are refused", "[product_windows]") {
  FOR_EACH_BACKEND(backend);
  const StoredStream stream({1, 2}, 100);
  const auto is_refused = HasCode(ErrorCode::invalid_argument);
  const auto windows = [&](const Integer& c, const WindowSpec& spec) {
    return device.product_windows(c, stream, spec, kUnwatched);
  };
  CHECK_THROWS_MATCHES(windows(-1, {100, 5}), Error, is_refused);
  CHECK_THROWS_MATCHES(windows(1, {100, 0}), Error, is_refused);
  CHECK_THROWS_MATCHES(windows(1, {100, 33}), Error, is_refused);
  CHECK_THROWS_MATCHES(windows(1, {99, 5}), Error, is_refused);
  CHECK_THROWS_MATCHES(device.product_windows(1, StoredStream({1}, 5), {5, 5}, kUnwatched), Error,
                       is_refused);
  CHECK(device.product_windows(1, StoredStream({}, 5), {6, 5}, kUnwatched).empty());
}

// ---- residues

TEST_CASE("residues of a stream", "[residues]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(91);
  for (const StreamShape& shape : kShapes) {
    const KeyStream key = stored_key(operands, shape.count, shape.bits, false);
    const auto elements = oracle::elements(*key.elements);
    for (const Integer& p : {Integer(1), Integer(2), operands.exactly(988), key.modulus}) {
      std::vector<Integer> expected;
      for (const Integer& element : elements) expected.push_back(oracle::mod(element, p));
      for (const std::size_t threads : kThreadCounts) {
        const ThreadLimit limit(threads);
        CHECK(device.residues(*key.elements, p, kUnwatched) == expected);
      }
    }
  }
}

TEST_CASE("residues need a modulus of at least 1", "[residues]") {
  FOR_EACH_BACKEND(backend);
  const StoredStream stream({1, 2}, 100);
  for (const int modulus : {0, -1}) {
    CHECK_THROWS_MATCHES(device.residues(stream, modulus, kUnwatched), Error,
                         HasCode(ErrorCode::invalid_argument));
  }
}

// ---- watching and stopping long calls

TEST_CASE("a stop request ends every long call", "[backend][monitor]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(101);
  const KeyStream key = public_key(operands, 100, 40'000);
  const auto ring = device.ring(key.modulus);
  const std::vector<DenseWeights> dense_batch{operands.list(100, 900)};
  const std::vector<SparseWeights> sparse_batch{sparse(operands, 100, 15, 900)};
  const BlockSelection which = selection(operands, 100, 10, 5);
  const WindowSpec spec{.modulus_bits = 40'000, .window_bits = 5};
  const auto is_stopped = HasCode(ErrorCode::stopped);

  const Monitor stop = stopped_monitor();
  CHECK_THROWS_MATCHES(ring->weighted_sums(key.view(), dense_batch, stop), Error, is_stopped);
  CHECK_THROWS_MATCHES(ring->weighted_sums(key.view(), sparse_batch, stop), Error, is_stopped);
  CHECK_THROWS_MATCHES(ring->selected_sums(key.view(), which, stop), Error, is_stopped);
  CHECK_THROWS_MATCHES(device.product_windows(3, *key.elements, spec, stop), Error, is_stopped);
  CHECK_THROWS_MATCHES(device.residues(*key.elements, 1009, stop), Error, is_stopped);

  const ThreadLimit one_thread(1);
  std::stop_source source;
  const Monitor midway = stopping_midway(source);
  CHECK_THROWS_MATCHES(device.residues(*key.elements, 1009, midway), Error, is_stopped);
}

TEST_CASE("a backend works as before after a stopped call", "[backend][monitor]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(102);
  const KeyStream key = public_key(operands, 20, 3000);
  const auto ring = device.ring(key.modulus);
  const std::vector<DenseWeights> batch{operands.list(20, 100)};
  CHECK_THROWS_AS(ring->weighted_sums(key.view(), batch, stopped_monitor()), Error);
  check_weighted_sums(device, key, batch);
}

TEST_CASE("long calls report progress from 0 to 1", "[backend][monitor]") {
  FOR_EACH_BACKEND(backend);
  Operands operands(103);
  const KeyStream key = public_key(operands, 50, 40'000);
  const auto ring = device.ring(key.modulus);
  std::vector<double> fractions;
  Monitor monitor;
  monitor.progress = [&](std::string_view, double fraction) { fractions.push_back(fraction); };
  const auto check_and_forget = [&] {
    REQUIRE_FALSE(fractions.empty());
    CHECK(fractions.front() == 0);
    const auto [lowest, highest] = std::ranges::minmax(fractions);
    CHECK(lowest == 0);
    CHECK(highest == 1);
    fractions.clear();
  };
  const std::vector<DenseWeights> batch{operands.list(50, 100)};
  CHECK(ring->weighted_sums(key.view(), batch, monitor).size() == 1);
  check_and_forget();
  CHECK_FALSE(ring->selected_sums(key.view(), selection(operands, 50, 10, 5), monitor).empty());
  check_and_forget();
  CHECK(device.product_windows(3, *key.elements, {40'000, 5}, monitor).size() == 50);
  check_and_forget();
  CHECK(device.residues(*key.elements, 1009, monitor).size() == 50);
  check_and_forget();
}

}  // namespace fhe::test
