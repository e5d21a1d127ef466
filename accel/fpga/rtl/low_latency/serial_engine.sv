// SPDX-License-Identifier: Apache-2.0
// Engine of the datapath: products and sums of products through low_latency_multiplier, whose rows follow
// each other without a gap.
//
//   sum            0: d = a b, and with `accumulate` d = d + a b; y, the shorter operand, is cut into rows
//                  1: d = sum of A_i B_i, `terms` >= 1 of them; each B_i is one row
//   a_words, b_words   any lengths; of every A_i, of every B_i: then b_words <= the words of a row
//   d_words        at least 1, and b_words, a_words, one of both; what exceeds d must be zero
//   carry          d + a b exceeded d
//   all others     see datapath
//
//   LOG2_POINTS, ROM_DIR   of low_latency_multiplier
//
// Blocks of x have BLOCK_WORDS words, rows of y ROW_WORDS. The product of a row and the X blocks of x has
// X BLOCK_WORDS + ROW_WORDS words, of which the next row adds all but the first ROW_WORDS to its own, in a
// sum all. So a sum of 65,535 products fits there if each leaves 16 bits. Old words are asked for as soon as
// the row before has written them: rows wait only where they are shorter than the way through memory.
//
// In all, with answers of memory after L clocks: those of low_latency_multiplier, and 42 + 2 L; and one for
// each word of d above the last row, which are zeros, or with `accumulate` old words. With `accumulate`
// every row goes on to the end of d, and the next one waits for that.
`default_nettype none
module serial_engine #(
    parameter int LOG2_POINTS = 8,
    parameter ROM_DIR = ""
) (
    input  logic          clk,
    input  logic          reset,
    input  logic          start,
    input  logic          sum,
    input  logic          accumulate,
    input  logic [  15:0] terms,
    input  logic [  63:0] a_address,
    input  logic [  23:0] a_words,
    input  logic [   8:0] a_tail,
    input  logic [  63:0] b_address,
    input  logic [  23:0] b_words,
    input  logic [   8:0] b_tail,
    input  logic [  63:0] d_address,
    input  logic [  23:0] d_words,
    input  logic          pair_valid,
    output logic          pair_ready,
    input  logic [  63:0] pair_a,
    input  logic [  63:0] pair_b,
    output logic          busy,
    output logic          done,
    output logic          carry,
    output logic [   3:0] segment_valid,
    input  logic [   3:0] segment_ready,
    output logic [ 255:0] segment_address,
    output logic [ 127:0] segment_words,
    output logic [  95:0] segment_zeros,
    output logic [  26:0] segment_tail,
    input  logic [   2:0] in_valid,
    output logic [   2:0] in_ready,
    input  logic [1535:0] in_data,
    output logic          out_valid,
    input  logic          out_ready,
    output logic [ 511:0] out_data,
    input  logic          writer_idle,
    input  logic          written,
    output logic          old_hold,
    input  logic          old_asked
);
  localparam int BLOCK_WORDS = 7 * 2 ** (LOG2_POINTS - 8);
  localparam int ROW_WORDS = BLOCK_WORDS < 21 ? BLOCK_WORDS : 21;

  typedef enum logic [1:0] {
    IDLE,
    MEASURE,  // blocks and rows are counted
    FEED,     // the multiplier starts
    RUN
  } state_t;
  state_t state;
  logic starts, ends;
  assign starts = start && !busy;
  assign busy = state != IDLE;

  // The longer operand is x.
  logic swapped, x_counted, y_counted;
  logic [8:0] x_tail, y_tail;
  logic [23:0] x_words, y_words;
  logic [63:0] x_address, y_address;
  logic [31:0] x_whole, y_whole, x_blocks, y_rows;
  assign swapped = !sum && b_words > a_words;
  assign {x_address, x_words, x_tail} = swapped ? {b_address, b_words, b_tail} : {a_address, a_words, a_tail};
  assign {y_address, y_words, y_tail} = swapped ? {a_address, a_words, a_tail} : {b_address, b_words, b_tail};
  word_quotient #(
      .BITS(BLOCK_WORDS)
  ) count_x (
      .clk,
      .reset,
      .start   (starts),
      .bits    ({8'd0, x_words} + 32'(BLOCK_WORDS - 1)),
      .quotient(x_whole),
      .done    (x_counted)
  );
  word_quotient #(
      .BITS(ROW_WORDS)
  ) count_y (
      .clk,
      .reset,
      .start   (starts),
      .bits    ({8'd0, y_words} + 32'(ROW_WORDS - 1)),
      .quotient(y_whole),
      .done    (y_counted)
  );
  logic [31:0] product_words;  // of a row
  logic [23:0] row_words;      // of these that can be other than zero
  assign row_words = 24'(product_words - 32'(BLOCK_WORDS - ROW_WORDS));
  always_ff @(posedge clk) begin
    x_blocks <= x_whole == 32'd0 ? 32'd1 : x_whole;
    y_rows <= sum ? {16'd0, terms} : y_whole == 32'd0 ? 32'd1 : y_whole;
    product_words <= (x_whole == 32'd0 ? 32'd2 : x_whole + 32'd1) * BLOCK_WORDS;
  end

  // Operands: each port walks all rows on its own.
  logic a_pair_valid, b_pair_valid, a_pair_ready, b_pair_ready, a_pair_room, b_pair_room;
  logic [127:0] a_pair, b_pair;
  logic a_block_valid, a_block_ready, a_block_of_y, b_block_valid, b_block_ready;
  logic [31:0] a_block, b_block;
  assign pair_ready = busy && a_pair_room && b_pair_room;
  fifo #(
      .WIDTH(128),
      .DEPTH(4)
  ) a_pairs (
      .clk,
      .reset,
      .in_valid (pair_valid && busy && b_pair_room),
      .in_ready (a_pair_room),
      .in_data  ({pair_a, pair_b}),
      .out_valid(a_pair_valid),
      .out_ready(a_pair_ready),
      .out_data (a_pair)
  );
  fifo #(
      .WIDTH(128),
      .DEPTH(4)
  ) b_pairs (
      .clk,
      .reset,
      .in_valid (pair_valid && busy && a_pair_room),
      .in_ready (b_pair_room),
      .in_data  ({pair_a, pair_b}),
      .out_valid(b_pair_valid),
      .out_ready(b_pair_ready),
      .out_data (b_pair)
  );
  block_segments #(
      .BLOCK_WORDS(BLOCK_WORDS),
      .ROW_WORDS  (ROW_WORDS)
  ) a_segments (
      .clk,
      .reset,
      .x_words,
      .y_words,
      .x_tail,
      .y_tail,
      .y_in_rows      (!sum),
      .pair_valid     (a_pair_valid || !sum),
      .pair_ready     (a_pair_ready),
      .pair_x         (sum ? a_pair[127:64] : x_address),
      .pair_y         (sum ? a_pair[63:0] : y_address),
      .block_valid    (a_block_valid),
      .block_ready    (a_block_ready),
      .block_first    (a_block_of_y),
      .block_of_y     (a_block_of_y),
      .block          (a_block),
      .segment_valid  (segment_valid[0]),
      .segment_ready  (segment_ready[0]),
      .segment_address(segment_address[63:0]),
      .segment_words  (segment_words[31:0]),
      .segment_zeros  (segment_zeros[31:0]),
      .segment_tail   (segment_tail[8:0])
  );
  block_segments #(
      .BLOCK_WORDS(BLOCK_WORDS),
      .ROW_WORDS  (ROW_WORDS)
  ) b_segments (
      .clk,
      .reset,
      .x_words,
      .y_words,
      .x_tail,
      .y_tail,
      .y_in_rows      (!sum),
      .pair_valid     (b_pair_valid || !sum),
      .pair_ready     (b_pair_ready),
      .pair_x         (sum ? b_pair[127:64] : x_address),
      .pair_y         (sum ? b_pair[63:0] : y_address),
      .block_valid    (b_block_valid),
      .block_ready    (b_block_ready),
      .block_first    (b_block == 32'd0),
      .block_of_y     (1'b0),
      .block          (b_block),
      .segment_valid  (segment_valid[1]),
      .segment_ready  (segment_ready[1]),
      .segment_address(segment_address[127:64]),
      .segment_words  (segment_words[63:32]),
      .segment_zeros  (segment_zeros[63:32]),
      .segment_tail   (segment_tail[17:9])
  );

  logic a_valid, a_ready, b_valid, b_ready, z_valid, z_ready;
  logic [27:0] a, b;
  logic [55:0] z;
  gearbox #(
      .IN_BITS (512),
      .OUT_BITS(28)
  ) a_digits (
      .clk,
      .clear    (reset),
      .in_valid (in_valid[0]),
      .in_ready (in_ready[0]),
      .in_data  (in_data[511:0]),
      .out_valid(a_valid),
      .out_ready(a_ready),
      .out_data (a)
  );
  gearbox #(
      .IN_BITS (512),
      .OUT_BITS(28)
  ) b_digits (
      .clk,
      .clear    (reset),
      .in_valid (in_valid[1]),
      .in_ready (in_ready[1]),
      .in_data  (in_data[1023:512]),
      .out_valid(b_valid),
      .out_ready(b_ready),
      .out_data (b)
  );

  // Rows come as products of their own; they are added below.
  logic multiplier_busy, unused_done, unused_old_ready, unused_row_ends;
  logic [31:0] unused_cycles, unused_old_address, unused_z_address;
  low_latency_multiplier #(
      .LOG2_POINTS(LOG2_POINTS),
      .ROM_DIR    (ROM_DIR)
  ) multiplier (
      .clk,
      .reset,
      .start        (state == FEED),
      .x_blocks,
      .y_rows,
      .busy         (multiplier_busy),
      .done         (unused_done),
      .cycles       (unused_cycles),
      .a_block_valid,
      .a_block_ready,
      .a_block_of_y,
      .a_block,
      .a_valid,
      .a_ready,
      .a,
      .b_block_valid,
      .b_block_ready,
      .b_block,
      .b_valid,
      .b_ready,
      .b,
      .old_valid    (1'b1),
      .old_ready    (unused_old_ready),
      .old_address  (unused_old_address),
      .old          (56'd0),
      .z_valid,
      .z_ready,
      .z_address    (unused_z_address),
      .z_row_ends   (unused_row_ends),
      .z
  );

  // A row is read, added and written where the one before was, `step` words further on. The last one,
  // and with `accumulate` every one, goes on to the end of d.
  logic window_ready, sums_idle, out_last, out_carry, gives, to_the_end;
  logic [2:0] giving;  // to the reader, to the sums, to the writer
  logic [23:0] step, room, next_old, bounded, result, old, asking;
  logic [31:0] rows_left;
  logic [63:0] address, next_address;
  assign step = sum ? 24'd0 : 24'(ROW_WORDS);
  assign gives = state == RUN && giving == 3'd0 && asking == 24'd0 && rows_left != 32'd0;
  assign to_the_end = rows_left == 32'd1 || (accumulate && !sum);

  always_ff @(posedge clk)
    if (reset || starts) giving <= 3'd0;
    else if (gives) giving <= 3'b111;
    else giving <= giving & ~{segment_ready[3], window_ready, segment_ready[2]};
  always_ff @(posedge clk) begin
    bounded <= row_words < room ? row_words : room;
    if (state == FEED) rows_left <= y_rows;
    if (starts) begin
      next_address <= d_address;
      room <= d_words;
      next_old <= accumulate && !sum ? d_words : 24'd0;
    end else if (gives) begin
      rows_left <= rows_left - 32'd1;
      address <= next_address;
      result <= to_the_end ? room : bounded;
      old <= next_old;
      next_address <= next_address + {34'd0, step, 6'd0};
      room <= room - step;
      next_old <= (to_the_end ? room : bounded) - step;
    end
  end

  // Words of d may be asked for again when the row before wrote them. `ahead`: how many there are.
  logic signed [31:0] ahead;
  assign old_hold = ahead <= 32'sd0;
  always_ff @(posedge clk)
    if (starts) begin
      asking <= 24'd0;
      ahead <= {8'd0, accumulate && !sum ? d_words : 24'd0} + {8'd0, step};
    end else if (gives) begin
      asking <= next_old;
      ahead <= ahead + 32'(written) - {8'd0, step};
    end else begin
      asking <= asking - 24'(old_asked);
      ahead <= ahead + 32'(written) - 32'(old_asked);
    end

  assign segment_valid[3:2] = {giving[2], giving[0]};
  assign segment_address[255:128] = {2{address}};
  assign segment_words[127:64] = {8'd0, result, 8'd0, old};
  assign segment_zeros[95:64] = {8'd0, result - old};
  assign segment_tail[26:18] = 9'd0;
  window_sum #(
      .BEAT_BITS(56)
  ) sums (
      .clk,
      .reset,
      .window_valid        (giving[1]),
      .window_ready,
      .window_product_words(product_words),
      .window_result_words ({8'd0, result}),
      .beat_valid          (z_valid),
      .beat_ready          (z_ready),
      .beat                (z),
      .old_valid           (in_valid[2]),
      .old_ready           (in_ready[2]),
      .old_data            (in_data[1535:1024]),
      .out_valid,
      .out_ready,
      .out_data,
      .out_last,
      .carry_out           (out_carry),
      .idle                (sums_idle)
  );

  // The operation.
  assign ends = state == RUN && rows_left == 32'd0 && giving == 3'd0 && sums_idle && writer_idle;
  always_ff @(posedge clk)
    if (reset) begin
      state <= IDLE;
      done  <= 1'b0;
    end else begin
      done <= ends;
      case (state)
        IDLE: if (start) state <= MEASURE;
        MEASURE: if (x_counted && y_counted) state <= FEED;
        FEED: state <= RUN;
        RUN: if (ends) state <= IDLE;
      endcase
    end
  always_ff @(posedge clk)
    if (starts) carry <= 1'b0;
    else if (out_valid && out_ready && out_last && out_carry) carry <= 1'b1;

  logic unused;
  assign unused = &{1'b0, multiplier_busy, unused_done, unused_cycles, unused_old_ready,
                    unused_old_address, unused_z_address, unused_row_ends};
endmodule
`default_nettype wire
