// SPDX-License-Identifier: Apache-2.0
// Products modulo one of the four moduli of the super-size paper.
//
//   a, b     in [0, p)
//   product  a b mod p in [0, p), seven clocks later
//
//   MODULUS  2^32 + 1 or 2^64 + 1: fermat_reduce; 2^64 - 2^32 + 1: goldilocks_multiply;
//            any other: barrett_multiply
//
// One product per clock. (Remarks for Verilator as in modular_butterfly.) Super-size paper, section 3.3.
`default_nettype none
module modular_multiply #(
    parameter logic [64:0] MODULUS = 65'h0_ffff_ffff_0000_0001,
    localparam int WIDTH = $clog2(MODULUS)
) (
    input  logic             clk,
    input  logic [WIDTH-1:0] a /*verilator public_flat_rd*/,
    input  logic [WIDTH-1:0] b /*verilator public_flat_rd*/,
    output logic [WIDTH-1:0] product
);
  // verilator no_inline_module
  localparam int BITS = WIDTH - 1;

  if (MODULUS == (65'd1 << BITS) + 65'd1) begin : g_fermat
    // 2^BITS is the only residue with its top bit, and it has no other: its products need no multiplier.
    logic [2*BITS+1:0] special, special_late, full;
    logic [2*BITS-1:0] low;
    assign special = {1'b0, a[BITS] & b[BITS],
                      a[BITS] ? b[BITS-1:0] : b[BITS] ? a[BITS-1:0] : {BITS{1'b0}},
                      {BITS{1'b0}}};
    split_product #(
        .WIDTH   (BITS),
        .QUARTERS(BITS == 64 ? 1 : 0)
    ) multiply (
        .clk,
        .advance(1'b1),
        .a      (a[BITS-1:0]),
        .b      (b[BITS-1:0]),
        .product(low)
    );
    delay_line #(
        .WIDTH (2 * BITS + 2),
        .CLOCKS(4)
    ) delay (
        .clk,
        .in (special),
        .out(special_late)
    );
    assign full = special_late | {2'd0, low};
    fermat_reduce #(
        .BITS(BITS)
    ) reduce (
        .clk,
        .value  (full),
        .negate (1'b0),
        .residue(product)
    );
  end else if (MODULUS == 65'h0_ffff_ffff_0000_0001) begin : g_solinas
    goldilocks_multiply multiply (
        .clk,
        .advance(1'b1),
        .a,
        .b,
        .product
    );
  end else begin : g_general
    barrett_multiply #(
        .MODULUS(MODULUS)
    ) multiply (
        .clk,
        .a,
        .b,
        .product
    );
  end
endmodule
`default_nettype wire
