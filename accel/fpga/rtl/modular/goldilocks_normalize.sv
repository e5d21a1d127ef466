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

  logic [64:0] positive, negative;
  logic [65:0] difference;
  logic [63:0] corrected;

  always_ff @(posedge clk) begin
    positive <= {1'b0, e, f} + {1'b0, d, a};
    negative <= {1'b0, b, c} + {1'b0, a, d};
    difference <= {1'b0, positive} - {1'b0, negative};
    residue <= corrected;
  end

  goldilocks_correct correct (
      .value  (difference),
      .residue(corrected)
  );
endmodule
`default_nettype wire
