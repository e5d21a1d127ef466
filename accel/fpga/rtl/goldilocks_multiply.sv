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
  logic [63:0] x, y;
  logic [63:0] low_low, low_high, high_low, high_high;
  logic [33:0] middle;  // column of weight 2^32, with its carry
  logic [63:0] top;     // column of weight 2^64
  logic [31:0] bottom;
  logic [127:0] full;

  always_ff @(posedge clk)
    if (advance) begin
      x <= a;
      y <= b;
      low_low <= {32'd0, x[31:0]} * {32'd0, y[31:0]};
      low_high <= {32'd0, x[31:0]} * {32'd0, y[63:32]};
      high_low <= {32'd0, x[63:32]} * {32'd0, y[31:0]};
      high_high <= {32'd0, x[63:32]} * {32'd0, y[63:32]};
      bottom <= low_low[31:0];
      middle <= {2'd0, low_low[63:32]} + {2'd0, low_high[31:0]} + {2'd0, high_low[31:0]};
      top <= high_high + {32'd0, low_high[63:32]} + {32'd0, high_low[63:32]};
      full <= {top + {62'd0, middle[33:32]}, middle[31:0], bottom};
    end

  goldilocks_reduce reduce (
      .clk,
      .advance,
      .value  (full),
      .residue(product)
  );
endmodule
`default_nettype wire
