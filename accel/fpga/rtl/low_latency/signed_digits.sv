// SPDX-License-Identifier: Apache-2.0
// The digits of a block of an operand, from [0, 2^28) to [-2^27, 2^27], modulo p = 2^64 - 2^32 + 1.
//
//   advance  0 holds everything
//   digit    of 28 bits, the lowest first
//   first    with the lowest digit of a block
//   last     with its highest digit, which keeps its value and may become 2^28
//   residue  of the new digit, one clock later; the value of the block is the same
//
// A digit with its top bit set is lowered by 2^28 and raises the next one by 1, whose own top bit does
// not depend on that: no carry runs. Columns of up to 509 products of such digits stay below p / 2 in size;
// of digits as they come p has room for 256, and transforms of 1024 points and more could overflow. The
// bound that LHW paper, section 4.2, leaves open.
`default_nettype none
module signed_digits (
    input  logic        clk,
    input  logic        advance,
    input  logic        first,
    input  logic        last,
    input  logic [27:0] digit,
    output logic [63:0] residue
);
  localparam logic [63:0] MODULUS = 64'hffff_ffff_0000_0001;

  logic top, raise, lower;
  logic [63:0] value;

  assign raise = top && !first;
  assign lower = digit[27] && !last;
  // lowered by 2^28: the top bit becomes the sign
  assign value = {{36{lower}}, digit} + {63'd0, raise};
  always_ff @(posedge clk)
    if (advance) begin
      top <= digit[27];
      residue <= value + (value[63] ? MODULUS : 64'd0);
    end
endmodule
`default_nettype wire
