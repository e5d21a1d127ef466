// SPDX-License-Identifier: Apache-2.0
// All carries of an addition of several digits at once.
//
//   generates   digit i carries whatever enters it (its sum is above the largest digit)
//   critical    digit i carries what enters it (its sum is the largest digit)
//   carry_in    enters digit 0
//   carries     bit i enters digit i; bit DIGITS leaves the last digit
//
// Combinational: the binary adder does the look-ahead.
//   carries = ((2 generates + carry_in) + critical) xor critical        FFT paper, eq. (13)
`default_nettype none
module carry_lookahead #(
    parameter int DIGITS = 16
) (
    input  logic [DIGITS-1:0] generates,
    input  logic [DIGITS-1:0] critical,
    input  logic              carry_in,
    output logic [  DIGITS:0] carries
);
  assign carries = ({generates, carry_in} + {1'b0, critical}) ^ {1'b0, critical};
endmodule
`default_nettype wire
