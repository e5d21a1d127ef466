// SPDX-License-Identifier: Apache-2.0
// Products modulo p = 2^64 - 2^32 + 1.
//
//   advance  0 holds everything
//   a, b     any 64 bits
//   product  a b mod p in [0, p), seven clocks later
//
// One product per clock: three clocks for the four products of halves (operands, products of quarters, sums), four for
// the reduction of what they are together, which is never formed. FFT paper, Fig. 7.
`default_nettype none
module goldilocks_multiply (
    input  logic        clk,
    input  logic        advance,
    input  logic [63:0] a,
    input  logic [63:0] b,
    output logic [63:0] product
);
  logic [63:0] low_low, low_high, high_low, high_high;

  half_products #(
      .WIDTH(64)
  ) multiply (
      .clk,
      .advance,
      .a,
      .b,
      .low_low,
      .low_high,
      .high_low,
      .high_high
  );

  goldilocks_reduce reduce (
      .clk,
      .advance,
      .low_low,
      .low_high,
      .high_low,
      .high_high,
      .residue(product)
  );
endmodule
`default_nettype wire
