// SPDX-License-Identifier: Apache-2.0
// Products of integers of any length in a memory of words, a block product every eight clocks.
//
//   reset            to idle, whatever is under way
//   start, ready     start is heard when ready = 1, and with it:
//     x_at, y_at       addresses of the operands, and
//     fresh            a mark that comes out with their terms
//     extend          zeros follow the product, or its terms, up to `room` words in all. No product
//                      may follow it while busy = 1
//   x_words, y_words, product_at, room, accumulate
//                    lengths of the operands, at least 1, and what block_accumulate is told. They hold
//                    still while busy = 1; products that share them may follow each other at once.
//                    The product has x_words + y_words words, or `room`, and lies on neither operand
//   busy             products are under way
//   x_*, y_*, partial_*, product_*
//                    three reads of the memory, which answers in the next clock, and one write
//   term_*           as block_accumulate gives them
//   finished         one clock, after the last word of a product
//
//   MODULUS, POINTS, DIGIT   as of block_product. A block of an operand has POINTS / 2 digits, a word
//                    POINTS / 16, so a block is eight words
//
// With X and Y blocks of the operands: 8 X Y + 9 clocks from one product to the next, and from start to
// finished 8 X Y + 16 log2(POINTS) + log2(POINTS / 16) + 29, and one for each word of `room` beyond 8 (X + Y) + 1.
// Super-size paper, section 3, eq. (12).
`default_nettype none
module super_size_multiplier #(
    parameter logic [64:0] MODULUS = 65'h0_ffff_ffff_0000_0001,
    parameter int POINTS = 16,
    parameter int DIGIT = 28,
    localparam int BITS = POINTS / 16 * DIGIT
) (
    input  logic            clk,
    input  logic            reset,
    input  logic            start,
    output logic            ready,
    output logic            busy,
    input  logic [    31:0] x_at,
    input  logic [    31:0] y_at,
    input  logic            fresh,
    input  logic            extend,
    input  logic [    31:0] x_words,
    input  logic [    31:0] y_words,
    input  logic [    31:0] product_at,
    input  logic [    31:0] room,
    input  logic            accumulate,
    output logic            x_read,
    output logic [    31:0] x_address,
    input  logic [BITS-1:0] x_word,
    output logic            y_read,
    output logic [    31:0] y_address,
    input  logic [BITS-1:0] y_word,
    output logic            partial_read,
    output logic [    31:0] partial_address,
    input  logic [BITS-1:0] partial_word,
    output logic            product_write,
    output logic [    31:0] product_address,
    output logic [BITS-1:0] product_word,
    output logic            term_next,
    output logic [    31:0] term_offset,
    output logic            term_fresh,
    output logic [BITS-1:0] term,
    output logic            term_first,
    output logic            term_last,
    output logic            finished
);
  localparam int HALF = 8;  // words of a block
  localparam int GROUP = POINTS / 16;
  localparam int COLUMN = 2 * DIGIT + $clog2(POINTS) - 1;
  localparam int SUM = COLUMN + DIGIT * (GROUP - 1) + 1;
  localparam int LATENCY = 16 * $clog2(POINTS) + 7 + $clog2(GROUP);  // of block_product and adder_tree

  logic block_valid;
  logic [5:0] place, place_late;
  logic [HALF*BITS-1:0] x, y;
  logic [POINTS*COLUMN-1:0] columns;
  logic [2*HALF*SUM-1:0] sums;

  block_reader #(
      .BITS(BITS),
      .HALF(HALF)
  ) reader (
      .clk,
      .reset,
      .start,
      .ready,
      .x_at,
      .y_at,
      .x_words,
      .y_words,
      .fresh,
      .extend,
      .x_read,
      .x_address,
      .x_word,
      .y_read,
      .y_address,
      .y_word,
      .block_valid,
      .x,
      .y,
      .row_first    (place[5]),
      .row_last     (place[4]),
      .column_first (place[3]),
      .column_last  (place[2]),
      .block_fresh  (place[1]),
      .block_extend(place[0])
  );

  block_product #(
      .MODULUS(MODULUS),
      .POINTS (POINTS),
      .DIGIT  (DIGIT)
  ) multiply (
      .clk,
      .x,
      .y,
      .columns
  );
  adder_tree #(
      .COUNT (2 * HALF),
      .GROUP (GROUP),
      .COLUMN(COLUMN),
      .DIGIT (DIGIT)
  ) tree (
      .clk,
      .columns,
      .words(sums)
  );

  logic [LATENCY-1:0] valid;
  always_ff @(posedge clk) valid <= reset ? '0 : {valid[LATENCY-2:0], block_valid};
  delay_line #(
      .WIDTH (6),
      .CLOCKS(LATENCY)
  ) places (
      .clk,
      .in (place),
      .out(place_late)
  );

  block_accumulate #(
      .BITS(BITS),
      .SUM (SUM),
      .HALF(HALF)
  ) accumulator (
      .clk,
      .reset,
      .block_valid  (valid[LATENCY-1]),
      .row_first    (place_late[5]),
      .row_last     (place_late[4]),
      .column_first (place_late[3]),
      .column_last  (place_late[2]),
      .fresh        (place_late[1]),
      .extend      (place_late[0]),
      .sums,
      .product_at,
      .product_words(x_words + y_words),
      .room,
      .accumulate,
      .partial_read,
      .partial_address,
      .partial_word,
      .product_write,
      .product_address,
      .product_word,
      .term_next,
      .term_offset,
      .term_fresh,
      .term,
      .term_first,
      .term_last,
      .finished
  );

  // Products under way, 17 or more clocks apart: fewer than 16 of them.
  logic [4:0] under_way;
  assign busy = under_way != 5'd0;
  always_ff @(posedge clk)
    if (reset) under_way <= 5'd0;
    else under_way <= under_way + 5'(start && ready) - 5'(finished);
endmodule
`default_nettype wire
