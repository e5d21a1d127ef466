// SPDX-License-Identifier: Apache-2.0
#include "libfhe/random/secret_random.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libfhe/error.hpp"
#include "libfhe/openssl_errors.hpp"
#include "libfhe/random/buffered_random.hpp"
#include "tests/catch.hpp"
#include "tests/support/aes_reference.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/statistics.hpp"

namespace fhe::test {

namespace {

using Draw = std::array<std::byte, 32>;

Draw draw(SecretRandom& random) {
  Draw bytes{};
  random.fill(bytes);
  return bytes;
}

// The stream that the header documents for a test seed.
std::vector<std::byte> documented_stream(const std::string& seed, std::size_t size) {
  const std::string labelled = "fhe test randomness" + seed;
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(labelled.data()), labelled.size(), digest.data());
  AesBlock key;
  std::copy_n(digest.begin(), key.size(), key.begin());
  return AesReference(key).key_stream(0, 0, size);
}

// What a child process draws right after the fork, read back through a pipe.
Draw draw_in_child() {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    SystemRandom random;
    Draw bytes{};
    random.fill(bytes);
    const bool written = write(ends[1], bytes.data(), bytes.size()) == ssize_t{sizeof bytes};
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  Draw bytes{};
  CHECK(read(ends[0], bytes.data(), bytes.size()) == ssize_t{sizeof bytes});
  close(ends[0]);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  return bytes;
}

bool is_prime_by_division(std::uint64_t n) {
  if (n < 2) return false;
  for (std::uint64_t d = 2; d * d <= n; ++d) {
    if (n % d == 0) return false;
  }
  return true;
}

}  // namespace

// ---- sources

TEST_CASE("system randomness differs from draw to draw", "[secret_random]") {
  SystemRandom random;
  CHECK_FALSE(random.is_test());
  const Draw first = draw(random);
  CHECK(first != draw(random));
  CHECK(first != Draw{});
  const auto part = random.split(0);
  const auto same_part = random.split(0);
  CHECK_FALSE(part->is_test());
  CHECK(draw(*part) != draw(*same_part));
  CHECK_NOTHROW(random.fill({}));
}

TEST_CASE("public seeds differ from draw to draw", "[secret_random]") {
  Draw first{};
  Draw second{};
  fill_public(first);
  fill_public(second);
  CHECK(first != second);
  CHECK(first != Draw{});
}

TEST_CASE("a failure of OpenSSL for want of memory is told as such where it is known",
          "[secret_random]") {
  const auto message_of = [](const std::function<void()>& fail) -> std::string {
    ERR_clear_error();
    fail();
    errno = 0;
    try {
      throw_openssl_failure(ErrorCode::randomness, "it failed");
    } catch (const std::bad_alloc&) {
      return "no memory";
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::randomness);
      return error.what();
    }
  };
  CHECK(message_of([] { ERR_raise(ERR_LIB_USER, ERR_R_MALLOC_FAILURE); }) == "no memory");
  const std::string perhaps = "it failed, perhaps for want of memory";
  CHECK(message_of([] { ERR_raise(ERR_LIB_USER, ERR_R_INTERNAL_ERROR); }) == perhaps);
  CHECK(message_of([] {}) == perhaps);
  CHECK(ERR_peek_error() == 0);
}

TEST_CASE("nothing is drawn when OpenSSL's generator fails", "[secret_random]") {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // providers are no part of a program
  RAND_METHOD failing{};
  failing.bytes = [](unsigned char*, int) { return 0; };
  REQUIRE(RAND_set_rand_method(&failing) == 1);
  Draw bytes{};
  CHECK_THROWS_MATCHES(SystemRandom().fill(bytes), Error, HasCode(ErrorCode::randomness));
  CHECK_THROWS_MATCHES(fill_public(bytes), Error, HasCode(ErrorCode::randomness));
  RAND_set_rand_method(nullptr);
#pragma GCC diagnostic pop
  CHECK_NOTHROW(fill_public(bytes));
}

TEST_CASE("system randomness differs between a process and its forked child", "[secret_random]") {
  SystemRandom random;
  CHECK(draw(random) != Draw{});
  const Draw of_child = draw_in_child();
  const Draw of_second_child = draw_in_child();
  const Draw of_parent = draw(random);
  CHECK(of_child != of_parent);
  CHECK(of_second_child != of_parent);
  CHECK(of_child != of_second_child);
}

TEST_CASE("test randomness is the documented stream of its seed", "[secret_random]") {
  for (const std::string seed : {"", "a", "some longer seed"}) {
    TestRandom random(seed);
    CHECK(random.is_test());
    std::vector<std::byte> bytes(1000);
    random.fill(bytes);
    CHECK(bytes == documented_stream(seed, bytes.size()));
  }
}

TEST_CASE("test randomness repeats itself and never stands still", "[secret_random]") {
  TestRandom first("seed");
  TestRandom second("seed");
  TestRandom other("Seed");
  for (const std::size_t size : {1U, 5U, 16U, 17U, 100U, 3U}) {
    std::vector<std::byte> a(size);
    std::vector<std::byte> b(size);
    first.fill(a);
    second.fill(b);
    CHECK(a == b);
  }
  const Draw next = draw(first);
  CHECK(next == draw(second));
  CHECK(next != draw(first));
  CHECK(draw(other) != draw(second));
}

TEST_CASE("splitting test randomness does not depend on order or on earlier draws",
          "[secret_random]") {
  TestRandom fresh("seed");
  TestRandom used("seed");
  (void)draw(used);
  const auto late = used.split(7);
  const auto seventh = fresh.split(7);
  const auto third = fresh.split(3);
  CHECK(seventh->is_test());
  TestRandom documented("seed/7");
  const Draw expected = draw(documented);
  CHECK(draw(*seventh) == expected);
  CHECK(draw(*late) == expected);
  CHECK(draw(*third) != expected);
  CHECK(draw(fresh) != expected);
  TestRandom nested("seed/7/18446744073709551615");
  CHECK(draw(*seventh->split(~std::uint64_t{0})) == draw(nested));
}

// ---- wiping

TEST_CASE("wiping clears bytes and every limb of an integer", "[secret_random]") {
  std::vector<std::byte> bytes(100, std::byte{0x5a});
  wipe(std::span(bytes).subspan(0, 99));
  CHECK(std::ranges::count(bytes, std::byte{0}) == 99);
  CHECK(bytes.back() == std::byte{0x5a});
  CHECK_NOTHROW(wipe(std::span<std::byte>()));

  Integer secret = power_of_two(1000) - 1;
  const std::size_t limbs = limbs_of(secret).size();
  wipe(secret);
  CHECK(secret == 0);
  const mp_limb_t* const memory = secret.get_mpz_t()->_mp_d;
  CHECK(std::all_of(memory, memory + limbs, [](mp_limb_t limb) { return limb == 0; }));
  secret += 5;
  CHECK(secret == 5);

  Integer never_used;
  CHECK_NOTHROW(wipe(never_used));
}

// ---- samplers

TEST_CASE("uniform_bits fills exactly the wanted bits", "[samplers]") {
  TestRandom random("uniform_bits");
  CHECK(uniform_bits(random, 0) == 0);
  for (std::size_t bits = 1; bits <= 4; ++bits) {
    Tally<Integer> tally;
    for (int i = 0; i < 4000; ++i) tally.add(uniform_bits(random, bits));
    CHECK(tally.is_uniform_over(std::size_t{1} << bits));
    CHECK(tally.lowest() == 0);
    CHECK(tally.highest() == power_of_two(bits) - 1);
  }
  for (const std::size_t bits : {63U, 64U, 65U, 1000U}) {
    Integer any = 0;
    for (int i = 0; i < 200; ++i) any |= uniform_bits(random, bits);
    CHECK(any == power_of_two(bits) - 1);
  }
}

TEST_CASE("uniform_below is uniform below every small bound", "[samplers]") {
  TestRandom random("uniform_below");
  for (std::size_t bound = 1; bound <= 20; ++bound) {
    Tally<Integer> tally;
    for (std::size_t i = 0; i < 500 * bound; ++i) tally.add(uniform_below(random, bound));
    CAPTURE(bound);
    CHECK(tally.is_uniform_over(bound));
    CHECK(tally.lowest() == 0);
    CHECK(tally.highest() == bound - 1);
  }
  const Integer large = power_of_two(500) + 1;
  for (int i = 0; i < 200; ++i) CHECK(uniform_below(random, large) < large);
  CHECK_THROWS_MATCHES(uniform_below(random, 0), Error, HasCode(ErrorCode::invalid_argument));
  CHECK_THROWS_MATCHES(uniform_below(random, -5), Error, HasCode(ErrorCode::invalid_argument));
}

TEST_CASE("uniform_centered covers exactly the open interval around zero", "[samplers]") {
  TestRandom random("uniform_centered");
  CHECK(uniform_centered(random, 0) == 0);
  for (std::size_t bits = 1; bits <= 4; ++bits) {
    const std::size_t classes = (std::size_t{2} << bits) - 1;
    Tally<Integer> tally;
    for (std::size_t i = 0; i < 500 * classes; ++i) tally.add(uniform_centered(random, bits));
    CHECK(tally.is_uniform_over(classes));
    CHECK(tally.lowest() == 1 - power_of_two(bits));
    CHECK(tally.highest() == power_of_two(bits) - 1);
  }
  bool negative = false;
  bool positive = false;
  for (int i = 0; i < 100; ++i) {
    const Integer x = uniform_centered(random, 700);
    CHECK(bit_length(x) <= 700);
    (x < 0 ? negative : positive) = true;
  }
  CHECK(negative);
  CHECK(positive);
}

TEST_CASE("uniform_index is uniform below every small bound", "[samplers]") {
  TestRandom random("uniform_index");
  for (std::uint32_t bound = 1; bound <= 20; ++bound) {
    Tally<std::uint32_t> tally;
    for (std::uint32_t i = 0; i < 500 * bound; ++i) tally.add(uniform_index(random, bound));
    CAPTURE(bound);
    CHECK(tally.is_uniform_over(bound));
    CHECK(tally.highest() == bound - 1);
  }
  CHECK_THROWS_MATCHES(uniform_index(random, 0), Error, HasCode(ErrorCode::invalid_argument));
}

TEST_CASE("uniform_index has no bias where a remainder would be biased most", "[samplers]") {
  TestRandom random("uniform_index, wide");
  // Of 2^32 values, a plain remainder by 3 * 2^30 would hit the lowest third twice as often, and
  // the upper half of a product, without rejection, the multiples of three.
  const std::uint32_t bound = 3U << 30;
  std::vector<std::size_t> thirds(3);
  std::vector<std::size_t> residues(3);
  for (int i = 0; i < 6000; ++i) {
    const std::uint32_t index = uniform_index(random, bound);
    REQUIRE(index < bound);
    ++thirds[index / (bound / 3)];
    ++residues[index % 3];
  }
  CHECK(chi_square(thirds) < chi_square_limit(3));
  CHECK(chi_square(residues) < chi_square_limit(3));
  CHECK(uniform_index(random, ~0U) < ~0U);
}

TEST_CASE("distinct positions: every set is equally likely", "[samplers]") {
  TestRandom random("distinct_positions");
  const std::array<std::array<std::size_t, 7>, 7> binomial{{{1, 0, 0, 0, 0, 0, 0},
                                                            {1, 1, 0, 0, 0, 0, 0},
                                                            {1, 2, 1, 0, 0, 0, 0},
                                                            {1, 3, 3, 1, 0, 0, 0},
                                                            {1, 4, 6, 4, 1, 0, 0},
                                                            {1, 5, 10, 10, 5, 1, 0},
                                                            {1, 6, 15, 20, 15, 6, 1}}};
  for (std::uint32_t bound = 0; bound <= 6; ++bound) {
    for (std::size_t count = 0; count <= bound; ++count) {
      const std::size_t subsets = binomial[bound][count];
      Tally<SecretIndices> tally;
      for (std::size_t i = 0; i < 400 * subsets; ++i) {
        tally.add(distinct_positions(random, count, bound));
      }
      CAPTURE(bound, count);
      CHECK(tally.is_uniform_over(subsets));
    }
  }
}

TEST_CASE("distinct positions are in increasing order and below the bound", "[samplers]") {
  TestRandom random("distinct_positions, order");
  for (const std::uint32_t bound : {15U, 16U, 936U, ~0U}) {
    const auto positions = distinct_positions(random, 15, bound);
    REQUIRE(positions.size() == 15);
    CHECK(std::ranges::is_sorted(positions));
    CHECK(std::ranges::adjacent_find(positions) == positions.end());
    CHECK(positions.back() < bound);
  }
  CHECK_THROWS_MATCHES(distinct_positions(random, 4, 3), Error,
                       HasCode(ErrorCode::invalid_argument));
}

// ---- primes

TEST_CASE("uniform primes have exactly the wanted bits", "[samplers]") {
  TestRandom random("uniform_prime");
  for (std::size_t bits = 2; bits <= 40; ++bits) {
    for (int i = 0; i < (bits < 20 ? 20 : 3); ++i) {
      const Integer prime = uniform_prime(random, bits);
      CHECK(bit_length(prime) == bits);
      CHECK(is_prime_by_division(prime.get_ui()));
    }
  }
  for (const std::size_t bits : {64U, 256U, 512U}) {
    const Integer prime = uniform_prime(random, bits);
    CHECK(bit_length(prime) == bits);
    CHECK(mpz_probab_prime_p(prime.get_mpz_t(), 30) != 0);
  }
}

TEST_CASE("all primes of an interval are equally likely, its end excluded", "[samplers]") {
  TestRandom random("uniform_prime, interval");
  Tally<Integer> tally;
  for (int i = 0; i < 6000; ++i) tally.add(uniform_prime(random, 2, 47));
  CHECK(tally.is_uniform_over(14));
  CHECK(tally.lowest() == 2);
  CHECK(tally.highest() == 43);
  CHECK(uniform_prime(random, 0, 3) == 2);
  CHECK(uniform_prime(random, 23, 24) == 23);
  const Integer low = power_of_two(100);
  const Integer high = low + 1000;
  for (int i = 0; i < 20; ++i) {
    const Integer prime = uniform_prime(random, low, high);
    CHECK(prime >= low);
    CHECK(prime < high);
    CHECK(mpz_probab_prime_p(prime.get_mpz_t(), 30) != 0);
  }
}

TEST_CASE("intervals that hold no prime are refused", "[samplers]") {
  TestRandom random("uniform_prime, none");
  const auto is_refused = HasCode(ErrorCode::invalid_argument);
  CHECK_THROWS_MATCHES(uniform_prime(random, 24, 29), Error, is_refused);
  CHECK_THROWS_MATCHES(uniform_prime(random, 0, 2), Error, is_refused);
  CHECK_THROWS_MATCHES(uniform_prime(random, 7, 7), Error, is_refused);
  CHECK_THROWS_MATCHES(uniform_prime(random, 8, 7), Error, is_refused);
  CHECK_THROWS_MATCHES(uniform_prime(random, -10, 10), Error, is_refused);
  CHECK_THROWS_MATCHES(uniform_prime(random, 0), Error, is_refused);
  CHECK_THROWS_MATCHES(uniform_prime(random, 1), Error, is_refused);
}

TEST_CASE("buffered randomness is overwritten as soon as it was handed out", "[secret_random]") {
  // Remembers where it was asked to draw to.
  class WatchedRandom final : public SecretRandom {
   public:
    void fill(std::span<std::byte> out) override {
      std::ranges::fill(out, std::byte{1});
      drawn = out;
    }
    [[nodiscard]] std::unique_ptr<SecretRandom> split(std::uint64_t) const override {
      return nullptr;
    }
    [[nodiscard]] bool is_test() const override { return true; }

    std::span<const std::byte> drawn;
  };
  WatchedRandom source;
  BufferedRandom buffered(source);
  std::array<std::byte, 10> bytes{};
  buffered.fill(bytes);
  CHECK(std::ranges::count(bytes, std::byte{1}) == 10);
  CHECK(std::ranges::count(source.drawn.first(10), std::byte{0}) == 10);
  CHECK(std::ranges::count(source.drawn.subspan(10), std::byte{0}) == 0);
}

TEST_CASE("buffered randomness is the source's stream in other pieces", "[secret_random]") {
  TestRandom whole("buffered");
  std::vector<std::byte> expected(3 * 4096);
  whole.fill(expected);
  TestRandom source("buffered");
  BufferedRandom buffered(source);
  CHECK(buffered.is_test());
  std::vector<std::byte> drawn;
  for (std::size_t length = 0; drawn.size() + length <= expected.size(); length = length * 2 + 1) {
    std::vector<std::byte> piece(length % 5000);
    buffered.fill(piece);
    drawn.insert(drawn.end(), piece.begin(), piece.end());
  }
  CHECK(drawn.size() > 4096);
  CHECK(std::equal(drawn.begin(), drawn.end(), expected.begin()));
}

}  // namespace fhe::test
