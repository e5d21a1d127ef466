// SPDX-License-Identifier: Apache-2.0
// Products with a constant factor modulo one of the four moduli: a rotation where the root of unity is
// a power of two, else a multiplier.
//
//   value    in [0, p)
//   factor   p = 2^n + 1: the exponent of a power of two, modulo 2 n; else a residue in [0, p)
//   product  in [0, p), seven clocks later
//
// One product per clock. Super-size paper, section 3.2.
`default_nettype none
module modular_factor #(
    parameter logic [64:0] MODULUS = 65'h0_ffff_ffff_0000_0001,
    localparam int WIDTH = $clog2(MODULUS)
) (
    input  logic             clk,
    input  logic [WIDTH-1:0] value,
    input  logic [WIDTH-1:0] factor,
    output logic [WIDTH-1:0] product
);
  localparam int BITS = WIDTH - 1;

  if (MODULUS == (65'd1 << BITS) + 65'd1) begin : g_rotate
    fermat_rotate #(
        .BITS(BITS)
    ) rotate (
        .clk,
        .value,
        .exponent(factor[$clog2(BITS):0]),
        .product
    );
    logic unused;
    assign unused = &{1'b0, factor[BITS:$clog2(BITS)+1]};
  end else begin : g_multiply
    modular_multiply #(
        .MODULUS(MODULUS)
    ) multiply (
        .clk,
        .a(value),
        .b(factor),
        .product
    );
  end
endmodule
`default_nettype wire
