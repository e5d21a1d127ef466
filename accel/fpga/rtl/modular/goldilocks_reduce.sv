// SPDX-License-Identifier: Apache-2.0
// A product modulo p = 2^64 - 2^32 + 1, out of the four products of the halves of its factors.
//
//   advance   0 holds everything
//   low_low, low_high, high_low, high_high
//             any 64 bits each
//   residue   low_low + 2^32 (low_high + high_low) + 2^64 high_high mod p in [0, p), four clocks later
//
// One product per clock. With 2^64 = 2^32 - 1 and 2^96 = -1 modulo p, and upper and lower halves u and l:
//   low_low + 2^32 (low_high.l + high_low.l + low_high.u + high_low.u + high_high.l)
//           - (low_high.u + high_low.u + high_high.l + high_high.u)
// Clock 1: the two sums in brackets; 2: their difference, less a multiple of p by which 66 bits hold it; 3 and 4: the
// correction. FFT paper, section III-C and Fig. 7.
`default_nettype none
module goldilocks_reduce (
    input  logic        clk,
    input  logic        advance,
    input  logic [63:0] low_low,
    input  logic [63:0] low_high,
    input  logic [63:0] high_low,
    input  logic [63:0] high_high,
    output logic [63:0] residue
);
  // `raised` of weight 2^32 is 2^32 too large. What it has at weight 2^64, in 1..5, counts 2^32 - 1 each.
  logic [34:0] raised;
  logic [33:0] lowered;
  logic [63:0] kept;
  logic [65:0] difference;

  always_ff @(posedge clk)
    if (advance) begin
      raised <= 35'(low_high[31:0]) + 35'(high_low[31:0]) + 35'(low_high[63:32]) + 35'(high_low[63:32]) +
                35'(high_high[31:0]) + {3'd1, 32'd0};
      lowered <= 34'(low_high[63:32]) + 34'(high_low[63:32]) + 34'(high_high[31:0]) + 34'(high_high[63:32]);
      kept <= low_low;
      difference <= {2'd0, kept} + {2'b11, raised[31:0], 32'd0} + {31'd0, raised[34:32], 32'd0} -
                    {63'd0, raised[34:32]} - {32'd0, lowered};
    end

  goldilocks_correct correct (
      .clk,
      .advance,
      .value(difference),
      .residue
  );
endmodule
`default_nettype wire
