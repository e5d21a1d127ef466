// SPDX-License-Identifier: Apache-2.0
// Two digits of 24 bits times a factor each, added up.
//
//   low, high                the digits
//   low_factor, high_factor  any 64 bits, two clocks later: as late as a ROM gives them
//   sum                      low low_factor + high high_factor mod p in [0, p), nine clocks after the digits
//
// One pair per clock. Factors are cut in quarters of 16 bits, so that each product is one multiplier of an FPGA; those of
// a half of a factor are added up to less than 2^58, and what both halves are together goes into goldilocks_reduce.
// (Remarks to the simulator as in swap_pair.) FFT paper, Fig. 7.
`default_nettype none
module digit_products (
    input  logic        clk,
    input  logic [23:0] low /*verilator public_flat_rd*/,
    input  logic [23:0] high /*verilator public_flat_rd*/,
    input  logic [63:0] low_factor /*verilator public_flat_rd*/,
    input  logic [63:0] high_factor /*verilator public_flat_rd*/,
    output logic [63:0] sum
);
  // verilator no_inline_module
  localparam int FETCH = 2;
  logic [47:0] late;
  delay_line #(
      .WIDTH (48),
      .CLOCKS(FETCH)
  ) fetch (
      .clk,
      .in ({high, low}),
      .out(late)
  );

  // Clocks: operands, products, sums of the products with each half.
  logic [47:0] digits;
  logic [127:0] factors;
  logic [8*40-1:0] products;  // 4 i + j: of digit i and quarter j
  logic [63:0] of_lower, of_upper;
  always_ff @(posedge clk) begin
    digits <= late;
    factors <= {high_factor, low_factor};
    of_lower <= 64'(products[0+:40]) + 64'(products[160+:40]) + ((64'(products[40+:40]) + 64'(products[200+:40])) << 16);
    of_upper <= 64'(products[80+:40]) + 64'(products[240+:40]) + ((64'(products[120+:40]) + 64'(products[280+:40])) << 16);
  end
  for (genvar i = 0; i < 8; i++) begin : g_product
    always_ff @(posedge clk) products[40*i+:40] <= 40'(digits[24*(i/4)+:24]) * 40'(factors[16*i+:16]);
  end

  goldilocks_reduce reduce (
      .clk,
      .advance  (1'b1),
      .low_low  (of_lower),
      .low_high (of_upper),
      .high_low (64'd0),
      .high_high(64'd0),
      .residue  (sum)
  );
endmodule
`default_nettype wire
