// SPDX-License-Identifier: Apache-2.0
// The segments of memory behind one operand port of low_latency_multiplier.
//
//   reset                         to idle
//   x_words, y_words              lengths of x and of y; constant while blocks come
//   x_tail, y_tail                bits used in their last words, 0 = all
//   y_in_rows                     1: y is one number, row j is its row j; 0: every row is a number of its own
//   pair_valid, pair_ready        pair_x, pair_y: addresses of x and of the row, or of the y in rows; taken
//                                 with the first block of every row
//   block_valid, block_ready      the port wants a block:
//     block_first                   the first one of a row
//     block_of_y, block             1: row `block` of y; 0: block `block` of x
//   segment_valid, segment_ready  its words, and zeros up to a whole block or row: see memory_reader
//
//   BLOCK_WORDS, ROW_WORDS        of a block of x, of a row of y
//
// A block each three clocks.
`default_nettype none
module block_segments #(
    parameter int BLOCK_WORDS = 7,
    parameter int ROW_WORDS   = 7
) (
    input  logic        clk,
    input  logic        reset,
    input  logic [23:0] x_words,
    input  logic [23:0] y_words,
    input  logic [ 8:0] x_tail,
    input  logic [ 8:0] y_tail,
    input  logic        y_in_rows,
    input  logic        pair_valid,
    output logic        pair_ready,
    input  logic [63:0] pair_x,
    input  logic [63:0] pair_y,
    input  logic        block_valid,
    output logic        block_ready,
    input  logic        block_first,
    input  logic        block_of_y,
    input  logic [31:0] block,
    output logic        segment_valid,
    input  logic        segment_ready,
    output logic [63:0] segment_address,
    output logic [31:0] segment_words,
    output logic [31:0] segment_zeros,
    output logic [ 8:0] segment_tail
);
  logic located, of_y;  // a block waits for its segment
  logic [63:0] x_address, y_address;
  logic [23:0] at, left, whole;

  assign pair_ready = block_valid && block_first && !located && !segment_valid;
  assign block_ready = !located && !segment_valid && (!block_first || pair_valid);
  assign left = (of_y ? y_words : x_words) - at;
  assign whole = of_y ? 24'(ROW_WORDS) : 24'(BLOCK_WORDS);

  always_ff @(posedge clk)
    if (reset) begin
      located <= 1'b0;
      segment_valid <= 1'b0;
    end else begin
      located <= block_valid && block_ready;
      segment_valid <= located || (segment_valid && !segment_ready);
    end
  always_ff @(posedge clk) begin
    if (pair_valid && pair_ready) {x_address, y_address} <= {pair_x, pair_y};
    if (block_valid && block_ready) begin
      of_y <= block_of_y;
      if (block_of_y) at <= y_in_rows ? 24'(block * ROW_WORDS) : 24'd0;
      else at <= 24'(block * BLOCK_WORDS);
    end
    if (located) begin
      segment_address <= (of_y ? y_address : x_address) + {34'd0, at, 6'd0};
      segment_words <= {8'd0, left < whole ? left : whole};
      segment_zeros <= {8'd0, left < whole ? whole - left : 24'd0};
      segment_tail <= left > whole ? 9'd0 : of_y ? y_tail : x_tail;
    end
  end
endmodule
`default_nettype wire
