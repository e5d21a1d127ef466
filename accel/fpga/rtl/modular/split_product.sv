// SPDX-License-Identifier: Apache-2.0
// Products of unsigned integers out of four products of halves.
//
//   advance  0 holds everything
//   a, b     WIDTH bits each
//   product  a b, 2 + OPERANDS + COLUMNS clocks later
//
//   WIDTH     even
//   OPERANDS  1: the operands are registered before the four products
//   COLUMNS   1: the columns are summed in a clock of their own, which shortens the carry chain
//   QUARTERS  1: the products of halves come out of those of quarters, in a clock of their own, and so that of the
//             columns is none; needs OPERANDS = COLUMNS = 1. For halves that take several multipliers of an FPGA
//
// One product per clock. FFT paper, Fig. 7; the four-clock multiplier of super-size paper, section 5.
`default_nettype none
module split_product #(
    parameter int WIDTH = 64,
    parameter int OPERANDS = 1,
    parameter int COLUMNS = 1,
    parameter int QUARTERS = 0
) (
    input  logic               clk,
    input  logic               advance,
    input  logic [  WIDTH-1:0] a,
    input  logic [  WIDTH-1:0] b,
    output logic [2*WIDTH-1:0] product
);
  localparam int HALF = WIDTH / 2;

  logic [WIDTH-1:0] low_low, low_high, high_low, high_high;

  if (QUARTERS != 0) begin : g_quarters
    half_products #(
        .WIDTH(WIDTH)
    ) halves (
        .clk,
        .advance,
        .a,
        .b,
        .low_low,
        .low_high,
        .high_low,
        .high_high
    );
    always_ff @(posedge clk)
      if (advance)
        product <= {high_high, low_low} +
            {{HALF{1'b0}}, low_high, {HALF{1'b0}}} + {{HALF{1'b0}}, high_low, {HALF{1'b0}}};
  end else begin : g_halves
    logic [WIDTH-1:0] x, y;
    if (OPERANDS != 0) begin : g_operands
      always_ff @(posedge clk) if (advance) begin
        x <= a;
        y <= b;
      end
    end else begin : g_operands
      assign x = a;
      assign y = b;
    end

    always_ff @(posedge clk) if (advance) begin
      low_low <= WIDTH'(x[HALF-1:0]) * WIDTH'(y[HALF-1:0]);
      low_high <= WIDTH'(x[HALF-1:0]) * WIDTH'(y[WIDTH-1:HALF]);
      high_low <= WIDTH'(x[WIDTH-1:HALF]) * WIDTH'(y[HALF-1:0]);
      high_high <= WIDTH'(x[WIDTH-1:HALF]) * WIDTH'(y[WIDTH-1:HALF]);
    end

    logic [HALF+1:0] middle_next, middle;  // column of weight 2^HALF, with its carry
    logic [WIDTH-1:0] top_next, top;       // column of weight 2^WIDTH
    logic [HALF-1:0] bottom;
    assign middle_next = (HALF + 2)'(low_low[WIDTH-1:HALF]) + (HALF + 2)'(low_high[HALF-1:0]) +
                         (HALF + 2)'(high_low[HALF-1:0]);
    assign top_next = high_high + WIDTH'(low_high[WIDTH-1:HALF]) + WIDTH'(high_low[WIDTH-1:HALF]);

    if (COLUMNS != 0) begin : g_columns
      always_ff @(posedge clk) if (advance) begin
        bottom <= low_low[HALF-1:0];
        middle <= middle_next;
        top <= top_next;
      end
    end else begin : g_columns
      assign bottom = low_low[HALF-1:0];
      assign middle = middle_next;
      assign top = top_next;
    end
    always_ff @(posedge clk)
      if (advance) product <= {top + WIDTH'(middle[HALF+1:HALF]), middle[HALF-1:0], bottom};
  end
endmodule
`default_nettype wire
