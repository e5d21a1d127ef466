// SPDX-License-Identifier: Apache-2.0
// Product windows: the leading bits of products with the elements of a stream.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "apps/conformance/cases.hpp"
#include "apps/conformance/key_streams.hpp"
#include "apps/conformance/oracle.hpp"
#include "apps/conformance/trial.hpp"
#include "apps/conformance/window_vectors.hpp"
#include "libfhe/random/public_stream.hpp"

namespace fhe::conformance {

namespace {

void windows(Trial& trial, const Integer& c, const IntegerStream& stream, const WindowSpec& spec) {
  std::vector<std::uint32_t> expected;
  for (const Integer& y : oracle::elements(stream)) {
    expected.push_back(oracle::product_window(c, y, spec));
  }
  for_thread_counts([&](std::string_view on_threads) {
    trial.equal(
        trial.backend().product_windows(c, stream, spec, trial.monitor()), expected,
        fmt::format("windows of {} bits of products modulo 2^{} with a number of {} bits {}",
                    spec.window_bits, spec.modulus_bits, bit_length(c), on_threads));
  });
}

void random_windows(Trial& trial) {
  Operands& operands = trial.operands();
  for (const std::size_t modulus_bits : {2U, 3U, 33U, 63U, 64U, 65U, 127U, 128U, 200U, 1000U}) {
    const StoredStream stream(operands.list(20, modulus_bits), modulus_bits);
    for (unsigned window = 1; window <= 32 && window < modulus_bits; window += window < 8 ? 1 : 6) {
      windows(trial, operands.bits(modulus_bits), stream, {modulus_bits, window});
    }
  }
}

void shorter_and_longer(Trial& trial) {
  Operands& operands = trial.operands();
  const StoredStream narrow(operands.list(10, 100), 100);
  const StoredStream zero_width({0, 0}, 0);
  for (const Integer& c : {Integer(0), Integer(1), operands.bits(50), operands.exactly(700),
                           operands.exactly(5000), all_ones(700)}) {
    windows(trial, c, narrow, {700, 5});
    windows(trial, c, narrow, {100, 32});
    windows(trial, c, zero_width, {100, 5});
  }
}

void single_bits(Trial& trial) {
  for (const std::size_t m : {std::size_t{64}, std::size_t{150}, std::size_t{192}}) {
    std::vector<Integer> elements{0, 1, all_ones(m), all_ones(m - 1)};
    for (std::size_t position = 0; position < m; position += 7) {
      elements.push_back(power_of_two(position));
    }
    const StoredStream stream(elements, m);
    for (const Integer& c : elements) windows(trial, c, stream, {m, 5});
  }
}

// Elements whose products with c end at, just below and just above the boundaries of rounding.
void boundary_windows(Trial& trial, const WindowSpec& spec) {
  const std::size_t m = spec.modulus_bits;
  // An odd c can be inverted, so there is an element for every wanted product.
  const Integer modulus = power_of_two(m);
  const Integer c = trial.operands().bits(m) | 1;
  Integer inverse;
  mpz_invert(inverse.get_mpz_t(), c.get_mpz_t(), modulus.get_mpz_t());
  const Integer half_unit = power_of_two(m - spec.window_bits - 1);
  const Integer last_boundary = modulus - half_unit;
  const Integer some_boundary = (2 * trial.operands().bits(spec.window_bits) + 1) * half_unit;
  std::vector<Integer> elements;
  for (const Integer& boundary : {half_unit, some_boundary, last_boundary, modulus}) {
    for (const int offset : {-70, -2, -1, 0, 1, 2, 70}) {
      elements.push_back(oracle::mod((boundary + offset) * inverse, modulus));
    }
  }
  windows(trial, c, StoredStream(elements, m), spec);
}

void rounding_boundaries(Trial& trial) {
  for (const std::size_t m : {std::size_t{40}, std::size_t{64}, std::size_t{129}, std::size_t{320},
                              std::size_t{1001}, std::size_t{33'000}}) {
    for (const unsigned window : {1U, 5U, 17U, 32U}) boundary_windows(trial, {m, window});
  }
}

void over_a_public_stream(Trial& trial) {
  Operands& operands = trial.operands();
  StreamSeed seed;
  to_bytes(operands.bits(128), seed);
  // More limbs than one chunk of the default kernel reads.
  for (const std::size_t m : {std::size_t{1'000}, std::size_t{300'032}}) {
    const PublicStream stream(seed, StreamPurpose::squash, 1, 10, m);
    windows(trial, operands.bits(m - 5), stream, {m, 5});
  }
}

void windows_of_many(Trial& trial, std::size_t count, const IntegerStream& stream,
                     const WindowSpec& spec) {
  const std::vector<Integer> numbers = trial.operands().list(count, spec.modulus_bits);
  for_thread_counts([&](std::string_view on_threads) {
    const auto actual = trial.backend().product_windows_all(numbers, stream, spec, trial.monitor());
    trial.holds(actual.size() == count, "there are windows for each of many numbers");
    for (std::size_t k = 0; k < std::min<std::size_t>(actual.size(), count); ++k) {
      std::vector<std::uint32_t> expected;
      for (const Integer& y : oracle::elements(stream)) {
        expected.push_back(oracle::product_window(numbers[k], y, spec));
      }
      trial.equal(actual[k], expected,
                  fmt::format("windows modulo 2^{} of products with number {} of {} {}",
                              spec.modulus_bits, k, count, on_threads));
    }
  });
}

// No number, more than one pass takes, and elements of more than one strip of a pass.
void many_numbers(Trial& trial) {
  StreamSeed seed;
  to_bytes(trial.operands().bits(128), seed);
  const auto stream = [&seed](std::size_t elements, std::size_t bits) {
    return PublicStream(seed, StreamPurpose::squash, 1, elements, bits);
  };
  for (const std::size_t count : {0U, 1U, 2U, 8U, 9U, 17U}) {
    windows_of_many(trial, count, stream(35, 1'000), {1'000, 5});
  }
  windows_of_many(trial, 3, stream(9, 60'000), {60'000, 5});
}

void known_windows(Trial& trial) {
  const auto number = [](std::string_view digits) { return Integer(std::string(digits), 16); };
  for (const WindowVector& vector : kWindowVectors) {
    const std::size_t bits = vector.limbs * kLimbBits;
    const StoredStream stream({number(vector.y)}, bits);
    trial.equal(
        trial.backend().product_windows(number(vector.c), stream, {bits, 5}, trial.monitor()),
        std::vector<std::uint32_t>{vector.window},
        fmt::format("a known window of a product modulo 2^{}", bits));
  }
}

void impossible_windows(Trial& trial) {
  const StoredStream stream({1, 2}, 100);
  const StoredStream short_stream({1}, 5);
  const auto refuses = [&](const Integer& c, const IntegerStream& elements, const WindowSpec& spec,
                           std::string_view what) {
    trial.refuses(
        ErrorCode::invalid_argument,
        [&] {
          static_cast<void>(trial.backend().product_windows(c, elements, spec, trial.monitor()));
        },
        what);
  };
  refuses(-1, stream, {100, 5}, "windows of products with -1");
  refuses(1, stream, {100, 0}, "windows of 0 bits");
  refuses(1, stream, {100, 33}, "windows of 33 bits");
  refuses(1, stream, {99, 5}, "windows of products modulo 2^99 with elements of 100 bits");
  refuses(1, short_stream, {5, 5}, "windows of as many bits as the modulus has");
  const StoredStream empty({}, 5);
  trial.holds(trial.backend().product_windows(1, empty, {6, 5}, trial.monitor()).empty(),
              "there are no windows over an empty stream");
}

}  // namespace

std::vector<Case> windows_cases() {
  return {
      {"product windows of random operands", "product_windows", random_windows},
      {"product windows where operands are shorter or longer than the modulus", "product_windows",
       shorter_and_longer},
      {.name = "product windows of single bits and of all ones",
       .area = "product_windows",
       .run = single_bits,
       .is_many = true},
      {.name = "product windows at, just below and just above a rounding boundary",
       .area = "product_windows",
       .run = rounding_boundaries,
       .is_many = true},
      {"product windows over a public stream", "product_windows", over_a_public_stream},
      {"product windows of many numbers at once", "product_windows", many_numbers},
      {"product windows that another program computed", "product_windows", known_windows},
      {"product windows that do not exist are refused", "product_windows", impossible_windows},
  };
}

}  // namespace fhe::conformance
