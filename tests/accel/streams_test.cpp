// SPDX-License-Identifier: Apache-2.0
// The vector kernels for passes over public key streams: equal to the default kernels everywhere,
// and right at the bounds that their comments state.
#include "accel/cpu/streams/streams.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "accel/cpu/streams/kernels.hpp"
#include "accel/cpu/streams/lane_stream.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/arith/stream_kernels.hpp"
#include "libfhe/error.hpp"
#include "libfhe/random/public_stream.hpp"
#include "tests/catch.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/operands.hpp"
#include "tests/support/stream_operands.hpp"

namespace fhe::test {

namespace {

using cpu::kLanes;
using cpu::LaneBuffer;
using cpu::LaneStream;
using cpu::StreamKernels;

SparseWeights sparse_weights(Operands& operands, std::size_t count, std::size_t ones,
                             std::size_t bits) {
  SparseWeights weights{.ones_per_weight = ones, .positions = {}};
  std::vector<std::uint32_t> all(bits);
  for (std::size_t p = 0; p < bits; ++p) all[p] = static_cast<std::uint32_t>(p);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < ones; ++k) {
      std::swap(all[k], all[operands.between(k, bits - 1)]);
      weights.positions.push_back(all[k]);
    }
  }
  return weights;
}

BlockSelection random_selection(Operands& operands, std::size_t count, std::size_t block_size,
                                unsigned width) {
  BlockSelection selection{.block_size = block_size, .width = width, .masks = {}};
  const std::uint64_t all = (std::uint64_t{1} << width) - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t pick = operands.between(0, 4);
    const std::size_t mask = pick == 0 ? 0 : pick == 1 ? all : operands.between(0, all);
    selection.masks.push_back(static_cast<std::uint32_t>(mask));
  }
  return selection;
}

void check_dense(const StreamKernels* kernels, const IntegerStream& stream,
                 std::span<const DenseWeights> batch) {
  const auto device = std::make_shared<MinimalBackend>();
  const auto expected = stream_weighted_sums(stream, batch, *device, Monitor{});
  const auto bytes = device->counts().stream_bytes;
  CHECK(cpu::dense_sums(kernels, stream, batch, *device, Monitor{}) == expected);
  CHECK(device->counts().stream_bytes == 2 * bytes);
}

void check_sparse(const StreamKernels* kernels, const IntegerStream& stream,
                  std::span<const SparseWeights> batch) {
  const auto device = std::make_shared<MinimalBackend>();
  const auto expected = stream_weighted_sums(stream, batch, *device, Monitor{});
  const auto bytes = device->counts().stream_bytes;
  CHECK(cpu::sparse_sums(kernels, stream, batch, *device, Monitor{}) == expected);
  CHECK(device->counts().stream_bytes == 2 * bytes);
}

void check_selected(const StreamKernels* kernels, const IntegerStream& stream,
                    const BlockSelection& selection) {
  const auto device = std::make_shared<MinimalBackend>();
  const auto expected = stream_selected_sums(stream, selection, *device, Monitor{});
  const auto bytes = device->counts().stream_bytes;
  CHECK(cpu::selected_sums(kernels, stream, selection, *device, Monitor{}) == expected);
  CHECK(device->counts().stream_bytes == 2 * bytes);
}

// As Backend::product_windows of the vector passes.
std::vector<std::uint32_t> lane_windows(const StreamKernels* kernels, const Integer& c,
                                        const IntegerStream& stream, const WindowSpec& spec,
                                        const Backend& device, const Monitor& monitor) {
  return cpu::product_windows_all(kernels, std::span(&c, 1), stream, spec, device, monitor).at(0);
}

void check_windows(const StreamKernels* kernels, const Integer& c, const IntegerStream& stream,
                   const WindowSpec& spec) {
  const auto device = std::make_shared<MinimalBackend>();
  const auto expected = stream_product_windows(c, stream, spec, *device, Monitor{});
  CHECK(lane_windows(kernels, c, stream, spec, *device, Monitor{}) == expected);
  // The same number among others, in the first pass and in the second.
  std::vector<Integer> numbers(10, Integer(c + 1));
  numbers[3] = c;
  numbers[9] = c;
  const auto all = cpu::product_windows_all(kernels, numbers, stream, spec, *device, Monitor{});
  CHECK(all.at(3) == expected);
  CHECK(all.at(9) == expected);
}

void check_residues(const StreamKernels* kernels, const IntegerStream& stream,
                    const Integer& modulus) {
  const auto device = std::make_shared<MinimalBackend>();
  const auto expected = stream_residues(stream, modulus, *device, Monitor{});
  const auto bytes = device->counts().stream_bytes;
  CHECK(cpu::residues(kernels, stream, modulus, *device, Monitor{}) == expected);
  CHECK(device->counts().stream_bytes == 2 * bytes);
}

// The number in one lane of rows of words.
Integer lane_of(const std::uint64_t* words, std::size_t rows, std::size_t lane) {
  std::vector<Limb> limbs(rows);
  for (std::size_t row = 0; row < rows; ++row) limbs[row] = words[row * kLanes + lane];
  return from_limbs(limbs);
}

// The sizes of the CNT groups as the papers round them.
struct Size {
  std::size_t element_bits;
  std::size_t weight_bits;
  std::size_t elements;
  std::size_t squashed;  // elements of the squashed key, in blocks of `block`
  std::size_t block;
  std::size_t secret_bits;
};
constexpr Size kToy{150'000, 936, 158, 150, 10, 1088};
constexpr Size kSmall{830'000, 1476, 572, 555, 37, 1632};

void check_all_passes(const StreamKernels* kernels, const Size& size) {
  Operands operands(71);
  const PublicStream x = random_stream(operands, size.elements, size.element_bits);
  const PublicStream y = random_stream(operands, size.squashed, size.element_bits);
  check_dense(kernels, x,
              std::vector<DenseWeights>{dense_weights(operands, size.elements, size.weight_bits)});
  check_sparse(
      kernels, x,
      std::vector<SparseWeights>{sparse_weights(operands, size.elements, 15, size.weight_bits)});
  check_selected(kernels, y, random_selection(operands, size.squashed, size.block, 5));
  check_windows(kernels, operands.bits(size.element_bits), y,
                {.modulus_bits = size.element_bits + 37, .window_bits = 5});
  check_residues(kernels, x, operands.exactly(size.secret_bits));
}

// All tables of vector code, and none.
std::vector<const StreamKernels*> tables_and_none() {
  auto all = cpu::available_stream_kernels();
  all.push_back(nullptr);
  return all;
}

}  // namespace

TEST_CASE("vector AES makes the public stream from any block, in every length", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  Operands operands(61);
  for (const std::size_t bits : {1U, 63U, 64U, 65U, 127U, 128U, 129U, 5119U, 5120U, 5121U, 5200U}) {
    const PublicStream stream = random_stream(operands, 12, bits);
    const auto lanes = LaneStream::open(stream, kernels);
    REQUIRE(lanes);
    const auto reader = stream.reader();
    for (std::size_t blocks = 1; blocks <= 14; ++blocks) {
      for (std::size_t first = 0; first <= bits / 128 + 1; first += 1 + first / 4) {
        const std::size_t rows = 2 * blocks;
        LaneBuffer words(rows * kLanes);
        std::vector<Limb> expected(rows);
        // lanes are chunks
        const std::size_t chunk = first / blocks;
        kernels.generator.generate_lanes(lanes->key(), lanes->chunks(3, chunk, blocks), blocks,
                                         words.data());
        cpu::apply_mask(words.data(), lanes->end_mask(chunk * blocks * 128, blocks * 128, rows));
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          reader->read(3, (chunk + lane) * rows, expected);
          REQUIRE(lane_of(words.data(), rows, lane) == from_limbs(expected));
        }
        // lanes are elements
        kernels.generator.generate_lanes(lanes->key(), lanes->elements(4, first), blocks,
                                         words.data());
        cpu::apply_mask(words.data(), lanes->end_mask(first * 128, 0, rows));
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          reader->read(4 + lane, 2 * first, expected);
          REQUIRE(lane_of(words.data(), rows, lane) == from_limbs(expected));
        }
      }
    }
  }
}

TEST_CASE("Karatsuba sums hold at the bound, for every kernel", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  Operands operands(62);
  for (std::size_t bits = 1; const auto* kernel = cpu::karatsuba_kernel(kernels, bits);
       bits = kernel->chunk_bits + 1) {
    CAPTURE(kernel->chunk_bits);
    CHECK(kernel->chunk_bits >= bits);
    LaneBuffer chunk(kernel->chunk_rows * kLanes);
    LaneBuffer pieces(kernel->piece_rows * kLanes);
    LaneBuffer weight(kernel->piece_rows);
    LaneBuffer sums(kernel->sum_rows * kLanes);
    LaneBuffer result(kernel->result_rows * kLanes);
    std::fill_n(chunk.data(), chunk.size(), ~std::uint64_t{0});
    kernel->evaluate(chunk.data(), pieces.data());
    for (std::size_t row = 0; row < kernel->piece_rows; ++row) {
      weight.data()[row] = pieces.data()[row * kLanes];
    }
    constexpr std::size_t kRounds = 20;
    for (std::size_t round = 0; round < kRounds; ++round) {
      for (std::size_t term = 0; term < kernel->terms_between_carries; ++term) {
        const std::uint64_t* const weights = weight.data();
        kernel->accumulate(sums.data(), pieces.data(), &weights, 1, 1, 1);
      }
      kernel->normalise(*kernel, sums.data());
    }
    kernel->interpolate(*kernel, sums.data(), result.data());
    const Integer largest = all_ones(kernel->chunk_bits);
    const Integer expected =
        Integer(static_cast<unsigned long>(kRounds * kernel->terms_between_carries)) * largest *
        largest;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      CHECK(lane_of(result.data(), kernel->result_rows, lane) == expected);
    }
  }
}

TEST_CASE("sparse sums hold at the bound", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  const cpu::SparseKernel& kernel = kernels.sparse;
  constexpr std::size_t kDigits = 64;
  constexpr std::size_t kEntries = 15;
  const std::size_t rounds = kernel.entries_between_carries / kEntries;
  const std::uint64_t largest = (std::uint64_t{1} << kernel.digit_bits) - 1;
  LaneBuffer digits((kDigits + 2 * cpu::kSparseWindow) * kLanes);
  std::fill_n(digits.data() + cpu::kSparseWindow * kLanes, kDigits * kLanes, largest);
  std::vector<cpu::SparseEntry> entries;
  for (std::size_t position = 0; position < kEntries; ++position) {
    entries.push_back({position, largest});
  }
  constexpr std::size_t kSumRows = 96;
  LaneBuffer sums(kSumRows * kLanes);
  const Integer product =
      all_ones(kernel.digit_bits * kDigits) * all_ones(kernel.digit_bits * kEntries);
  Integer expected;
  for (std::size_t carries = 0; carries < 3; ++carries) {
    for (std::size_t round = 0; round < rounds; ++round) {
      kernel.accumulate(digits.data() + cpu::kSparseWindow * kLanes, kDigits, entries.data(),
                        entries.size(), sums.data());
    }
    expected += product * static_cast<unsigned long>(rounds);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      Integer sum;
      for (std::size_t row = kSumRows; row > 0; --row) {
        sum = (sum << kernel.digit_bits) +
              Integer(static_cast<unsigned long>(sums.data()[(row - 1) * kLanes + lane]));
      }
      CHECK(sum == expected);
    }
    kernel.carry(sums.data(), kSumRows);
  }
}

TEST_CASE("collected selections carry from lane to lane", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  using cpu::kSelectionDigits;
  using cpu::kSelectionWords;
  Operands operands(63);
  constexpr std::uint64_t kOnes = (std::uint64_t{1} << 48) - 1;
  for (std::size_t trial = 0; trial < 40; ++trial) {
    LaneBuffer digits(kSelectionDigits * kLanes);
    Integer expected;
    for (std::size_t i = kSelectionDigits * kLanes; i > 0; --i) {
      const std::size_t lane = (i - 1) / kSelectionDigits;
      const std::size_t row = (i - 1) % kSelectionDigits;
      // lanes of ones pass a carry on; the largest digit carries into them
      const bool largest = trial == 0 || operands.between(0, 40) == 0;
      const std::uint64_t digit = largest ? kOnes * cpu::kMostSelected : kOnes;
      digits.data()[row * kLanes + lane] = digit;
      expected = (expected << 48) + Integer(static_cast<unsigned long>(digit));
    }
    LaneBuffer words(kSelectionWords * kLanes);
    const std::uint64_t carry = kernels.selection.selection_words(digits.data(), words.data());
    Integer sum = Integer(static_cast<unsigned long>(carry));
    for (std::size_t lane = kLanes; lane > 0; --lane) {
      sum = (sum << (64 * kSelectionWords)) + lane_of(words.data(), kSelectionWords, lane - 1);
    }
    CHECK(sum == expected);
  }
}

TEST_CASE("vector dense sums equal the default ones", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  Operands operands(64);
  for (std::size_t trial = 0; trial < 25; ++trial) {
    const std::size_t count = operands.between(1, trial % 3 == 0 ? 300 : 20);
    const PublicStream stream = random_stream(operands, count, awkward_bits(operands, 40'000));
    std::vector<DenseWeights> batch;
    for (std::size_t b = operands.between(1, 3); b > 0; --b) {
      batch.push_back(dense_weights(operands, count, operands.between(0, 4096)));
    }
    CAPTURE(count, stream.bits(), batch.size());
    check_dense(&kernels, stream, batch);
  }
}

TEST_CASE("vector dense sums with weights of about a digit equal the default ones", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  Operands operands(75);
  const std::size_t digit = kernels.sparse.digit_bits;
  const std::size_t step = 2 * kernels.sparse.step_blocks * kLimbBits;
  for (const std::size_t weight_bits : {std::size_t{0}, std::size_t{1}, digit, digit + 1}) {
    for (const std::size_t bits :
         {step * kLanes / 2 - 1, step * kLanes / 2, 3 * step * kLanes + 1}) {
      const PublicStream stream = random_stream(operands, 2100, bits);
      const DenseWeights largest(stream.count(), all_ones(weight_bits));
      CAPTURE(weight_bits, bits);
      check_dense(&kernels, stream, std::vector<DenseWeights>{largest});
      check_dense(&kernels, stream,
                  std::vector<DenseWeights>{dense_weights(operands, stream.count(), weight_bits),
                                            DenseWeights(stream.count()), largest});
    }
  }
}

TEST_CASE("vector dense sums of many terms with the largest weights", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  Operands operands(65);
  for (const std::size_t weight_bits : {936U, 2556U, 2816U, 4096U}) {
    const PublicStream stream = random_stream(operands, 2600, 9000);
    const DenseWeights largest(stream.count(), all_ones(weight_bits));
    check_dense(&kernels, stream, std::vector<DenseWeights>{largest});
    check_dense(&kernels, stream,
                std::vector<DenseWeights>{largest, DenseWeights(stream.count()), largest});
    const Integer ones = all_ones(17'000);
    check_dense(&kernels, ViewStream(std::vector(largest.size(), &ones), 17'000),
                std::vector<DenseWeights>{largest, DenseWeights(stream.count()), largest});
  }
}

TEST_CASE("vector dense sums of integers in memory equal the default ones", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  Operands operands(66);
  for (std::size_t trial = 0; trial < 25; ++trial) {
    const std::size_t count = operands.between(1, trial % 3 == 0 ? 300 : 20);
    const std::size_t bits = awkward_bits(operands, 40'000);
    std::vector<Integer> integers = operands.list(count, bits);
    integers.front() = all_ones(bits);
    integers.back() = operands.bits(operands.between(0, bits));  // a shorter one
    std::vector<const Integer*> elements;
    for (const Integer& x : integers) elements.push_back(&x);
    std::vector<DenseWeights> batch;
    for (std::size_t b = operands.between(1, 3); b > 0; --b) {
      const std::size_t weight_bits = operands.between(0, 4096);
      batch.push_back(trial % 5 == 0 ? DenseWeights(count, all_ones(weight_bits))
                                     : dense_weights(operands, count, weight_bits));
    }
    CAPTURE(count, bits, batch.size());
    check_dense(&kernels, ViewStream(std::move(elements), bits), batch);
  }
}

TEST_CASE("vector sparse sums equal the default ones", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  Operands operands(66);
  for (std::size_t trial = 0; trial < 25; ++trial) {
    const std::size_t count = operands.between(1, trial % 3 == 0 ? 300 : 20);
    const PublicStream stream = random_stream(operands, count, awkward_bits(operands, 60'000));
    std::vector<SparseWeights> batch;
    for (std::size_t b = operands.between(1, 3); b > 0; --b) {
      const std::size_t bits = operands.between(1, 9000);  // the longest have no kernel
      const std::size_t ones = operands.between(0, std::min<std::size_t>(bits, 100));
      batch.push_back(sparse_weights(operands, count, ones, bits));
    }
    CAPTURE(count, stream.bits(), batch.size());
    check_sparse(&kernels, stream, batch);
  }
  const PublicStream stream = random_stream(operands, 2600, 30'000);
  check_sparse(&kernels, stream,
               std::vector<SparseWeights>{sparse_weights(operands, stream.count(), 1000, 1000)});
}

TEST_CASE("vector selected sums equal the default ones", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  Operands operands(67);
  for (std::size_t trial = 0; trial < 25; ++trial) {
    const std::size_t count = operands.between(1, 300);
    const PublicStream stream = random_stream(operands, count, awkward_bits(operands, 20'000));
    const std::size_t block_size = operands.between(1, trial % 2 == 0 ? 10 : 400);
    const auto width = static_cast<unsigned>(operands.between(1, 32));
    CAPTURE(count, stream.bits(), block_size, width);
    check_selected(&kernels, stream, random_selection(operands, count, block_size, width));
  }
}

TEST_CASE("vector selected sums of blocks longer than the digits allow", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  Operands operands(68);
  const PublicStream stream = random_stream(operands, 3 * cpu::kMostSelected + 5, 200);
  BlockSelection all{.block_size = 2 * cpu::kMostSelected + 7, .width = 3, .masks = {}};
  all.masks.assign(stream.count(), 7);
  check_selected(&kernels, stream, all);
}

TEST_CASE("vector selected sums of integers in memory equal the default ones", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  Operands operands(74);
  // Around tiles of 16 limbs and column groups of 512.
  for (const std::size_t limbs : {1U, 8U, 15U, 16U, 17U, 24U, 25U, 511U, 512U, 513U, 1030U}) {
    for (std::size_t trial = 0; trial < 12; ++trial) {
      const std::size_t bits = limbs * 64 - (trial % 2 == 0 ? 0 : operands.between(0, 63));
      std::vector<Integer> integers = operands.list(operands.between(1, 6), bits);
      integers.emplace_back(0);
      integers.push_back(operands.bits(operands.between(0, bits)));  // a shorter one
      integers.push_back(all_ones(bits));
      std::vector<const Integer*> elements;
      const std::size_t count = operands.between(1, 60);
      for (std::size_t i = 0; i < count; ++i) {
        elements.push_back(&integers[operands.between(0, integers.size() - 1)]);
      }
      const auto width = static_cast<unsigned>(operands.between(1, trial % 3 == 0 ? 32 : 6));
      const std::size_t block_size = operands.between(1, trial % 2 == 0 ? 8 : 70);
      CAPTURE(bits, count, block_size, width);
      check_selected(&kernels, ViewStream(elements, bits),
                     random_selection(operands, count, block_size, width));
    }
  }
}

TEST_CASE("carries go through all limbs of vector sums of integers in memory", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  for (const std::size_t bits : {64 * 16U, 64 * 512U, 64 * 1200U}) {
    const Integer ones = all_ones(bits);
    const Integer one = 1;
    const Integer alternating = ones / 3 * 2;  // 1010...
    const std::vector<const Integer*> elements{&ones, &one, &alternating, &ones, &one, &ones};
    for (std::uint32_t pattern = 1; pattern < 64; ++pattern) {
      BlockSelection selection{.block_size = 6, .width = 1, .masks = {}};
      for (std::size_t i = 0; i < 6; ++i) selection.masks.push_back(pattern >> i & 1);
      check_selected(&kernels, ViewStream(elements, bits), selection);
    }
  }
}

TEST_CASE("vector product windows equal the default ones", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  Operands operands(69);
  for (std::size_t trial = 0; trial < 30; ++trial) {
    const std::size_t count = operands.between(1, 40);
    const PublicStream stream = random_stream(operands, count, awkward_bits(operands, 20'000));
    const std::size_t modulus_bits =
        std::max<std::size_t>(stream.bits() + operands.between(0, 200), 2);
    const auto window =
        static_cast<unsigned>(operands.between(1, std::min<std::size_t>(32, modulus_bits - 1)));
    const Integer c = trial % 8 == 0 ? Integer(static_cast<unsigned long>(trial))
                                     : operands.bits(operands.between(1, 21'000));
    CAPTURE(count, stream.bits(), modulus_bits, window);
    check_windows(&kernels, c, stream, {.modulus_bits = modulus_bits, .window_bits = window});
    check_windows(&kernels, all_ones(modulus_bits), stream,
                  {.modulus_bits = modulus_bits, .window_bits = window});
  }
}

TEST_CASE("vector product windows that the leading digits do not decide", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  Operands operands(70);
  // about one window in 250 is undecided at this size
  const PublicStream stream = random_stream(operands, 2000, 52'000);
  check_windows(&kernels, operands.bits(52'000), stream,
                {.modulus_bits = 52'000, .window_bits = 32});
}

TEST_CASE("vector residues equal the default ones", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  Operands operands(72);
  std::vector<Integer> moduli{1, 2, 3};
  for (const std::size_t bits : {64U, 128U, 2698U, 4096U, 4100U}) {
    moduli.push_back(power_of_two(bits - 1));
    moduli.push_back(all_ones(bits));
    moduli.push_back(power_of_two(bits - 1) + 1);
  }
  for (std::size_t trial = 0; trial < 15; ++trial) {
    moduli.push_back(operands.exactly(operands.between(1, 4096)));
  }
  for (const Integer& modulus : moduli) {
    const PublicStream stream =
        random_stream(operands, operands.between(1, 40), awkward_bits(operands, 60'000));
    CAPTURE(stream.count(), stream.bits(), bit_length(modulus));
    check_residues(&kernels, stream, modulus);
  }
}

TEST_CASE("vector passes give the same results on any number of threads", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  for (const std::size_t threads : {1U, 2U, 3U}) {
    const ThreadLimit limit(threads);
    check_all_passes(&kernels, {40'001, 936, 30, 40, 10, 1088});
  }
}

TEST_CASE("vector passes at the size of CNT Toy", "[streams]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  check_all_passes(&kernels, kToy);
}

TEST_CASE("vector passes at the size of CNT Small", "[streams][long]") {
  FOR_ALL_STREAM_KERNELS(kernels);
  check_all_passes(&kernels, kSmall);
}

TEST_CASE("streams without a known generator, and wrong arguments, go to the default kernels",
          "[streams]") {
  const StreamKernels* const kernels = GENERATE(from_range(tables_and_none()));
  Operands operands(73);
  const auto device = std::make_shared<MinimalBackend>();
  const StoredStream stored(operands.list(9, 3000), 3000);
  check_dense(kernels, stored, std::vector<DenseWeights>{dense_weights(operands, 9, 500)});
  check_sparse(kernels, stored, std::vector<SparseWeights>{sparse_weights(operands, 9, 5, 500)});
  check_selected(kernels, stored, random_selection(operands, 9, 4, 3));
  check_windows(kernels, operands.bits(3000), stored, {.modulus_bits = 3000, .window_bits = 5});
  check_residues(kernels, stored, operands.exactly(300));

  const PublicStream stream = random_stream(operands, 9, 3000);
  const std::vector<DenseWeights> missing{DenseWeights(8)};
  const std::vector<DenseWeights> negative{DenseWeights(9, Integer(-1))};
  const std::vector<SparseWeights> incomplete{{.ones_per_weight = 2, .positions = {1, 2, 3}}};
  const BlockSelection too_wide{.block_size = 3, .width = 2, .masks = std::vector(9, 4U)};
  CHECK_THROWS_AS(cpu::dense_sums(kernels, stream, missing, *device, Monitor{}), Error);
  CHECK_THROWS_AS(cpu::dense_sums(kernels, stream, negative, *device, Monitor{}), Error);
  CHECK_THROWS_AS(cpu::sparse_sums(kernels, stream, incomplete, *device, Monitor{}), Error);
  CHECK_THROWS_AS(cpu::selected_sums(kernels, stream, too_wide, *device, Monitor{}), Error);
  CHECK_THROWS_AS(lane_windows(kernels, -1, stream, {.modulus_bits = 3000, .window_bits = 5},
                               *device, Monitor{}),
                  Error);
  CHECK_THROWS_AS(cpu::residues(kernels, stream, 0, *device, Monitor{}), Error);
  CHECK(cpu::dense_sums(kernels, stream, {}, *device, Monitor{}).empty());
  CHECK(cpu::sparse_sums(kernels, stream, {}, *device, Monitor{}).empty());
}

TEST_CASE("vector passes stop when they are told to", "[streams]") {
  const StreamKernels* const kernels = GENERATE(from_range(tables_and_none()));
  Operands operands(74);
  const auto device = std::make_shared<MinimalBackend>();
  const PublicStream stream = random_stream(operands, 30, 3000);
  std::stop_source source;
  source.request_stop();
  Monitor stopped;
  stopped.stop = source.get_token();
  const std::vector<DenseWeights> dense{dense_weights(operands, 30, 500)};
  const std::vector<SparseWeights> sparse{sparse_weights(operands, 30, 5, 500)};
  CHECK_THROWS_AS(cpu::dense_sums(kernels, stream, dense, *device, stopped), Error);
  CHECK_THROWS_AS(cpu::sparse_sums(kernels, stream, sparse, *device, stopped), Error);
  CHECK_THROWS_AS(
      cpu::selected_sums(kernels, stream, random_selection(operands, 30, 4, 3), *device, stopped),
      Error);
  CHECK_THROWS_AS(
      lane_windows(kernels, 7, stream, {.modulus_bits = 3000, .window_bits = 5}, *device, stopped),
      Error);
  CHECK_THROWS_AS(cpu::residues(kernels, stream, 17, *device, stopped), Error);
}

}  // namespace fhe::test
