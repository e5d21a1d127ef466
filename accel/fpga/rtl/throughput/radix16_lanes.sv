// SPDX-License-Identifier: Apache-2.0
// The radix-16 half of a radix-64 transform.
//
//   tag, points            a beat: its tag, as multiplier_throughput says, and sixteen residues of 64 bits
//   tag_next, points_next  X(k) = sum of x(n) 2^(12 n k), or 2^(-12 n k); ten clocks later; in [0, p)
//
//   INVERSE                1: sixteen times the inverse, which is the transform with output k in place 16 - k
//
// One beat per clock. FFT paper, eqs. (8) and (9).
`default_nettype none
module radix16_lanes #(
    parameter int INVERSE = 0
) (
    input  logic          clk,
    input  logic [  15:0] tag,
    input  logic [1023:0] points,
    output logic [  15:0] tag_next,
    output logic [1023:0] points_next
);
  localparam int CLOCKS = 10;
  logic [1023:0] spectrum;

  delay_line #(
      .WIDTH (16),
      .CLOCKS(CLOCKS)
  ) tag_line (
      .clk,
      .in (tag),
      .out(tag_next)
  );
  radix16_forward transform (
      .clk,
      .points,
      .spectrum
  );
  for (genvar k = 0; k < 16; k++) begin : g_output
    assign points_next[64*k+:64] = spectrum[64*(INVERSE!=0?(16-k)%16 : k)+:64];
  end
endmodule
`default_nettype wire
