// SPDX-License-Identifier: Apache-2.0
// A radix-16 unit and the sixteen modular multipliers behind it.
//
//   points    sixteen residues, point 0 lowest
//   inverse   of the spectrum that leaves in this clock, see radix16
//   spectrum  their transform, ten clocks later
//   factors   sixteen factors; wanted with `spectrum`
//   products  spectrum times factors, lane by lane, seventeen clocks after the points
//
//   LAYERED   construction of the radix-16 unit, see radix16
//
// FFT paper, Fig. 6.
`default_nettype none
module radix16_products #(
    parameter int LAYERED = 1
) (
    input  logic          clk,
    input  logic [1023:0] points,
    input  logic          inverse,
    output logic [1023:0] spectrum,
    input  logic [1023:0] factors,
    output logic [1023:0] products
);
  radix16 #(
      .LAYERED(LAYERED)
  ) transform (
      .clk,
      .points,
      .inverse,
      .spectrum
  );
  for (genvar k = 0; k < 16; k++) begin : g_lane
    goldilocks_multiply multiply (
        .clk,
        .advance(1'b1),
        .a      (spectrum[64*k+:64]),
        .b      (factors[64*k+:64]),
        .product(products[64*k+:64])
    );
  end
endmodule
`default_nettype wire
