// SPDX-License-Identifier: Apache-2.0
// A product modulo p = 2^BITS + 1.
//
//   value    in [0, 2^(2 BITS)]: what residues in [0, 2^BITS] can have for a product
//   negate   1: of the negative of value
//   residue  value mod p in [0, p), three clocks later
//
// One value per clock. 2^BITS = -1 and 2^(2 BITS) = 1 modulo p: low - middle + top, and p once if that
// is negative. Super-size paper, Fig. 3(ii).
`default_nettype none
module fermat_reduce #(
    parameter int BITS = 64
) (
    input  logic              clk,
    input  logic [2*BITS+1:0] value,
    input  logic              negate,
    output logic [    BITS:0] residue
);
  localparam logic [BITS+1:0] MODULUS = (BITS + 2)'(1) << BITS | (BITS + 2)'(1);

  logic [BITS:0] raised;
  logic [BITS-1:0] lowered;
  logic negating;
  logic [BITS+1:0] difference, corrected;
  assign corrected = difference[BITS+1] ? difference + MODULUS : difference;

  always_ff @(posedge clk) begin
    raised <= (BITS + 1)'(value[BITS-1:0]) + (BITS + 1)'(value[2*BITS+1:2*BITS]);
    lowered <= value[2*BITS-1:BITS];
    negating <= negate;
    difference <= negating ? (BITS + 2)'(lowered) - (BITS + 2)'(raised)
                           : (BITS + 2)'(raised) - (BITS + 2)'(lowered);
    residue <= corrected[BITS:0];
  end

  logic unused;
  assign unused = corrected[BITS+1];
endmodule
`default_nettype wire
