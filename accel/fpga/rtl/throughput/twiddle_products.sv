// SPDX-License-Identifier: Apache-2.0
// Sixteen points times sixteen factors.
//
//   tag, points            a beat: its tag, as multiplier_throughput says, and sixteen residues of 64 bits
//   factors                of this beat, two clocks later: as late as a ROM that has the clock of the tag for its address
//   tag_next, points_next  the products in [0, p), nine clocks later
//
// One beat per clock. FFT paper, Fig. 7, sixteen times.
`default_nettype none
module twiddle_products (
    input  logic          clk,
    input  logic [  15:0] tag,
    input  logic [1023:0] points,
    input  logic [1023:0] factors,
    output logic [  15:0] tag_next,
    output logic [1023:0] points_next
);
  localparam int CLOCKS = 9;

  delay_line #(
      .WIDTH (16),
      .CLOCKS(CLOCKS)
  ) tag_line (
      .clk,
      .in (tag),
      .out(tag_next)
  );
  for (genvar lane = 0; lane < 16; lane++) begin : g_lane
    twiddle_product multiply (
        .clk,
        .point  (points[64*lane+:64]),
        .factor (factors[64*lane+:64]),
        .product(points_next[64*lane+:64])
    );
  end
endmodule
`default_nettype wire
