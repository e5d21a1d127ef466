// SPDX-License-Identifier: Apache-2.0
// Products of blocks of digits, as columns: two transforms, their product point by point, and the
// transform back, all in parallel.
//
//   x, y     POINTS / 2 digits of DIGIT bits each, the lowest first
//   columns  POINTS sums of digit products, column t of weight 2^(DIGIT t), 16 log2(POINTS) + 7 clocks
//            later; the product is the sum of the columns
//
//   MODULUS, POINTS  as of parallel_transform; columns are below p
//
// One product per clock. Super-size paper, algorithm 1, steps 1 to 4.
`default_nettype none
module block_product #(
    parameter logic [64:0] MODULUS = 65'h0_ffff_ffff_0000_0001,
    parameter int POINTS = 16,
    parameter int DIGIT = 28,
    localparam int COLUMN = 2 * DIGIT + $clog2(POINTS) - 1
) (
    input  logic                      clk,
    input  logic [POINTS/2*DIGIT-1:0] x,
    input  logic [POINTS/2*DIGIT-1:0] y,
    output logic [ POINTS*COLUMN-1:0] columns
);
  localparam int WIDTH = $clog2(MODULUS);
  localparam int DIGITS = POINTS / 2;
  localparam logic [129:0] LARGEST = (130'd1 << DIGIT) - 130'd1;

  if (130'(DIGITS) * LARGEST * LARGEST >= 130'(MODULUS)) begin : g_check
    $error("digits too long: a column could exceed the modulus");
  end

  logic [POINTS*WIDTH-1:0] x_points, y_points;
  logic [POINTS*WIDTH-1:0] x_spectrum  /*verilator split_var*/;
  logic [POINTS*WIDTH-1:0] y_spectrum  /*verilator split_var*/;
  logic [POINTS*WIDTH-1:0] spectrum  /*verilator split_var*/;
  logic [POINTS*WIDTH-1:0] values  /*verilator split_var*/;

  for (genvar i = 0; i < POINTS; i++) begin : g_point
    if (i < DIGITS) begin : g_digit
      assign x_points[WIDTH*i+:WIDTH] = WIDTH'(x[DIGIT*i+:DIGIT]);
      assign y_points[WIDTH*i+:WIDTH] = WIDTH'(y[DIGIT*i+:DIGIT]);
    end else begin : g_digit
      assign x_points[WIDTH*i+:WIDTH] = '0;
      assign y_points[WIDTH*i+:WIDTH] = '0;
    end
    modular_multiply #(
        .MODULUS(MODULUS)
    ) multiply (
        .clk,
        .a      (x_spectrum[WIDTH*i+:WIDTH]),
        .b      (y_spectrum[WIDTH*i+:WIDTH]),
        .product(spectrum[WIDTH*i+:WIDTH])
    );
    assign columns[COLUMN*i+:COLUMN] = COLUMN'(values[WIDTH*i+:WIDTH]);
  end

  parallel_transform #(
      .MODULUS(MODULUS),
      .POINTS (POINTS)
  ) transform_x (
      .clk,
      .points  (x_points),
      .spectrum(x_spectrum)
  );
  parallel_transform #(
      .MODULUS(MODULUS),
      .POINTS (POINTS)
  ) transform_y (
      .clk,
      .points  (y_points),
      .spectrum(y_spectrum)
  );
  parallel_transform #(
      .MODULUS(MODULUS),
      .POINTS (POINTS),
      .INVERSE(1)
  ) transform_back (
      .clk,
      .points  (spectrum),
      .spectrum(values)
  );
endmodule
`default_nettype wire
