// SPDX-License-Identifier: Apache-2.0
#include "libfhe/random/public_stream.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include "libfhe/error.hpp"
#include "tests/catch.hpp"
#include "tests/support/aes_reference.hpp"
#include "tests/support/errors.hpp"

namespace fhe::test {

namespace {

StreamSeed counting_seed(int first) {
  StreamSeed seed;
  for (std::size_t i = 0; i < seed.size(); ++i) {
    seed[i] = static_cast<std::byte>(first + static_cast<int>(i));
  }
  return seed;
}

const StreamSeed kSeed = counting_seed(1);

// An element as the header of public_stream.hpp documents it.
Integer documented_element(const StreamSeed& seed, StreamPurpose purpose, std::uint32_t index,
                           std::size_t bits) {
  AesBlock key;
  std::ranges::transform(seed, key.begin(),
                         [](std::byte b) { return std::to_integer<unsigned char>(b); });
  const std::uint64_t nonce = std::uint64_t{static_cast<std::uint32_t>(purpose)} << 32 | index;
  const auto bytes = AesReference(key).key_stream(nonce, 0, limbs_for_bits(bits) * 8);
  return low_bits(from_bytes(bytes), bits);
}

Integer single_element(const StreamSeed& seed, StreamPurpose purpose, std::uint32_t index,
                       std::size_t bits) {
  return PublicStream(seed, purpose, index, 1, bits).element(0);
}

}  // namespace

TEST_CASE("elements of a public stream are the documented key stream", "[public_stream]") {
  for (const std::size_t bits : {1U, 8U, 63U, 64U, 65U, 127U, 128U, 129U, 1000U, 9999U}) {
    const PublicStream stream(kSeed, StreamPurpose::squash, 40, 3, bits);
    CHECK(stream.count() == 3);
    CHECK(stream.bits() == bits);
    for (std::uint32_t i = 0; i < 3; ++i) {
      CHECK(stream.element(i) == documented_element(kSeed, StreamPurpose::squash, 40 + i, bits));
    }
  }
}

TEST_CASE("the numbers of purposes and the first element are frozen", "[public_stream]") {
  CHECK(static_cast<int>(StreamPurpose::public_elements) == 1);
  CHECK(static_cast<int>(StreamPurpose::squash) == 2);
  CHECK(static_cast<int>(StreamPurpose::key_bits) == 3);
  CHECK(static_cast<int>(StreamPurpose::switch_squash) == 4);
  CHECK(static_cast<int>(StreamPurpose::switch_bits) == 5);
  CHECK(kAesCtrGenerator == "aes128ctr-v1");
  // From `openssl enc -aes-128-ctr -K 0102..10 -iv 0000000100000000 0000000000000000` over zeros.
  CHECK(single_element(kSeed, StreamPurpose::public_elements, 0, 192) ==
        Integer("3f7f69dddf5b793e4ba78eb3364d9576a75263ad0d0fb014", 16));
}

TEST_CASE("every chunk of an element holds the bits of the whole", "[public_stream]") {
  const std::size_t bits = 1500;
  const PublicStream stream(kSeed, StreamPurpose::key_bits, 0, 2, bits);
  const Integer whole = stream.element(1);
  const auto reader = stream.reader();
  const std::size_t beyond = stream.limbs() + 3;
  for (std::size_t first = 0; first <= beyond; ++first) {
    for (std::size_t length = 0; first + length <= beyond; ++length) {
      std::vector<Limb> chunk(length, 0x5555);
      reader->read(1, first, chunk);
      const Integer expected = low_bits(whole >> (first * kLimbBits), length * kLimbBits);
      REQUIRE(from_limbs(chunk) == expected);
    }
  }
}

TEST_CASE("the width of a stream cuts the top limb and nothing else", "[public_stream]") {
  const Integer wide = single_element(kSeed, StreamPurpose::squash, 9, 256);
  for (std::size_t bits = 1; bits <= 256; ++bits) {
    CHECK(single_element(kSeed, StreamPurpose::squash, 9, bits) == low_bits(wide, bits));
  }
}

TEST_CASE("purposes, indices and seeds lead to different elements", "[public_stream]") {
  std::set<Integer> seen;
  std::size_t made = 0;
  for (const auto purpose :
       {StreamPurpose::public_elements, StreamPurpose::squash, StreamPurpose::key_bits,
        StreamPurpose::switch_squash, StreamPurpose::switch_bits}) {
    for (std::uint32_t index = 0; index < 20; ++index) {
      for (int seed = 0; seed < 3; ++seed) {
        seen.insert(single_element(counting_seed(seed), purpose, index, 128));
        ++made;
      }
    }
  }
  CHECK(seen.size() == made);
}

TEST_CASE("a stream that starts later is the tail of one that starts earlier", "[public_stream]") {
  const PublicStream all(kSeed, StreamPurpose::squash, 0, 10, 300);
  const PublicStream tail(kSeed, StreamPurpose::squash, 4, 6, 300);
  for (std::size_t i = 0; i < tail.count(); ++i) CHECK(tail.element(i) == all.element(i + 4));
  CHECK(tail.part(2, 3).element(1) == all.element(7));
}

TEST_CASE("a public stream says how to make its elements elsewhere", "[public_stream]") {
  const auto source = PublicStream(kSeed, StreamPurpose::key_bits, 17, 2, 64).source();
  REQUIRE(source.has_value());
  CHECK(source->generator == kAesCtrGenerator);
  CHECK(source->seed == kSeed);
  CHECK(source->purpose == 3);
  CHECK(source->first_index == 17);
}

TEST_CASE("indices of a public stream have 32 bits", "[public_stream]") {
  constexpr std::uint32_t kLast = std::numeric_limits<std::uint32_t>::max();
  CHECK(single_element(kSeed, StreamPurpose::squash, kLast, 200) ==
        documented_element(kSeed, StreamPurpose::squash, kLast, 200));
  CHECK_NOTHROW(PublicStream(kSeed, StreamPurpose::squash, 0, std::size_t{1} << 32, 64));
  CHECK_NOTHROW(PublicStream(kSeed, StreamPurpose::squash, kLast, 0, 64));

  const auto make = [](std::uint32_t first, std::size_t count, std::size_t bits) {
    return PublicStream(kSeed, StreamPurpose::squash, first, count, bits);
  };
  const auto is_refused = HasCode(ErrorCode::invalid_argument);
  CHECK_THROWS_MATCHES(make(0, (std::size_t{1} << 32) + 1, 64), Error, is_refused);
  CHECK_THROWS_MATCHES(make(kLast, 2, 64), Error, is_refused);
  CHECK_THROWS_MATCHES(make(1, std::numeric_limits<std::size_t>::max(), 64), Error, is_refused);
  CHECK_THROWS_MATCHES(make(0, 1, 0), Error, is_refused);
}

}  // namespace fhe::test
