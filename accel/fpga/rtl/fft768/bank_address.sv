// SPDX-License-Identifier: Apache-2.0
// Where bank BANK holds its point of a butterfly.
//
//   digit    which of the four hexadecimal digits of the sample number runs over the sixteen points
//   count    the three other digits, 0..4095
//   amount   their sum, from digit_sum
//   address  n / 16 for n = count with the lane of this bank inserted at `digit`
//
// Combinational. In every stage the sixteen points differ in one digit only, so their banks, the sums
// of their digits modulo 16, are sixteen different ones: no two points of a butterfly ever want the
// same bank. FFT paper, eqs. (10) to (12).
`default_nettype none
module bank_address #(
    parameter int BANK = 0
) (
    input  logic [ 1:0] digit,
    input  logic [11:0] count,
    input  logic [ 3:0] amount,
    output logic [11:0] address
);
  logic [3:0] lane;
  assign lane = 4'(BANK) - amount;

  always_comb
    case (digit)
      2'd0: address = count;
      2'd1: address = {count[11:4], lane};
      2'd2: address = {count[11:8], lane, count[7:4]};
      2'd3: address = {lane, count[11:4]};
    endcase
endmodule
`default_nettype wire
