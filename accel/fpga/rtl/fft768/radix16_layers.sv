// SPDX-License-Identifier: Apache-2.0
// The 16-point transform as four layers of 2-point transforms: 48 wide adders in place of sixteen
// times fourteen carry-save adders and one that propagates.
//
//   points    sixteen residues x(n) of 64 bits, x(0) lowest
//   spectrum  X(k) = sum of x(n) 2^(12 n k) mod p in [0, p), X(0) lowest, ten clocks later
//
// One transform per clock: first layer 1, three layers of end-around adders 2 each, normalization 3.
// In the first layer a and -b = 2^96 b have no bit in common, so the difference needs no adder.
// FFT paper, eq. (8) by section III-D.
`default_nettype none
module radix16_layers (
    input  logic          clk,
    input  logic [1023:0] points,
    output logic [1023:0] spectrum
);
  logic [16*192-1:0] pairs, quads, octets, all;

  for (genvar j = 0; j < 8; j++) begin : g_first
    // Decimation in time takes its inputs in bit-reversed order.
    localparam int REVERSED = ((j & 1) << 2) | (j & 2) | ((j & 4) >> 2);
    logic [63:0] a, b;
    assign a = points[64*REVERSED+:64];
    assign b = points[64*(REVERSED+8)+:64];
    always_ff @(posedge clk) begin
      pairs[192*(2*j)+:192] <= {127'd0, {1'b0, a} + {1'b0, b}};
      pairs[192*(2*j+1)+:192] <= {32'd0, b, 32'd0, a};
    end
  end

  radix2_layer #(
      .LAYER(1)
  ) second (
      .clk,
      .lanes (pairs),
      .result(quads)
  );
  radix2_layer #(
      .LAYER(2)
  ) third (
      .clk,
      .lanes (quads),
      .result(octets)
  );
  radix2_layer #(
      .LAYER(3)
  ) fourth (
      .clk,
      .lanes (octets),
      .result(all)
  );

  for (genvar k = 0; k < 16; k++) begin : g_output
    goldilocks_normalize normalize (
        .clk,
        .value  (all[192*k+:192]),
        .residue(spectrum[64*k+:64])
    );
  end
endmodule
`default_nettype wire
