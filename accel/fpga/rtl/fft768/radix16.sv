// SPDX-License-Identifier: Apache-2.0
// The 16-point transform modulo p = 2^64 - 2^32 + 1 and its inverse, in one of two constructions.
//
//   points    sixteen residues x(n) of 64 bits, x(0) lowest
//   inverse   1: 16 times the inverse transform; of the results that leave in this clock
//   spectrum  X(k) = sum of x(n) 2^(12 n k) mod p, or 2^(-12 n k); in [0, p), ten clocks later
//
//   LAYERED   0: the paper's sixteen carry-save sums; 1: four layers of 2-point transforms
//
// One transform per clock. The inverse is the transform with output k in place 16 - k.
// FFT paper, eqs. (8) and (9).
`default_nettype none
module radix16 #(
    parameter int LAYERED = 1
) (
    input  logic          clk,
    input  logic [1023:0] points,
    input  logic          inverse,
    output logic [1023:0] spectrum
);
  logic [1023:0] forward;

  if (LAYERED != 0) begin : g_layers
    radix16_layers transform (
        .clk,
        .points,
        .spectrum(forward)
    );
  end else begin : g_sums
    radix16_sums transform (
        .clk,
        .points,
        .spectrum(forward)
    );
  end

  for (genvar k = 0; k < 16; k++) begin : g_output
    assign spectrum[64*k+:64] = inverse ? forward[64*((16-k)%16)+:64] : forward[64*k+:64];
  end
endmodule
`default_nettype wire
