// SPDX-License-Identifier: Apache-2.0
// The whole device with the throughput multiplier, simulated, beside its model: see
// device_test.cpp.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "accel/fpga/contract/command.hpp"
#include "accel/fpga/contract/context.hpp"
#include "accel/fpga/contract/stream_record.hpp"
#include "accel/fpga/model/model_transport.hpp"
#include "accel/fpga/sim/sim_transport.hpp"
#include "accel/fpga/transport/device_memory.hpp"
#include "tests/accel/fpga/driver/raw_device.hpp"
#include "tests/accel/fpga/rtl/device_pair.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::fpga::test {

namespace {

// The device of kThroughputEquipment.
RawDevice simulated_throughput(DeviceMemory memory = small_memory()) {
  RawDevice device(make_throughput_sim_transport(std::move(memory)));
  device.enable();
  return device;
}

RawDevice modelled_throughput(DeviceMemory memory = small_memory()) {
  RawDevice device(std::make_unique<ModelTransport>(std::move(memory), kThroughputEquipment));
  device.enable();
  return device;
}
}  // namespace

TEST_CASE("products of the throughput multiplier give the same on the device and on its model",
          "[device]") {
  Pair devices(simulated_throughput(), modelled_throughput());
  Operands operands(34);
  struct Shape {
    std::uint32_t x_words, y_words, z_words;
  };
  for (const auto& [x_words, y_words, z_words] : {Shape{1, 1, 2},
                                                  {0, 3, 3},
                                                  {96, 97, 193},
                                                  {50, 960, 1100},
                                                  {300, 1000, 1300},
                                                  {1536, 1536, 3072},
                                                  {1537, 3000, 4537}}) {
    const DeviceInteger x = devices.at(0, 512 * x_words);
    const DeviceInteger y = devices.at(10'000, 512 * y_words);
    const DeviceInteger z = devices.at(kDestinationWord, 512 * z_words);
    devices.put(0, operands.bits(x.bits), x_words);
    devices.put(10'000, operands.runs(y.bits), y_words);
    const Command product = multiply(z, x, y).with(flag::check_pad);
    CHECK(devices.run(by(Engine::throughput, product)) == Status::ok);
    CHECK(devices.run(multiply(z, y, x)) == Status::ok);
    devices.run(by(Engine::throughput, square(devices.at(kDestinationWord, 2 * x.bits), x)));
  }
  const DeviceInteger x = devices.at(0, 512 * 300), y = devices.at(10'000, 512 * 100);
  const DeviceInteger z = devices.at(kDestinationWord, 512 * 400);
  devices.put(kDestinationWord, power_of_two(z.bits) - 1, 400);
  CHECK(devices.run(multiply_add(z, x, y)) == Status::ok);
  for (const Engine missing : {Engine::mul768, Engine::stream768, Engine::ssmul})
    CHECK(devices.run(by(missing, multiply(z, x, y))) == Status::bad_opcode);
  CHECK(devices.memories_agree());
}

TEST_CASE("products in four steps give the same on the device and on its model", "[device]") {
  const auto memory = [] { return DeviceMemory(std::uint64_t{4} << 30, std::uint64_t{16} << 20); };
  Pair devices(simulated_throughput(memory()), modelled_throughput(memory()));
  Operands operands(40);
  constexpr std::uint64_t kWords = (std::uint64_t{16} << 20) / kWordBytes;
  const std::uint64_t scratch = devices.at(100'000, 0).address;
  const DeviceInteger x = devices.at(0, 512 * 5'000), y = devices.at(10'000, 512 * 6'000 - 3);
  const DeviceInteger z = devices.at(200'000, 512 * 11'010);
  devices.put(0, operands.bits(x.bits), 5'000);
  devices.put(10'000, operands.runs(y.bits), 6'000);
  const Command product = multiply(z, x, y);
  const Command checked = product.with(flag::check_pad);
  CHECK(devices.run(in_four_steps(checked, 0, scratch)) == Status::ok);
  CHECK(devices.run(in_four_steps(square(z, x), 0, scratch)) == Status::ok);
  CHECK(devices.run(in_four_steps(multiply(z, x, x), 0, scratch)) == Status::ok);
  CHECK(devices.run(in_four_steps(multiply_add(z, x, y), 0, scratch)) == Status::ok);  // by blocks
  devices.put(10'000, operands.exactly(512 * 6'000), 6'000);
  CHECK(devices.run(in_four_steps(checked, 0, scratch)) == Status::pad_not_zero);
  // What is wrong about the lengths, and about the scratch memory.
  const DeviceInteger longer = devices.at(0, 512 * 5'265), longest = devices.at(0, 512 * 5'633);
  CHECK(devices.run(in_four_steps(multiply(z, longer, y), 0, scratch)) == Status::length);
  CHECK(devices.run(in_four_steps(square({z.address, 512 * 11'266}, longest), 0, scratch)) ==
        Status::length);
  CHECK(devices.run(in_four_steps(product, 4, scratch)) == Status::length);
  CHECK(devices.run(in_four_steps(product, 0, scratch + 32)) == Status::bad_align);
  CHECK(devices.run(in_four_steps(product, 3, scratch)) == Status::range);
  const std::uint64_t last = devices.at(kWords - 65'536, 0).address;
  CHECK(devices.run(in_four_steps(product, 0, last + kWordBytes)) == Status::range);
  CHECK(devices.run(in_four_steps(product, 0, last)) == Status::overlap);
  RawDevice other = simulated();
  CHECK(other.status_of(in_four_steps(multiply(other.at(9, 9), other.at(0, 3), other.at(1, 3)), 0,
                                      other.at(100, 0).address)) == Status::bad_opcode);
}

TEST_CASE("reductions by the throughput multiplier give the same on the device and on its model",
          "[device]") {
  Pair devices(simulated_throughput(), modelled_throughput());
  Operands operands(35);
  constexpr std::uint64_t kArgumentWord = 24'000;
  // The last two have the greatest shifts, so nothing is left out for them; all that is left out of
  // the product for q of the others: none of one block, one diagonal of three, two of four.
  const auto [phi, gamma] = GENERATE(table<std::uint32_t, std::uint32_t>({{2, 2},
                                                                          {60'000, 60'000},
                                                                          {1'600'000, 800'000},
                                                                          {1'600'000, 1'600'000},
                                                                          {1'600'002, 1'599'485},
                                                                          {514, 509}}));
  const auto placed = place_modulus(devices, operands.exactly(phi), gamma, kArgumentWord);
  CHECK(placed.shape.may_lose() ==
        (placed.shape.beta() != -2 || placed.shape.alpha() != gamma + 1));
  const DeviceInteger result = devices.at(kDestinationWord, phi);
  const auto check = [&](const Integer& argument, std::uint32_t bits) {
    devices.put(kArgumentWord, argument, words_for_bits(bits));
    CHECK(devices.run(reduce(kContext, result, devices.at(kArgumentWord, bits))) == Status::ok);
  };
  check(operands.bits(phi + gamma), phi + gamma);
  check(power_of_two(phi + gamma) - 1, phi + gamma);
  check(placed.modulus, phi);
  check(placed.modulus * (power_of_two(gamma - 1) - 1), phi + gamma);
  check(1, 1);
}

TEST_CASE("a remainder may have a word more than the modulus", "[device]") {
  Pair devices(simulated_throughput(), modelled_throughput());
  const auto placed = place_modulus(devices, power_of_two(1024) - 5, 1'000);
  constexpr std::uint32_t kBits = 2'024;
  for (const std::uint32_t result_bits : {1'024U, 1'025U, 2'000U}) {
    for (const int rest : {0, 4, 5, 77}) {  // y is A_0 more: not below 2^1024 for the last two
      devices.put(kFreeWord, (power_of_two(1'000) - 1) * placed.modulus + rest, 4);
      CHECK(devices.run(reduce(kContext, devices.at(kDestinationWord, result_bits),
                               devices.at(kFreeWord, kBits))) == Status::ok);
    }
  }
}

namespace {

constexpr std::uint64_t kCyclicArgumentWord = 80'000;

// Reductions with a cyclic product of the fewest points, modulo 2^M - 1.
class CyclicReductions {
 public:
  static constexpr std::uint32_t kBits = parameter::four_step_words * parameter::word_bits;  // M

  CyclicReductions(const Integer& modulus, std::uint32_t gamma)
      : placed_(place_modulus(devices_, modulus, gamma, kCyclicArgumentWord)) {}

  [[nodiscard]] std::uint32_t argument_bits() const {
    return placed_.shape.phi + placed_.shape.gamma;
  }
  // q is then smaller by one more often.
  void shorten_reciprocal() {
    devices_.put(1 + placed_.shape.modulus_words(),
                 barrett_reciprocal(placed_.shape, placed_.modulus) - 1,
                 placed_.shape.reciprocal_words());
  }

  Status run(const Integer& x, std::uint32_t bits, std::uint32_t result_bits) {
    devices_.put(kCyclicArgumentWord, x, words_for_bits(bits));
    return run(reduce(kContext, devices_.at(kResultWord, result_bits),
                      devices_.at(kCyclicArgumentWord, bits)));
  }
  Status run(const Integer& x) { return run(x, argument_bits(), placed_.shape.phi); }
  Status run(const Command& command) {
    const Command in_steps = in_four_steps(command, 0, scratch().address);
    return devices_.run(
        with_transforms(in_steps, transforms, devices_.at(kTransformsWord, 0).address));
  }
  // With both products in four steps, where not `none`.
  Transforms transforms = Transforms::none;
  [[nodiscard]] DeviceInteger scratch() const { return devices_.at(kScratchWord, 0); }
  Pair& devices() { return devices_; }

 private:
  static constexpr std::uint64_t kResultWord = 110'000;
  static constexpr std::uint64_t kScratchWord = 150'000;
  static constexpr std::uint64_t kTransformsWord = 300'000;

  static DeviceMemory memory() { return {std::uint64_t{4} << 30, std::uint64_t{32} << 20}; }

  Pair devices_{simulated_throughput(memory()), modelled_throughput(memory())};
  PlacedModulus placed_;
};

// (2^M - 1) / 3: so three times it are 0 modulo 2^M - 1, which is all ones.
Integer third_of_ones() {
  return (power_of_two(CyclicReductions::kBits) - 1) / 3;
}

}  // namespace

TEST_CASE("reductions with a cyclic product give the same on the device and on its model",
          "[device]") {
  CyclicReductions reductions(third_of_ones(), 100'000);
  const Integer zero = (power_of_two(99'999) - 77) * 3 * third_of_ones();
  CHECK(reductions.run(zero) == Status::ok);
  CHECK(reductions.run(zero - 1) == Status::ok);
  Pair& devices = reductions.devices();
  const DeviceInteger x = devices.at(kCyclicArgumentWord, 1000);
  const DeviceInteger z = devices.at(0, CyclicReductions::kBits);
  const Command command = reduce(kContext, z, x);
  const std::uint64_t scratch = reductions.scratch().address;
  CHECK(devices.run(in_four_steps(command, 3, scratch)) == Status::length);
  CHECK(devices.run(in_four_steps(command, 0, scratch + 32)) == Status::bad_align);
  CHECK(devices.run(in_four_steps(command, 2, z.address + (28U << 20))) == Status::range);
  CHECK(devices.run(in_four_steps(command, 0, z.address + kWordBytes)) == Status::overlap);
}

TEST_CASE("reductions with transforms that are kept give the same on the device and on its model",
          "[device]") {
  CyclicReductions reductions(third_of_ones(), 100'000);
  Operands operands(43);
  reductions.transforms = Transforms::left;
  CHECK(reductions.run(operands.bits(reductions.argument_bits())) == Status::ok);
  reductions.transforms = Transforms::taken;
  CHECK(reductions.run(operands.bits(reductions.argument_bits())) == Status::ok);
  Pair& devices = reductions.devices();
  const Command command = in_four_steps(reduce(kContext, devices.at(0, CyclicReductions::kBits),
                                               devices.at(kCyclicArgumentWord, 1000)),
                                        0, reductions.scratch().address);
  const auto with = [&](Transforms transforms, std::uint64_t word) {
    return devices.run(with_transforms(command, transforms, devices.at(word, 0).address));
  };
  CHECK(with(Transforms::taken, 9'000) == Status::overlap);
  CHECK(with(Transforms::left, 450'000) == Status::range);  // 98,304 words
  Command odd = with_transforms(command, Transforms::taken, command.parameter);
  odd.aux = static_cast<std::uint16_t>(odd.aux & ~field::modred::keeps.put(1));
  CHECK(devices.run(odd) == Status::length);
}

TEST_CASE("reductions with a cyclic product are right where all digits carry", "[device][long]") {
  CyclicReductions reductions(third_of_ones(), 100'000);
  const std::uint32_t bits = reductions.argument_bits();
  Operands operands(41);
  for (const bool shortened : {false, true}) {
    if (shortened) reductions.shorten_reciprocal();
    for (const Integer& factor :
         {Integer(0), Integer(1), Integer(2), Integer(3), Integer(3 * power_of_two(90'000)),
          Integer(3 * (power_of_two(99'998) - 1)), operands.bits(99'998)}) {
      for (const int more : {-1, 0, 1}) {
        const Integer x = factor * third_of_ones() + more;
        if (x >= 0) CHECK(reductions.run(x) == Status::ok);
      }
    }
  }
  CHECK(reductions.run(power_of_two(bits) - 1) == Status::ok);
  CHECK(reductions.run(third_of_ones() - 1, CyclicReductions::kBits - 1, bits) == Status::ok);
  CHECK(reductions.run(operands.bits(600), 600, CyclicReductions::kBits) == Status::ok);
}

TEST_CASE("reductions with a cyclic product are right for any modulus", "[device][long]") {
  Operands operands(42);
  // In this order: q of few words, and as many as there may be; x longer and shorter than 2^M.
  const auto [phi, gamma] = GENERATE(table<std::uint32_t, std::uint32_t>(
      {{CyclicReductions::kBits - 1, 512},
       {CyclicReductions::kBits - 1, CyclicReductions::kBits - 2},
       {1000, CyclicReductions::kBits - 2},
       {CyclicReductions::kBits / 2, CyclicReductions::kBits / 2 - 3},
       {5'000'000, 5'000'096}}));
  const Integer modulus = operands.coin() ? operands.exactly(phi) : power_of_two(phi) - 1;
  CyclicReductions reductions(modulus, gamma);
  const std::uint32_t bits = reductions.argument_bits();
  for (const Transforms transforms : {Transforms::none, Transforms::left, Transforms::taken}) {
    reductions.transforms = transforms;
    CHECK(reductions.run(operands.bits(bits)) == Status::ok);
    CHECK(reductions.run(power_of_two(bits) - 1) == Status::ok);
  }
  reductions.transforms = Transforms::none;
  reductions.shorten_reciprocal();
  CHECK(reductions.run(modulus * (power_of_two(gamma - 1) - 5)) == Status::ok);
  CHECK(reductions.run(modulus * (power_of_two(gamma - 1) - 5) - 1) == Status::ok);
  // In place, and with ones above its end.
  Pair& devices = reductions.devices();
  const DeviceInteger x = devices.at(kCyclicArgumentWord, bits);
  devices.put(kCyclicArgumentWord, operands.bits(bits), words_for_bits(bits));
  CHECK(reductions.run(reduce(kContext, {x.address, phi}, x)) == Status::ok);
  for (const std::uint32_t shorter : {bits - 1, std::min(phi, 600U)}) {
    devices.put(kCyclicArgumentWord, power_of_two(shorter), words_for_bits(shorter));
    const Command command =
        reduce(kContext, devices.at(kCyclicArgumentWord + 30'000, phi), {x.address, shorter});
    CHECK(reductions.run(command.with(flag::check_pad)) == Status::pad_not_zero);
  }
}

TEST_CASE("sums with the throughput multiplier give the same on the device and on its model",
          "[device]") {
  Pair devices(simulated_throughput(), modelled_throughput());
  Operands operands(37);
  place_modulus(devices, operands.exactly(20'000), 1'500);
  // In rows, by single products, and of more than a row.
  for (const auto& [element_bits, weight_bits] :
       {std::pair{86'016U, 936U}, {86'017U, 936U}, {147'456U, 936U}, {20'000U, 5'000U}})
    CHECK(devices.run(product_sum(placed_sum(devices, operands, 5, element_bits, weight_bits))) ==
          Status::ok);
  ProductSum sum = placed_sum(devices, operands, 3, 20'000, 900);
  sum.reduce = true;
  sum.context = kContext;
  sum.engine = Engine::throughput;
  CHECK(devices.run(product_sum(sum)) == Status::ok);
}

TEST_CASE("weighted sums of generated elements give the same on the device and on its model",
          "[device]") {
  Pair devices(simulated_throughput(), modelled_throughput());
  Operands operands(39);
  devices.put(0, operands.bits(160), 1);
  WeightedSum sum{.stream = devices.at(0, 0).address, .first = 0xffff'fffd, .elements = 6};
  // In one slice, in a pair of them and in several, and with the longest weights.
  for (const auto& [element_bits, weight_bits] : {std::pair{1U, 1U},
                                                  {94'208U, 936U},
                                                  {94'209U, 936U},
                                                  {188'416U, 512U},
                                                  {188'417U, parameter::weighted_bits},
                                                  {500'000U, 2'556U},
                                                  {5'000U, 0U}}) {
    sum.element_bits = element_bits;
    sum.weight_bits = weight_bits;
    const std::uint64_t words = words_for_bits(weight_bits);
    for (std::uint64_t i = 0; i < sum.elements; ++i)
      devices.put(1 + i * words, operands.bits(weight_bits), words);
    sum.weights = devices.at(1, 0).address;
    sum.destination = devices.at(kDestinationWord, element_bits + weight_bits + 16);
    CHECK(devices.run(weighted_sum(sum)) == Status::ok);
    CHECK(devices.run(weighted_sum(sum).with(flag::check_pad | flag::accumulate)) == Status::ok);
  }
  // A bit above a weight.
  sum.weight_bits = 900;
  sum.destination.bits = 6'000;
  devices.put(4, power_of_two(400), 1);
  devices.put(5, 0, 1);
  CHECK(devices.run(weighted_sum(sum).with(flag::check_pad)) == Status::pad_not_zero);
}

TEST_CASE("sums of elements by lines of eight words give the same on the device and on its model",
          "[device]") {
  Pair devices(simulated_throughput(), modelled_throughput());
  SECTION("generated") {
    check_generated_sums(devices);
  }
  SECTION("stored") {
    check_stored_sums(devices);
  }
}

TEST_CASE("a device is stopped in every phase of a product of the throughput multiplier",
          "[device]") {
  RawDevice device = simulated_throughput();
  check_stopped_products(device, Engine::throughput,
                         {0, 5, 15, 30, 45, 60, 200, 900, 1'100, 1'190});
}

TEST_CASE("a device is stopped while it multiplies elements, and computes again", "[device]") {
  RawDevice device = simulated_throughput();
  RawDevice model = modelled_throughput();
  Operands operands(40);
  const Integer record = operands.bits(160), weights = operands.bits(5 * 1024);
  for (RawDevice* const one : {&device, &model}) {
    one->put(one->at(0, 0).address, record);
    one->put(one->at(1, 0).address, weights, 10);
  }
  const Command sum = weighted_sum({.destination = device.at(1000, 61'040),
                                    .stream = device.at(0, 0).address,
                                    .elements = 5,
                                    .element_bits = 60'000,
                                    .weights = device.at(1, 0).address,
                                    .weight_bits = 1'024});
  CHECK(model.status_of(sum) == Status::ok);
  for (const std::uint64_t step : {0U, 10U, 40U, 60U, 75U, 90U, 500U, 1'200U, 1'500U, 2'400U}) {
    device.give(sum);
    device.transport().step(step);
    device.soft_reset(bit(ctrl::enable));
    CHECK(device.take().status == Status::aborted);
    CHECK(device.status_of(sum) == Status::ok);
    CHECK(device.get(device.at(1000, 0).address, 120) == model.get(model.at(1000, 0).address, 120));
  }
}

TEST_CASE("commands of the throughput multiplier take the clocks that its README states",
          "[device]") {
  RawDevice device = simulated_throughput();
  RawDevice model = modelled_throughput();
  const auto at = [&](std::uint64_t word, std::uint32_t words) {
    return device.at(word, 512 * words);
  };
  const auto check = [&](const Command& product, std::uint32_t clocks) {
    const Command command = by(Engine::throughput, product);
    check_clocks(device, model, command, clocks);
  };
  // F, its constant, what loading, the products before the last one and the words of this take.
  check(multiply(at(8000, 2), at(0, 1), at(4000, 1)), 12 + 1172 + 67 + 3);
  check(multiply(at(8000, 192), at(0, 96), at(4000, 96)), 12 + 1172 + 67 + 64 + 256);
  check(multiply(at(8000, 1056), at(0, 960), at(4000, 96)), 12 + 1172 + 67 + 64 + 9 * 256 + 256);
  check(multiply(at(8000, 3072), at(0, 1536), at(4000, 1536)), 12 + 8896 + 67 + 1024 + 4096);
  check(multiply(at(8000, 6144), at(0, 3072), at(4000, 3072)),
        12 + 8896 + 67 + 1024 + 3 * 4096 + 4096);
  check(multiply_add(at(8000, 192), at(0, 96), at(4000, 96)), 12 + 1172 + 67 + 64 + 256 + 24);
}

TEST_CASE("commands on lines of eight words take the clocks that the README states", "[device]") {
  RawDevice device = simulated_throughput();
  RawDevice model = modelled_throughput();
  const auto at = [&](std::uint64_t word, std::uint32_t words) {
    return device.at(word, 512 * words);
  };
  const auto check = [&](const Command& command, std::uint32_t clocks) {
    check_clocks(device, model, command, clocks);
  };
  Selection selection{.destination = at(4000, 1).address,
                      .stream = at(3000, 1).address,
                      .elements = 10,
                      .element_bits = 147'456,
                      .masks = at(3001, 1).address,
                      .sums = 5,
                      .sum_words = 289};
  check(select(selection), 12 + 55 + 39 + 10 * 37 + 5 * 289);
  selection.elements = 130;
  selection.sum_words = 4'100;
  check(select(selection), 12 + 55 + 2 * 41 + 130 * (512 + 4) + 5 * 4'100);
  Windows windows{.destination = at(4000, 1).address,
                  .stream = at(3000, 1).address,
                  .elements = 158,
                  .element_bits = 147'456,
                  .number = at(0, 288)};
  check(multiply_windows(windows), 12 + 93 + 158 * 36 + 7 * 8);
  windows.elements = 1;
  check(multiply_windows(windows), 12 + 93 + 8 * 36);
  // Of elements that are stored.
  selection.stored = true;
  selection.address = at(1000, 1).address;
  selection.elements = 10;
  selection.element_bits = 1'500;
  selection.sum_words = 4;
  check(select(selection), 12 + 26 + 39 + 10 * 8 + 5 * 4);
}

namespace {

void check_weighted_clocks(std::uint16_t elements, std::uint32_t words, std::uint32_t d_words,
                           std::uint32_t clocks) {
  RawDevice device = simulated_throughput();
  RawDevice model = modelled_throughput();
  const Command command = weighted_sum({.destination = device.at(8000, 512 * d_words),
                                        .stream = device.at(0, 0).address,
                                        .elements = elements,
                                        .element_bits = 512 * words,
                                        .weights = device.at(1, 0).address,
                                        .weight_bits = 936});
  check_clocks(device, model, command, clocks);
}

}  // namespace

// The sum of an encryption at Toy, one of many slices, and one with zeros above.
TEST_CASE("weighted sums take the clocks that the README of their multiplier states", "[device]") {
  check_weighted_clocks(158, 288, 291, 12 + 28 + 5 + 1239 + 158 * 256 + 142);
  check_weighted_clocks(3, 4000, 4003, 12 + 28 + 5 + 1239 + 43 * 256 + 185);
  check_weighted_clocks(10, 100, 400, 12 + 28 + 5 + 1239 + 10 * 256 + 255 + 3 + 24);
}

TEST_CASE("weighted sums of more terms than one part has take the clocks of both",
          "[device][long]") {
  check_weighted_clocks(515, 1, 3, 12 + 28 + 5 + 2 * (1239 + 3) + (511 + 2) * 256 + 28);
}

TEST_CASE("a modular product of CNT Large, in four steps", "[device][long]") {
  constexpr std::uint32_t kPhi = 19'350'000;
  constexpr std::uint64_t kWords = 1'400'000;
  const auto memory = [] { return DeviceMemory(std::uint64_t{4} << 30, kWords * kWordBytes); };
  RawDevice device = simulated_throughput(memory());
  RawDevice model = modelled_throughput(memory());
  Operands operands(36);
  const Integer modulus = operands.exactly(kPhi);
  const Integer x = operands.bits(kPhi) % modulus, y = operands.bits(kPhi) % modulus;
  const BarrettShape shape = barrett_shape(kPhi, kPhi);
  const std::uint64_t words = words_for_bits(kPhi);
  const DeviceInteger a = device.at(10, kPhi), b = device.at(40'000, kPhi),
                      product = device.at(80'000, 2 * kPhi), result = device.at(160'000, kPhi);
  const Context context{.shape = shape,
                        .modulus = device.at(200'000, 0).address,
                        .reciprocal = device.at(240'000, 0).address,
                        .scratch = device.at(280'000, 0).address,
                        .scratch_words = static_cast<std::uint32_t>(shape.scratch_words())};
  const std::uint64_t scratch = device.at(450'000, 0).address;
  const Command reduction = in_four_steps(reduce(kContext, result, product), 2, scratch);
  std::vector<std::uint64_t> law, clocks;  // of a product, and of reductions
  for (RawDevice* const one : {&model, &device}) {
    one->put(a.address, x, words);
    one->put(b.address, y, words);
    one->put(context.modulus, modulus, words);
    one->put(context.reciprocal, barrett_reciprocal(shape, modulus), shape.reciprocal_words());
    one->put_record(one->at(0, 0).address, context);
    CHECK(one->status_of({.opcode = Opcode::set_ctx,
                          .context = kContext,
                          .parameter = one->at(0, 0).address}) == Status::ok);
    std::vector<std::uint64_t>& counted = one == &model ? law : clocks;
    counted.push_back(one->run(in_four_steps(multiply(product, a, b), 3, scratch)).cycles);
    for (const Transforms transforms : {Transforms::none, Transforms::left, Transforms::taken}) {
      one->put(result.address, 0, words);
      counted.push_back(
          one->run(with_transforms(reduction, transforms, one->at(980'000, 0).address)).cycles);
      CHECK(one->get(result.address, words) == Integer(x * y % modulus));
    }
  }
  for (std::size_t i = 0; i < law.size(); ++i) {
    CHECK(std::max(clocks[i], law[i]) - std::min(clocks[i], law[i]) < law[i] / 1000);
    WARN("of a modular product of CNT Large: " << clocks[i] << " clocks");
  }
  CHECK(clocks[0] + clocks[1] < 3'850'000);
  CHECK(clocks[0] + clocks[3] < 3'410'000);
}

}  // namespace fhe::fpga::test