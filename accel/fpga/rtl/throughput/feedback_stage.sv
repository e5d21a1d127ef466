// SPDX-License-Identifier: Apache-2.0
// One radix-2 stage of the pass whose length varies: points of one lane, D = 2^LOG2_DISTANCE clocks apart.
//
//   tag, points            a beat: its tag, as multiplier_throughput says, and sixteen residues of 64 bits in [0, p)
//   tag_next, points_next  D + 5 clocks later, D + 6 with FORWARD = 0; in [0, p)
//
//   LOG2_DISTANCE          8 .. 11: stage i = LOG2_DISTANCE - 8 of transforms with size > i; others pass unchanged,
//                          and as late, so that lengths may change from one transform to the next
//   FORWARD                1: a, b to a + b, (a - b) f; 0: to (a + b / f) / 2, (a - b / f) / 2; f = 2^(96 j / 2^i), j =
//                          bits LOG2_DISTANCE - 1 .. 8 of the clock
//
// The first points wait in a line; when the second ones come, the sums leave, and the differences take the places
// of the first points, to leave D clocks later, while the next transform's first points come.
// Design: decimation in frequency with delay feedback, of He and Torkelson's single-path pipelines.
`default_nettype none
module feedback_stage #(
    parameter int LOG2_DISTANCE = 8,
    parameter int FORWARD = 1
) (
    input  logic          clk,
    input  logic [  15:0] tag,
    input  logic [1023:0] points,
    output logic [  15:0] tag_next,
    output logic [1023:0] points_next
);
  localparam int DISTANCE = 1 << LOG2_DISTANCE;
  localparam int STAGE = LOG2_DISTANCE - 8;
  localparam int ROTATE = 4;

  // The tags of what comes to the sums, of what leaves them, and of what is rotated.
  logic [15:0] tag_in, tag_out, tag_rotated;
  logic second, rotated_active, rotated_second;
  assign second = tag_in[14:12] > 3'(STAGE) && tag_in[LOG2_DISTANCE];
  assign rotated_active = tag_rotated[14:12] > 3'(STAGE);
  assign rotated_second = rotated_active && tag_rotated[LOG2_DISTANCE];
  memory_line #(
      .WIDTH (16),
      .CLOCKS(DISTANCE)
  ) tag_line (
      .clk,
      .advance(1'b1),
      .in     (tag_in),
      .out    (tag_out)
  );
  logic [15:0] tag_summed;
  always_ff @(posedge clk) tag_summed <= tag_out;

  logic [2:0] turn;
  assign turn = rotated_second ? 3'(tag_rotated[10:8] & 3'((1 << STAGE) - 1)) : 3'd0;
  for (genvar lane = 0; lane < 16; lane++) begin : g_lane
    feedback_lane #(
        .DISTANCE(DISTANCE),
        .STAGE   (STAGE),
        .FORWARD (FORWARD)
    ) butterflies (
        .clk,
        .point     (points[64*lane+:64]),
        .second,
        .turn,
        .halve     (rotated_active),
        .point_next(points_next[64*lane+:64])
    );
  end

  // The order of sums and rotation.
  if (FORWARD != 0) begin : g_forward
    assign tag_in = tag;
    assign tag_rotated = tag_summed;
    delay_line #(
        .WIDTH (16),
        .CLOCKS(ROTATE)
    ) to_next (
        .clk,
        .in (tag_summed),
        .out(tag_next)
    );
  end else begin : g_inverse
    assign tag_rotated = tag;
    delay_line #(
        .WIDTH (16),
        .CLOCKS(ROTATE)
    ) to_sums (
        .clk,
        .in (tag),
        .out(tag_in)
    );
    always_ff @(posedge clk) tag_next <= tag_summed;
  end
  logic unused;
  assign unused = &{1'b0, tag_rotated};
endmodule
`default_nettype wire
