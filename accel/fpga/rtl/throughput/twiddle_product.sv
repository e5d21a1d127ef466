// SPDX-License-Identifier: Apache-2.0
// A point times its factor, which comes as late as a ROM gives it.
//
//   point    any 64 bits
//   factor   of this point, two clocks later
//   product  in [0, p), nine clocks later
//
// One product per clock. (Remarks to the simulator as in swap_pair.) FFT paper, Fig. 7.
`default_nettype none
module twiddle_product (
    input  logic        clk,
    input  logic [63:0] point /*verilator public_flat_rd*/,
    input  logic [63:0] factor /*verilator public_flat_rd*/,
    output logic [63:0] product
);
  // verilator no_inline_module
  localparam int FETCH = 2;
  logic [63:0] late;

  delay_line #(
      .WIDTH (64),
      .CLOCKS(FETCH)
  ) fetch (
      .clk,
      .in (point),
      .out(late)
  );
  goldilocks_multiply multiply (
      .clk,
      .advance(1'b1),
      .a      (late),
      .b      (factor),
      .product
  );
endmodule
`default_nettype wire
