// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/thread_rehearsal.hpp"

#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/error.hpp"
#include "tests/catch.hpp"
#include "tests/support/key_fixtures.hpp"

namespace fhe::test {

namespace {

// What `work(take)` would take on so many threads, where take(seconds) takes that long.
template <class Work>
double rehearsed(std::size_t threads, const Work& work) {
  double time = 100;
  ThreadRehearsal rehearsal(threads, [&] { return time; });
  work([&](double seconds) { time += seconds; });
  return rehearsal.seconds();
}

}  // namespace

TEST_CASE("a rehearsed loop takes as long as its busiest thread", "[parallel]") {
  const auto five_equal = [](const auto& take) {
    take(1);
    parallel_for(5, [&](std::size_t) { take(2); });
    take(0.5);
  };
  CHECK(rehearsed(1, five_equal) == Approx(11.5));
  CHECK(rehearsed(2, five_equal) == Approx(7.5));
  CHECK(rehearsed(3, five_equal) == Approx(5.5));
  CHECK(rehearsed(5, five_equal) == Approx(3.5));
  CHECK(rehearsed(64, five_equal) == Approx(3.5));
}

TEST_CASE("bodies go in order to the thread that is free first", "[parallel]") {
  const std::vector<double> seconds{5, 1, 1, 1, 4};
  const auto unequal = [&](const auto& take) {
    parallel_for(seconds.size(), [&](std::size_t i) { take(seconds[i]); });
  };
  CHECK(rehearsed(1, unequal) == Approx(12));
  CHECK(rehearsed(2, unequal) == Approx(7));  // 5; 1 1 1 4
  CHECK(rehearsed(3, unequal) == Approx(5));  // 5; 1 1; 1 4
}

TEST_CASE("a rehearsed loop of few bodies leaves threads to the loops inside", "[parallel]") {
  const auto nested = [](const auto& take) {
    parallel_for(2, [&](std::size_t) { parallel_for(8, [&](std::size_t) { take(1); }); });
  };
  CHECK(rehearsed(1, nested) == Approx(16));
  CHECK(rehearsed(2, nested) == Approx(8));
  CHECK(rehearsed(4, nested) == Approx(4));
  CHECK(rehearsed(5, nested) == Approx(4));
  CHECK(rehearsed(16, nested) == Approx(1));
}

TEST_CASE("a rehearsal is over with its object, and after an exception", "[parallel]") {
  const std::size_t present = thread_count();
  const auto fails = [](const auto& take) {
    take(1);
    parallel_for(3, [](std::size_t i) {
      if (i == 1) throw std::runtime_error("the second");
    });
  };
  CHECK_THROWS_AS(rehearsed(8, fails), std::runtime_error);
  CHECK(thread_count() == present);
  {
    const ThreadRehearsal rehearsal(8);
    CHECK(thread_count() == 8);
    CHECK(rehearsal.seconds() >= 0);
    std::size_t elsewhere = 0;
    std::thread([&] { elsewhere = thread_count(); }).join();
    CHECK(elsewhere == present);
  }
  CHECK(thread_count() == present);
  CHECK_THROWS_AS(ThreadRehearsal(0), Error);
  CHECK(thread_count() == present);
}

TEST_CASE("a rehearsed recryption is the recryption", "[parallel]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Evaluator evaluator(keys.public_key, open_backend("auto"));
  const Ciphertext c = test_encryptor(keys).encrypt(true);
  const Integer expected = evaluator.recrypt(c).value();
  for (const std::size_t threads : {std::size_t{1}, std::size_t{3}, std::size_t{64}}) {
    const ThreadRehearsal rehearsal(threads);
    CHECK(evaluator.recrypt(c).value() == expected);
  }
}

}  // namespace fhe::test
