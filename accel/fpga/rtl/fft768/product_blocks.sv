// SPDX-License-Identifier: Apache-2.0
// The blocks of a product of two long integers, in the order in which their products can be added up.
//
//   start              with the lengths of the operands and of the destination, in words of 512 bits,
//                      destination_words >= 1; they stay while blocks are shown
//   valid              a block is shown
//   next               the shown block is done; the following one is shown three clocks later, unless
//                      the shown one was the last
//   a_at, a_count      its words of the first operand
//   b_at, b_count      its words of the second one; a count may be 0
//   full_load          its operands fill more than half of the transforms
//   at, result_words   the words of the destination that it adds to; at = a_at + b_at
//   old_words          how many of them hold something already, from the first on
//   last               no block follows
//
// A shorter operand of up to 1536 words is one block, beside blocks of 3072 less its words; two longer
// operands are cut into blocks of 1536 words, taken column by column: all with the same `at`, then
// those 1536 words higher. So what is already there ends at most one word (for carries) behind the
// product, and no addition runs through the whole destination, except where it must: with `accumulate`,
// and the last block, which fills the destination with zeros.
`default_nettype none
module product_blocks (
    input  logic        clk,
    input  logic        reset,
    input  logic        start,
    input  logic        accumulate,
    input  logic [23:0] a_words,
    input  logic [23:0] b_words,
    input  logic [23:0] destination_words,
    input  logic        next,
    output logic        valid,
    output logic [23:0] a_at,
    output logic [23:0] a_count,
    output logic [23:0] b_at,
    output logic [23:0] b_count,
    output logic        full_load,
    output logic [23:0] at,
    output logic [23:0] result_words,
    output logic [23:0] old_words,
    output logic        last
);
  `include "register_map.svh"
  localparam logic [23:0] PRODUCT = 24'(PRODUCT_WORDS);
  localparam logic [23:0] HALF = PRODUCT / 24'd2;

  logic b_longer;
  logic [23:0] long_words, short_words, long_at, long_count, short_at, short_count;
  assign b_longer = b_words > a_words;
  assign {long_words, short_words} = b_longer ? {b_words, a_words} : {a_words, b_words};
  assign {a_at, a_count} = b_longer ? {short_at, short_count} : {long_at, long_count};
  assign {b_at, b_count} = b_longer ? {long_at, long_count} : {short_at, short_count};

  logic [23:0] step, column_long, column_short, filled;
  logic [23:0] long_left, short_left, room, overlap, wanted;
  logic column_goes_on, short_advances, long_advances, another_column, ends;
  logic [1:0] settling;

  // First clock after a change: where the block lies and what follows it.
  always_ff @(posedge clk) begin
    at <= long_at + short_at;
    long_left <= long_words - long_at;
    short_left <= short_words - short_at;
    column_goes_on <= short_at != 24'd0 && long_at + step < long_words;
    short_advances <= column_short + step < short_words;
    long_advances <= column_long + step < long_words;
  end

  // Second clock: its sizes.
  assign another_column = (short_advances || long_advances) && at + step < destination_words;
  assign room = destination_words - at;
  assign overlap = filled > at ? filled - at : 24'd0;
  assign ends = !column_goes_on && !another_column;
  assign wanted = accumulate || ends || room < PRODUCT + 24'd1 ? room : PRODUCT + 24'd1;
  always_ff @(posedge clk) begin
    long_count <= long_left < step ? long_left : step;
    short_count <= short_left < step ? short_left : step;
    full_load <= long_left > HALF && step > HALF;
    result_words <= wanted;
    old_words <= overlap < wanted ? overlap : wanted;
    last <= ends;
  end

  always_ff @(posedge clk)
    if (reset) begin
      valid <= 1'b0;
      settling <= 2'd0;
    end else if (start || (next && !last)) begin
      valid <= 1'b0;
      settling <= 2'd2;
    end else if (next) begin
      valid <= 1'b0;
    end else if (settling != 2'd0) begin
      settling <= settling - 2'd1;
      valid <= settling == 2'd1;
    end

  always_ff @(posedge clk)
    if (start) begin
      step <= short_words > HALF ? HALF : PRODUCT - short_words;
      long_at <= 24'd0;
      short_at <= 24'd0;
      column_long <= 24'd0;
      column_short <= 24'd0;
      filled <= accumulate ? destination_words : 24'd0;
    end else if (next) begin
      if (filled < at + result_words) filled <= at + result_words;
      if (column_goes_on) begin
        long_at <= long_at + step;
        short_at <= short_at - step;
      end else if (short_advances) begin
        column_short <= column_short + step;
        short_at <= column_short + step;
        long_at <= column_long;
      end else begin
        column_long <= column_long + step;
        short_at <= column_short;
        long_at <= column_long + step;
      end
    end
endmodule
`default_nettype wire
