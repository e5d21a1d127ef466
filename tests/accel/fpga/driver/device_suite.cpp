// SPDX-License-Identifier: Apache-2.0
#include "tests/accel/fpga/driver/device_suite.hpp"

#include <algorithm>
#include <functional>

#include "libfhe/random/public_stream.hpp"
#include "tests/accel/fpga/driver/operands_on_device.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::fpga::test {

namespace {

using fhe::test::Operands;

// A number of at most `bits` bits, now and then an awkward one.
Integer draw(Operands& operands, std::uint32_t bits) {
  if (bits == 0) return 0;
  switch (operands.between(0, 3)) {
    case 0:
      return fhe::test::all_ones(bits);
    case 1:
      return operands.runs(bits);
    default:
      return operands.bits(bits);
  }
}

class Suite {
 public:
  Suite(Device& device, const SuiteSize& size) : device_(device), size_(size) {}

  void run() {
    for (const std::uint32_t x : size_.lengths) {
      unary(x);
      if (has(feature::lhw)) sparse(x);
      for (const std::uint32_t y : size_.lengths) binary(x, y);
    }
    for (const std::uint32_t x : size_.long_lengths)
      for (const std::uint32_t y : size_.long_lengths) products(x, y);
    reductions();
    encryptions();
    if (has(feature::nested_sum)) nested_encryptions();
    if (has(feature::elements)) {
      generated_encryptions();
      for (const std::uint32_t bits : size_.lengths)
        if (bits != 0) of_elements(bits);
      if (has(feature::throughput))
        for (const std::uint32_t bits : size_.lengths)
          if (bits != 0) weighted(bits);
    }
    if (has(feature::run)) program();
  }

 private:
  void of_elements(std::uint32_t bits) {
    selections(bits);
    stored_selections(bits);
    windows(bits);
    masks(bits);
    undecided_masks(bits);
  }

  [[nodiscard]] bool has(std::uint32_t feature_bit) const {
    return device_.info().has(feature_bit);
  }

  Placed operand(std::uint32_t bits) { return place(device_, draw(operands_, bits), bits); }
  Placed result(std::uint32_t bits) { return room(device_, bits); }

  // The result is `expected` modulo the words that it has.
  void check(const Placed& z, const Integer& expected) {
    const std::uint64_t bits = 8 * padded_bytes(z.bits);
    CHECK(contents(device_, z.buffer) == low_bits(expected, bits));
  }

  void products(std::uint32_t x_bits, std::uint32_t y_bits) {
    CAPTURE(x_bits, y_bits);
    const Placed x = operand(x_bits);
    const Placed y = operand(y_bits);
    const Placed z = result(x_bits + y_bits);
    CHECK_FALSE(device_.run(multiply(z.where(), x.where(), y.where())).carry);
    check(z, x.value * y.value);

    const Placed sum = operand(x_bits + y_bits + 10);
    const Completion added = device_.run(multiply_add(sum.where(), x.where(), y.where()));
    check_sum(added, sum, x.value * y.value);
  }

  // `sum` has become sum + addend, and its carry was told.
  void check_sum(const Completion& completion, const Placed& sum, const Integer& addend) {
    const Integer expected = sum.value + addend;
    CHECK(completion.carry == (bit_length(expected) > 8 * padded_bytes(sum.bits)));
    check(sum, expected);
  }

  void unary(std::uint32_t bits) {
    CAPTURE(bits);
    const Placed x = operand(bits);
    const Placed z = result(2 * bits);
    device_.run(square(z.where(), x.where()));
    check(z, x.value * x.value);
    const Placed sum = operand(2 * bits);
    check_sum(device_.run(square_add(sum.where(), x.where())), sum, x.value * x.value);

    const Placed copied = result(bits + 700);
    device_.run(copy(copied.where(), x.where()));
    check(copied, x.value);
    device_.run(clear(copied.where()));
    check(copied, 0);

    for (const Integer& addend :
         {Integer(0), Integer(5), Integer(-3), Integer(-power_of_two(kWordBits - 1))}) {
      const Placed t = place_signed(device_, addend);
      const Placed doubled = result(bits + 2);
      device_.run(affine(doubled.where(), x.where(), t.buffer.address()));
      check(doubled, 2 * x.value + addend);
      const Placed in_place = operand(bits + 2);
      device_.run(affine(in_place.where(), in_place.where(), t.buffer.address()));
      check(in_place, 2 * in_place.value + addend);
    }
  }

  void sparse(std::uint32_t bits) {
    const Placed x = operand(bits);
    const std::vector<std::vector<std::uint16_t>> factors = {
        {}, {0}, {4095}, {0, 1, 255, 256, 511, 512, 4095}, random_indices(15)};
    for (const std::vector<std::uint16_t>& indices : factors) {
      CAPTURE(bits, indices.size());
      const Placed y = place_indices(device_, indices);
      const auto weight = static_cast<std::uint16_t>(indices.size());
      const Placed z = result(bits + 4096);
      device_.run(sparse_multiply(z.where(), x.where(), y.buffer.address(), weight));
      check(z, x.value * y.value);
      const Placed sum = operand(bits + 4096);
      check_sum(
          device_.run(sparse_multiply_add(sum.where(), x.where(), y.buffer.address(), weight)), sum,
          x.value * y.value);
    }
  }

  std::vector<std::uint16_t> random_indices(std::size_t count) {
    std::vector<std::uint16_t> indices;
    while (indices.size() < count) {
      const auto index = static_cast<std::uint16_t>(operands_.between(0, 4095));
      if (std::ranges::find(indices, index) == indices.end()) indices.push_back(index);
    }
    return indices;
  }

  void binary(std::uint32_t x_bits, std::uint32_t y_bits) {
    CAPTURE(x_bits, y_bits);
    products(x_bits, y_bits);
    const Placed x = operand(x_bits);
    const Placed y = operand(y_bits);
    const std::uint32_t longer = std::max(x_bits, y_bits);
    for (const std::uint32_t room_bits : {longer, longer + 1, longer + 600}) {
      const Placed z = result(room_bits);
      check_addition(x, y, z);
      check_difference(x, y, z);
    }
    check_in_place(longer);
  }

  void check_addition(const Placed& x, const Placed& y, const Placed& z) {
    const Integer sum = x.value + y.value;
    const bool carries = bit_length(sum) > 8 * padded_bytes(z.bits);
    CHECK(device_.run(add(z.where(), x.where(), y.where())).carry == carries);
    check(z, sum);
  }

  void check_difference(const Placed& x, const Placed& y, const Placed& z) {
    CHECK(device_.run(subtract(z.where(), x.where(), y.where())).carry == (x.value < y.value));
    check(z, x.value - y.value);
    const Completion completion =
        device_.run(subtract_if_not_less(z.where(), x.where(), y.where()));
    CHECK(completion.subtracted == (x.value >= y.value));
    CHECK_FALSE(completion.carry);
    check(z, x.value >= y.value ? Integer(x.value - y.value) : x.value);
  }

  // The destination is the first source, then the second, then both.
  void check_in_place(std::uint32_t bits) {
    const Placed y = operand(bits);
    Placed z = operand(bits);
    device_.run(add(z.where(), z.where(), y.where()));
    check(z, z.value + y.value);
    z = operand(bits);
    device_.run(subtract(z.where(), y.where(), z.where()));
    check(z, y.value - z.value);
    z = operand(bits);
    device_.run(add(z.where(), z.where(), z.where()));
    check(z, 2 * z.value);
    z = operand(bits);
    device_.run(subtract_if_not_less(z.where(), z.where(), z.where()));
    check(z, 0);
  }

  // Every context in turn, with moduli of its own.
  void reductions() {
    std::vector<PlacedContext> contexts;
    for (std::uint16_t number = 0; number < parameter::contexts; ++number) {
      const std::uint32_t bits = size_.modulus_bits + 257U * number;
      contexts.push_back(place_context(device_, operands_.exactly(bits), 100 + 200U * number));
      device_.set_context(number, contexts.back().context);
    }
    for (std::uint16_t number = 0; number < parameter::contexts; ++number)
      check_reductions(number, contexts[number]);
  }

  void check_reductions(std::uint16_t number, const PlacedContext& placed) {
    const Integer& modulus = placed.modulus.value;
    const BarrettShape& shape = placed.context.shape;
    const std::uint32_t most = shape.phi + shape.gamma;
    const Integer top = fhe::test::all_ones(most);
    const Integer multiple = top / modulus * modulus;
    for (const Integer& x : {Integer(0), Integer(modulus - 1), modulus, multiple,
                             Integer(multiple - 1), top, operands_.bits(most)}) {
      CAPTURE(number, x);
      const Placed source = place(device_, x, most);
      const Placed z = result(shape.phi);
      device_.run(reduce(number, z.where(), source.where()));
      check(z, x % modulus);
      device_.run(reduce(number, source.where(), source.where()));
      check(source, x % modulus);
    }
    const Placed shorter = operand(shape.phi / 2);
    const Placed z = result(shape.phi + 1000);
    device_.run(reduce(number, z.where(), shorter.where()));
    check(z, shorter.value % modulus);
  }

  void encryptions() {
    const std::uint32_t phi = size_.modulus_bits;
    const std::uint32_t weight_bits = 400;
    const PlacedContext context =
        place_context(device_, operands_.exactly(phi), weight_bits + 16 + 4096);
    device_.set_context(1, context.context);
    for (const std::uint16_t terms : {std::uint16_t{0}, std::uint16_t{1}, std::uint16_t{5}}) {
      const std::vector<Placed> elements = several(terms, [&] { return operand(phi); });
      const std::vector<Placed> dense = several(terms, [&] { return operand(weight_bits); });
      const std::vector<Placed> sparse =
          several(terms, [&] { return place_indices(device_, random_indices(7)); });
      for (const bool affine : {false, true}) {
        for (const bool reduced : {false, true}) {
          ProductSum sum{.terms = terms,
                         .element_bits = phi,
                         .weight_bits = weight_bits,
                         .affine = affine,
                         .reduce = reduced,
                         .context = 1};
          for (const Engine engine : {Engine::fastest, Engine::mul768, Engine::ssmul}) {
            if (!device_.info().equipment.has(engine)) continue;
            sum.engine = engine;
            check_encryption(sum, elements, dense, context.modulus.value);
          }
          if (!has(feature::lhw)) continue;
          sum.engine = Engine::fastest;
          sum.sparse = true;
          sum.sparse_weight = 7;
          sum.weight_bits = 0;
          check_encryption(sum, elements, sparse, context.modulus.value);
        }
      }
    }
  }

  static std::vector<Placed> several(std::size_t count, const std::function<Placed()>& make) {
    std::vector<Placed> list;
    for (std::size_t i = 0; i < count; ++i) list.push_back(make());
    return list;
  }

  void check_encryption(ProductSum sum, const std::vector<Placed>& elements,
                        const std::vector<Placed>& weights, const Integer& modulus) {
    CAPTURE(sum.terms, sum.sparse, sum.affine, sum.reduce, name(sum.engine));
    Integer expected;
    for (std::size_t i = 0; i < elements.size(); ++i)
      expected += elements[i].value * weights[i].value;
    const Placed addend = place_signed(device_, elements.empty() ? 12345 : -1);
    if (sum.affine) expected = 2 * expected + addend.value;
    if (expected < 0) return;  // not allowed
    if (sum.reduce) expected %= modulus;

    const DeviceBuffer list = place_list(device_, elements, weights);
    const std::uint32_t product_bits = sum.element_bits + (sum.sparse ? 4096 : sum.weight_bits);
    const Placed z = result(sum.reduce ? sum.element_bits : product_bits + 17);
    sum.destination = z.where();
    sum.list = list.address();
    sum.addend = addend.buffer.address();
    device_.run(product_sum(sum));
    check(z, expected);
  }

  GeneratedStream random_stream() {
    GeneratedStream stream{.purpose = static_cast<std::uint32_t>(operands_.between(0, 9))};
    for (std::byte& byte : stream.seed) byte = static_cast<std::byte>(operands_.between(0, 255));
    return stream;
  }

  static Integer element(const GeneratedStream& stream, std::uint32_t index, std::uint32_t bits) {
    const auto purpose = static_cast<StreamPurpose>(stream.purpose);
    return PublicStream(stream.seed, purpose, index, 1, bits).element(0);
  }

  // Over elements of a stream, in an order of their own.
  void generated_encryptions() {
    const std::uint32_t phi = size_.modulus_bits;
    const PlacedContext context = place_context(device_, operands_.exactly(phi), 16 + 4096);
    device_.set_context(2, context.context);
    const GeneratedStream stream = random_stream();
    const DeviceBuffer record = place_stream(device_, stream);
    for (const std::uint32_t terms : {0U, 1U, 6U}) {
      for (const bool reduced : {false, true}) {
        Integer expected;
        std::vector<std::uint64_t> list;
        std::vector<Placed> weights;
        for (std::uint32_t i = 0; i < terms; ++i) {
          const std::uint32_t index = 0xffff'fffeU + 7 * i;
          weights.push_back(place_indices(device_, random_indices(7)));
          expected += element(stream, index, phi) * weights.back().value;
          list.push_back(element_address(index));
          list.push_back(weights.back().buffer.address());
        }
        CAPTURE(terms, reduced);
        const DeviceBuffer places = place_addresses(device_, list);
        const Placed z = result(phi + (reduced ? 0 : 4096 + 16));
        device_.run(product_sum({.destination = z.where(),
                                 .list = places.address(),
                                 .terms = static_cast<std::uint16_t>(terms),
                                 .element_bits = phi,
                                 .sparse = true,
                                 .sparse_weight = 7,
                                 .generated = true,
                                 .stream = record.address(),
                                 .reduce = reduced,
                                 .context = 2}));
        check(z, reduced ? Integer(expected % context.modulus.value) : expected);
      }
    }
  }

  void selections(std::uint32_t bits) {
    const GeneratedStream stream = random_stream();
    const DeviceBuffer record = place_stream(device_, stream);
    for (const std::uint16_t count : {std::uint16_t{1}, std::uint16_t{64}, std::uint16_t{70}}) {
      const auto sums = static_cast<std::uint8_t>(operands_.between(1, 8));
      const Placed masks = operand(8U * count);
      const std::uint32_t words = (bits + 16 + 511) / 512 + (count == 1 ? 1 : 0);
      const auto first = static_cast<std::uint32_t>(operands_.bits(32).get_ui());
      const Placed z = result(sums * words * 512);
      CAPTURE(bits, count, sums, words, first);
      device_.run(select({.destination = z.buffer.address(),
                          .stream = record.address(),
                          .first = first,
                          .elements = count,
                          .element_bits = bits,
                          .masks = masks.buffer.address(),
                          .sums = sums,
                          .sum_words = static_cast<std::uint16_t>(words)}));
      Integer expected;
      for (std::uint32_t i = 0; i < count; ++i) {
        const Integer x = element(stream, first + i, bits);
        for (std::uint32_t j = 0; j < sums; ++j)
          if (mpz_tstbit(masks.value.get_mpz_t(), 8 * i + j) != 0)
            expected += x << std::uint64_t{512} * words * j;
      }
      check(z, expected);
    }
  }

  void weighted(std::uint32_t bits) {
    const GeneratedStream stream = random_stream();
    const DeviceBuffer record = place_stream(device_, stream);
    for (const std::uint16_t count : {std::uint16_t{1}, std::uint16_t{7}}) {
      for (const std::uint32_t weight_bits :
           {0U, 1U, 936U, std::uint32_t{parameter::weighted_bits}}) {
        const auto stride = static_cast<std::uint32_t>(8 * padded_bytes(weight_bits));
        const auto first = static_cast<std::uint32_t>(operands_.bits(32).get_ui());
        Integer weights, expected;
        for (std::uint32_t i = 0; i < count; ++i) {
          const Integer weight = draw(operands_, weight_bits);
          weights += weight << (std::uint64_t{stride} * i);
          expected += weight * element(stream, first + i, bits);
        }
        const Placed placed = place(device_, weights, count * stride);
        const Placed z =
            result(bits + weight_bits + parameter::sum_margin + (count == 7 ? 600 : 0));
        CAPTURE(bits, weight_bits, count, first);
        device_.run(weighted_sum({.destination = z.where(),
                                  .stream = record.address(),
                                  .first = first,
                                  .elements = count,
                                  .element_bits = bits,
                                  .weights = placed.buffer.address(),
                                  .weight_bits = weight_bits})
                        .with(flag::check_pad));
        check(z, expected);
      }
    }
  }

  void windows(std::uint32_t bits) {
    const GeneratedStream stream = random_stream();
    const DeviceBuffer record = place_stream(device_, stream);
    for (const std::uint16_t count : {std::uint16_t{1}, std::uint16_t{4}, std::uint16_t{9}}) {
      const auto number_bits = static_cast<std::uint32_t>(bits + operands_.between(0, 700));
      const Placed number = operand(number_bits);
      const auto first = static_cast<std::uint32_t>(operands_.bits(32).get_ui());
      const Placed z = result(128U * count);
      CAPTURE(bits, number_bits, count, first);
      device_.run(multiply_windows({.destination = z.buffer.address(),
                                    .stream = record.address(),
                                    .first = first,
                                    .elements = count,
                                    .element_bits = bits,
                                    .number = number.where()}));
      Integer expected;
      for (std::uint32_t i = 0; i < count; ++i)
        expected += leading_bits(number, element(stream, first + i, bits)) << (128 * i);
      check(z, expected);
    }
  }

  // Elements that lie in memory one after the other.
  struct Stored {
    std::vector<Integer> elements;
    Placed all;
  };
  Stored stored(std::uint16_t count, std::uint32_t bits) {
    const auto stride = static_cast<std::uint32_t>(8 * padded_bytes(bits));
    std::vector<Integer> elements;
    Integer all;
    for (std::uint32_t i = 0; i < count; ++i) {
      elements.push_back(draw(operands_, bits));
      all += elements.back() << (std::uint64_t{stride} * i);
    }
    return {elements, place(device_, all, stride * count)};
  }

  void stored_selections(std::uint32_t bits) {
    for (const std::uint16_t count : {std::uint16_t{1}, std::uint16_t{6}, std::uint16_t{65}}) {
      const Stored from = stored(count, bits);
      const auto sums = static_cast<std::uint8_t>(operands_.between(1, 8));
      const Placed masks = operand(8U * count);
      const auto words = static_cast<std::uint16_t>((bits + 16 + 511) / 512 + (count == 6 ? 3 : 0));
      const Placed z = result(sums * words * 512U);
      CAPTURE(bits, count, sums, words);
      device_.run(select({.destination = z.buffer.address(),
                          .stored = true,
                          .address = from.all.buffer.address(),
                          .elements = count,
                          .element_bits = bits,
                          .masks = masks.buffer.address(),
                          .sums = sums,
                          .sum_words = words})
                      .with(flag::check_pad));
      Integer expected;
      for (std::uint32_t i = 0; i < count; ++i)
        for (std::uint32_t j = 0; j < sums; ++j)
          if (mpz_tstbit(masks.value.get_mpz_t(), 8 * i + j) != 0)
            expected += from.elements[i] << std::uint64_t{512} * words * j;
      check(z, expected);
    }
  }

  // Of generated and of stored elements; and entries of stored ones.
  void masks(std::uint32_t bits) {
    const GeneratedStream stream = random_stream();
    const DeviceBuffer record = place_stream(device_, stream);
    for (const std::uint16_t count : {std::uint16_t{1}, std::uint16_t{64}, std::uint16_t{70}}) {
      const Stored from = stored(count, bits);
      const auto number_bits = static_cast<std::uint32_t>(bits + operands_.between(0, 700));
      const Placed number = operand(number_bits);
      const auto width = static_cast<std::uint8_t>(operands_.between(1, 8));
      Windows windows{.masks = true,
                      .width = width,
                      .stream = record.address(),
                      .first = 7,
                      .elements = count,
                      .element_bits = bits,
                      .number = number.where()};
      const auto generated = [&](std::uint32_t i) { return element(stream, 7 + i, bits); };
      const auto placed = [&](std::uint32_t i) { return from.elements[i]; };
      CAPTURE(bits, number_bits, count, width);
      check_masks(windows, number, generated);
      windows.stored = true;
      windows.address = from.all.buffer.address();
      check_masks(windows, number, placed);
      windows.masks = false;
      const Placed z = result(128U * count);
      windows.destination = z.buffer.address();
      device_.run(multiply_windows(windows).with(flag::check_pad));
      Integer expected;
      for (std::uint32_t i = 0; i < count; ++i)
        expected += leading_bits(number, from.elements[i]) << (128 * i);
      check(z, expected);
    }
  }

  template <class Element>
  void check_masks(Windows windows, const Placed& number, const Element& element_at) {
    const Placed z = result(8U * windows.elements);
    windows.destination = z.buffer.address();
    const Completion completion = device_.run(multiply_windows(windows));
    const std::uint32_t below = 96U - windows.width;
    const Integer half = power_of_two(below - 1);
    const Integer error = Integer(16 * words_for_bits(number.bits)) << 32;
    bool undecided = false;
    Integer expected;
    for (std::uint32_t i = 0; i < windows.elements; ++i) {
      const Integer entry = leading_bits(number, element_at(i));
      const Integer rounded = (entry + half) >> below;
      undecided = undecided || rounded != Integer((entry + error + half) >> below);
      expected += low_bits(rounded, windows.width) << (8 * i);
    }
    check(z, expected);
    CHECK(completion.undecided == undecided);
  }

  // Of elements that are 1, so that entries are the leading bits of c: just below one half of the
  // lowest bit of a mask, just so far that they are decided, and the same at the largest mask.
  void undecided_masks(std::uint32_t bits) {
    const std::uint64_t words = words_for_bits(bits);
    const Integer error = Integer(16 * words) << 32;
    const Placed one = place(device_, 1, bits);
    for (std::uint8_t width = 1; width <= 8; ++width) {
      const Integer half = power_of_two(95 - width);
      for (const Integer& edge : {half, Integer(power_of_two(96) - half)}) {
        for (const auto& [entry, undecided] :
             {std::pair{Integer(edge - error - 1), false}, std::pair{Integer(edge - error), true},
              std::pair{Integer(edge - 1), true}, std::pair{edge, false}}) {
          // The highest word comes first, and is the only one that is not 0.
          const auto number_bits = static_cast<std::uint32_t>(words * 512);
          const Placed number = place(device_, entry << 416, number_bits);
          const Placed z = result(8);
          CAPTURE(bits, +width, entry);
          const Completion completion =
              device_.run(multiply_windows({.destination = z.buffer.address(),
                                            .masks = true,
                                            .width = width,
                                            .stored = true,
                                            .address = one.buffer.address(),
                                            .elements = 1,
                                            .element_bits = bits,
                                            .number = number.where()}));
          CHECK(completion.undecided == undecided);
          check(z, low_bits((entry + half) >> (96 - width), width));
        }
      }
    }
  }

  // Commands that depend on each other; the last one leaves no carry, but another one did.
  void program() {
    const std::uint32_t bits = 1000;
    const Placed x = place(device_, fhe::test::all_ones(1024), 1024);
    const Placed y = operand(bits);
    const Placed sum = result(1024);
    const Placed doubled = result(bits + 700);
    const Placed t = place_signed(device_, 5);
    const DeviceBuffer list =
        place_program(device_, {add(sum.where(), x.where(), x.where()),
                                {.opcode = Opcode::nop},
                                affine(doubled.where(), y.where(), t.buffer.address()),
                                {.opcode = Opcode::nop},
                                {.opcode = Opcode::nop},
                                subtract(sum.where(), x.where(), y.where())});
    const Completion completion = device_.run(run_program(list));
    CHECK(completion.carry);
    CHECK(completion.commands == 6);
    check(doubled, 2 * y.value + 5);
    check(sum, x.value - y.value);
    const Completion nothing = device_.run(fpga::run(list.address(), 0));
    CHECK_FALSE(nothing.carry);
    CHECK(nothing.commands == 0);
  }

  // By definition, of the number whose highest word comes first.
  static Integer leading_bits(const Placed& reversed, const Integer& y) {
    const std::uint64_t words = words_for_bits(reversed.bits);
    Integer c, sum;
    for (std::uint64_t i = 0; i < words; ++i)
      c = (c << kWordBits) + low_bits(reversed.value >> (i * kWordBits), kWordBits);
    for (std::uint64_t k = 0; k < words * kWordBits / 32; ++k) {
      const Integer digit = low_bits(y >> (32 * k), 32);
      const std::uint64_t end = words * kWordBits - 32 * k;
      sum += digit * (end >= 96 ? Integer(c >> (end - 96)) : Integer(c << (96 - end)));
    }
    return low_bits(sum, 96);
  }

  void nested_encryptions() {
    const std::uint32_t phi = size_.modulus_bits;
    const PlacedContext context = place_context(device_, operands_.exactly(phi), phi + 600);
    device_.set_context(3, context.context);
    for (const std::uint16_t rows : {std::uint16_t{0}, std::uint16_t{1}, std::uint16_t{3}}) {
      for (const std::uint32_t weight_bits : {40U, 500U}) {
        const std::vector<Placed> columns = several(rows, [&] { return operand(phi); });
        const std::vector<Placed> factors = several(rows, [&] { return operand(phi); });
        const std::vector<Placed> weights =
            several(std::size_t{rows} * rows, [&] { return operand(weight_bits); });
        for (const bool affine : {false, true}) {
          const NestedSum sum{.rows = rows,
                              .element_bits = phi,
                              .weight_bits = weight_bits,
                              .affine = affine,
                              .context = 3};
          check_nested(sum, columns, weights, factors, context.modulus.value);
        }
      }
    }
  }

  void check_nested(NestedSum sum, const std::vector<Placed>& columns,
                    const std::vector<Placed>& weights, const std::vector<Placed>& factors,
                    const Integer& modulus) {
    CAPTURE(sum.rows, sum.weight_bits, sum.affine);
    Integer expected;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      Integer row;
      for (std::size_t j = 0; j < columns.size(); ++j)
        row += columns[j].value * weights[i * columns.size() + j].value;
      expected += factors[i].value * Integer(row % modulus);
    }
    const Placed addend = place_signed(device_, 2 * expected >= 99 ? -99 : 99);
    if (sum.affine) expected = 2 * expected + addend.value;
    const DeviceBuffer list = place_nested_list(device_, columns, weights, factors);
    const Placed z = result(bit_size(modulus) + 700);
    sum.destination = z.where();
    sum.list = list.address();
    sum.addend = addend.buffer.address();
    device_.run(nested_sum(sum));
    check(z, expected % modulus);
  }

  static std::uint32_t bit_size(const Integer& x) {
    return static_cast<std::uint32_t>(bit_length(x));
  }

  Device& device_;
  const SuiteSize& size_;
  Operands operands_{20120601};
};

}  // namespace

SuiteSize quick_suite() {
  constexpr std::uint32_t kBlock = 1536 * 512;
  return {.lengths = {0, 1, 511, 512, 513, 1024, 5000},
          .long_lengths = {100'000, kBlock, kBlock + 1, 2 * kBlock + 513},
          .modulus_bits = 3000};
}

SuiteSize small_suite() {
  return {.lengths = {0, 1, 512, 1025}, .long_lengths = {100'000}, .modulus_bits = 700};
}

void check_commands(Device& device, const SuiteSize& size) {
  Suite(device, size).run();
}

}  // namespace fhe::fpga::test
