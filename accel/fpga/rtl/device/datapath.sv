// SPDX-License-Identifier: Apache-2.0
// One operation at a time on integers in memory: readers, a row of engines, a writer.
//
//   reset           to idle, whatever is under way; requests to the memory stay outstanding
//   power_reset     and these are forgotten too
//   start           heard when busy = 0; what follows goes with it and stays until `done`:
//   kind            the engine, see operation_kinds.svh; one that there is
//   accumulate      d = d + result, of all kinds but SUM
//   subtract, carry_in, double_a, sign_extend_b, drop     SUM: see sum_unit
//   in_pairs        SERIAL: 1: d = sum of A_i B_i; 0: d = a b
//   terms           of a sum, or of a row of it
//   weight          SPARSE: number of indices; SELECTION: sums; WINDOWS: mask_width
//   log2_size, record_address   POLYNOMIALS: see polynomial_engine; a_tail is that of the record
//   four_step, cyclic, keeps, kept, b_points   THROUGHPUT: see throughput_engine; record_address is its scratch memory
//   a_*, b_*, d_*   address, words; tail: bits used in the last word, 0 = all
//   generated       a, or every A_i, are elements of a stream: see element_memory, which is given seed, purpose
//                   and a_bits when seed_found = 1, before `start`. SELECTION, WINDOWS: 0: they are stored
//   skip            WINDOWS: elements of the stream that are left out between two
//   d_from          of products: the words of d below it need not be right; only THROUGHPUT makes use of it
//   a_bits, b_bits, operation ..    SUPER: see super_size_engine, up to remainder_words
//   pair_*          of a sum: the addresses of A_i and B_i, taken one pair after the other
//   busy, done      done is one clock, when all results are in memory
//   carry           with done, SUM: carry or borrow; WINDOWS: undecided; else: the result exceeds d
//   pad_error       with done: a bit above a tail is 1
//   bad_index       with done, SPARSE: an index is 4096 or more; POLYNOMIALS: q has too few bits
//   remainder_reduced   with done, SUPER: y >= A_0 was found in a reduction
//
//   kind    SUM       d = a +- b
//           SPARSE    d = sum of A_i times the number whose indices are the word B_i
//           BLOCKS    d = a b
//           STREAM    the same
//           THROUGHPUT    the same; with `generated` d = the sum of `terms` elements times the numbers b, one after the other
//           SERIAL    d = a b, or d = sum of A_i B_i: see serial_engine for the lengths of B_i
//           POLYNOMIALS   products of polynomials, a batch of them
//           SUPER     see super_size_engine
//           SELECTION d = sums of elements, `weight` of them, over `terms` elements of a_bits bits
//           WINDOWS   d = the leading bits of products of `terms` such elements and b
//
// d_words >= 1; the result fills d with zeros above. d may be a or b for sums only. See PROGRAMMING.md.
//
// Engines share one interface. Segments and words of the readers a, b and of the old d (bits 0 to 2), segments
// and words of the writer (bit 3). line_segment: of generated elements, in lines of LINE_WORDS words from a multiple of
// their bytes on, with lines of zeros after them, and these lines, one a clock. written: a write was acknowledged.
// old_hold: no old word is asked for in this clock; old_asked: one was. Clocks of the large ones stand still while
// they do nothing.
`default_nettype none
module datapath #(
    parameter logic LHW = 1'b1,
    parameter logic MUL768 = 1'b1,
    parameter logic STREAM768 = 1'b1,
    parameter int SERIAL_LOG2_POINTS = 8,  // 0: there is none
    parameter int THROUGHPUT_LOG2_POINTS = 0,  // 0: there is none
    parameter int KARATSUBA_BITS = 0,
    parameter int KARATSUBA_SIZE = 0,
    parameter logic [64:0] SUPER_MODULUS = 65'h0_ffff_ffff_0000_0001,
    parameter int SUPER_POINTS = 0,
    parameter int SUPER_DIGIT = 28,
    parameter logic ELEMENTS = 1'b1,  // the elements of streams, and what selects among them
    parameter int LINE_WORDS = 4,  // of such an element, made at a time: 4 or 8
    parameter ROM_DIR = ""
) (
    input  logic         clk,
    input  logic         reset,
    input  logic         power_reset,
    input  logic         start,
    input  logic [  3:0] kind,
    input  logic         accumulate,
    input  logic         subtract,
    input  logic         carry_in,
    input  logic         double_a,
    input  logic         sign_extend_b,
    input  logic         drop,
    input  logic         in_pairs,
    input  logic [ 15:0] terms,
    input  logic [  3:0] weight,
    input  logic [  3:0] log2_size,
    input  logic [ 63:0] record_address,
    input  logic [  7:0] skip,
    input  logic [ 31:0] a_bits,
    input  logic [ 31:0] b_bits,
    input  logic [  1:0] operation,
    input  logic         affine,
    input  logic         reduces,
    input  logic [ 63:0] addend,
    input  logic [ 31:0] row_excess,
    input  logic [511:0] record,
    input  logic         generated,
    input  logic         seed_found,
    input  logic [127:0] seed,
    input  logic [ 31:0] purpose,
    input  logic [ 23:0] phi_words,
    input  logic [ 23:0] input_words,
    input  logic [ 23:0] reciprocal_words,
    input  logic [ 23:0] remainder_words,
    input  logic [ 63:0] a_address,
    input  logic [ 23:0] a_words,
    input  logic [  8:0] a_tail,
    input  logic [ 63:0] b_address,
    input  logic [ 23:0] b_words,
    input  logic [  8:0] b_tail,
    input  logic [ 63:0] d_address,
    input  logic [ 23:0] d_words,
    input  logic [ 23:0] d_from,
    input  logic [  2:0] four_step,
    input  logic         cyclic,
    input  logic         keeps,
    input  logic         kept,
    input  logic [ 63:0] b_points,
    input  logic         pair_valid,
    output logic         pair_ready,
    input  logic [ 63:0] pair_a,
    input  logic [ 63:0] pair_b,
    output logic         busy,
    output logic         done,
    output logic         carry,
    output logic         pad_error,
    output logic         bad_index,
    output logic         remainder_reduced,
    // three clients of the read port, the lowest 64 bits of the addresses the first's
    output logic [  2:0] read_valid,
    input  logic [  2:0] read_ready,
    output logic [191:0] read_address,
    input  logic [  2:0] response_valid,
    input  logic [511:0] response_data,
    output logic         write_valid,
    input  logic         write_ready,
    output logic [ 63:0] write_address,
    output logic [511:0] write_data,
    input  logic         written_valid,
    input  logic         written_error,
    output logic         write_error,
    output logic [ 31:0] writes_outstanding
);
  `include "register_map.svh"
  `include "operation_kinds.svh"

  // What the engines say, one after the other in the order of their kinds; 0 where there is none.
  logic [ENGINES-1:0] starts, busies, dones, carries, bad_indices, pairs_ready, outs_valid, old_holds;
  logic [4*ENGINES-1:0] segments_valid;
  logic [256*ENGINES-1:0] segments_address;
  logic [128*ENGINES-1:0] segments_words;
  logic [96*ENGINES-1:0] segments_zeros;
  logic [27*ENGINES-1:0] segments_tail;
  logic [3*ENGINES-1:0] ins_ready;
  logic [512*ENGINES-1:0] outs_data;

  localparam logic [ENGINES-1:0] PRESENT = ENGINES'((1 << SUM) | (32'(LHW) << SPARSE) |
      (32'(MUL768) << BLOCKS) | (32'(STREAM768) << STREAM) | (32'(SERIAL_LOG2_POINTS != 0) << SERIAL) |
      (32'(THROUGHPUT_LOG2_POINTS != 0) << THROUGHPUT) | (32'(SUPER_POINTS != 0) << SUPER) | (32'(KARATSUBA_BITS != 0) << POLYNOMIALS) | (32'(ELEMENTS) << SELECTION) |
      (32'(ELEMENTS) << WINDOWS));
  for (genvar i = 0; i < ENGINES; i++) begin : g_missing
    if (!PRESENT[i]) begin : g_engine
      assign {busies[i], dones[i], carries[i], bad_indices[i], pairs_ready[i], outs_valid[i], old_holds[i]} = '0;
      assign {segments_valid[4*i+:4], segments_address[256*i+:256], segments_words[128*i+:128],
              segments_zeros[96*i+:96], segments_tail[27*i+:27], ins_ready[3*i+:3], outs_data[512*i+:512]} = '0;
    end
  end

  // And which lines of elements they ask for; 0 where an engine takes none.
  logic [ENGINES-1:0] line_segments_valid, lines_ready;
  logic [64*ENGINES-1:0] line_segments_address;
  logic [32*ENGINES-1:0] line_segments_lines, line_segments_zeros;
  logic line_segment_ready, line_valid;
  logic [512*LINE_WORDS-1:0] line_data;
  localparam logic [ENGINES-1:0] OF_LINES = PRESENT & ENGINES'((1 << SELECTION) | (1 << WINDOWS) | (1 << THROUGHPUT));
  for (genvar i = 0; i < ENGINES; i++) begin : g_without_lines
    if (!OF_LINES[i]) begin : g_engine
      assign {line_segments_valid[i], line_segments_address[64*i+:64], line_segments_lines[32*i+:32],
              line_segments_zeros[32*i+:32], lines_ready[i]} = '0;
    end
  end

  // What that of `kind` alone is given.
  logic [ENGINES-1:0] pairs_valid;
  logic [3*ENGINES-1:0] ins_valid;

  // And what it says.
  logic clear, out_valid, out_ready, writer_idle, old_hold, old_asked;
  logic [3:0] segment_valid, segment_ready;
  logic [255:0] segment_address;
  logic [127:0] segment_words;
  logic [95:0] segment_zeros;
  logic [26:0] segment_tail;
  logic [2:0] in_valid, in_ready;
  logic [1535:0] in_data;
  logic [511:0] out_data;
  assign clear = start && !busy;
  assign busy = busies != '0;
  assign starts = ENGINES'(clear) << kind;
  assign pairs_valid = ENGINES'(pair_valid) << kind;
  assign ins_valid = (3 * ENGINES)'(in_valid) << 3 * kind;
  assign done = dones != '0;
  assign carry = carries[kind];
  assign bad_index = bad_indices[kind];
  assign pair_ready = pairs_ready[kind];
  assign segment_valid = segments_valid[4*kind+:4];
  assign segment_address = segments_address[256*kind+:256];
  assign segment_words = segments_words[128*kind+:128];
  assign segment_zeros = segments_zeros[96*kind+:96];
  assign segment_tail = segments_tail[27*kind+:27];
  assign in_ready = ins_ready[3*kind+:3];
  assign out_valid = outs_valid[kind];
  assign out_data = outs_data[512*kind+:512];
  assign old_hold = old_holds[kind];

  sum_engine sums (
      .clk,
      .reset,
      .start          (starts[SUM]),
      .subtract,
      .carry_in,
      .double_a,
      .sign_extend_b,
      .drop,
      .a_address,
      .a_words,
      .a_tail,
      .b_address,
      .b_words,
      .b_tail,
      .d_address,
      .d_words,
      .busy           (busies[SUM]),
      .done           (dones[SUM]),
      .carry          (carries[SUM]),
      .segment_valid  (segments_valid[4*SUM+:4]),
      .segment_ready,
      .segment_address(segments_address[256*SUM+:256]),
      .segment_words  (segments_words[128*SUM+:128]),
      .segment_zeros  (segments_zeros[96*SUM+:96]),
      .segment_tail   (segments_tail[27*SUM+:27]),
      .in_valid       (ins_valid[3*SUM+:3]),
      .in_ready       (ins_ready[3*SUM+:3]),
      .in_data,
      .out_valid      (outs_valid[SUM]),
      .out_ready,
      .out_data       (outs_data[512*SUM+:512]),
      .writer_idle
  );
  assign {bad_indices[SUM], pairs_ready[SUM], old_holds[SUM]} = '0;

  if (LHW) begin : g_sparse
    sparse_engine sparse (
        .clk,
        .reset,
        .start          (starts[SPARSE]),
        .accumulate,
        .terms,
        .weight,
        .a_words,
        .a_tail,
        .d_address,
        .d_words,
        .pair_valid     (pairs_valid[SPARSE]),
        .pair_ready     (pairs_ready[SPARSE]),
        .pair_a,
        .pair_b,
        .busy           (busies[SPARSE]),
        .done           (dones[SPARSE]),
        .carry          (carries[SPARSE]),
        .bad_index      (bad_indices[SPARSE]),
        .segment_valid  (segments_valid[4*SPARSE+:4]),
        .segment_ready,
        .segment_address(segments_address[256*SPARSE+:256]),
        .segment_words  (segments_words[128*SPARSE+:128]),
        .segment_zeros  (segments_zeros[96*SPARSE+:96]),
        .segment_tail   (segments_tail[27*SPARSE+:27]),
        .in_valid       (ins_valid[3*SPARSE+:3]),
        .in_ready       (ins_ready[3*SPARSE+:3]),
        .in_data,
        .out_valid      (outs_valid[SPARSE]),
        .out_ready,
        .out_data       (outs_data[512*SPARSE+:512]),
        .writer_idle,
        .written        (written_valid),
        .old_hold       (old_holds[SPARSE]),
        .old_asked
    );
  end

  if (MUL768) begin : g_blocks
    logic running;
    clock_gate gate (
        .clk,
        .enable(reset || starts[BLOCKS] || busies[BLOCKS] || dones[BLOCKS]),
        .gated (running)
    );
    block_engine #(
        .ROM_DIR(ROM_DIR)
    ) blocks (
        .clk            (running),
        .reset,
        .start          (starts[BLOCKS]),
        .accumulate,
        .a_address,
        .a_words,
        .a_tail,
        .b_address,
        .b_words,
        .b_tail,
        .d_address,
        .d_words,
        .busy           (busies[BLOCKS]),
        .done           (dones[BLOCKS]),
        .carry          (carries[BLOCKS]),
        .segment_valid  (segments_valid[4*BLOCKS+:4]),
        .segment_ready,
        .segment_address(segments_address[256*BLOCKS+:256]),
        .segment_words  (segments_words[128*BLOCKS+:128]),
        .segment_zeros  (segments_zeros[96*BLOCKS+:96]),
        .segment_tail   (segments_tail[27*BLOCKS+:27]),
        .in_valid       (ins_valid[3*BLOCKS+:3]),
        .in_ready       (ins_ready[3*BLOCKS+:3]),
        .in_data,
        .out_valid      (outs_valid[BLOCKS]),
        .out_ready,
        .out_data       (outs_data[512*BLOCKS+:512]),
        .writer_idle
    );
    assign {bad_indices[BLOCKS], pairs_ready[BLOCKS], old_holds[BLOCKS]} = '0;
  end

  if (STREAM768) begin : g_stream
    logic running;
    clock_gate gate (
        .clk,
        .enable(reset || starts[STREAM] || busies[STREAM] || dones[STREAM]),
        .gated (running)
    );
    stream_engine #(
        .ROM_DIR(ROM_DIR)
    ) stream (
        .clk            (running),
        .reset,
        .start          (starts[STREAM]),
        .accumulate,
        .a_address,
        .a_words,
        .a_tail,
        .b_address,
        .b_words,
        .b_tail,
        .d_address,
        .d_words,
        .busy           (busies[STREAM]),
        .done           (dones[STREAM]),
        .carry          (carries[STREAM]),
        .segment_valid  (segments_valid[4*STREAM+:4]),
        .segment_ready,
        .segment_address(segments_address[256*STREAM+:256]),
        .segment_words  (segments_words[128*STREAM+:128]),
        .segment_zeros  (segments_zeros[96*STREAM+:96]),
        .segment_tail   (segments_tail[27*STREAM+:27]),
        .in_valid       (ins_valid[3*STREAM+:3]),
        .in_ready       (ins_ready[3*STREAM+:3]),
        .in_data,
        .out_valid      (outs_valid[STREAM]),
        .out_ready,
        .out_data       (outs_data[512*STREAM+:512]),
        .writer_idle
    );
    assign {bad_indices[STREAM], pairs_ready[STREAM], old_holds[STREAM]} = '0;
  end

  if (SERIAL_LOG2_POINTS != 0) begin : g_serial
    logic running;
    clock_gate gate (
        .clk,
        .enable(reset || starts[SERIAL] || busies[SERIAL] || dones[SERIAL]),
        .gated (running)
    );
    serial_engine #(
        .LOG2_POINTS(SERIAL_LOG2_POINTS),
        .ROM_DIR    (ROM_DIR)
    ) serial (
        .clk            (running),
        .reset,
        .start          (starts[SERIAL]),
        .sum            (in_pairs),
        .accumulate,
        .terms,
        .a_address,
        .a_words,
        .a_tail,
        .b_address,
        .b_words,
        .b_tail,
        .d_address,
        .d_words,
        .pair_valid     (pairs_valid[SERIAL]),
        .pair_ready     (pairs_ready[SERIAL]),
        .pair_a,
        .pair_b,
        .busy           (busies[SERIAL]),
        .done           (dones[SERIAL]),
        .carry          (carries[SERIAL]),
        .segment_valid  (segments_valid[4*SERIAL+:4]),
        .segment_ready,
        .segment_address(segments_address[256*SERIAL+:256]),
        .segment_words  (segments_words[128*SERIAL+:128]),
        .segment_zeros  (segments_zeros[96*SERIAL+:96]),
        .segment_tail   (segments_tail[27*SERIAL+:27]),
        .in_valid       (ins_valid[3*SERIAL+:3]),
        .in_ready       (ins_ready[3*SERIAL+:3]),
        .in_data,
        .out_valid      (outs_valid[SERIAL]),
        .out_ready,
        .out_data       (outs_data[512*SERIAL+:512]),
        .writer_idle,
        .written        (written_valid),
        .old_hold       (old_holds[SERIAL]),
        .old_asked
    );
    assign bad_indices[SERIAL] = 1'b0;
  end

  if (THROUGHPUT_LOG2_POINTS != 0) begin : g_throughput
    logic running;
    clock_gate gate (
        .clk,
        .enable(reset || starts[THROUGHPUT] || busies[THROUGHPUT] || dones[THROUGHPUT]),
        .gated (running)
    );
    throughput_engine #(
        .LOG2_POINTS(THROUGHPUT_LOG2_POINTS),
        .LINE_WORDS (LINE_WORDS),
        .ROM_DIR    (ROM_DIR)
    ) throughput (
        .clk                 (running),
        .reset,
        .start               (starts[THROUGHPUT]),
        .sum                 (generated),
        .accumulate,
        .terms,
        .a_address,
        .a_words,
        .a_tail,
        .b_address,
        .b_words,
        .b_tail,
        .d_address,
        .d_words,
        .d_from,
        .four_step,
        .cyclic,
        .scratch             (record_address),
        .keeps,
        .kept,
        .b_points,
        .busy                (busies[THROUGHPUT]),
        .done                (dones[THROUGHPUT]),
        .carry               (carries[THROUGHPUT]),
        .segment_valid       (segments_valid[4*THROUGHPUT+:4]),
        .segment_ready,
        .segment_address     (segments_address[256*THROUGHPUT+:256]),
        .segment_words       (segments_words[128*THROUGHPUT+:128]),
        .segment_zeros       (segments_zeros[96*THROUGHPUT+:96]),
        .segment_tail        (segments_tail[27*THROUGHPUT+:27]),
        .in_valid            (ins_valid[3*THROUGHPUT+:3]),
        .in_ready            (ins_ready[3*THROUGHPUT+:3]),
        .in_data,
        .line_segment_valid  (line_segments_valid[THROUGHPUT]),
        .line_segment_ready,
        .line_segment_address(line_segments_address[64*THROUGHPUT+:64]),
        .line_segment_lines  (line_segments_lines[32*THROUGHPUT+:32]),
        .line_segment_zeros  (line_segments_zeros[32*THROUGHPUT+:32]),
        .line_valid,
        .line_ready          (lines_ready[THROUGHPUT]),
        .line_data,
        .out_valid           (outs_valid[THROUGHPUT]),
        .out_ready,
        .out_data            (outs_data[512*THROUGHPUT+:512]),
        .writer_idle
    );
    assign {bad_indices[THROUGHPUT], pairs_ready[THROUGHPUT], old_holds[THROUGHPUT]} = '0;
  end

  if (SUPER_POINTS != 0) begin : g_super_size
    logic running;
    clock_gate gate (
        .clk,
        .enable(reset || starts[SUPER] || busies[SUPER] || dones[SUPER]),
        .gated (running)
    );
    super_size_engine #(
        .MODULUS(SUPER_MODULUS),
        .POINTS (SUPER_POINTS),
        .DIGIT  (SUPER_DIGIT)
    ) super_size (
        .clk            (running),
        .reset,
        .start          (starts[SUPER]),
        .operation,
        .accumulate,
        .affine,
        .reduces,
        .terms,
        .a_address,
        .a_words,
        .a_tail,
        .a_bits,
        .b_address,
        .b_words,
        .b_tail,
        .b_bits,
        .d_address,
        .d_words,
        .addend,
        .row_excess,
        .record,
        .phi_words,
        .input_words,
        .reciprocal_words,
        .remainder_words,
        .pair_valid     (pairs_valid[SUPER]),
        .pair_ready     (pairs_ready[SUPER]),
        .pair_a,
        .pair_b,
        .busy           (busies[SUPER]),
        .done           (dones[SUPER]),
        .carry          (carries[SUPER]),
        .remainder_reduced,
        .segment_valid  (segments_valid[4*SUPER+:4]),
        .segment_ready,
        .segment_address(segments_address[256*SUPER+:256]),
        .segment_words  (segments_words[128*SUPER+:128]),
        .segment_zeros  (segments_zeros[96*SUPER+:96]),
        .segment_tail   (segments_tail[27*SUPER+:27]),
        .in_valid       (ins_valid[3*SUPER+:3]),
        .in_ready       (ins_ready[3*SUPER+:3]),
        .in_data,
        .out_valid      (outs_valid[SUPER]),
        .out_ready,
        .out_data       (outs_data[512*SUPER+:512]),
        .writer_idle,
        .written        (written_valid)
    );
    assign {bad_indices[SUPER], old_holds[SUPER]} = '0;
  end else begin : g_no_super_size
    assign remainder_reduced = 1'b0;
  end

  if (KARATSUBA_BITS != 0) begin : g_polynomials
    logic running;
    clock_gate gate (
        .clk,
        .enable(reset || starts[POLYNOMIALS] || busies[POLYNOMIALS] || dones[POLYNOMIALS]),
        .gated (running)
    );
    polynomial_engine #(
        .BITS(KARATSUBA_BITS),
        .SIZE(KARATSUBA_SIZE)
    ) polynomials (
        .clk            (running),
        .reset,
        .start          (starts[POLYNOMIALS]),
        .a_address,
        .b_address,
        .a_words,
        .record_address,
        .record_tail    (a_tail),
        .d_address,
        .d_words,
        .log2_size,
        .busy           (busies[POLYNOMIALS]),
        .done           (dones[POLYNOMIALS]),
        .bad_modulus    (bad_indices[POLYNOMIALS]),
        .segment_valid  (segments_valid[4*POLYNOMIALS+:4]),
        .segment_ready,
        .segment_address(segments_address[256*POLYNOMIALS+:256]),
        .segment_words  (segments_words[128*POLYNOMIALS+:128]),
        .segment_zeros  (segments_zeros[96*POLYNOMIALS+:96]),
        .segment_tail   (segments_tail[27*POLYNOMIALS+:27]),
        .in_valid       (ins_valid[3*POLYNOMIALS+:3]),
        .in_ready       (ins_ready[3*POLYNOMIALS+:3]),
        .in_data,
        .out_valid      (outs_valid[POLYNOMIALS]),
        .out_ready,
        .out_data       (outs_data[512*POLYNOMIALS+:512]),
        .writer_idle
    );
    assign {carries[POLYNOMIALS], pairs_ready[POLYNOMIALS], old_holds[POLYNOMIALS]} = '0;
  end

  // The elements of a stream, sums of those that are selected, leading bits of products of all.
  logic [2:0] asks;
  logic element_ready, element_valid;  // of one word each
  logic [511:0] element_data;
  if (ELEMENTS) begin : g_elements
    logic generating, selecting, multiplying, unused_pad_error, unused_idle;
    logic [23:0] element_words;
    assign element_words = 24'(({1'b0, a_bits} + 33'd511) >> 9);
    clock_gate generator_gate (
        .clk,
        .enable(reset || seed_found || generated),
        .gated (generating)
    );
    // Read in lines and in words; a line goes first.
    logic line_asks, elements_ready, line_answers;
    logic [63:0] line_address;
    logic [512*LINE_WORDS-1:0] line_answer;
    element_memory #(
        .LINE_WORDS(LINE_WORDS)
    ) elements (
        .clk         (generating),
        .reset,
        .start       (seed_found),
        .seed,
        .purpose,
        .bits        (a_bits),
        .read_valid  (line_asks || (asks[0] && generated)),
        .read_ready  (elements_ready),
        .read_line   (line_asks),
        .read_address(line_asks ? line_address : read_address[63:0]),
        .line_valid  (line_answers),
        .line        (line_answer),
        .word_valid  (element_valid),
        .word        (element_data)
    );
    assign element_ready = elements_ready && !line_asks;
    memory_reader #(
        .DEPTH(16),
        .WIDTH(512 * LINE_WORDS)
    ) line_reader (
        .clk            (generating),
        .reset,
        .clear,
        .segment_valid  (line_segments_valid[kind]),
        .segment_ready  (line_segment_ready),
        .segment_address(line_segments_address[64*kind+:64]),
        .segment_words  (line_segments_lines[32*kind+:32]),
        .segment_zeros  (line_segments_zeros[32*kind+:32]),
        .segment_tail   ('0),
        .out_valid      (line_valid),
        .out_ready      (lines_ready[kind]),
        .out_data       (line_data),
        .pad_error      (unused_pad_error),
        .idle           (unused_idle),
        .read_valid     (line_asks),
        .read_ready     (elements_ready),
        .read_address   (line_address),
        .response_valid (line_answers),
        .response_data  (line_answer)
    );
    clock_gate engine_gate (
        .clk,
        .enable(reset || starts[SELECTION] || busies[SELECTION] || dones[SELECTION]),
        .gated (selecting)
    );
    selection_engine #(
        .LINE_WORDS (LINE_WORDS),
        .SLICE_WORDS(SELECTION_LINES * LINE_WORDS)
    ) selection (
        .clk                 (selecting),
        .reset,
        .start               (starts[SELECTION]),
        .terms,
        .sums                (weight),
        .stored              (!generated),
        .element_words,
        .a_address,
        .a_words,
        .a_tail,
        .b_address,
        .b_words,
        .b_tail,
        .d_address,
        .busy                (busies[SELECTION]),
        .done                (dones[SELECTION]),
        .segment_valid       (segments_valid[4*SELECTION+:4]),
        .segment_ready,
        .segment_address     (segments_address[256*SELECTION+:256]),
        .segment_words       (segments_words[128*SELECTION+:128]),
        .segment_zeros       (segments_zeros[96*SELECTION+:96]),
        .segment_tail        (segments_tail[27*SELECTION+:27]),
        .in_valid            (ins_valid[3*SELECTION+:3]),
        .in_ready            (ins_ready[3*SELECTION+:3]),
        .in_data,
        .line_segment_valid  (line_segments_valid[SELECTION]),
        .line_segment_ready,
        .line_segment_address(line_segments_address[64*SELECTION+:64]),
        .line_segment_lines  (line_segments_lines[32*SELECTION+:32]),
        .line_segment_zeros  (line_segments_zeros[32*SELECTION+:32]),
        .line_valid,
        .line_ready          (lines_ready[SELECTION]),
        .line_data,
        .out_valid           (outs_valid[SELECTION]),
        .out_ready,
        .out_data            (outs_data[512*SELECTION+:512]),
        .writer_idle
    );
    clock_gate windows_gate (
        .clk,
        .enable(reset || starts[WINDOWS] || busies[WINDOWS] || dones[WINDOWS]),
        .gated (multiplying)
    );
    window_engine #(
        .LINE_WORDS (LINE_WORDS),
        .SLICE_WORDS(WINDOW_WORDS),
        .CHUNK      (WINDOW_ELEMENTS)
    ) windows (
        .clk                 (multiplying),
        .reset,
        .start               (starts[WINDOWS]),
        .terms,
        .skip,
        .stored              (!generated),
        .element_words,
        .a_address,
        .a_words,
        .a_tail,
        .b_address,
        .mask_width          (weight),
        .d_address,
        .d_words,
        .busy                (busies[WINDOWS]),
        .done                (dones[WINDOWS]),
        .undecided           (carries[WINDOWS]),
        .segment_valid       (segments_valid[4*WINDOWS+:4]),
        .segment_ready,
        .segment_address     (segments_address[256*WINDOWS+:256]),
        .segment_words       (segments_words[128*WINDOWS+:128]),
        .segment_zeros       (segments_zeros[96*WINDOWS+:96]),
        .segment_tail        (segments_tail[27*WINDOWS+:27]),
        .in_valid            (ins_valid[3*WINDOWS+:3]),
        .in_ready            (ins_ready[3*WINDOWS+:3]),
        .in_data,
        .line_segment_valid  (line_segments_valid[WINDOWS]),
        .line_segment_ready,
        .line_segment_address(line_segments_address[64*WINDOWS+:64]),
        .line_segment_lines  (line_segments_lines[32*WINDOWS+:32]),
        .line_segment_zeros  (line_segments_zeros[32*WINDOWS+:32]),
        .line_valid,
        .line_ready          (lines_ready[WINDOWS]),
        .line_data,
        .out_valid           (outs_valid[WINDOWS]),
        .out_ready,
        .out_data            (outs_data[512*WINDOWS+:512]),
        .writer_idle
    );
    assign {bad_indices[WINDOWS], pairs_ready[WINDOWS], old_holds[WINDOWS]} = '0;
    assign {bad_indices[SELECTION], pairs_ready[SELECTION], old_holds[SELECTION], carries[SELECTION]} = '0;
  end else begin : g_no_elements
    assign {element_ready, element_valid, element_data, line_segment_ready, line_valid, line_data} = '0;
  end

  // Readers: a, b, and what is already in the destination. That of a reads elements from their memory.
  logic [2:0] asks_granted, answers_valid, pad_errors;
  assign read_valid = asks & {!old_hold, 1'b1, !generated};
  assign asks_granted = {read_ready[2:1] & read_valid[2:1], generated ? element_ready : read_ready[0]};
  assign answers_valid = {response_valid[2:1], generated ? element_valid : response_valid[0]};
  assign old_asked = read_valid[2] && read_ready[2];
  for (genvar i = 0; i < 3; i++) begin : g_reader
    logic unused_idle;
    memory_reader reader (
        .clk,
        .reset,
        .clear,
        .segment_valid  (segment_valid[i]),
        .segment_ready  (segment_ready[i]),
        .segment_address(segment_address[64*i+:64]),
        .segment_words  (segment_words[32*i+:32]),
        .segment_zeros  (segment_zeros[32*i+:32]),
        .segment_tail   (segment_tail[9*i+:9]),
        .out_valid      (in_valid[i]),
        .out_ready      (in_ready[i]),
        .out_data       (in_data[512*i+:512]),
        .pad_error      (pad_errors[i]),
        .idle           (unused_idle),
        .read_valid     (asks[i]),
        .read_ready     (asks_granted[i]),
        .read_address   (read_address[64*i+:64]),
        .response_valid (answers_valid[i]),
        .response_data  (i == 0 && generated ? element_data : response_data)
    );
  end
  assign pad_error = |pad_errors;

  memory_writer writer (
      .clk,
      .reset,
      .power_reset,
      .clear,
      .segment_valid  (segment_valid[3]),
      .segment_ready  (segment_ready[3]),
      .segment_address(segment_address[255:192]),
      .segment_words  (segment_words[127:96]),
      .in_valid       (out_valid),
      .in_ready       (out_ready),
      .in_data        (out_data),
      .idle           (writer_idle),
      .error          (write_error),
      .outstanding    (writes_outstanding),
      .write_valid,
      .write_ready,
      .write_address,
      .write_data,
      .written_valid,
      .written_error
  );

  // Without the engines that use them.
  logic unused;
  assign unused = &{1'b0, accumulate, in_pairs, terms, weight, log2_size, record_address, a_bits, b_bits, operation,
                    affine, reduces, addend, row_excess, record, phi_words, input_words, reciprocal_words,
                    remainder_words, d_from, four_step, cyclic, keeps, kept, b_points, skip, generated, seed_found, seed, purpose, pairs_valid, ins_valid, pair_a,
                    pair_b, old_asked, line_segments_valid, line_segments_address, line_segments_lines, line_segments_zeros,
                    lines_ready, line_segment_ready, line_valid, line_data};
endmodule
`default_nettype wire
