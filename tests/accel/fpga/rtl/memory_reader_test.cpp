// SPDX-License-Identifier: Apache-2.0
// A reader of memory: words, zeros and tails of segments.
#include <cstdint>

#include "MemoryReader.h"
#include "tests/accel/fpga/rtl/memory_reader_bench.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::check_reader_resets;
using fhe::test::check_reader_room;
using fhe::test::check_reader_speed;
using fhe::test::check_reader_streams;
using fhe::test::check_segments;
using fhe::test::ReaderBench;
using fhe::test::ReaderSegment;
using fhe::test::Word512;

// Bits at and above `bit` of the word are zero, and if `set` the one at `bit` is not.
Word512 word_up_to(std::uint32_t bit, bool set) {
  Word512 word{};
  for (std::uint32_t i = 0; i < bit; ++i) word[i / 64] |= std::uint64_t{1} << i % 64;
  if (set) word[bit / 64] |= std::uint64_t{1} << bit % 64;
  return word;
}

}  // namespace

TEST_CASE("rtl memory_reader: segments of words and zeros, stalls and latencies", "[rtl]") {
  check_reader_streams<MemoryReader>();
}

TEST_CASE("rtl memory_reader: one word a clock, across segments", "[rtl]") {
  check_reader_speed<MemoryReader, 32>();
}

TEST_CASE("rtl memory_reader: it asks for no more words than it can keep", "[rtl]") {
  check_reader_room<MemoryReader, 32>();
}

TEST_CASE("rtl memory_reader: addresses have 64 bits", "[rtl]") {
  ReaderBench<MemoryReader> bench(3);
  check_segments(bench, {{.address = 0xffff'ffff'ffff'f000, .words = 64, .zeros = 0, .tail = 0}},
                 nullptr);
  check_segments(bench, {{.address = 0xffff'ff80, .words = 5, .zeros = 0, .tail = 0}}, nullptr);
}

TEST_CASE("rtl memory_reader: bits above the tail of a segment are reported until cleared",
          "[rtl]") {
  ReaderBench<MemoryReader> bench(2);
  const auto error_after = [&](const ReaderSegment& segment, const Word512& last) {
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
      const ReaderSegment segment{.address = 4096, .words = 3, .zeros = zeros, .tail = tail};
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

TEST_CASE("rtl memory_reader: a reset forgets segments, requests and words", "[rtl]") {
  check_reader_resets<MemoryReader>();
}
