// SPDX-License-Identifier: Apache-2.0
// A 2-point transform in the wide representation, where 2^192 = 1 and 2^96 = -1.
//
//   a, b        any 192 bits
//   sum         a + 2^SHIFT b modulo 2^192 - 1, two clocks later
//   difference  a - 2^SHIFT b, likewise
//
// One butterfly per clock. FFT paper, section III-D.
`default_nettype none
module radix2_butterfly #(
    parameter int SHIFT = 0
) (
    input  logic         clk,
    input  logic [191:0] a,
    input  logic [191:0] b,
    output logic [191:0] sum,
    output logic [191:0] difference
);
  logic [191:0] rotated;
  assign rotated = 192'({b, b} >> (192 - SHIFT));

  end_around_add add (
      .clk,
      .a,
      .b  (rotated),
      .sum(sum)
  );
  end_around_add subtract (
      .clk,
      .a,
      .b  ({rotated[95:0], rotated[191:96]}),
      .sum(difference)
  );
endmodule
`default_nettype wire
