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
#include "libfhe/random/public_stream.hpp"

namespace fhe::conformance {

namespace {

// Product windows that another program computed: c and y in hexadecimal, and the 5 leading bits of
// their product modulo 2^(64 limbs), rounded.
struct WindowVector {
  std::size_t limbs;
  std::string_view c;
  std::string_view y;
  std::uint32_t window;
};

constexpr std::array<WindowVector, 12> kWindowVectors{{
    {.limbs = 3,
     .c = "a8e46f6d2e1c91d6da33f0279a1abe7020e89e0b958",
     .y = "6bd33d83d703d5b062c4a2289e5d4d25c8ec9febc10c2788",
     .window = 7},
    {.limbs = 3,
     .c = "2d162f56763d5236ac1c8bd8770d23ad2d97d3109bf",
     .y = "ef605abffd39265bb32e9ea15439f75f10c01d5d26b8e5ba",
     .window = 22},
    {.limbs = 3,
     .c = "f4740fc275e69b5220d616273cdd6a19e4f8ca4c608",
     .y = "632417c42f62323b36225fadc2d14e0a57e101e1bb9d2ebe",
     .window = 9},
    {.limbs = 3,
     .c = "62c3a5f9ccdad9a6f2d2e3d6a6340ed367e8564f1dc",
     .y = "cbebb7419e8c1878d5464ac5248fcff28cc334f49713b936",
     .window = 2},
    {.limbs = 5,
     .c = "e38cc64498c8ee93884670c22f05c9cb0ad168afe5e7d67145952bd78ee9ff29d16769799ba",
     .y = "770e5f354d0d21a3710efc3f5654e963457642bd65feb06cdac1d38d0e1908e532ae8f10ef5ead0b",
     .window = 4},
    {.limbs = 5,
     .c = "2207d66c01f47376eb4087d804ebd29370d036fcbe0d077e1bef230b77b1c4de493a2982e5b",
     .y = "f9d97768a736357e8e82c020d04883eb74645968fac19bd78163718715ce2fd817781ac90ba75e63",
     .window = 14},
    {.limbs = 5,
     .c = "58ca7e567e387ed23b1fe5dd6f65d04c96976067ae6ac125000a1a58ce83556173a14f69a60",
     .y = "934c45380476dff0f4fbd3486325af54a30a6e7a24b99aa4e600b110226a6c288814f4bf5d4a47ec",
     .window = 25},
    {.limbs = 5,
     .c = "36a4296461beddd0968b79ec1a5a26fe7a34bea62d788c5f348c5e5efd1d23e7fe7e6b74a0",
     .y = "e33a2538787b118631fd7a9d851d62b5bd703358d3a71489888c3c0be3f7b4ef51fb5227509c2530",
     .window = 4},
    {.limbs = 9,
     .c = "8a6936cd61319c06515993bb873540b742e8a6e83734bc9404eb2256110d660d13bfd703b61aa80bb6c65ce1"
          "10a2689ae92b29bc6b33ac4414b1e036ff5150fb7fddda7e515",
     .y = "194a5491f6b8f116cc81737b5b0f56452c0188bb717eafff25aac128d069212df802fea90e30277e50b7c84f"
          "cfda60dc99517a7ee644c315c2cb1187f62e7330ba45cd545fdd3a16",
     .window = 5},
    {.limbs = 9,
     .c = "e6387847ff4a1cb8b0af631206795ac08c8493544ec8f808c2a63c7fe352f6d7f841d1d95e1ad61682bde065"
          "c4329c739a018498d88387946848f841a8ab31f4e8b092469ae",
     .y = "caabc4009ed88e2a90a70b103f1855582ac1ffe9c43ae8ddfba0608ffaaad0810748850fe676f5d252f0a7f6"
          "293afcb7751f5f5ff12e90595ea3927838b6a352e2ff55204cb9d2a2",
     .window = 31},
    {.limbs = 9,
     .c = "48c8fc7aa86136b14bfae1591f09e1e266c642b5dfc4f2d1caeed61ef1faa94cfa49c3eae2243986acd366e1"
          "80f649b522be4169b08ea4f04682d0497366cdfd84f8fe6d6a4",
     .y = "47240c55a4bed9c0727125b17f89361a37d88a4792d5907cac3cab0a9729d0724e79c5f9e7c228f16a13ffc1"
          "819a4670fb12493a5bc0fd0271ea75ecc79ef1335c080031c76ca691",
     .window = 12},
    {.limbs = 9,
     .c = "e4cb6d2b1f929ab23a5310bb556a2d637a54eff06e927630c4c121dead79d20de26c7d325e8ec7c8bc951d7d"
          "76397006895512cf3b8c5ee21f7a4a08a9775eb627bd7fd0450",
     .y = "b9e2f88b7094ca21d979f2e0044cc6e7ba18aaf13be9898d6f838f53ddc90119b14ffd17327c7383a85f021a"
          "55d69771159d393ae693f92b8a8060e739ce32fa96ab8fada99110a2",
     .window = 31},
}};

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
