// SPDX-License-Identifier: Apache-2.0
// The reader of memory as it reads elements, in lines of four words.
#include "LineReader.h"
#include "tests/accel/fpga/rtl/memory_reader_bench.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::check_reader_resets;
using fhe::test::check_reader_room;
using fhe::test::check_reader_speed;
using fhe::test::check_reader_streams;

}  // namespace

TEST_CASE("rtl memory_reader: lines and zeros, stalls and latencies", "[rtl]") {
  check_reader_streams<LineReader>();
}

TEST_CASE("rtl memory_reader: one line a clock, across segments", "[rtl]") {
  check_reader_speed<LineReader, 16>();
}

TEST_CASE("rtl memory_reader: it asks for no more lines than it can keep", "[rtl]") {
  check_reader_room<LineReader, 16>();
}

TEST_CASE("rtl memory_reader: a reset forgets segments, requests and lines", "[rtl]") {
  check_reader_resets<LineReader>();
}
