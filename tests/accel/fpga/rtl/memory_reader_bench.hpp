// SPDX-License-Identifier: Apache-2.0
// A reader of memory with memory of any latency behind it, and what is tested of words of any
// width.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

template <class Reader>
using ReaderPort = std::remove_cvref_t<decltype(std::declval<Reader&>().out_data)>;
template <class Reader>
constexpr std::size_t kWordsRead = kPortLimbs<ReaderPort<Reader>> / kWordLimbs;

struct ReaderSegment {
  std::uint64_t address = 0;
  std::uint32_t words = 0, zeros = 0, tail = 0;
};

template <class Reader>
WordOf<ReaderPort<Reader>> word_at(const Memory& memory, std::uint64_t address) {
  WordOf<ReaderPort<Reader>> result;
  for (std::size_t i = 0; i < kWordsRead<Reader>; ++i)
    std::ranges::copy(memory.at(address + 64 * i), result.begin() + kWordLimbs * i);
  return result;
}

template <class Reader>
std::vector<WordOf<ReaderPort<Reader>>> words_of(const Memory& memory,
                                                 const ReaderSegment& segment) {
  std::vector<WordOf<ReaderPort<Reader>>> words;
  for (std::uint64_t i = 0; i < segment.words; ++i)
    words.push_back(word_at<Reader>(memory, segment.address + 64 * kWordsRead<Reader> * i));
  words.resize(segment.words + segment.zeros);
  return words;
}

template <class Reader>
struct ReaderBench {
  explicit ReaderBench(std::uint64_t latency) : answers(latency) {
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
  std::deque<ReaderSegment> segments;
  Sink<QData> requests{model->read_valid, model->read_ready, model->read_address};
  Sink<ReaderPort<Reader>> out{model->out_valid, model->out_ready, model->out_data};
  std::size_t clocks = 0;
  bool takes_words = true;

 private:
  void drive_segment(Words* stalls) {
    model->segment_valid = !segments.empty() && (model->segment_valid || takes_part(stalls));
    const ReaderSegment segment = segments.empty() ? ReaderSegment{} : segments.front();
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

inline ReaderSegment random_reader_segment(Words& words) {
  ReaderSegment segment{.address = 256 * words.below(1 << 20),
                        .words = static_cast<std::uint32_t>(words.below(words.coin() ? 3 : 60)),
                        .zeros = static_cast<std::uint32_t>(words.coin() ? 0 : words.below(5))};
  if (segment.words + segment.zeros == 0) segment.zeros = 1;
  return segment;
}

template <class Reader>
void check_segments(ReaderBench<Reader>& bench, const std::vector<ReaderSegment>& segments,
                    Words* stalls) {
  std::vector<WordOf<ReaderPort<Reader>>> expected;
  std::vector<std::array<std::uint64_t, 1>> addresses;
  bench.out.forget();
  bench.requests.forget();
  for (const ReaderSegment& segment : segments) {
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

// Segments of words and zeros, with stalls and latencies.
template <class Reader>
void check_reader_streams() {
  Words words(210);
  Words stalls(211);
  for (const std::uint64_t latency : {1U, 7U, 90U}) {
    for (Words* const will : {static_cast<Words*>(nullptr), &stalls}) {
      INFO("latency " << latency << (will == nullptr ? "" : ", with stalls"));
      ReaderBench<Reader> bench(latency);
      std::vector<ReaderSegment> segments;
      for (int i = 0; i < 40; ++i) segments.push_back(random_reader_segment(words));
      check_segments(bench, segments, will);
    }
  }
}

// One word a clock, across segments.
template <class Reader, std::size_t kDepth>
void check_reader_speed() {
  for (const std::uint32_t segment_words : {1U, 2U, 100U}) {
    for (const std::uint64_t latency : {std::uint64_t{1}, std::uint64_t{kDepth - 3}}) {
      INFO(segment_words << " words a segment, latency " << latency);
      ReaderBench<Reader> bench(latency);
      std::vector<ReaderSegment> segments;
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

// It asks for no more words than it can keep.
template <class Reader, std::size_t kDepth>
void check_reader_room() {
  for (const std::uint64_t latency : {1U, 90U}) {
    ReaderBench<Reader> bench(latency);
    bench.takes_words = false;
    bench.segments.push_back({.address = 0, .words = 1000, .zeros = 0, .tail = 0});
    for (int i = 0; i < 400; ++i) bench.step(nullptr);
    CHECK(bench.requests.words().size() == kDepth);
    CHECK(bench.model->idle == 0);
    bench.takes_words = true;
    bench.finish(nullptr);
    CHECK(bench.out.words() == words_of<Reader>(bench.memory, {.address = 0, .words = 1000}));
  }
}

// A reset forgets segments, requests and words.
template <class Reader>
void check_reader_resets() {
  Words words(212);
  Words stalls(213);
  for (int clocks = 1; clocks < 60; clocks += 3) {
    ReaderBench<Reader> bench(5);
    for (int i = 0; i < 4; ++i) bench.segments.push_back(random_reader_segment(words));
    for (int i = 0; i < clocks; ++i) bench.step(&stalls);
    bench.idle_inputs();
    bench.segments.clear();
    bench.answers = Answers(5);
    bench.model.reset();
    CHECK(bench.model->idle == 1);
    CHECK(bench.model->out_valid == 0);
    CHECK(bench.model->read_valid == 0);
    check_segments(bench, {random_reader_segment(words), random_reader_segment(words)}, nullptr);
  }
}

}  // namespace fhe::test
