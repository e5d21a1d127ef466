// SPDX-License-Identifier: Apache-2.0
// The forward transforms of 4,096 points of numbers of up to 128 digits of 24 bits, beside the transforms of longer ones.
//
//   keeps                   a beat of a weight comes, one of eight, the lowest digits first:
//     keep_at                 its place, 8 s + its number, s = 0 .. 3
//     digits                  sixteen digits
//   second_clock            of the beat of forward_transform that comes to the factors between the second pass and the third,
//                           modulo 256
//   slot                    s of the weight that goes with it: four of them are kept
//   second_factors          as forward_transform has them, two clocks later
//   spectrum                36 clocks later, beside the spectra of forward_transform, and in their order
//
//   ROM_DIR                 the folder of the files weight_00.hex .. weight_15.hex, with a slash at its end
//
// Of x(n) all but those with n < 128 are zero, so the second pass, over bits 11 .. 6 of n, adds up two points: for n < 64
// and all q, y(q, n) = x(n) + x(n + 64) v^(64 q), with v of order 4,096. Times v^(q n) that is x(n) v^(q n) +
// x(n + 64) v^(q (n + 64)): two products of a digit and a factor, so that of the whole transform the third pass alone is
// left. Those of n < 64 are the second factors of forward_transform; the others are in a ROM of 256 words for each lane: in
// clock 64 q1 + 4 r1 + v, lane l, w^(16 (q1 + 4 r1) (64 + 16 v + l)).
`default_nettype none
module weight_transform #(
    parameter ROM_DIR = ""
) (
    input  logic          clk,
    input  logic          keeps,
    input  logic [   4:0] keep_at,
    input  logic [ 383:0] digits,
    input  logic [   7:0] second_clock,
    input  logic [   1:0] slot,
    input  logic [1023:0] second_factors,
    output logic [1023:0] spectrum
);
  localparam int CLOCKS = 9;  // of the products

  // The weights, in halves: digits 0 .. 63, and 64 .. 127.
  logic [383:0] low_beats[16], high_beats[16];
  logic [383:0] low, high;
  always_ff @(posedge clk) begin
    if (keeps && !keep_at[2]) low_beats[{keep_at[4:3], keep_at[1:0]}] <= digits;
    if (keeps && keep_at[2]) high_beats[{keep_at[4:3], keep_at[1:0]}] <= digits;
  end
  assign low = low_beats[{slot, second_clock[1:0]}];
  assign high = high_beats[{slot, second_clock[1:0]}];

  logic [15:0] tag, unused_tag;
  logic [1023:0] points;
  delay_line #(
      .WIDTH (16),
      .CLOCKS(CLOCKS)
  ) to_points (
      .clk,
      .in ({8'd0, second_clock}),
      .out(tag)
  );
  for (genvar lane = 0; lane < 16; lane++) begin : g_lane
    localparam logic [7:0] TENS = 8'(48 + lane / 10);
    localparam logic [7:0] ONES = 8'(48 + lane % 10);
    logic [63:0] high_factor;
    twiddle_rom #(
        .WORDS(256),
        .PORTS(1),
        .FILE ({ROM_DIR, "weight_", TENS, ONES, ".hex"})
    ) factors (
        .clk,
        .advance(1'b1),
        .address(second_clock),
        .power  (high_factor)
    );
    digit_products pair (
        .clk,
        .low        (low[24*lane+:24]),
        .high       (high[24*lane+:24]),
        .low_factor (second_factors[64*lane+:64]),
        .high_factor,
        .sum        (points[64*lane+:64])
    );
  end
  third_pass last (
      .clk,
      .tag,
      .points,
      .tag_next(unused_tag),
      .spectrum
  );
  logic unused;
  assign unused = &{1'b0, unused_tag};
endmodule
`default_nettype wire
