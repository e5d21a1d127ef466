// SPDX-License-Identifier: Apache-2.0
// Four 192-bit numbers to two of the same sum modulo 2^192 - 1.
//
//   terms  four numbers, the first lowest
//   pair   two numbers
//
// Combinational: two carry-save adders. FFT paper, section IV-A.
`default_nettype none
module four_to_two (
    input  logic [4*192-1:0] terms,
    output logic [2*192-1:0] pair
);
  logic [191:0] sum, carry;
  carry_save_add first (
      .a    (terms[191:0]),
      .b    (terms[383:192]),
      .c    (terms[575:384]),
      .sum  (sum),
      .carry(carry)
  );
  carry_save_add second (
      .a    (sum),
      .b    (carry),
      .c    (terms[767:576]),
      .sum  (pair[191:0]),
      .carry(pair[383:192])
  );
endmodule
`default_nettype wire
