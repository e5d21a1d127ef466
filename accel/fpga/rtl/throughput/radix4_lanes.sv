// SPDX-License-Identifier: Apache-2.0
// The radix-4 half of a radix-64 transform: four 4-point transforms of lanes side by side, and the factors
// between them and the radix-16 half.
//
//   tag, points            a beat: its tag, as multiplier_throughput says, and sixteen residues of 64 bits
//   tag_next, points_next  seven clocks later, eight with FORWARD = 0; in [0, p)
//
//   FORWARD                1: of lanes 4 g .. 4 g + 3, X(q) = 2^(3 q j) sum of x(n) 2^(48 n q)
//                          0: four times the inverse of this
//   LANES                  1: j = 4 g + bits 1, 0 of the clock; 0: j = bits 5 .. 2 of the clock
//
// One beat per clock. 2^3 is a root of order 64, since 2^192 = 1. FFT paper, section III-D.
`default_nettype none
module radix4_lanes #(
    parameter int FORWARD = 1,
    parameter int LANES   = 0
) (
    input  logic          clk,
    input  logic [  15:0] tag,
    input  logic [1023:0] points,
    output logic [  15:0] tag_next,
    output logic [1023:0] points_next
);
  localparam int CLOCKS = FORWARD != 0 ? 7 : 8;
  localparam int TO_ROTATION = 3;

  delay_line #(
      .WIDTH (16),
      .CLOCKS(CLOCKS)
  ) tag_line (
      .clk,
      .in (tag),
      .out(tag_next)
  );
  logic [5:0] late, clock_bits;
  delay_line #(
      .WIDTH (6),
      .CLOCKS(TO_ROTATION)
  ) clock_line (
      .clk,
      .in (tag[5:0]),
      .out(late)
  );
  assign clock_bits = FORWARD != 0 ? late : tag[5:0];

  for (genvar g = 0; g < 4; g++) begin : g_group
    radix4_group #(
        .FORWARD(FORWARD)
    ) group (
        .clk,
        .points     (points[256*g+:256]),
        .j          (LANES != 0 ? {2'(g), clock_bits[1:0]} : clock_bits[5:2]),
        .points_next(points_next[256*g+:256])
    );
  end
  logic unused;
  assign unused = &{1'b0, late, clock_bits};
endmodule
`default_nettype wire
