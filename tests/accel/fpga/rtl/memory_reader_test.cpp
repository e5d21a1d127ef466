// SPDX-License-Identifier: Apache-2.0
// A reader of memory: words, zeros and tails of segments, with memory of any latency behind it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <type_traits>
#include <utility>
#include <vector>

#include "LineReader.h"
#include "MemoryReader.h"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::Answers;
using fhe::test::kPortLimbs;
using fhe::test::kWordLimbs;
using fhe::test::Memory;
using fhe::test::set_limbs;
using fhe::test::Simulation;
using fhe::test::Sink;
using fhe::test::takes_part;
using fhe::test::Word512;
using fhe::test::WordOf;
using fhe::test::Words;

// Words of 512 bits, and lines of elements.
template <class Reader>
constexpr std::size_t kDepth = 32;
template <>
constexpr std::size_t kDepth<LineReader> = 16;
template <class Reader>
using PortOf = std::remove_cvref_t<decltype(std::declval<Reader&>().out_data)>;
template <class Reader>
constexpr std::size_t kWordsRead = kPortLimbs<PortOf<Reader>> / kWordLimbs;

struct Segment {
  std::uint64_t address = 0;
  std::uint32_t words = 0, zeros = 0, tail = 0;
};

template <class Reader>
WordOf<PortOf<Reader>> word_at(const Memory& memory, std::uint64_t address) {
  WordOf<PortOf<Reader>> result;
  for (std::size_t i = 0; i < kWordsRead<Reader>; ++i)
    std::ranges::copy(memory.at(address + 64 * i), result.begin() + kWordLimbs * i);
  return result;
}

template <class Reader>
std::vector<WordOf<PortOf<Reader>>> words_of(const Memory& memory, const Segment& segment) {
  std::vector<WordOf<PortOf<Reader>>> words;
  for (std::uint64_t i = 0; i < segment.words; ++i)
    words.push_back(word_at<Reader>(memory, segment.address + 64 * kWordsRead<Reader> * i));
  words.resize(segment.words + segment.zeros);
  return words;
}

template <class Reader>
struct Bench {
  explicit Bench(std::uint64_t latency) : answers(latency) {
    model->clear = 0;
    idle_inputs();
    model.reset();
  }

  void idle_inputs() { model->segment_valid = model->response_valid = model->out_ready = 0; }

  void step(Words* stalls) {
    drive_segment(stalls);
    drive_answer();
    requests.drive(stalls);
    out.drive(stalls);
    if (!takes_words) model->out_ready = 0;
    model.settle();
    if (model->segment_valid && model->segment_ready) segments.pop_front();
    look_at_requests(stalls);
    out.look();
    model.clock();
    ++clocks;
  }

  // As many clocks as it takes.
  void finish(Words* stalls) {
    const std::size_t limit = clocks + 100000;
    do {
      if (clocks > limit) FAIL("no end");
      step(stalls);
    } while (!segments.empty() || !model->idle);
    CHECK(model->out_valid == 0);
    CHECK(answers.under_way() == 0);
  }

  Simulation<Reader> model;
  Memory memory;
  Answers answers;
  std::deque<Segment> segments;
  Sink<QData> requests{model->read_valid, model->read_ready, model->read_address};
  Sink<PortOf<Reader>> out{model->out_valid, model->out_ready, model->out_data};
  std::size_t clocks = 0;
  bool takes_words = true;

 private:
  void drive_segment(Words* stalls) {
    model->segment_valid = !segments.empty() && (model->segment_valid || takes_part(stalls));
    const Segment segment = segments.empty() ? Segment{} : segments.front();
    model->segment_address = segment.address;
    model->segment_words = segment.words;
    model->segment_zeros = segment.zeros;
    model->segment_tail = static_cast<SData>(segment.tail);
  }

  void drive_answer() {
    const auto address = answers.next();
    model->response_valid = address.has_value();
    set_limbs(model->response_data, word_at<Reader>(memory, address.value_or(0)));
  }

  void look_at_requests(Words* stalls) {
    const std::size_t before = requests.words().size();
    requests.look();
    if (requests.words().size() == before) return;
    answers.ask(requests.words().back()[0], stalls);
  }
};

Segment random_segment(Words& words) {
  Segment segment{.address = 256 * words.below(1 << 20),
                  .words = static_cast<std::uint32_t>(words.below(words.coin() ? 3 : 60)),
                  .zeros = static_cast<std::uint32_t>(words.coin() ? 0 : words.below(5))};
  if (segment.words + segment.zeros == 0) segment.zeros = 1;
  return segment;
}

template <class Reader>
void check_segments(Bench<Reader>& bench, const std::vector<Segment>& segments, Words* stalls) {
  std::vector<WordOf<PortOf<Reader>>> expected;
  std::vector<std::array<std::uint64_t, 1>> addresses;
  bench.out.forget();
  bench.requests.forget();
  for (const Segment& segment : segments) {
    const auto words = words_of<Reader>(bench.memory, segment);
    expected.insert(expected.end(), words.begin(), words.end());
    for (std::uint64_t i = 0; i < segment.words; ++i)
      addresses.push_back({segment.address + 64 * kWordsRead<Reader> * i});
    bench.segments.push_back(segment);
  }
  bench.finish(stalls);
  CHECK(bench.out.words() == expected);
  CHECK(bench.requests.words() == addresses);
}

// Bits at and above `bit` of the word are zero, and if `set` the one at `bit` is not.
Word512 word_up_to(std::uint32_t bit, bool set) {
  Word512 word{};
  for (std::uint32_t i = 0; i < bit; ++i) word[i / 64] |= std::uint64_t{1} << i % 64;
  if (set) word[bit / 64] |= std::uint64_t{1} << bit % 64;
  return word;
}

}  // namespace

TEMPLATE_TEST_CASE("rtl memory_reader: segments of words and zeros, stalls and latencies", "[rtl]",
                   MemoryReader, LineReader) {
  Words words(210);
  Words stalls(211);
  for (const std::uint64_t latency : {1U, 7U, 90U}) {
    for (Words* const will : {static_cast<Words*>(nullptr), &stalls}) {
      INFO("latency " << latency << (will == nullptr ? "" : ", with stalls"));
      Bench<TestType> bench(latency);
      std::vector<Segment> segments;
      for (int i = 0; i < 40; ++i) segments.push_back(random_segment(words));
      check_segments(bench, segments, will);
    }
  }
}

TEMPLATE_TEST_CASE("rtl memory_reader: one word a clock, across segments", "[rtl]", MemoryReader,
                   LineReader) {
  for (const std::uint32_t segment_words : {1U, 2U, 100U}) {
    for (const std::uint64_t latency : {std::uint64_t{1}, std::uint64_t{kDepth<TestType> - 3}}) {
      INFO(segment_words << " words a segment, latency " << latency);
      Bench<TestType> bench(latency);
      std::vector<Segment> segments;
      for (std::uint32_t i = 0; i < 400 / segment_words; ++i) {
        segments.push_back({.address = 640000 * i, .words = segment_words, .zeros = 0, .tail = 0});
      }
      segments.back().zeros = 10;
      check_segments(bench, segments, nullptr);
      // Queue of segments, latency, queue of words; then a word a clock.
      CHECK(bench.clocks == 1 + latency + 1 + 400 + 10);
    }
  }
}

TEMPLATE_TEST_CASE("rtl memory_reader: it asks for no more words than it can keep", "[rtl]",
                   MemoryReader, LineReader) {
  for (const std::uint64_t latency : {1U, 90U}) {
    Bench<TestType> bench(latency);
    bench.takes_words = false;
    bench.segments.push_back({.address = 0, .words = 1000, .zeros = 0, .tail = 0});
    for (int i = 0; i < 400; ++i) bench.step(nullptr);
    CHECK(bench.requests.words().size() == kDepth<TestType>);
    CHECK(bench.model->idle == 0);
    bench.takes_words = true;
    bench.finish(nullptr);
    CHECK(bench.out.words() == words_of<TestType>(bench.memory, {.address = 0, .words = 1000}));
  }
}

TEST_CASE("rtl memory_reader: addresses have 64 bits", "[rtl]") {
  Bench<MemoryReader> bench(3);
  check_segments(bench, {{.address = 0xffff'ffff'ffff'f000, .words = 64, .zeros = 0, .tail = 0}},
                 nullptr);
  check_segments(bench, {{.address = 0xffff'ff80, .words = 5, .zeros = 0, .tail = 0}}, nullptr);
}

TEST_CASE("rtl memory_reader: bits above the tail of a segment are reported until cleared",
          "[rtl]") {
  Bench<MemoryReader> bench(2);
  const auto error_after = [&](const Segment& segment, const Word512& last) {
    bench.memory.write(segment.address + 64 * (segment.words - 1), last);
    check_segments(bench, {segment}, nullptr);
    const bool error = bench.model->pad_error != 0;
    bench.idle_inputs();
    bench.model->clear = 1;
    bench.model.clock();
    bench.model->clear = 0;
    CHECK(bench.model->pad_error == 0);
    return error;
  };
  for (const std::uint32_t tail : {1U, 2U, 63U, 64U, 65U, 300U, 510U, 511U}) {
    INFO("tail " << tail);
    for (const std::uint32_t zeros : {0U, 2U}) {
      const Segment segment{.address = 4096, .words = 3, .zeros = zeros, .tail = tail};
      CHECK_FALSE(error_after(segment, word_up_to(tail, false)));
      CHECK(error_after(segment, word_up_to(tail, true)));
      CHECK(error_after(segment, word_up_to(511, true)));
    }
  }
  CHECK_FALSE(
      error_after({.address = 0, .words = 1, .zeros = 1, .tail = 0}, word_up_to(511, true)));
  // The error stays while good segments follow; a segment without words from memory has no tail.
  bench.memory.write(0, word_up_to(9, true));
  check_segments(bench, {{.address = 0, .words = 1, .zeros = 0, .tail = 9}}, nullptr);
  check_segments(bench, {{.address = 0, .words = 1, .zeros = 0, .tail = 10}}, nullptr);
  CHECK(bench.model->pad_error == 1);
  bench.model.reset();
  CHECK(bench.model->pad_error == 0);
  check_segments(bench, {{.address = 0, .words = 0, .zeros = 2, .tail = 1}}, nullptr);
  CHECK(bench.model->pad_error == 0);
}

TEMPLATE_TEST_CASE("rtl memory_reader: a reset forgets segments, requests and words", "[rtl]",
                   MemoryReader, LineReader) {
  Words words(212);
  Words stalls(213);
  for (int clocks = 1; clocks < 60; clocks += 3) {
    Bench<TestType> bench(5);
    for (int i = 0; i < 4; ++i) bench.segments.push_back(random_segment(words));
    for (int i = 0; i < clocks; ++i) bench.step(&stalls);
    bench.idle_inputs();
    bench.segments.clear();
    bench.answers = Answers(5);
    bench.model.reset();
    CHECK(bench.model->idle == 1);
    CHECK(bench.model->out_valid == 0);
    CHECK(bench.model->read_valid == 0);
    check_segments(bench, {random_segment(words), random_segment(words)}, nullptr);
  }
}
