// SPDX-License-Identifier: Apache-2.0
// Descriptors and context records as values.
#include "accel/fpga/contract/command.hpp"

#include <string_view>

#include "accel/fpga/contract/context.hpp"
#include "accel/fpga/contract/crc32.hpp"
#include "accel/fpga/contract/stream_record.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::fpga {

namespace {

constexpr DeviceInteger kX{0x1'2345'6780, 1000};
constexpr DeviceInteger kY{0x2'0000'0040, 900};
constexpr DeviceInteger kZ{0x3'0000'0080, 5500};

}  // namespace

TEST_CASE("the CRC is that of IEEE 802.3") {
  CHECK(crc32(std::as_bytes(std::span(std::string_view("123456789")))) == 0xcbf4'3926);
  CHECK(crc32({}) == 0);
}

TEST_CASE("every field has its place in a descriptor") {
  Command command = multiply_add(kZ, kX, kY);
  command.tag = 0xabcd;
  command.context = 3;
  command.aux = 0x1122;
  command.aux2 = 0x3344'5566;
  command.parameter = 0x7'8899'aac0;
  const DescriptorWords words = encode(command);
  const DescriptorWords expected = {
      0xabcd'0410, 0x1122'0003, 0x2345'6780, 1,           0x0000'0040, 2, 0x0000'0080, 3,
      1000,        900,         5500,        0x3344'5566, 0x8899'aac0, 7, 0,           words[15]};
  CHECK(words == expected);
  CHECK(words[15] == crc32(std::as_bytes(std::span(words).first<15>())));
  CHECK(decode(words) == command);
}

TEST_CASE("a product in four steps says so, and where its scratch memory is") {
  const Command command = in_four_steps(by(Engine::throughput, multiply(kZ, kX, kY)), 2, 0x1000);
  CHECK(four_steps_of(command) == 2U);
  CHECK(command.parameter == 0x1000);
  CHECK(engine_of(command) == Engine::throughput);
  CHECK(command.is_repeatable());
  CHECK_FALSE(four_steps_of(multiply(kZ, kX, kY)));
  CHECK_FALSE(four_steps_of(in_four_steps(multiply_add(kZ, kX, kY), 0, 0)));
  const Command reduction = in_four_steps(reduce(3, kZ, kX), 1, 0x2000);
  CHECK(four_steps_of(reduction) == 1U);
  CHECK(four_steps_of(reduction.with(flag::accumulate)) == 1U);  // of no effect
  CHECK(reduction.parameter == 0x2000);
  CHECK(reduction.context == 3);
  CHECK_FALSE(four_steps_of(reduce(3, kZ, kX)));
  CHECK(transforms_of(reduction) == Transforms::none);
  for (const Transforms transforms : {Transforms::none, Transforms::left, Transforms::taken}) {
    const Command kept = with_transforms(reduction, transforms, 0x3000);
    CHECK(transforms_of(kept) == transforms);
    CHECK(four_steps_of(kept) == 1U);
    CHECK(kept.source1.address == 0x3000);
  }
  CHECK(transform_bytes(2) == std::uint64_t{24} << 20);
  CHECK(four_step_scratch_bytes(0) == std::uint64_t{4} << 20);
  CHECK(four_step_scratch_bytes(3) == std::uint64_t{32} << 20);
}

TEST_CASE("what reads its own destination may not be repeated") {
  CHECK(multiply(kZ, kX, kY).is_repeatable());
  CHECK(add(kZ, kX, kY).is_repeatable());
  CHECK(clear(kZ).is_repeatable());
  CHECK(reduce(0, kZ, kX).is_repeatable());
  CHECK(by(Engine::ssmul, multiply(kZ, kX, kY)).is_repeatable());  // what it reads has no effect
  CHECK(multiply_polynomials(kZ, kX, kY, kX.address, 3, 1).is_repeatable());
  CHECK(product_sum({.destination = kZ, .list = kX.address, .terms = 2}).is_repeatable());
  CHECK(nested_sum({.destination = kZ, .list = kX.address, .rows = 2}).is_repeatable());
  CHECK_FALSE(multiply_add(kZ, kX, kY).is_repeatable());
  CHECK_FALSE(square_add(kZ, kX).is_repeatable());
  CHECK_FALSE(sparse_multiply_add(kZ, kX, kY.address, 3).is_repeatable());
  CHECK_FALSE(add(kX, kX, kY).is_repeatable());
  CHECK_FALSE(subtract(kY, kX, kY).is_repeatable());
  CHECK_FALSE(reduce(0, kX, kX).is_repeatable());
  CHECK_FALSE(affine(kX, kX, kY.address).is_repeatable());
  CHECK(add({kX.address, 0}, {kX.address, 0}, kY).is_repeatable());  // of no bits
}

TEST_CASE("sums of encryptions come back from their descriptors") {
  const ProductSum sum{.destination = kZ,
                       .list = kX.address,
                       .terms = 0xfedc,
                       .element_bits = 150'000,
                       .weight_bits = 936,
                       .engine = Engine::mul768,
                       .affine = true,
                       .addend = kY.address,
                       .reduce = true,
                       .context = 2};
  CHECK(decode_product_sum(product_sum(sum)) == sum);
  CHECK(product_sum(sum).aux == 0x106);
  CHECK(product_sum(sum).aux2 == 0xfedc);
  const ProductSum sparse{.destination = kZ,
                          .list = kX.address,
                          .terms = 1,
                          .element_bits = 10,
                          .sparse = true,
                          .sparse_weight = 15};
  CHECK(decode_product_sum(product_sum(sparse)) == sparse);
  CHECK(product_sum(sparse).aux == 0xf1);
}

TEST_CASE("sums over generated elements come back from their descriptors") {
  const ProductSum sum{.destination = kZ,
                       .list = kX.address,
                       .terms = 3,
                       .element_bits = 1000,
                       .sparse = true,
                       .sparse_weight = 15,
                       .generated = true,
                       .stream = kY.address};
  CHECK(decode_product_sum(product_sum(sum)) == sum);
  CHECK(product_sum(sum).aux == 0xf9);
  CHECK(product_sum(sum).source0 == DeviceInteger{kY.address, 1000});

  const Selection selection{.destination = kZ.address,
                            .stream = kX.address,
                            .first = 0xfedc'ba98,
                            .elements = 0xfedc,
                            .element_bits = 150'000,
                            .masks = kY.address,
                            .sums = 5,
                            .sum_words = 294};
  CHECK(decode_selection(select(selection)) == selection);
  CHECK(select(selection).aux == 5);
  CHECK(select(selection).aux2 == 0x0126'fedc);
  CHECK(select(selection).parameter == 0xfedc'ba98'0000'0000);
  CHECK(select(selection).destination.bits == 5 * 294 * 512);
  CHECK(select(selection).is_repeatable());

  const Windows windows{.destination = kZ.address,
                        .stream = kX.address,
                        .first = 0xfedc'ba98,
                        .elements = 0xfedc,
                        .element_bits = 150'000,
                        .number = {kY.address, 150'016}};
  CHECK(decode_windows(multiply_windows(windows)) == windows);
  CHECK(multiply_windows(windows).parameter == 0xfedc'ba98'0000'0000);
  CHECK(multiply_windows(windows).destination.bits == 0xfedc * 128);
  CHECK(multiply_windows(windows).is_repeatable());

  const WeightedSum weighted{.destination = kZ,
                             .stream = kX.address,
                             .first = 0xfedc'ba98,
                             .elements = 0xfedc,
                             .element_bits = 150'000,
                             .weights = kY.address,
                             .weight_bits = 936};
  CHECK(decode_weighted_sum(weighted_sum(weighted)) == weighted);
  CHECK(weighted_sum(weighted).aux2 == 0xfedc);
  CHECK(weighted_sum(weighted).source0 == DeviceInteger{kX.address, 150'000});
  CHECK(weighted_sum(weighted).source1 == DeviceInteger{kY.address, 936});
  CHECK(weighted_sum(weighted).parameter == 0xfedc'ba98'0000'0000);
  CHECK(weighted_sum(weighted).is_repeatable());
}

TEST_CASE("sums over stored elements and masks come back from their descriptors") {
  const Selection selection{.destination = kZ.address,
                            .stored = true,
                            .address = kX.address,
                            .elements = 3,
                            .element_bits = 1500,
                            .masks = kY.address,
                            .sums = 8,
                            .sum_words = 4};
  CHECK(decode_selection(select(selection)) == selection);
  CHECK(select(selection).aux == 0x18);
  CHECK(select(selection).parameter == kX.address);
  CHECK(select(selection).source0 == DeviceInteger{0, 1500});

  const Windows windows{.destination = kZ.address,
                        .masks = true,
                        .width = 5,
                        .stored = true,
                        .address = kX.address,
                        .elements = 3,
                        .element_bits = 1500,
                        .number = kY};
  CHECK(decode_windows(multiply_windows(windows)) == windows);
  CHECK(multiply_windows(windows).aux == 0x53);
  CHECK(multiply_windows(windows).parameter == kX.address);
  CHECK(multiply_windows(windows).destination.bits == 24);
}

TEST_CASE("a program comes back from its descriptor, and may be repeated") {
  const Command program = run(kX.address, 0xfedc);
  CHECK(decode(encode(program)) == program);
  CHECK(program.parameter == kX.address);
  CHECK(program.aux2 == 0xfedc);
  CHECK(program.is_repeatable());
}

TEST_CASE("every field has its place in the record of a stream") {
  GeneratedStream stream{.purpose = 0x1234'5678};
  for (std::size_t i = 0; i < stream.seed.size(); ++i)
    stream.seed.at(i) = static_cast<std::byte>(i + 1);
  const StreamRecord expected = {0x0403'0201, 0x0807'0605, 0x0c0b'0a09, 0x100f'0e0d, 0x1234'5678};
  CHECK(encode_stream(stream) == expected);
  CHECK(decode_stream(expected) == stream);
  CHECK(element_index(element_address(0xfedc'ba98)) == 0xfedc'ba98);
}

TEST_CASE("products name the engine that makes them") {
  CHECK(engine_of(multiply(kZ, kX, kY)) == Engine::fastest);
  const Command product = by(Engine::fftmul, square_add(kZ, kX));
  CHECK(engine_of(product) == Engine::fftmul);
  CHECK(encode(product)[descriptor::context] == 0x0002'0000);
  CHECK(decode(encode(product)) == product);
}

TEST_CASE("every field has its place in a context record") {
  const Context context{.shape = {1000, 500, 512, 1024},
                        .modulus = 0x1'0000'0040,
                        .reciprocal = 0x2'0000'0080,
                        .scratch = 0x3'0000'00c0,
                        .scratch_words = 77};
  const ContextRecord expected = {1000, 500, 512, 1024, 0x40, 1, 0x80, 2, 0xc0, 3, 77};
  CHECK(encode_context(context) == expected);
  CHECK(decode_context(expected) == context);
}

TEST_CASE("shapes of reductions are the shortest that are allowed, and give the remainder") {
  fhe::test::Operands operands(9);
  for (const std::uint32_t phi : {2U, 100U, 512U, 513U, 514U, 515U, 1000U, 1538U, 20'000U}) {
    for (const std::uint32_t gamma : {0U, 1U, 509U, 510U, 511U, 512U, 1024U, 5000U}) {
      const BarrettShape shape = barrett_shape(phi, gamma);
      CAPTURE(phi, gamma, shape.shift_low, shape.shift_high);
      CHECK(shape.is_valid());
      CHECK_FALSE(BarrettShape{phi, gamma, shape.shift_low + 512, shape.shift_high}.is_valid());
      CHECK_FALSE(BarrettShape{phi, gamma, shape.shift_low, shape.shift_high - 512}.is_valid());
      const Integer modulus = operands.exactly(phi);
      const Integer reciprocal = barrett_reciprocal(shape, modulus);
      CHECK(bit_length(reciprocal) <= shape.reciprocal_words() * 512);
      for (const Integer& x :
           {fhe::test::all_ones(phi + gamma), operands.bits(phi + gamma), modulus}) {
        const Integer estimate = (x >> shape.shift_low) * reciprocal;
        const Integer quotient = estimate >> shape.shift_high;
        const Integer remainder = x - quotient * modulus;
        CHECK(bit_length(estimate) <= shape.estimate_words() * 512);
        CHECK(bit_length(quotient) <= shape.quotient_words() * 512);
        CHECK(remainder >= 0);
        CHECK(remainder < 2 * modulus);
        CHECK(bit_length(remainder) <= shape.remainder_words() * 512);
      }
    }
  }
}

}  // namespace fhe::fpga
