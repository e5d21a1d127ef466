// SPDX-License-Identifier: Apache-2.0
// Transforms of columns: 64 points each, sixteen columns side by side, a row of all sixteen in a beat.
//
//   reset                  forgets what is inside
//   in_valid               points: of one row, sixteen residues of 64 bits in [0, p), one of each column. Sixty-four beats
//                          follow each other without a clock between them, in clock t row 16 (t mod 4) + floor(t / 4)
//   in_tag                 its lower six bits are t
//   out_valid              155 clocks later: points_next, tag_next = in_tag; in clock t
//                          X(t) = sum of x(n) 2^(3 n t), n = 0 .. 63, in [0, p)
//
// The inverse, times 64, is the same transform of row -n mod 64 in place of n, so there is none. Its clock runs while
// something is inside. A column needs its 64 points in four clocks, sixteen lanes: rows and columns change places before and
// after, by the commutators of multiplier_throughput, whose third pass is what is between them.
// FFT paper, section III-D; design: radix 64, streaming.
`default_nettype none
module column_transform (
    input  logic          clk,
    input  logic          reset,
    input  logic          in_valid,
    input  logic [  14:0] in_tag,
    input  logic [1023:0] points,
    output logic          out_valid,
    output logic [  14:0] tag_next,
    output logic [1023:0] points_next
);
  localparam logic [7:0] LATENCY = 8'd155;

  logic running;
  logic [7:0] left_inside;  // clocks until all have left
  always_ff @(posedge clk)
    if (reset) left_inside <= 8'd0;
    else if (in_valid) left_inside <= LATENCY;
    else if (left_inside != 8'd0) left_inside <= left_inside - 8'd1;
  clock_gate gate (
      .clk,
      .enable(reset || in_valid || left_inside != 8'd0),
      .gated (running)
  );

  // What was inside before a reset is known by its age.
  logic [7:0] age;
  always_ff @(posedge running)
    if (reset) age <= 8'd0;
    else if (age != LATENCY) age <= age + 8'd1;

  logic [15:0] tag_turned, tag_k, tag_out;
  logic [1023:0] points_turned, points_k;
  swap_lanes #(
      .LOW (2),
      .BITS(4)
  ) to_columns (
      .clk        (running),
      .tag        (in_valid ? {1'b1, in_tag} : 16'd0),  // the commutators end a transform in clocks of number 0
      .points,
      .tag_next   (tag_turned),
      .points_next(points_turned)
  );
  third_pass transform (
      .clk     (running),
      .tag     (tag_turned),
      .points  (points_turned),
      .tag_next(tag_k),
      .spectrum(points_k)
  );
  swap_lanes #(
      .LOW (2),
      .BITS(4)
  ) to_rows (
      .clk        (running),
      .tag        (tag_k),
      .points     (points_k),
      .tag_next   (tag_out),
      .points_next
  );
  assign tag_next = tag_out[14:0];
  assign out_valid = tag_out[15] && age == LATENCY && left_inside != 8'd0;
endmodule
`default_nettype wire
