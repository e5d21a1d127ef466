// SPDX-License-Identifier: Apache-2.0
// Engine of the datapath: d = a b, the products of all blocks as one stream; with `accumulate` d = d + a b.
//
//   carry              a sum exceeded d
//   all others         see datapath
//   ROM_DIR            of multiplier768_stream
//
// The blocks are those of product_blocks, walked twice: in front by the segments of their operands, behind by
// their products, however many are between. An operand of a block has 1536 words, or 3072 where the longer
// operand fills more than that, zeros after its end. A destination holds what the blocks before have left, so
// it is read when all that they write is in memory.
// Products come in pairs, one of each processor, every 49,152 clocks; from the operands of the first one to
// their product it is 55,326, and 2048 more with operands of 3072 words. Words of a destination above a product
// take a clock each, which only those of the last blocks add, as long as a block has not more than 10,000.
`default_nettype none
module stream_engine #(
    parameter ROM_DIR = ""
) (
    input  logic          clk,
    input  logic          reset,
    input  logic          start,
    input  logic          accumulate,
    input  logic [  63:0] a_address,
    input  logic [  23:0] a_words,
    input  logic [   8:0] a_tail,
    input  logic [  63:0] b_address,
    input  logic [  23:0] b_words,
    input  logic [   8:0] b_tail,
    input  logic [  63:0] d_address,
    input  logic [  23:0] d_words,
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
    input  logic          writer_idle
);
  `include "register_map.svh"
  localparam logic [23:0] PRODUCT = 24'(PRODUCT_WORDS);
  localparam logic [23:0] HALF = PRODUCT / 24'd2;

  logic starts, full_load;  // one operand is short, the other longer than half of the transforms
  assign starts = start && !busy;
  always_ff @(posedge clk)
    if (starts)
      full_load <= (a_words > HALF || b_words > HALF) && (a_words < HALF || b_words < HALF);

  // In front: the operands of one block after the other, as fast as their segments are taken.
  logic front_valid, front_next;
  logic [1:0] given;  // segments of a and b of this block
  logic [23:0] a_at, a_count, b_at, b_count, total;
  logic unused_full, unused_last;
  logic [23:0] unused_at, unused_result, unused_old;

  product_blocks front (
      .clk,
      .reset,
      .start            (starts),
      .accumulate,
      .a_words,
      .b_words,
      .destination_words(d_words),
      .next             (front_next),
      .valid            (front_valid),
      .a_at,
      .a_count,
      .b_at,
      .b_count,
      .full_load        (unused_full),
      .at               (unused_at),
      .result_words     (unused_result),
      .old_words        (unused_old),
      .last             (unused_last)
  );
  assign total = full_load ? PRODUCT : HALF;

  assign front_next = front_valid && (&(given | segment_ready[1:0]));
  always_ff @(posedge clk)
    if (reset || front_next) given <= 2'd0;
    else given <= given | (segment_valid[1:0] & segment_ready[1:0]);

  assign segment_valid[1:0] = {2{front_valid}} & ~given;
  assign segment_address[63:0] = a_address + {34'd0, a_at, 6'd0};
  assign segment_address[127:64] = b_address + {34'd0, b_at, 6'd0};
  assign segment_words[63:0] = {8'd0, b_count, 8'd0, a_count};
  assign segment_zeros[63:0] = {8'd0, total - b_count, 8'd0, total - a_count};
  assign segment_tail[8:0] = a_at + a_count == a_words ? a_tail : 9'd0;
  assign segment_tail[17:9] = b_at + b_count == b_words ? b_tail : 9'd0;

  // Their products.
  logic [1:0] beat_valid, beat_ready;
  logic [767:0] beats;
  logic product_valid, product_ready, unused_out_last, unused_busy;
  logic [383:0] product;

  for (genvar i = 0; i < 2; i++) begin : g_operand
    gearbox #(
        .IN_BITS (512),
        .OUT_BITS(384)
    ) to_beats (
        .clk,
        .clear    (reset),
        .in_valid (in_valid[i]),
        .in_ready (in_ready[i]),
        .in_data  (in_data[512*i+:512]),
        .out_valid(beat_valid[i]),
        .out_ready(beat_ready[i]),
        .out_data (beats[384*i+:384])
    );
  end
  multiplier768_stream #(
      .ROM_DIR(ROM_DIR)
  ) multiplier (
      .clk,
      .reset,
      .full_load,
      .a_valid  (beat_valid[0]),
      .a_ready  (beat_ready[0]),
      .a_in     (beats[383:0]),
      .b_valid  (beat_valid[1]),
      .b_ready  (beat_ready[1]),
      .b_in     (beats[767:384]),
      .out_valid(product_valid),
      .out_ready(product_ready),
      .product,
      .out_last (unused_out_last),
      .busy     (unused_busy)
  );

  // Behind: the product of one block after the other, added to what is there.
  typedef enum logic [1:0] {
    IDLE,
    BLOCK,  // the next block is being found
    ADD     // its product is awaited, added and written
  } state_t;
  state_t state;

  logic block_valid, block_begins, block_ends, last, sum_idle, sum_last, sum_carry;
  logic [1:0] asked;  // segments of old and of the writer that are to be taken
  logic [23:0] at, result_words, old_words;
  logic unused_full_load, unused_ready;
  logic [23:0] unused_a_at, unused_a_count, unused_b_at, unused_b_count;

  product_blocks behind (
      .clk,
      .reset,
      .start            (starts),
      .accumulate,
      .a_words,
      .b_words,
      .destination_words(d_words),
      .next             (block_ends),
      .valid            (block_valid),
      .a_at             (unused_a_at),
      .a_count          (unused_a_count),
      .b_at             (unused_b_at),
      .b_count          (unused_b_count),
      .full_load        (unused_full_load),
      .at,
      .result_words,
      .old_words,
      .last
  );
  assign block_begins = state == BLOCK && block_valid;
  assign block_ends = state == ADD && sum_idle && writer_idle;

  always_ff @(posedge clk)
    if (reset) asked <= 2'd0;
    else asked <= block_begins ? 2'b11 : asked & ~segment_ready[3:2];
  assign segment_valid[3:2] = asked;
  assign segment_address[255:128] = {2{d_address + {34'd0, at, 6'd0}}};
  assign segment_words[127:64] = {8'd0, result_words, 8'd0, old_words};
  assign segment_zeros[95:64] = {8'd0, result_words - old_words};
  assign segment_tail[26:18] = 9'd0;

  window_sum #(
      .BEAT_BITS(384)
  ) sum (
      .clk,
      .reset,
      .window_valid        (block_begins),
      .window_ready        (unused_ready),
      .window_product_words(32'(PRODUCT_WORDS)),
      .window_result_words ({8'd0, result_words}),
      .beat_valid          (product_valid),
      .beat_ready          (product_ready),
      .beat                (product),
      .old_valid           (in_valid[2]),
      .old_ready           (in_ready[2]),
      .old_data            (in_data[1535:1024]),
      .out_valid,
      .out_ready,
      .out_data,
      .out_last            (sum_last),
      .carry_out           (sum_carry),
      .idle                (sum_idle)
  );

  assign busy = state != IDLE;
  always_ff @(posedge clk)
    if (reset) begin
      state <= IDLE;
      done <= 1'b0;
    end else begin
      done <= block_ends && last;
      if (starts) state <= BLOCK;
      if (block_begins) state <= ADD;
      if (block_ends) state <= last ? IDLE : BLOCK;
    end
  always_ff @(posedge clk)
    if (starts) carry <= 1'b0;
    else if (out_valid && out_ready && sum_last) carry <= carry || sum_carry;  // of any block
endmodule
`default_nettype wire
