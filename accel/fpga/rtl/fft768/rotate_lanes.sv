// SPDX-License-Identifier: Apache-2.0
// The interchange unit: sixteen lanes rotated between the order of a butterfly and that of the banks.
//
//   amount   0..15
//   lanes    sixteen lanes of 64 bits, lane 0 lowest
//   rotated  TO_BANKS = 1: rotated(i + amount) = lanes(i); 0: rotated(i) = lanes(i + amount); indices
//            modulo 16
//
// Combinational: two levels of 4:1 selection. FFT paper, Fig. 6.
`default_nettype none
module rotate_lanes #(
    parameter int TO_BANKS = 0
) (
    input  logic [   3:0] amount,
    input  logic [1023:0] lanes,
    output logic [1023:0] rotated
);
  logic [   3:0] right;  // towards lane 0
  logic [1023:0] coarse;

  assign right = TO_BANKS != 0 ? -amount : amount;
  always_comb begin
    case (right[3:2])
      2'd0: coarse = lanes;
      2'd1: coarse = {lanes[255:0], lanes[1023:256]};
      2'd2: coarse = {lanes[511:0], lanes[1023:512]};
      2'd3: coarse = {lanes[767:0], lanes[1023:768]};
    endcase
    case (right[1:0])
      2'd0: rotated = coarse;
      2'd1: rotated = {coarse[63:0], coarse[1023:64]};
      2'd2: rotated = {coarse[127:0], coarse[1023:128]};
      2'd3: rotated = {coarse[191:0], coarse[1023:192]};
    endcase
  end
endmodule
`default_nettype wire
