// SPDX-License-Identifier: Apache-2.0
// The last pass of forward_transform: 64-point transforms over the lanes and two bits of the clock.
//
//   tag, points     a beat: its tag, as multiplier_throughput says, and sixteen residues of 64 bits in [0, p): point
//                   16 v + l of a transform in lane l, v = bits 1, 0 of the clock
//   tag_next        27 clocks later; X(k) = sum of x(n) 2^(3 n k) in clock v, lane l, k = v + 4 l; in [0, p)
//   spectrum
//
// One beat per clock: radix 4, with the lanes exchanged for clocks, and radix 16 over the lanes as they are.
// FFT paper, section III-D; design: radix 64, streaming.
`default_nettype none
module third_pass (
    input  logic          clk,
    input  logic [  15:0] tag,
    input  logic [1023:0] points,
    output logic [  15:0] tag_next,
    output logic [1023:0] spectrum
);
  logic [15:0] tag_h, tag_i, tag_j;
  logic [1023:0] points_h, points_i, points_j;
  swap_lanes #(
      .LOW (0),
      .BITS(2)
  ) swap_h (
      .clk,
      .tag,
      .points,
      .tag_next   (tag_h),
      .points_next(points_h)
  );
  radix4_lanes #(
      .FORWARD(1),
      .LANES  (1)
  ) radix4_i (
      .clk,
      .tag        (tag_h),
      .points     (points_h),
      .tag_next   (tag_i),
      .points_next(points_i)
  );
  swap_lanes #(
      .LOW (0),
      .BITS(2)
  ) swap_j (
      .clk,
      .tag        (tag_i),
      .points     (points_i),
      .tag_next   (tag_j),
      .points_next(points_j)
  );
  radix16_lanes #(
      .INVERSE(0)
  ) radix16_k (
      .clk,
      .tag        (tag_j),
      .points     (points_j),
      .tag_next,
      .points_next(spectrum)
  );
endmodule
`default_nettype wire
