// SPDX-License-Identifier: Apache-2.0
// Sums and differences modulo p = 2^64 - 2^32 + 1: the butterfly after its multiplication.
//
//   advance     0 holds everything
//   a, b        in [0, p)
//   sum         a + b mod p in [0, p), two clocks later
//   difference  a - b mod p in [0, p), with it
//
// Clock 1: a + b - p and a - b, both in [-p, p); 2: p more where that is negative, which is 2^32 - 1 less modulo 2^64.
// LHW paper, section 4.1.
`default_nettype none
module goldilocks_sum_difference (
    input  logic        clk,
    input  logic        advance,
    input  logic [63:0] a,
    input  logic [63:0] b,
    output logic [63:0] sum,
    output logic [63:0] difference
);
  localparam logic [31:0] EPSILON = 32'hffff_ffff;           // 2^64 - p
  localparam logic [64:0] LESS_P = 65'h1_0000_0000_ffff_ffff;  // -p

  logic [64:0] raw_sum, raw_difference;
  always_ff @(posedge clk)
    if (advance) begin
      raw_sum <= {1'b0, a} + {1'b0, b} + LESS_P;
      raw_difference <= {1'b0, a} - {1'b0, b};
      sum <= raw_sum[63:0] - {32'd0, raw_sum[64] ? EPSILON : 32'd0};
      difference <= raw_difference[63:0] - {32'd0, raw_difference[64] ? EPSILON : 32'd0};
    end
endmodule
`default_nettype wire
