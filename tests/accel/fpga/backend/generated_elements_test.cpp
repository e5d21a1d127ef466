// SPDX-License-Identifier: Apache-2.0
// Sums over streams whose elements the device generates: those of software, and neither elements
// nor masks in device memory.
#include "accel/fpga/backend/generated_elements.hpp"

#include <cstdint>
#include <memory>
#include <vector>

#include "accel/fpga/backend/device_selection.hpp"
#include "accel/fpga/backend/device_session.hpp"
#include "accel/fpga/backend/device_sums.hpp"
#include "accel/fpga/contract/words.hpp"
#include "accel/fpga/model/model_transport.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/arith/stream_kernels.hpp"
#include "libfhe/random/public_stream.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::fpga::test {

namespace {

using fhe::test::Operands;

constexpr std::uint64_t kBytes = std::uint64_t{1} << 20;

DeviceMemory megabyte() {
  return {std::uint64_t{4} << 30, kBytes};
}

// Whether the memory holds a word that begins with these 256 bits.
bool remembers(const DeviceMemory& memory, const Integer& number) {
  for (std::uint64_t at = 0; at < kBytes; at += kWordBytes) {
    const Integer word = from_bytes(memory.at(memory.base() + at, kWordBytes));
    if (low_bits(word, 256) == low_bits(number, 256)) return true;
  }
  return false;
}

PublicStream random_elements(Operands& operands, std::size_t count, std::size_t bits) {
  StreamSeed seed;
  for (std::byte& byte : seed) byte = static_cast<std::byte>(operands.between(0, 255));
  return {seed, StreamPurpose::key_bits, 5, count, bits};
}

BlockSelection random_selection(Operands& operands, std::size_t count, std::size_t block_size,
                                unsigned width) {
  BlockSelection selection{.block_size = block_size, .width = width, .masks = {}};
  for (std::size_t i = 0; i < count; ++i)
    selection.masks.push_back(static_cast<std::uint32_t>(operands.bits(width).get_ui()));
  return selection;
}

}  // namespace

TEST_CASE("selected sums of generated elements are those of software") {
  Operands operands(90);
  const BackendPtr device = open_backend("fpga:model");
  const BackendPtr software = open_backend("ntl");
  for (const std::size_t count : {1U, 64U, 65U, 200U}) {
    for (const std::size_t block_size :
         {std::size_t{1}, std::size_t{64}, std::size_t{150}, std::size_t{1000}}) {
      if (block_size == 1 && count > 64) continue;
      for (const unsigned width : {1U, 5U, 8U, 9U, 32U}) {
        const PublicStream stream = random_elements(operands, count, 1 + operands.between(0, 1500));
        const BlockSelection selection = random_selection(operands, count, block_size, width);
        CAPTURE(count, block_size, width, stream.bits());
        CHECK(device->selected_sums(stream, selection, {}) ==
              software->selected_sums(stream, selection, {}));
      }
    }
  }
}

TEST_CASE("dense weights meet elements as the throughput device generates them") {
  Operands operands(94);
  const BackendPtr software = open_backend("ntl");
  for (const std::size_t count : {1U, 30U}) {
    for (const std::size_t weight_bits : {1U, 936U, 3'072U, 3'073U}) {  // the last are too long
      const PublicStream stream = random_elements(operands, count, 1 + operands.between(0, 9000));
      const Integer modulus = operands.exactly(stream.bits());
      DenseWeights weights;
      for (std::size_t i = 0; i < count; ++i) weights.push_back(operands.exactly(weight_bits));
      const std::vector<DenseWeights> batch = {weights, DenseWeights(count)};
      CAPTURE(count, weight_bits, stream.bits());
      const BackendPtr device = open_backend("fpga:model=throughput");
      CHECK(device->weighted_sums(stream, std::span(batch), {}) ==
            software->weighted_sums(stream, std::span(batch), {}));
      CHECK(device->ring(modulus)->weighted_sums({stream, {}}, std::span(batch), {}) ==
            software->ring(modulus)->weighted_sums({stream, {}}, std::span(batch), {}));
    }
  }
}

TEST_CASE("neither generated elements nor dense weights stay in the throughput device") {
  Operands operands(95);
  const DeviceMemory memory = megabyte();
  DeviceSession session(std::make_unique<ModelTransport>(memory.share(), kThroughputEquipment));
  OperationCounters counters;
  const PublicStream stream = random_elements(operands, 5, 3'000);
  const Integer modulus = operands.exactly(3'000);
  DenseWeights weights;
  Integer sum;
  for (std::size_t i = 0; i < stream.count(); ++i) {
    weights.push_back(operands.exactly(400));
    sum += stream.element(i) * weights.back();
  }
  const Reduction reduction(session.device, modulus, 500);
  const std::vector<DenseWeights> batch = {weights};
  CHECK(device_sums(session, stream, batch, &reduction, counters, {}).front() == sum % modulus);
  CHECK(device_sums(session, stream, batch, nullptr, counters, {}).front() == sum);
  CHECK(remembers(memory, modulus));  // or this test sees nothing
  for (std::size_t i = 0; i < stream.count(); ++i) {
    CHECK_FALSE(remembers(memory, stream.element(i)));
    CHECK_FALSE(remembers(memory, weights[i]));
  }
  CHECK_FALSE(remembers(memory, sum));
  CHECK_FALSE(remembers(memory, sum % modulus));
}

TEST_CASE("a ring selects among generated elements, whose corrections it subtracts") {
  Operands operands(91);
  constexpr std::size_t kCount = 100;
  const PublicStream stream = random_elements(operands, kCount, 3'000);
  const Integer modulus = operands.exactly(3'000);
  std::vector<Integer> corrections;
  for (std::size_t i = 0; i < kCount; ++i) corrections.push_back(operands.bits(3'000));
  const BlockSelection selection = random_selection(operands, kCount, 30, 9);
  const auto values = [&](const char* backend, const CorrectedStream& x) {
    std::vector<Integer> sums;
    for (const Operand& sum :
         open_backend(backend)->ring(modulus)->selected_elements(x, selection, {}))
      sums.push_back(sum.value());
    return sums;
  };
  for (const CorrectedStream& x : {CorrectedStream{stream, {}}, {stream, corrections}})
    CHECK(values("fpga:model", x) == values("ntl", x));
}

TEST_CASE("generated elements are in no sum's memory, and neither are masks afterwards") {
  Operands operands(92);
  const DeviceMemory memory = megabyte();
  DeviceSession session(std::make_unique<ModelTransport>(memory.share()));
  OperationCounters counters;
  constexpr std::size_t kCount = 40;
  const PublicStream stream = random_elements(operands, kCount, 2'000);
  REQUIRE(generates(session.device, stream));
  BlockSelection selection = random_selection(operands, kCount, kCount, 8);
  Integer masks, sum;
  SparseWeights weights{.ones_per_weight = 2, .positions = {}};
  for (std::size_t i = 0; i < kCount; ++i) {
    masks += Integer(selection.masks[i]) << 8 * i;
    for (const std::size_t position : {operands.between(0, 99), operands.between(100, 255)})
      weights.positions.push_back(static_cast<std::uint32_t>(position));
    sum += stream.element(i) * sparse_weight(weights, i);
  }
  CHECK(device_selected_sums(session, stream, selection, counters, {}) ==
        open_backend("ntl")->selected_sums(stream, selection, {}));
  const std::vector<SparseWeights> batch = {weights};
  CHECK(device_sums(session, stream, batch, nullptr, counters, {}).front() == sum);
  CHECK_FALSE(remembers(memory, masks));
  CHECK_FALSE(remembers(memory, sum));
  for (std::size_t i = 0; i < kCount; ++i) CHECK_FALSE(remembers(memory, stream.element(i)));
  const Integer seed = from_bytes(stream.source()->seed);
  bool has_record = false;  // or this test sees nothing
  for (std::uint64_t at = 0; at < kBytes; at += kWordBytes) {
    const Integer word = from_bytes(memory.at(memory.base() + at, kWordBytes));
    has_record = has_record || low_bits(word, 128) == seed;
  }
  CHECK(has_record);
  CHECK(counters.read().stream_bytes == 2 * kCount * 256);  // that the device generated, twice
}

TEST_CASE("product windows of generated elements are those of software") {
  Operands operands(94);
  const BackendPtr device = open_backend("fpga:model");
  const BackendPtr software = open_backend("ntl");
  for (const std::size_t modulus_bits : {33U, 95U, 96U, 97U, 512U, 513U, 3'000U}) {
    for (const unsigned window_bits : {1U, 5U, 32U}) {
      const std::size_t bits = modulus_bits - operands.between(0, 2);
      const PublicStream stream = random_elements(operands, 50, bits);
      const WindowSpec spec{.modulus_bits = modulus_bits, .window_bits = window_bits};
      CAPTURE(modulus_bits, window_bits, bits);
      // The last ones make products that lie on the edge of two windows.
      for (const Integer& c :
           {operands.bits(modulus_bits), operands.bits(2 * modulus_bits), Integer(0), Integer(1),
            fhe::test::all_ones(modulus_bits), power_of_two(modulus_bits - window_bits - 1),
            Integer(3 * power_of_two(modulus_bits - window_bits - 1))}) {
        CHECK(device->product_windows(c, stream, spec, {}) ==
              software->product_windows(c, stream, spec, {}));
      }
    }
  }
}

TEST_CASE("streams that no device generates are added up as before") {
  Operands operands(93);
  std::vector<Integer> elements;
  for (int i = 0; i < 20; ++i) elements.push_back(operands.bits(900));
  const StoredStream stream(elements, 900);
  const BlockSelection selection = random_selection(operands, elements.size(), 7, 3);
  CHECK(open_backend("fpga:model")->selected_sums(stream, selection, {}) ==
        open_backend("ntl")->selected_sums(stream, selection, {}));
  const PublicStream generated = random_elements(operands, 20, 900);
  CHECK(open_backend("fpga:model=super_size")->selected_sums(generated, selection, {}) ==
        open_backend("ntl")->selected_sums(generated, selection, {}));
  const WindowSpec spec{.modulus_bits = 901, .window_bits = 5};
  const Integer c = operands.bits(901);
  for (const IntegerStream* const any : {static_cast<const IntegerStream*>(&stream),
                                         static_cast<const IntegerStream*>(&generated)}) {
    CHECK(open_backend("fpga:model=super_size")->product_windows(c, *any, spec, {}) ==
          open_backend("ntl")->product_windows(c, *any, spec, {}));
  }
}

}  // namespace fhe::fpga::test
