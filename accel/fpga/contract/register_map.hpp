// SPDX-License-Identifier: Apache-2.0
// The device's registers, commands and statuses; see PROGRAMMING.md.
// Written by write_register_map from regmap.toml; change that file instead.
// clang-format off
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "accel/fpga/contract/field.hpp"

// Names are those of the map.
// NOLINTBEGIN(readability-identifier-naming)
namespace fhe::fpga {

inline constexpr std::uint32_t kMagic = 0x46484541;
inline constexpr std::uint32_t kVersion = 0x02000000;
inline constexpr std::uint32_t kBuildId = 0xca577dab;

namespace reg {
inline constexpr std::uint32_t magic = 0x000;  // ro: 0x46484541; all ones when the card is off the bus
inline constexpr std::uint32_t version = 0x004;  // ro: major[31:24] minor[23:16] patch[15:0]
inline constexpr std::uint32_t features = 0x008;  // ro: see feature
inline constexpr std::uint32_t build_id = 0x00c;  // ro: CRC-32 of this map's contents
inline constexpr std::uint32_t fft_param = 0x010;  // ro: low-latency multiplier: log2 of its points[7:0], bits of a digit[15:8]; 0 where there is none
inline constexpr std::uint32_t lhw_param = 0x014;  // ro: block bits[15:0], weight[23:16], index bits[31:24]
inline constexpr std::uint32_t ss_param = 0x018;  // ro: super-size multiplier: log2 of its points[7:0], bits of a digit[15:8], of a word[31:16]; 0 where there is none
inline constexpr std::uint32_t karat_param = 0x01c;  // ro: polynomial multiplier: log2 of its coefficients[7:0], their bits[15:8]; 0 where there is none
inline constexpr std::uint32_t mem_base_lo = 0x020;  // ro: device memory: first byte
inline constexpr std::uint32_t mem_base_hi = 0x024;  // ro
inline constexpr std::uint32_t mem_size_lo = 0x028;  // ro: device memory: bytes
inline constexpr std::uint32_t mem_size_hi = 0x02c;  // ro
inline constexpr std::uint32_t limits = 0x030;  // ro: log2 of the alignment in bytes[7:0], queue depth[15:8], contexts[23:16]
inline constexpr std::uint32_t throughput_param = 0x034;  // ro: throughput multiplier: log2 of its points[7:0], bits of a digit[15:8]; 0 where there is none
inline constexpr std::uint32_t elements_param = 0x038;  // ro: elements of streams: words of a line, which are made at a time; 0 where there are none
inline constexpr std::uint32_t ctrl = 0x040;  // rw: see ctrl
inline constexpr std::uint32_t status = 0x044;  // ro: see device_status
inline constexpr std::uint32_t irq_status = 0x048;  // w1c: see irq
inline constexpr std::uint32_t irq_mask = 0x04c;  // rw: see irq
inline constexpr std::uint32_t watchdog = 0x050;  // rw: clocks that a command may take; 0 = any number
inline constexpr std::uint32_t err_code = 0x054;  // ro: status of the first failure since the reset
inline constexpr std::uint32_t err_tag = 0x058;  // ro: its tag
inline constexpr std::uint32_t err_addr_lo = 0x05c;  // ro: for bus_error: the address
inline constexpr std::uint32_t err_addr_hi = 0x060;  // ro
inline constexpr std::uint32_t scratch = 0x064;  // rw: for tests of the link
inline constexpr std::uint32_t perf = 0x100;  // ro: first of the 64-bit counters, see counter; reading the low half keeps the high half
inline constexpr std::uint32_t cmd_window = 0x400;  // wo: 16 words of a descriptor
inline constexpr std::uint32_t cmd_doorbell = 0x440;  // wo: the descriptor's sequence number: gives it to the device
inline constexpr std::uint32_t cmd_space = 0x444;  // ro: descriptors that can be given now
inline constexpr std::uint32_t cpl_window = 0x480;  // ro: 4 words of the oldest completion; reading the last takes it
}  // namespace reg

namespace parameter {
inline constexpr std::uint32_t contexts = 4;
inline constexpr std::uint32_t selection_sums = 8;
inline constexpr std::uint32_t sparse_index_bits = 12;
inline constexpr std::uint32_t sparse_weight = 15;
inline constexpr std::uint32_t four_step_log2_scratch = 16;
inline constexpr std::uint32_t queue_depth = 16;
inline constexpr std::uint32_t sum_margin = 16;
inline constexpr std::uint32_t window_words = 64;
inline constexpr std::uint32_t window_bits = 96;
inline constexpr std::uint32_t entry_bits = 128;
inline constexpr std::uint32_t window_entry_bits = 128;
inline constexpr std::uint32_t sparse_block_bits = 256;
inline constexpr std::uint32_t selection_lines = 512;
inline constexpr std::uint32_t window_elements = 512;
inline constexpr std::uint32_t word_bits = 512;
inline constexpr std::uint32_t product_words = 3072;
inline constexpr std::uint32_t weighted_bits = 3072;
inline constexpr std::uint32_t most_rows = 8191;
inline constexpr std::uint32_t four_step_words = 11264;
inline constexpr std::uint32_t most_stored_words = 16777215;
}  // namespace parameter

namespace feature {
inline constexpr std::uint32_t mul768 = 0;
inline constexpr std::uint32_t fftmul = 1;
inline constexpr std::uint32_t lhw = 2;
inline constexpr std::uint32_t ssmul = 3;
inline constexpr std::uint32_t modred = 4;
inline constexpr std::uint32_t acc = 5;
inline constexpr std::uint32_t product_sum = 6;
inline constexpr std::uint32_t nested_sum = 7;
inline constexpr std::uint32_t karat = 8;
inline constexpr std::uint32_t stream768 = 9;
inline constexpr std::uint32_t elements = 10;
inline constexpr std::uint32_t run = 11;
inline constexpr std::uint32_t throughput = 12;
inline constexpr std::uint32_t four_step = 13;
inline constexpr std::uint32_t irq = 16;
inline constexpr std::uint32_t perf = 17;
inline constexpr std::uint32_t cmdring = 18;
inline constexpr std::uint32_t simulated = 31;
}  // namespace feature

namespace ctrl {
inline constexpr std::uint32_t enable = 0;
inline constexpr std::uint32_t soft_reset = 1;
inline constexpr std::uint32_t irq_enable = 2;
inline constexpr std::uint32_t halt_on_error = 3;
inline constexpr std::uint32_t perf_clear = 4;
inline constexpr std::uint32_t perf_freeze = 5;
}  // namespace ctrl

namespace device_status {
inline constexpr std::uint32_t idle = 0;
inline constexpr std::uint32_t busy = 1;
inline constexpr std::uint32_t halted = 2;
inline constexpr std::uint32_t cmd_full = 3;
inline constexpr std::uint32_t cpl_available = 4;
}  // namespace device_status

namespace irq {
inline constexpr std::uint32_t completion = 0;
inline constexpr std::uint32_t error = 1;
inline constexpr std::uint32_t watchdog = 2;
}  // namespace irq

namespace counter {
inline constexpr std::uint32_t cycles = 0;
inline constexpr std::uint32_t busy = 1;
inline constexpr std::uint32_t mul = 2;
inline constexpr std::uint32_t lhw = 3;
inline constexpr std::uint32_t red = 4;
inline constexpr std::uint32_t acc = 5;
inline constexpr std::uint32_t rd_beats = 6;
inline constexpr std::uint32_t wr_beats = 7;
inline constexpr std::uint32_t rd_stall = 8;
inline constexpr std::uint32_t wr_stall = 9;
inline constexpr std::uint32_t cmds = 10;
inline constexpr std::uint32_t errors = 11;
}  // namespace counter

enum class Opcode : std::uint8_t {
  nop = 0x00,
  fence = 0x01,
  set_ctx = 0x02,
  run = 0x03,
  mul = 0x10,
  sqr = 0x11,
  lhwmul = 0x20,
  modred = 0x30,
  acc = 0x40,
  sub = 0x41,
  csub = 0x42,
  affine = 0x43,
  product_sum = 0x50,
  nested_sum = 0x51,
  selection = 0x52,
  windows = 0x53,
  weighted = 0x54,
  karat = 0x60,
  clear = 0x70,
  copy = 0x71,
};

// "unknown" for a number without a name.
constexpr std::string_view name(Opcode value) {
  switch (value) {
    case Opcode::nop: return "nop";
    case Opcode::fence: return "fence";
    case Opcode::set_ctx: return "set_ctx";
    case Opcode::run: return "run";
    case Opcode::mul: return "mul";
    case Opcode::sqr: return "sqr";
    case Opcode::lhwmul: return "lhwmul";
    case Opcode::modred: return "modred";
    case Opcode::acc: return "acc";
    case Opcode::sub: return "sub";
    case Opcode::csub: return "csub";
    case Opcode::affine: return "affine";
    case Opcode::product_sum: return "product_sum";
    case Opcode::nested_sum: return "nested_sum";
    case Opcode::selection: return "selection";
    case Opcode::windows: return "windows";
    case Opcode::weighted: return "weighted";
    case Opcode::karat: return "karat";
    case Opcode::clear: return "clear";
    case Opcode::copy: return "copy";
  }
  return "unknown";
}

enum class Procedure : std::uint8_t {
  none = 0x00,
  context = 0x01,
  sum = 0x02,
  choice = 0x03,
  sparse_product = 0x04,
  product = 0x05,
  reduction = 0x06,
  terms = 0x07,
  rows = 0x08,
  polynomials = 0x09,
  selection = 0x0a,
  windows = 0x0b,
  program = 0x0c,
  weighted = 0x0d,
};

// "unknown" for a number without a name.
constexpr std::string_view name(Procedure value) {
  switch (value) {
    case Procedure::none: return "none";
    case Procedure::context: return "context";
    case Procedure::sum: return "sum";
    case Procedure::choice: return "choice";
    case Procedure::sparse_product: return "sparse_product";
    case Procedure::product: return "product";
    case Procedure::reduction: return "reduction";
    case Procedure::terms: return "terms";
    case Procedure::rows: return "rows";
    case Procedure::polynomials: return "polynomials";
    case Procedure::selection: return "selection";
    case Procedure::windows: return "windows";
    case Procedure::program: return "program";
    case Procedure::weighted: return "weighted";
  }
  return "unknown";
}

namespace flag {
inline constexpr std::uint32_t irq = 0;
inline constexpr std::uint32_t fence = 1;
inline constexpr std::uint32_t accumulate = 2;
inline constexpr std::uint32_t check_pad = 4;
inline constexpr std::uint32_t crc = 5;
}  // namespace flag

enum class Engine : std::uint8_t {
  fastest = 0x00,
  mul768 = 0x01,
  fftmul = 0x02,
  ssmul = 0x03,
  stream768 = 0x04,
  throughput = 0x05,
};

// "unknown" for a number without a name.
constexpr std::string_view name(Engine value) {
  switch (value) {
    case Engine::fastest: return "fastest";
    case Engine::mul768: return "mul768";
    case Engine::fftmul: return "fftmul";
    case Engine::ssmul: return "ssmul";
    case Engine::stream768: return "stream768";
    case Engine::throughput: return "throughput";
  }
  return "unknown";
}

namespace descriptor {
inline constexpr std::uint32_t command = 0;
inline constexpr std::uint32_t context = 1;
inline constexpr std::uint32_t src0 = 2;
inline constexpr std::uint32_t src1 = 4;
inline constexpr std::uint32_t dst = 6;
inline constexpr std::uint32_t len0 = 8;
inline constexpr std::uint32_t len1 = 9;
inline constexpr std::uint32_t lend = 10;
inline constexpr std::uint32_t aux2 = 11;
inline constexpr std::uint32_t param = 12;
inline constexpr std::uint32_t reserved = 14;
inline constexpr std::uint32_t crc = 15;
}  // namespace descriptor

namespace completion {
inline constexpr std::uint32_t status = 0;
inline constexpr std::uint32_t cycles = 1;
inline constexpr std::uint32_t info = 2;
inline constexpr std::uint32_t sequence = 3;
}  // namespace completion

namespace info {
inline constexpr std::uint32_t carry = 0;
inline constexpr std::uint32_t subtracted = 1;
inline constexpr std::uint32_t undecided = 2;
inline constexpr std::uint32_t commands = 16;
}  // namespace info

enum class Status : std::uint16_t {
  ok = 0x00,
  bad_opcode = 0x01,
  bad_align = 0x02,
  range = 0x03,
  length = 0x04,
  overlap = 0x05,
  no_ctx = 0x06,
  pad_not_zero = 0x07,
  bus_error = 0x08,
  watchdog = 0x09,
  crc = 0x0a,
  aborted = 0x0b,
  sequence = 0x0c,
};

// "unknown" for a number without a name.
constexpr std::string_view name(Status value) {
  switch (value) {
    case Status::ok: return "ok";
    case Status::bad_opcode: return "bad_opcode";
    case Status::bad_align: return "bad_align";
    case Status::range: return "range";
    case Status::length: return "length";
    case Status::overlap: return "overlap";
    case Status::no_ctx: return "no_ctx";
    case Status::pad_not_zero: return "pad_not_zero";
    case Status::bus_error: return "bus_error";
    case Status::watchdog: return "watchdog";
    case Status::crc: return "crc";
    case Status::aborted: return "aborted";
    case Status::sequence: return "sequence";
  }
  return "unknown";
}

namespace stream_record {
inline constexpr std::uint32_t seed = 0;
inline constexpr std::uint32_t purpose = 4;
}  // namespace stream_record

namespace context_record {
inline constexpr std::uint32_t phi = 0;
inline constexpr std::uint32_t gamma = 1;
inline constexpr std::uint32_t shift_low = 2;
inline constexpr std::uint32_t shift_high = 3;
inline constexpr std::uint32_t modulus = 4;
inline constexpr std::uint32_t reciprocal = 6;
inline constexpr std::uint32_t scratch = 8;
inline constexpr std::uint32_t scratch_words = 10;
}  // namespace context_record

inline constexpr std::array kOpcodes = {
    Opcode::nop,
    Opcode::fence,
    Opcode::set_ctx,
    Opcode::run,
    Opcode::mul,
    Opcode::sqr,
    Opcode::lhwmul,
    Opcode::modred,
    Opcode::acc,
    Opcode::sub,
    Opcode::csub,
    Opcode::affine,
    Opcode::product_sum,
    Opcode::nested_sum,
    Opcode::selection,
    Opcode::windows,
    Opcode::weighted,
    Opcode::karat,
    Opcode::clear,
    Opcode::copy,
};

// Parts of aux and aux2.
namespace field::run {
inline constexpr Field commands{0, 16};  // of aux2
}  // namespace field::run
namespace field::mul {
inline constexpr Field engine{0, 3};  // of aux
inline constexpr Field four_step{4, 3};  // of aux
}  // namespace field::mul
namespace field::sqr {
inline constexpr Field engine{0, 3};  // of aux
inline constexpr Field four_step{4, 3};  // of aux
}  // namespace field::sqr
namespace field::modred {
inline constexpr Field four_step{4, 3};  // of aux
inline constexpr Field keeps{7, 1};  // of aux
inline constexpr Field kept{8, 1};  // of aux
}  // namespace field::modred
namespace field::product_sum {
inline constexpr Field sparse{0, 1};  // of aux
inline constexpr Field affine{1, 1};  // of aux
inline constexpr Field reduce{2, 1};  // of aux
inline constexpr Field generated{3, 1};  // of aux
inline constexpr Field weight{4, 4};  // of aux
inline constexpr Field engine{8, 3};  // of aux
inline constexpr Field terms{0, 16};  // of aux2
}  // namespace field::product_sum
namespace field::nested_sum {
inline constexpr Field affine{1, 1};  // of aux
inline constexpr Field rows{0, 16};  // of aux2
}  // namespace field::nested_sum
namespace field::selection {
inline constexpr Field sums{0, 4};  // of aux
inline constexpr Field stored{4, 1};  // of aux
inline constexpr Field elements{0, 16};  // of aux2
inline constexpr Field sum_words{16, 16};  // of aux2
}  // namespace field::selection
namespace field::windows {
inline constexpr Field masks{0, 1};  // of aux
inline constexpr Field stored{1, 1};  // of aux
inline constexpr Field width{4, 4};  // of aux
inline constexpr Field skip{8, 8};  // of aux
inline constexpr Field elements{0, 16};  // of aux2
}  // namespace field::windows
namespace field::weighted {
inline constexpr Field elements{0, 16};  // of aux2
}  // namespace field::weighted
namespace field::karat {
inline constexpr Field log2_size{0, 4};  // of aux
}  // namespace field::karat

}  // namespace fhe::fpga
// NOLINTEND(readability-identifier-naming)
