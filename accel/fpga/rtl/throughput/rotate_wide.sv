// SPDX-License-Identifier: Apache-2.0
// Products with powers of two in the wide representation, where 2^192 = 1: rotations.
//
//   value    any 192 bits
//   amount   BITS bits
//   rotated  2^(STEP amount) value modulo 2^192 - 1
//
//   STEP     0..191; 192 - s for division by 2^s
//
// Combinational: a choice of two for each bit of the amount. FFT paper, section III-D.
`default_nettype none
module rotate_wide #(
    parameter int BITS = 4,
    parameter int STEP = 12
) (
    input  logic [   191:0] value,
    input  logic [BITS-1:0] amount,
    output logic [   191:0] rotated
);
  always_comb begin
    rotated = value;
    for (int i = 0; i < BITS; i++)
      if (amount[i]) rotated = 192'({rotated, rotated} >> (192 - (STEP << i) % 192));
  end
endmodule
`default_nettype wire
