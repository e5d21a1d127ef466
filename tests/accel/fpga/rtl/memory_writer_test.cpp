// SPDX-License-Identifier: Apache-2.0
// A writer of memory: segments of words, and their acknowledgements.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "MemoryWriter.h"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::Answers;
using fhe::test::Simulation;
using fhe::test::Sink;
using fhe::test::Source;
using fhe::test::takes_part;
using fhe::test::WidePort;
using fhe::test::Word512;
using fhe::test::Words;

struct Segment {
  std::uint64_t address = 0;
  std::uint32_t words = 1;
};

struct Write {
  std::uint64_t address;
  Word512 data;

  bool operator==(const Write&) const = default;
};

struct Bench {
  explicit Bench(std::uint64_t latency) : answers(latency) {
    model->clear = 0;
    model->power_reset = 1;
    idle_inputs();
    model.reset();
    model->power_reset = 0;
  }

  void idle_inputs() {
    model->segment_valid = model->in_valid = model->write_ready = 0;
    model->written_valid = model->written_error = 0;
  }

  void step(Words* stalls) {
    drive_segment(stalls);
    drive_answer();
    in.drive(stalls);
    data.drive(stalls);
    model.settle();
    if (model->segment_valid && model->segment_ready) segments.pop_front();
    look_at_write(stalls);
    in.look();
    model.clock();
    ++clocks;
    CHECK(model->outstanding == answers.under_way());
  }

  void finish(Words* stalls) {
    const std::size_t limit = clocks + 100000;
    do {
      if (clocks > limit) FAIL("no end");
      step(stalls);
    } while (!segments.empty() || !model->idle);
    CHECK(in.left() == 0);
  }

  // The writes of a segment with new words, which are put into the stream.
  std::vector<Write> order(const Segment& segment, Words& words) {
    std::vector<Write> expected;
    segments.push_back(segment);
    for (std::uint64_t i = 0; i < segment.words; ++i) {
      Word512 word;
      for (std::uint64_t& limb : word) limb = words.random();
      in.put(word);
      expected.push_back({segment.address + 64 * i, word});
    }
    return expected;
  }

  Simulation<MemoryWriter> model;
  Answers answers;
  std::deque<Segment> segments;
  Source<WidePort> in{model->in_valid, model->in_ready, model->in_data};
  Sink<WidePort> data{model->write_valid, model->write_ready, model->write_data};
  std::vector<Write> writes;
  std::uint64_t bad_address = 1;  // writing here fails
  std::size_t clocks = 0;

 private:
  void drive_segment(Words* stalls) {
    model->segment_valid = !segments.empty() && (model->segment_valid || takes_part(stalls));
    const Segment segment = segments.empty() ? Segment{} : segments.front();
    model->segment_address = segment.address;
    model->segment_words = segment.words;
  }

  void drive_answer() {
    const auto address = answers.next();
    model->written_valid = address.has_value();
    model->written_error = !address || *address == bad_address;  // looked at only if valid
  }

  void look_at_write(Words* stalls) {
    const std::size_t before = data.words().size();
    data.look();
    if (data.words().size() == before) return;
    answers.ask(model->write_address, stalls);
    writes.push_back({model->write_address, data.words().back()});
  }
};

Segment random_segment(Words& words) {
  return {.address = 64 * words.below(1 << 20),
          .words = static_cast<std::uint32_t>(1 + words.below(words.coin() ? 2 : 40))};
}

}  // namespace

TEST_CASE("rtl memory_writer: segments, stalls and latencies", "[rtl]") {
  Words words(220);
  Words stalls(221);
  for (const std::uint64_t latency : {1U, 7U, 90U}) {
    for (Words* const will : {static_cast<Words*>(nullptr), &stalls}) {
      INFO("latency " << latency << (will == nullptr ? "" : ", with stalls"));
      Bench bench(latency);
      std::vector<Write> expected;
      for (int i = 0; i < 30; ++i) {
        const std::vector<Write> writes = bench.order(random_segment(words), words);
        expected.insert(expected.end(), writes.begin(), writes.end());
      }
      bench.finish(will);
      CHECK(bench.writes == expected);
      CHECK(bench.model->error == 0);
    }
  }
}

TEST_CASE("rtl memory_writer: one word a clock, across segments", "[rtl]") {
  Words words(222);
  for (const std::uint32_t segment_words : {1U, 2U, 100U}) {
    Bench bench(40);
    for (std::uint32_t i = 0; i < 400 / segment_words; ++i) {
      bench.order({.address = 640000 * i, .words = segment_words}, words);
    }
    bench.finish(nullptr);
    CHECK(bench.clocks == 1 + 400 + 40);  // queue of segments, words, the last acknowledgement
  }
}

TEST_CASE("rtl memory_writer: a failed write is reported until cleared", "[rtl]") {
  Words words(223);
  Bench bench(3);
  bench.bad_address = 64 * 102;
  bench.order({.address = 64 * 100, .words = 2}, words);
  bench.finish(nullptr);
  CHECK(bench.model->error == 0);
  bench.order({.address = 64 * 100, .words = 5}, words);
  bench.finish(nullptr);
  CHECK(bench.model->error == 1);
  bench.model->clear = 1;
  bench.step(nullptr);
  bench.model->clear = 0;
  CHECK(bench.model->error == 0);
}

TEST_CASE("rtl memory_writer: a reset forgets segments and counts what is under way", "[rtl]") {
  Words words(224);
  Words stalls(225);
  for (int clocks = 1; clocks < 60; clocks += 3) {
    Bench bench(20);
    bench.bad_address = 64;
    for (int i = 0; i < 4; ++i) bench.order({.address = 0, .words = 7}, words);
    for (int i = 0; i < clocks; ++i) bench.step(&stalls);
    bench.segments.clear();
    bench.model->reset = 1;
    bench.step(nullptr);  // the word that is offered may still be taken
    bench.in.forget();
    bench.data.forget();
    for (int i = 0; bench.model->outstanding != 0; ++i) {
      if (i > 1000) FAIL("no end");
      bench.step(nullptr);
      CHECK(bench.model->write_valid == 0);
    }
    bench.model->reset = 0;
    bench.writes.clear();
    CHECK(bench.model->idle == 1);
    CHECK(bench.model->error == 0);
    const std::vector<Write> expected = bench.order(random_segment(words), words);
    bench.finish(nullptr);
    CHECK(bench.writes == expected);
  }
}

TEST_CASE("rtl memory_writer: nothing is under way after a reset of the power", "[rtl]") {
  Words words(226);
  Bench bench(50);
  bench.order({.address = 0, .words = 9}, words);
  for (int i = 0; i < 20; ++i) bench.step(nullptr);
  CHECK(bench.model->outstanding == 9);
  bench.idle_inputs();
  bench.model.reset();
  CHECK(bench.model->outstanding == 9);
  CHECK(bench.model->idle == 0);
  bench.model->power_reset = 1;
  bench.model.reset();
  CHECK(bench.model->outstanding == 0);
  CHECK(bench.model->idle == 1);
}
