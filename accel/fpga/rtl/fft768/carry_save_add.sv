// SPDX-License-Identifier: Apache-2.0
// Three 192-bit numbers to two of the same sum modulo 2^192 - 1: the carry out of the top bit enters
// at the bottom.
//
//   a, b, c      addends
//   sum, carry   sum + carry = a + b + c modulo 2^192 - 1
//
// Combinational. FFT paper, section IV-A.
`default_nettype none
module carry_save_add (
    input  logic [191:0] a,
    input  logic [191:0] b,
    input  logic [191:0] c,
    output logic [191:0] sum,
    output logic [191:0] carry
);
  logic [191:0] majority;
  assign majority = (a & b) | (a & c) | (b & c);
  assign sum = a ^ b ^ c;
  assign carry = {majority[190:0], majority[191]};
endmodule
`default_nettype wire
