// SPDX-License-Identifier: Apache-2.0
// The spectra of the products of a slot: those of the blocks of x by that of the row of y.
//
//   advance              0 holds everything
//   first                the slot is the first of a row: `a` brings the row's spectrum, and it is kept
//   index                which pair of the spectra comes in
//   a_upper, a_lower     of block 2 i - 1 of x in slot i > 0, of the row in slot 0
//   b_upper, b_lower     of block 2 i
//   right_upper, ...     a times the row's spectrum, 12 clocks later; means nothing for slot 0
//   left_upper, ...      b times it
//
//   INDEX_BITS           log2 of the pairs
//
// Clocks: 2 to fetch the row's spectrum, 3 spare ones, 7 of the product. LHW paper, section 4.1.
`default_nettype none
module pointwise_products #(
    parameter int INDEX_BITS = 7
) (
    input  logic                  clk,
    input  logic                  advance,
    input  logic                  first,
    input  logic [INDEX_BITS-1:0] index,
    input  logic [          63:0] a_upper,
    input  logic [          63:0] a_lower,
    input  logic [          63:0] b_upper,
    input  logic [          63:0] b_lower,
    output logic [          63:0] right_upper,
    output logic [          63:0] right_lower,
    output logic [          63:0] left_upper,
    output logic [          63:0] left_lower
);
  localparam int FETCH = 2;
  localparam int SPARE = 3;

  // The row's spectrum.
  logic [127:0] row[2**INDEX_BITS];
  logic [127:0] fetched, arrived, pair, factor;
  logic from_a;

  always_ff @(posedge clk)
    if (advance) begin
      if (first) row[index] <= {a_lower, a_upper};
      fetched <= row[index];
      arrived <= {a_lower, a_upper};
      from_a <= first;
      pair <= from_a ? arrived : fetched;
    end
  memory_line #(
      .WIDTH (128),
      .CLOCKS(SPARE)
  ) line_factor (
      .clk,
      .advance,
      .in (pair),
      .out(factor)
  );

  logic [255:0] points, products;
  memory_line #(
      .WIDTH (256),
      .CLOCKS(FETCH + SPARE)
  ) line_points (
      .clk,
      .advance,
      .in ({b_lower, b_upper, a_lower, a_upper}),
      .out(points)
  );
  for (genvar i = 0; i < 4; i++) begin : g_point
    goldilocks_multiply multiply (
        .clk,
        .advance,
        .a      (points[64*i+:64]),
        .b      (factor[64*(i%2)+:64]),
        .product(products[64*i+:64])
    );
  end
  assign {left_lower, left_upper, right_lower, right_upper} = products;
endmodule
`default_nettype wire
