// SPDX-License-Identifier: Apache-2.0
#include "libfhe/random/aes_ctr.hpp"

#include <algorithm>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "tests/catch.hpp"
#include "tests/support/aes_reference.hpp"

namespace fhe::test {

namespace {

template <std::size_t size>
std::array<std::byte, size> bytes_of_hex(const std::string& digits) {
  std::array<std::byte, size> bytes;
  to_bytes(Integer(digits, 16), bytes);
  std::ranges::reverse(bytes);
  return bytes;
}

const auto kKey = bytes_of_hex<16>("2b7e151628aed2a6abf7158809cf4f3c");

std::vector<std::byte> generated(std::uint64_t high, std::uint64_t low, std::size_t size) {
  std::vector<std::byte> out(size, std::byte{0x77});
  AesCtr(kKey).generate(high, low, out);
  return out;
}

}  // namespace

TEST_CASE("AES-128-CTR gives the key stream of NIST SP 800-38A, F.5.1", "[aes_ctr]") {
  const auto stream = generated(0xf0f1f2f3f4f5f6f7, 0xf8f9fafbfcfdfeff, 32);
  const auto expected =
      bytes_of_hex<32>("ec8cdf7398607cb0f2d21675ea9ea1e4362b7c3c6773516318a077d7fc5073ae");
  CHECK(std::ranges::equal(stream, expected));
}

TEST_CASE("AES-128-CTR equals the block cipher on successive counters", "[aes_ctr]") {
  AesBlock key;
  std::ranges::transform(kKey, key.begin(),
                         [](std::byte b) { return std::to_integer<unsigned char>(b); });
  AesReference reference(key);
  for (const std::size_t size : {0U, 1U, 15U, 16U, 17U, 100U, 5000U}) {
    CHECK(generated(3, 9, size) == reference.key_stream(3, 9, size));
  }
  // The counter has 128 bits: the low half carries into the high one.
  CHECK(generated(1, ~std::uint64_t{0} - 1, 64) ==
        reference.key_stream(1, ~std::uint64_t{0} - 1, 64));
}

TEST_CASE("AES-128-CTR may be entered again at any block", "[aes_ctr]") {
  const auto whole = generated(7, 0, 160);
  AesCtr cipher(kKey);
  for (const std::size_t block : {9U, 0U, 4U, 4U, 1U}) {
    std::vector<std::byte> out(16);
    cipher.generate(7, block, out);
    CHECK(std::ranges::equal(out, std::span(whole).subspan(16 * block, 16)));
  }
}

}  // namespace fhe::test
