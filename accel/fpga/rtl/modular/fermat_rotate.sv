// SPDX-License-Identifier: Apache-2.0
// Products with powers of two modulo p = 2^BITS + 1.
//
//   value     in [0, p)
//   exponent  of two, any of its bits: 2^(2 BITS) = 1 modulo p
//   product   value 2^exponent mod p in [0, p), seven clocks later: as late as modular_multiply's
//
//   BITS      power of two
//
// One product per clock: a shift by less than BITS, and 2^BITS = -1. Super-size paper, section 3.2.
`default_nettype none
module fermat_rotate #(
    parameter int BITS = 64
) (
    input  logic                    clk,
    input  logic [          BITS:0] value,
    input  logic [  $clog2(BITS):0] exponent,
    output logic [          BITS:0] product
);
  localparam int SPARE = 3;  // clocks that a multiplier takes and a shift does not

  logic [BITS:0] late;
  logic [2*BITS+1:0] shifted;
  logic negate;

  delay_line #(
      .WIDTH (BITS + 1),
      .CLOCKS(SPARE)
  ) delay (
      .clk,
      .in (value),
      .out(late)
  );
  always_ff @(posedge clk) begin
    shifted <= (2 * BITS + 2)'(late) << exponent[$clog2(BITS)-1:0];
    negate <= exponent[$clog2(BITS)];
  end

  fermat_reduce #(
      .BITS(BITS)
  ) reduce (
      .clk,
      .value  (shifted),
      .negate,
      .residue(product)
  );
endmodule
`default_nettype wire
