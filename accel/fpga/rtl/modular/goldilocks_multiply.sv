// SPDX-License-Identifier: Apache-2.0
// Products modulo p = 2^64 - 2^32 + 1.
//
//   advance  0 holds everything
//   a, b     any 64 bits
//   product  a b mod p in [0, p), seven clocks later
//
// One product per clock: four clocks for the 128-bit product (operands, four 32-bit products, middle
// column, carry), three for its reduction. FFT paper, Fig. 7.
`default_nettype none
module goldilocks_multiply (
    input  logic        clk,
    input  logic        advance,
    input  logic [63:0] a,
    input  logic [63:0] b,
    output logic [63:0] product
);
  logic [127:0] full;

  split_product #(
      .WIDTH(64)
  ) multiply (
      .clk,
      .advance,
      .a,
      .b,
      .product(full)
  );

  goldilocks_reduce reduce (
      .clk,
      .advance,
      .value  (full),
      .residue(product)
  );
endmodule
`default_nettype wire
