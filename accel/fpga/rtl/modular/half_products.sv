// SPDX-License-Identifier: Apache-2.0
// The products of the halves of two unsigned integers, out of the sixteen products of their quarters.
//
//   advance    0 holds everything
//   a, b       WIDTH bits each
//   low_low, low_high, high_low, high_high
//              of the halves of a and of b, in this order, three clocks later
//
//   WIDTH      divisible by 4; quarters of up to 17 bits fit the multipliers of FPGAs, which so have a clock of their own
//
// One pair per clock. Clocks: operands, products of quarters, sums.
`default_nettype none
module half_products #(
    parameter int WIDTH = 64
) (
    input  logic             clk,
    input  logic             advance,
    input  logic [WIDTH-1:0] a,
    input  logic [WIDTH-1:0] b,
    output logic [WIDTH-1:0] low_low,
    output logic [WIDTH-1:0] low_high,
    output logic [WIDTH-1:0] high_low,
    output logic [WIDTH-1:0] high_high
);
  localparam int HALF = WIDTH / 2;
  localparam int QUARTER = WIDTH / 4;

  logic [WIDTH-1:0] x, y;
  always_ff @(posedge clk)
    if (advance) begin
      x <= a;
      y <= b;
    end

  logic [4*WIDTH-1:0] products;  // 2 i + j: of half i of a and half j of b
  for (genvar k = 0; k < 4; k++) begin : g_half
    logic [HALF-1:0] u, v;
    logic [HALF-1:0] bottom, outer, inner, top;
    assign u = x[HALF*(k/2)+:HALF];
    assign v = y[HALF*(k%2)+:HALF];
    always_ff @(posedge clk)
      if (advance) begin
        bottom <= HALF'(u[QUARTER-1:0]) * HALF'(v[QUARTER-1:0]);
        outer <= HALF'(u[QUARTER-1:0]) * HALF'(v[HALF-1:QUARTER]);
        inner <= HALF'(u[HALF-1:QUARTER]) * HALF'(v[QUARTER-1:0]);
        top <= HALF'(u[HALF-1:QUARTER]) * HALF'(v[HALF-1:QUARTER]);
        products[WIDTH*k+:WIDTH] <= {top, bottom} +
            {{(HALF - QUARTER) {1'b0}}, outer, {QUARTER{1'b0}}} + {{(HALF - QUARTER) {1'b0}}, inner, {QUARTER{1'b0}}};
      end
  end
  assign {high_high, high_low, low_high, low_low} = products;
endmodule
`default_nettype wire
