// SPDX-License-Identifier: Apache-2.0
// The words of block products: the halves of two neighbouring blocks at a time, a word of each a clock.
//
//   load       sums: those of a block product, sum i of weight 2^(BITS i), in all below 2^(2 HALF BITS)
//   flush      in place of load, when no other block follows
//   step       a word of each is made; in the HALF clocks after load, HALF + 1 or more after flush
//   first      with the first of them
//   last       with the HALF-th after load; the next load or flush comes with it or later
//   low_word   one clock after step, of the block loaded last: words 0 .. HALF - 1; zeros after a flush
//   high_word  at the same time, of the block before: words HALF .. 2 HALF - 1, then zeros
//
// A sum has more than BITS bits: a registered carry goes on to the next. The chain of the low half
// hands its carry to that of the high half, one block later.
// Super-size paper, section 3.4 and Fig. 4(ii).
`default_nettype none
module column_recovery #(
    parameter int BITS = 224,
    parameter int SUM = 260,
    parameter int HALF = 8
) (
    input  logic                  clk,
    input  logic                  load,
    input  logic                  flush,
    input  logic                  step,
    input  logic                  first,
    input  logic                  last,
    input  logic [2*HALF*SUM-1:0] sums,
    output logic [      BITS-1:0] low_word,
    output logic [      BITS-1:0] high_word
);
  localparam int CARRY = SUM + 1 - BITS;

  logic [2*HALF*SUM-1:0] low_sums;  // what is left of the block, from the next word of its low half on
  logic [HALF*SUM-1:0] high_sums;   // of the block before, from the next word of its high half on
  logic [CARRY-1:0] low_carry, high_carry;
  logic [SUM:0] low, high;

  assign low = {1'b0, low_sums[SUM-1:0]} + (first ? '0 : (SUM + 1)'(low_carry));
  assign high = {1'b0, high_sums[SUM-1:0]} + (first ? (SUM + 1)'(low_carry) : (SUM + 1)'(high_carry));

  always_ff @(posedge clk) begin
    if (load || flush) begin
      low_sums <= load ? sums : '0;
      high_sums <= low_sums[SUM+:HALF*SUM];
    end else if (step) begin
      if (!last) low_sums <= low_sums >> SUM;
      high_sums <= high_sums >> SUM;
    end
    if (step) begin
      {low_carry, low_word} <= low;
      {high_carry, high_word} <= high;
    end
  end
endmodule
`default_nettype wire
