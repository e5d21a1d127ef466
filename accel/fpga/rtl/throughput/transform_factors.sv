// SPDX-License-Identifier: Apache-2.0
// The factors between the passes of the transforms of multiplier_throughput, forward and inverse.
//
//   forward_clock,   of a beat that comes to the factors between the first pass and the second
//   inverse_clock
//   forward_first,   its sixteen factors, two clocks later: in clock 256 k + d, lane l, w^(r (16 d + l)) with r = the
//   inverse_first    four bits of k in reverse order; and its inverse
//   forward_low,     of a beat that comes to the factors between the second pass and the third, modulo 256
//   inverse_low
//   forward_second,  its sixteen factors, two clocks later: in clock 64 q + 4 r + v, lane l,
//   inverse_second   w^(16 (q + 4 r) (16 v + l)); and its inverse divided by 4096
//
//   ROM_DIR          the folder of the files first_00.hex .. second_15.hex, with a slash at its end
//
// One memory for each lane and place; the forward transforms, of both operands, have one of its ports, the inverse
// one the other.
`default_nettype none
module transform_factors #(
    parameter ROM_DIR = ""
) (
    input  logic          clk,
    input  logic [  11:0] forward_clock,
    input  logic [  11:0] inverse_clock,
    input  logic [   7:0] forward_low,
    input  logic [   7:0] inverse_low,
    output logic [1023:0] forward_first,
    output logic [1023:0] inverse_first,
    output logic [1023:0] forward_second,
    output logic [1023:0] inverse_second
);
  for (genvar lane = 0; lane < 16; lane++) begin : g_lane
    localparam logic [7:0] TENS = 8'(48 + lane / 10);
    localparam logic [7:0] ONES = 8'(48 + lane % 10);
    twiddle_rom #(
        .WORDS(8192),
        .PORTS(2),
        .FILE ({ROM_DIR, "first_", TENS, ONES, ".hex"})
    ) first (
        .clk,
        .advance(1'b1),
        .address({1'b1, inverse_clock, 1'b0, forward_clock}),
        .power  ({inverse_first[64*lane+:64], forward_first[64*lane+:64]})
    );
    twiddle_rom #(
        .WORDS(512),
        .PORTS(2),
        .FILE ({ROM_DIR, "second_", TENS, ONES, ".hex"})
    ) second (
        .clk,
        .advance(1'b1),
        .address({1'b1, inverse_low, 1'b0, forward_low}),
        .power  ({inverse_second[64*lane+:64], forward_second[64*lane+:64]})
    );
  end
endmodule
`default_nettype wire
