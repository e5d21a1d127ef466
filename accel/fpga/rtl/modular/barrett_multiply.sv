// SPDX-License-Identifier: Apache-2.0
// Products modulo any p, by Barrett's reduction.
//
//   a, b     in [0, p)
//   product  a b mod p in [0, p), seven clocks later
//
//   MODULUS  p, of an even number m of bits
//
// One product per clock. With x = a b, beta = -4, alpha = m + 4 and rho = floor(2^(m + alpha) / p):
//   q = floor(floor(x / 2^(m + beta)) rho / 2^(alpha - beta)), and x - q p is in [0, 2 p).
// Clocks 1 to 3: x; 4 and 5: the product with rho; 6: q p; 7: the subtractions.
// Super-size paper, algorithm 2 and Fig. 3(i). (The algorithm's last step is garbled in print: the
// first difference is the residue where the second one is negative.)
`default_nettype none
module barrett_multiply #(
    parameter logic [64:0] MODULUS = 65'h0_0000_0000_fff0_0001,
    localparam int WIDTH = $clog2(MODULUS)
) (
    input  logic             clk,
    input  logic [WIDTH-1:0] a,
    input  logic [WIDTH-1:0] b,
    output logic [WIDTH-1:0] product
);
  localparam int DROPPED = WIDTH - 4;        // m + beta
  localparam int SCALE = 2 * WIDTH + 4;      // m + alpha
  localparam int ESTIMATE = WIDTH + 6;       // bits of either factor of the estimate, even
  localparam logic [ESTIMATE-1:0] RECIPROCAL =
      ESTIMATE'(((2 * WIDTH + 70)'(1) << SCALE) / (2 * WIDTH + 70)'(MODULUS));
  localparam logic [WIDTH:0] P = MODULUS[WIDTH:0];

  logic [2*WIDTH-1:0] full;
  split_product #(
      .WIDTH  (WIDTH),
      .COLUMNS(0)
  ) multiply (
      .clk,
      .advance(1'b1),
      .a,
      .b,
      .product(full)
  );

  logic [2*ESTIMATE-1:0] scaled;
  split_product #(
      .WIDTH   (ESTIMATE),
      .OPERANDS(0),
      .COLUMNS (0)
  ) estimate (
      .clk,
      .advance(1'b1),
      .a      (ESTIMATE'(full[2*WIDTH-1:DROPPED])),
      .b      (RECIPROCAL),
      .product(scaled)
  );

  // The difference is below 2 p: it is told by WIDTH + 1 bits of both sides.
  logic [WIDTH:0] value, multiple, first;
  logic [WIDTH+1:0] second;
  delay_line #(
      .WIDTH (WIDTH + 1),
      .CLOCKS(3)
  ) delay (
      .clk,
      .in (full[WIDTH:0]),
      .out(value)
  );
  assign first = value - multiple;
  assign second = {1'b0, first} - {1'b0, P};
  always_ff @(posedge clk) begin
    multiple <= scaled[WIDTH+8+:WIDTH+1] * P;
    product <= second[WIDTH+1] ? first[WIDTH-1:0] : second[WIDTH-1:0];
  end

  logic unused;
  assign unused = &{1'b0, scaled[WIDTH+7:0], scaled[2*ESTIMATE-1:2*WIDTH+9], second[WIDTH]};
endmodule
`default_nettype wire
