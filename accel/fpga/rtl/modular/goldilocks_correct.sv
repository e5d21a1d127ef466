// SPDX-License-Identifier: Apache-2.0
// The last step of every reduction modulo p = 2^64 - 2^32 + 1: a short integer to its residue.
//
//   value    any 66 bits, signed
//   residue  value mod p, in [0, p)
//
// Combinational. value = 2^64 h + l with h in -2..1, and 2^64 = 2^32 - 1 modulo p, so
// l + h (2^32 - 1) is in (-p, 2p): one addition or subtraction of p is left.
// FFT paper, section III-C.
`default_nettype none
module goldilocks_correct (
    input  logic [65:0] value,
    output logic [63:0] residue
);
  localparam logic [63:0] EPSILON = 64'h0000_0000_ffff_ffff;  // 2^64 - p
  localparam logic [63:0] MODULUS = ~EPSILON + 64'd1;

  logic [63:0] low, folded, raised, lowered;
  logic positive, negative, twice, below, above;

  assign low = value[63:0];
  assign positive = value[65:64] == 2'b01;
  assign negative = value[65];
  assign twice = value[65:64] == 2'b10;

  // Modulo 2^64, with the sign of l + h (2^32 - 1) told by its wrap.
  assign folded = positive ? low + EPSILON
                : twice ? low - (EPSILON << 1)
                : negative ? low - EPSILON : low;
  assign below = negative && folded > low;
  assign above = positive ? folded < low || folded >= MODULUS : !below && folded >= MODULUS;
  assign raised = folded - EPSILON;   // + p
  assign lowered = folded + EPSILON;  // - p
  assign residue = below ? raised : above ? lowered : folded;
endmodule
`default_nettype wire
