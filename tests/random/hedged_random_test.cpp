// SPDX-License-Identifier: Apache-2.0
#include "libfhe/random/hedged_random.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libfhe/error.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

namespace {

using Sixteen = std::array<std::byte, 16>;

Sixteen drawn(SecretRandom& random) {
  Sixteen bytes;
  random.fill(bytes);
  return bytes;
}

Sixteen drawn(SecretRandom& source, std::string_view context) {
  HedgedRandom random(source, std::as_bytes(std::span(context)));
  return drawn(random);
}

// Gives the same bytes for ever: a generator that is broken, or that of a machine which is restored
// again and again.
class StuckRandom final : public SecretRandom {
 public:
  void fill(std::span<std::byte> out) override { std::ranges::fill(out, std::byte{5}); }
  [[nodiscard]] std::unique_ptr<SecretRandom> split(std::uint64_t /*index*/) const override {
    return std::make_unique<StuckRandom>();
  }
  [[nodiscard]] bool is_test() const override { return false; }
};

constexpr int kChildren = 8;
constexpr int kDraws = 100;

// Copies this process without telling anybody in it, as libraries are told by fork().
pid_t copy_process() {
  return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
}

void draw_into(int pipe_end) {
  StuckRandom source;
  for (int i = 0; i < kDraws; ++i) {
    const Sixteen bytes = drawn(source, "the same bits");
    if (write(pipe_end, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) _exit(1);
  }
}

}  // namespace

TEST_CASE("hedged: a test source and the context decide alone", "[random]") {
  const auto with = [](std::string_view seed, std::string_view context) {
    TestRandom source(seed);
    return drawn(source, context);
  };
  CHECK(with("a", "bits") == with("a", "bits"));
  const std::set<Sixteen> different{with("a", "bits"), with("b", "bits"), with("a", "bitt"),
                                    with("a", "bit"), with("a", "")};
  CHECK(different.size() == 5);
  TestRandom source("a");
  CHECK(HedgedRandom(source, {}).is_test());
}

TEST_CASE("hedged: splits differ from each other, from the whole and from their own", "[random]") {
  TestRandom source("splits");
  HedgedRandom random(source, {});
  const auto first = random.split(0);
  std::set<Sixteen> different{drawn(random),           drawn(random),
                              drawn(*first),           drawn(*random.split(1)),
                              drawn(*first->split(0)), drawn(*first->split(1))};
  CHECK(different.size() == 6);
  CHECK(drawn(*random.split(0)->split(1)) == drawn(*first->split(1)));
}

TEST_CASE("hedged: a source that repeats gives new bytes in every call and thread", "[random]") {
  std::vector<std::vector<Sixteen>> by_thread(4);
  {
    std::vector<std::jthread> threads;
    for (std::vector<Sixteen>& mine : by_thread) {
      threads.emplace_back([&mine] {
        StuckRandom source;
        for (int i = 0; i < kDraws; ++i) mine.push_back(drawn(source, "the same bits"));
      });
    }
  }
  std::set<Sixteen> different;
  for (const std::vector<Sixteen>& mine : by_thread) different.insert(mine.begin(), mine.end());
  CHECK(different.size() == by_thread.size() * kDraws);
}

TEST_CASE("hedged: copies of a process draw different bytes", "[random]") {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  for (int i = 0; i < kChildren; ++i) {
    const pid_t child = copy_process();
    REQUIRE(child >= 0);
    if (child == 0) {
      draw_into(ends[1]);
      _exit(0);
    }
  }
  draw_into(ends[1]);
  close(ends[1]);
  std::set<Sixteen> different;
  Sixteen bytes;
  while (read(ends[0], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size())) {
    different.insert(bytes);
  }
  close(ends[0]);
  for (int i = 0; i < kChildren; ++i) {
    int status = 0;
    REQUIRE(wait(&status) > 0);
    CHECK(status == 0);
  }
  CHECK(different.size() == (kChildren + 1) * kDraws);
}

}  // namespace fhe::test
