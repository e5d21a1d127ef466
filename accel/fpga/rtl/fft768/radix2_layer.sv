// SPDX-License-Identifier: Apache-2.0
// One layer of a 16-point transform by decimation in time, in the wide representation: eight 2-point
// transforms of lanes 2^LAYER apart with the factors 2^(96 j / 2^LAYER).
//
//   lanes   sixteen numbers of 192 bits, lane 0 lowest
//   result  likewise, two clocks later
//
// FFT paper, eq. (8) by section III-D.
`default_nettype none
module radix2_layer #(
    parameter int LAYER = 1
) (
    input  logic              clk,
    input  logic [16*192-1:0] lanes,
    output logic [16*192-1:0] result
);
  localparam int HALF = 1 << LAYER;
  for (genvar j = 0; j < 8; j++) begin : g_pair
    localparam int LOW = (j / HALF) * 2 * HALF + j % HALF;
    radix2_butterfly #(
        .SHIFT(96 * (j % HALF) / HALF)
    ) butterfly (
        .clk,
        .a         (lanes[192*LOW+:192]),
        .b         (lanes[192*(LOW+HALF)+:192]),
        .sum       (result[192*LOW+:192]),
        .difference(result[192*(LOW+HALF)+:192])
    );
  end
endmodule
`default_nettype wire
