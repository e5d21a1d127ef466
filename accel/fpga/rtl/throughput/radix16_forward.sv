// SPDX-License-Identifier: Apache-2.0
// The forward transform of radix16.
//
//   points    sixteen residues of 64 bits
//   spectrum  ten clocks later, in [0, p)
//
// One per clock. (Remarks to the simulator as in swap_pair: radix16 itself has none.) FFT paper, eq. (8).
`default_nettype none
module radix16_forward (
    input  logic          clk,
    input  logic [1023:0] points /*verilator public_flat_rd*/,
    output logic [1023:0] spectrum
);
  // verilator no_inline_module
  radix16 transform (
      .clk,
      .points,
      .inverse (1'b0),
      .spectrum
  );
endmodule
`default_nettype wire
