// SPDX-License-Identifier: Apache-2.0
// Columns of 28-bit weight to digits, one a clock.
//
//   advance  0 holds everything
//   first    with the lowest column: no carry comes in
//   column   66 bits, signed
//   digit    28 bits, one clock later
//   carry    out of it, signed, with it
//
// LHW paper, section 4.3 and Fig. 4.
`default_nettype none
module serial_adder (
    input  logic        clk,
    input  logic        advance,
    input  logic        first,
    input  logic [65:0] column,
    output logic [27:0] digit,
    output logic [38:0] carry
);
  logic [66:0] total;
  assign total = {column[65], column} + (first ? 67'd0 : {{28{carry[38]}}, carry});
  always_ff @(posedge clk) if (advance) {carry, digit} <= total;
endmodule
`default_nettype wire
