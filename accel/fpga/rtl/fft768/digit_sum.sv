// SPDX-License-Identifier: Apache-2.0
// How far the lanes of a butterfly are rotated in the banks.
//
//   count   the three digits that the points of the butterfly share
//   amount  their sum modulo 16
//
// Combinational. Sample n = {n3, n2, n1, n0} lies in bank n3 + n2 + n1 + n0 modulo 16: the lane is the
// fourth digit. FFT paper, eq. (11).
`default_nettype none
module digit_sum (
    input  logic [11:0] count,
    output logic [ 3:0] amount
);
  assign amount = count[11:8] + count[7:4] + count[3:0];
endmodule
`default_nettype wire
