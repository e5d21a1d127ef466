// SPDX-License-Identifier: Apache-2.0
// Exchanges bits of the lane with bits of the clock: a transposition of 2^BITS lanes and as many clocks that
// are 2^LOW apart, by delay commutators.
//
//   tag, points            a beat: its tag, as stream_transform says, and sixteen lanes of 64 bits
//   tag_next, points_next  2^LOW (2^BITS - 1) + BITS clocks later; the point of lane l in clock c of its transform is
//                          now in the lane and the clock that have bits BITS - 1 .. 0 of l and bits
//                          LOW + BITS - 1 .. LOW of c exchanged
//
// For each bit, the highest first, the pairs of lanes that differ in it are crossed for the clocks in which the bit
// of the clock is 1. Other transforms may come before, after, or not at all.
// Design: the commutator of LHW paper, Fig. 3, over sixteen lanes.
`default_nettype none
module swap_lanes #(
    parameter int LOW  = 0,
    parameter int BITS = 2
) (
    input  logic          clk,
    input  logic [  15:0] tag,
    input  logic [1023:0] points,
    output logic [  15:0] tag_next,
    output logic [1023:0] points_next
);
  logic [1024*(BITS+1)-1:0] levels;
  logic [16*(BITS+1)-1:0] tags;

  assign levels[1024*BITS+:1024] = points;
  assign tags[16*BITS+:16] = tag;
  for (genvar bit_here = 0; bit_here < BITS; bit_here++) begin : g_bit
    localparam int HALF = 1 << bit_here;
    localparam int DISTANCE = 1 << (LOW + bit_here);
    memory_line #(
        .WIDTH (16),
        .CLOCKS(DISTANCE + 1)
    ) line_tag (
        .clk,
        .advance(1'b1),
        .in     (tags[16*(bit_here+1)+:16]),
        .out    (tags[16*bit_here+:16])
    );
    for (genvar pair = 0; pair < 8; pair++) begin : g_pair
      localparam int LOWER = (pair / HALF) * 2 * HALF + pair % HALF;
      localparam int UPPER = LOWER + HALF;
      swap_pair #(
          .DISTANCE(DISTANCE)
      ) swap (
          .clk,
          .crossed   (tags[16*(bit_here+1)+LOW+bit_here]),
          .lower     (levels[1024*(bit_here+1)+64*LOWER+:64]),
          .upper     (levels[1024*(bit_here+1)+64*UPPER+:64]),
          .lower_next(levels[1024*bit_here+64*LOWER+:64]),
          .upper_next(levels[1024*bit_here+64*UPPER+:64])
      );
    end
  end
  assign points_next = levels[1023:0];
  assign tag_next = tags[15:0];
endmodule
`default_nettype wire
