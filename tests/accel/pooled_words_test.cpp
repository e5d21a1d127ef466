// SPDX-License-Identifier: Apache-2.0
// The engine's working memory: aligned, handed on from user to user and from thread to thread,
// bounded.
#include "accel/cpu/pooled_words.hpp"

#include <algorithm>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

namespace {

using fhe::cpu::kept_words;
using fhe::cpu::kMaxKeptWords;
using fhe::cpu::PooledWords;

// An odd size, so that no other test leaves a block that fits.
constexpr std::size_t kOddSize = 3'333'331;

}  // namespace

TEST_CASE("pooled words are aligned, writable and as many as asked for", "[engine]") {
  for (const std::size_t size : std::vector<std::size_t>{1, 7, 8, 9, 1000, 100'000}) {
    PooledWords words(size);
    REQUIRE(words.size() == size);
    CHECK(reinterpret_cast<std::uintptr_t>(words.data()) % 64 == 0);
    std::fill_n(words.data(), size, size);
    CHECK(std::count(words.data(), words.data() + size, size) == static_cast<long>(size));
  }
  const PooledWords none(0);
  CHECK(none.size() == 0);
  CHECK(none.data() == nullptr);
}

TEST_CASE("freed words are handed to the next user, when the sizes are near", "[engine]") {
  const std::uint64_t* place = nullptr;
  {
    const PooledWords words(kOddSize);
    place = words.data();
  }
  const std::size_t kept = kept_words();
  CHECK(kept >= kOddSize);
  {
    const PooledWords smaller(kOddSize * 9 / 10);
    CHECK(smaller.data() == place);
    CHECK(smaller.size() == kOddSize * 9 / 10);
    CHECK(kept_words() + kOddSize <= kept);
    const PooledWords other(kOddSize);
    CHECK(other.data() != place);
  }
  const PooledWords tiny(kOddSize / 100);
  CHECK(tiny.data() != place);
}

TEST_CASE("a thread gets the words that it has freed itself, before another's", "[engine]") {
  constexpr std::size_t kSize = kOddSize / 2;
  const std::uint64_t* mine = nullptr;
  const std::uint64_t* others = nullptr;
  {
    PooledWords words(kSize);
    PooledWords given(kSize);
    mine = words.data();
    others = given.data();
    words = PooledWords();
    std::thread([&given] { given = PooledWords(); }).join();  // the newest on the list
  }
  const PooledWords first(kSize);
  CHECK(first.data() == mine);
  const PooledWords second(kSize);
  CHECK(second.data() == others);
}

TEST_CASE("moved words belong to one owner", "[engine]") {
  PooledWords first(1000);
  first.data()[999] = 7;
  const std::uint64_t* const place = first.data();
  PooledWords second(std::move(first));
  CHECK(second.data() == place);
  CHECK(first.data() == nullptr);  // NOLINT(bugprone-use-after-move): what is left is specified
  CHECK(first.size() == 0);

  PooledWords third(2000);
  third = std::move(second);
  CHECK(third.data() == place);
  CHECK(third.size() == 1000);
  CHECK(third.data()[999] == 7);
  CHECK(second.size() == 0);  // NOLINT(bugprone-use-after-move)
  first = PooledWords(10);    // a moved-from one may be used again
  CHECK(first.size() == 10);
  PooledWords& itself = third;
  third = std::move(itself);
  CHECK(third.data() == place);
}

TEST_CASE("the words that are kept are bounded", "[engine]") {
  std::vector<PooledWords> many;
  for (int i = 0; i < 8; ++i) many.emplace_back(kMaxKeptWords / 5);
  many.clear();
  CHECK(kept_words() <= kMaxKeptWords);
  CHECK(kept_words() >= kMaxKeptWords / 5);
  const std::size_t before = kept_words();
  { const PooledWords huge(kMaxKeptWords + 1); }
  CHECK(kept_words() <= before);
  for (int i = 0; i < 1000; ++i) many.emplace_back(64);
  many.clear();
  CHECK(kept_words() <= kMaxKeptWords);
}

TEST_CASE("threads share pooled words without sharing memory", "[engine]") {
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (std::size_t id = 0; id < wrong.size(); ++id) {
    threads.emplace_back([&wrong, id] {
      PooledWords kept;
      for (std::size_t round = 0; round < 300; ++round) {
        PooledWords words(500 + (round * 37 + id) % 100);
        std::fill_n(words.data(), words.size(), id);
        std::this_thread::yield();
        const auto mine =
            static_cast<std::size_t>(std::count(words.data(), words.data() + words.size(), id));
        if (mine != words.size()) ++wrong[id];
        if (round % 3 == 0) kept = std::move(words);  // freed in another order than made
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(4, 0));
}
