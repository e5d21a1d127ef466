// SPDX-License-Identifier: Apache-2.0
// From the 192-bit wide representation, where 2^192 = 1, back to a residue of p = 2^64 - 2^32 + 1.
//
//   value    any 192 bits
//   residue  value mod p in [0, p), three clocks later
//
// One value per clock. With value = 2^160 a + 2^128 b + 2^96 c + 2^64 d + 2^32 e + f:
//   (2^32 e + f) + (2^32 d + a) - (2^32 b + c) - (2^32 a + d)      FFT paper, eq. (7)
`default_nettype none
module goldilocks_normalize (
    input  logic         clk,
    input  logic [191:0] value,
    output logic [ 63:0] residue
);
  logic [31:0] a, b, c, d, e, f;
  assign {a, b, c, d, e, f} = value;

  logic [65:0] difference;
  always_ff @(posedge clk) difference <= {2'd0, e, f} + {2'd0, d, a} - {2'd0, b, c} - {2'd0, a, d};

  goldilocks_correct correct (
      .clk,
      .advance(1'b1),
      .value  (difference),
      .residue
  );
endmodule
`default_nettype wire
