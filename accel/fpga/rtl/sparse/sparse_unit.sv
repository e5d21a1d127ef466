// SPDX-License-Identifier: Apache-2.0
// out = old + x y for a y with few one-bits, given by their indices, in words of 512 bits.
//
//   reset                 to idle, whatever is under way
//   ready                 start is heard
//   start                 one clock, and with it:
//     weight                how many indices are used, 0..15
//     indices               16 bits each, the first one lowest, of which the lower 12 count
//     x_words, result_words lengths: 1 <= x_words <= result_words
//   x_valid, x_ready      x_data: x_words words, the lowest first
//   old_valid, old_ready  old_data: result_words words
//   out_valid, out_ready  out_data: result_words words; each leaves after its old one was taken
//   busy, done            done is one clock, after the last word of a result; busy until the last of them
//   overflow              from the last done on: a carry left its last word; bits of x y above it are lost unseen
//
//   BLOCK_BITS            of lhw_multiplier: 64, 128 or 256
//
// One block a clock while no side stalls: done in clock weight + 30 + blocks of the result after start.
// First the indices are written, one a clock, while the first words arrive. A product may follow while the one
// before is under way, with the same lengths, see lhw_multiplier: then its indices are written meanwhile, and
// its blocks follow without a gap.
`default_nettype none
module sparse_unit #(
    parameter int BLOCK_BITS = 256
) (
    input  logic         clk,
    input  logic         reset,
    output logic         ready,
    input  logic         start,
    input  logic [  3:0] weight,
    input  logic [ 31:0] x_words,
    input  logic [ 31:0] result_words,
    input  logic [239:0] indices,
    output logic         busy,
    output logic         done,
    output logic         overflow,
    input  logic         x_valid,
    output logic         x_ready,
    input  logic [511:0] x_data,
    input  logic         old_valid,
    output logic         old_ready,
    input  logic [511:0] old_data,
    output logic         out_valid,
    input  logic         out_ready,
    output logic [511:0] out_data
);
  localparam int WEIGHT = 15;
  localparam int INDEX_BITS = 12;
  localparam int WORD_BLOCKS = 512 / BLOCK_BITS;

  // The command. Indices move down, so that the next one to be written is the lowest.
  logic starts, preparing, prepared, out_leaves, ends, indices_ready, multiplier_ready, multiplier_starts;
  logic [3:0] slot, weight_used;
  logic [31:0] x_blocks, result_blocks, out_words, out_left;
  logic [239:0] indices_left;
  logic [1:0] under_way;

  assign busy = under_way != 2'd0;
  assign ready = !preparing && (!busy || indices_ready);
  assign starts = start && ready;
  assign prepared = preparing && slot == weight_used;
  assign multiplier_starts = prepared && multiplier_ready;
  assign out_leaves = out_valid && out_ready;
  assign ends = out_leaves && out_left == 32'd1;

  always_ff @(posedge clk)
    if (reset) begin
      under_way <= 2'd0;
      done <= 1'b0;
      preparing <= 1'b0;
    end else begin
      done <= ends;
      under_way <= under_way + 2'(starts) - 2'(ends);
      if (starts) preparing <= 1'b1;
      else if (multiplier_starts) preparing <= 1'b0;
    end
  always_ff @(posedge clk) begin
    if (starts) begin
      slot <= 4'd0;
      weight_used <= weight;
      indices_left <= indices;
      x_blocks <= x_words * WORD_BLOCKS;
      result_blocks <= result_words * WORD_BLOCKS;
      out_words <= result_words;
    end else if (preparing && !prepared) begin
      slot <= slot + 4'd1;
      indices_left <= indices_left >> 16;
    end
    if (starts && !busy) out_left <= result_words;
    else if (out_leaves) out_left <= ends ? out_words : out_left - 32'd1;
  end

  // Words to blocks and back.
  logic x_block_valid, x_block_ready, old_block_valid, old_block_ready;
  logic z_block_valid, z_block_ready;
  logic [BLOCK_BITS-1:0] x_block, old_block, z_block;

  gearbox #(
      .IN_BITS (512),
      .OUT_BITS(BLOCK_BITS)
  ) x_blocks_of_words (
      .clk,
      .clear    (reset),
      .in_valid (x_valid),
      .in_ready (x_ready),
      .in_data  (x_data),
      .out_valid(x_block_valid),
      .out_ready(x_block_ready),
      .out_data (x_block)
  );
  gearbox #(
      .IN_BITS (512),
      .OUT_BITS(BLOCK_BITS)
  ) old_blocks_of_words (
      .clk,
      .clear    (reset),
      .in_valid (old_valid),
      .in_ready (old_ready),
      .in_data  (old_data),
      .out_valid(old_block_valid),
      .out_ready(old_block_ready),
      .out_data (old_block)
  );
  gearbox #(
      .IN_BITS (BLOCK_BITS),
      .OUT_BITS(512)
  ) words_of_blocks (
      .clk,
      .clear    (reset),
      .in_valid (z_block_valid),
      .in_ready (z_block_ready),
      .in_data  (z_block),
      .out_valid,
      .out_ready,
      .out_data
  );

  logic multiplier_busy, multiplier_done;
  logic [31:0] multiplier_cycles;
  lhw_multiplier #(
      .BLOCK_BITS(BLOCK_BITS),
      .WEIGHT    (WEIGHT),
      .INDEX_BITS(INDEX_BITS)
  ) multiplier (
      .clk,
      .reset,
      .indices_ready,
      .index_write(preparing && !prepared),
      .index_slot (slot),
      .index      (indices_left[INDEX_BITS-1:0]),
      .ready      (multiplier_ready),
      .start      (multiplier_starts),
      .weight     (weight_used),
      .accumulate (1'b1),
      .x_blocks,
      .z_blocks   (result_blocks),
      .busy       (multiplier_busy),
      .done       (multiplier_done),
      .cycles     (multiplier_cycles),
      .overflow,
      .x_valid    (x_block_valid),
      .x_ready    (x_block_ready),
      .x          (x_block),
      .old_valid  (old_block_valid),
      .old_ready  (old_block_ready),
      .old        (old_block),
      .z_valid    (z_block_valid),
      .z_ready    (z_block_ready),
      .z          (z_block)
  );

  logic unused;
  assign unused = &{1'b0, multiplier_busy, multiplier_done, multiplier_cycles};
endmodule
`default_nettype wire
