// SPDX-License-Identifier: Apache-2.0
// The 16-point transform as the paper builds it: sixteen independent sums.
//
//   points    sixteen residues x(n) of 64 bits, x(0) lowest
//   spectrum  X(k) = sum of x(n) 2^(12 n k) mod p in [0, p), X(0) lowest, ten clocks later
//
// One transform per clock. FFT paper, eq. (8) and Fig. 4.
`default_nettype none
module radix16_sums (
    input  logic          clk,
    input  logic [1023:0] points,
    output logic [1023:0] spectrum
);
  for (genvar k = 0; k < 16; k++) begin : g_output
    sum16 #(
        .OUTPUT(k)
    ) sum (
        .clk,
        .points,
        .result(spectrum[64*k+:64])
    );
  end
endmodule
`default_nettype wire
