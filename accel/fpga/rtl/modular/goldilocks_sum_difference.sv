// SPDX-License-Identifier: Apache-2.0
// Sums and differences modulo p = 2^64 - 2^32 + 1: the butterfly after its multiplication.
//
//   advance     0 holds everything
//   a, b        in [0, p)
//   sum         a + b mod p in [0, p), two clocks later
//   difference  a - b mod p in [0, p), with it
//
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
  logic [65:0] raw_sum, raw_difference;
  logic [63:0] corrected_sum, corrected_difference;

  always_ff @(posedge clk)
    if (advance) begin
      raw_sum <= {2'b00, a} + {2'b00, b};
      raw_difference <= {2'b00, a} - {2'b00, b};
      sum <= corrected_sum;
      difference <= corrected_difference;
    end

  goldilocks_correct correct_sum (
      .value  (raw_sum),
      .residue(corrected_sum)
  );
  goldilocks_correct correct_difference (
      .value  (raw_difference),
      .residue(corrected_difference)
  );
endmodule
`default_nettype wire
