// SPDX-License-Identifier: Apache-2.0
// The radix-16 half of a radix-64 transform: radix16, with the tag of the beat.
//
//   tag, points            a beat: its tag, as multiplier_throughput says, and sixteen residues of 64 bits
//   tag_next, points_next  ten clocks later; in [0, p)
//
//   INVERSE                1: sixteen times the inverse
//
// One beat per clock. (Remarks to the simulator as in swap_pair.) FFT paper, eqs. (8) and (9).
`default_nettype none
module radix16_lanes #(
    parameter int INVERSE = 0
) (
    input  logic          clk,
    input  logic [  15:0] tag /*verilator public_flat_rd*/,
    input  logic [1023:0] points /*verilator public_flat_rd*/,
    output logic [  15:0] tag_next,
    output logic [1023:0] points_next
);
  // verilator no_inline_module
  localparam int CLOCKS = 10;

  delay_line #(
      .WIDTH (16),
      .CLOCKS(CLOCKS)
  ) tag_line (
      .clk,
      .in (tag),
      .out(tag_next)
  );
  radix16 transform (
      .clk,
      .points,
      .inverse (INVERSE != 0),
      .spectrum(points_next)
  );
endmodule
`default_nettype wire
