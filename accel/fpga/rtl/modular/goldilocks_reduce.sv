// SPDX-License-Identifier: Apache-2.0
// A 128-bit integer modulo p = 2^64 - 2^32 + 1.
//
//   advance  0 holds everything
//   value    any 128 bits
//   residue  value mod p in [0, p), three clocks later
//
// One value per clock. value = 2^96 a + 2^64 b + 2^32 c + d = 2^32 (b + c) + d - (a + b) modulo p:
// sums, difference, correction. FFT paper, section III-C and Fig. 7.
`default_nettype none
module goldilocks_reduce (
    input  logic         clk,
    input  logic         advance,
    input  logic [127:0] value,
    output logic [ 63:0] residue
);
  logic [31:0] a, b, c, d;
  assign {a, b, c, d} = value;

  logic [32:0] raised;   // b + c, of weight 2^32
  logic [32:0] lowered;  // a + b
  logic [31:0] kept;     // d
  logic [65:0] difference;
  logic [63:0] corrected;

  always_ff @(posedge clk)
    if (advance) begin
      raised <= {1'b0, b} + {1'b0, c};
      lowered <= {1'b0, a} + {1'b0, b};
      kept <= d;
      difference <= {1'b0, raised, kept} - {33'd0, lowered};
      residue <= corrected;
    end

  goldilocks_correct correct (
      .value  (difference),
      .residue(corrected)
  );
endmodule
`default_nettype wire
