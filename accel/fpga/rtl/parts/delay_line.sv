// SPDX-License-Identifier: Apache-2.0
// A word as it was CLOCKS clocks ago. It has no reset, so that it can live in shift-register look-up
// tables.
`default_nettype none
module delay_line #(
    parameter int WIDTH  = 1,
    parameter int CLOCKS = 1
) (
    input  logic             clk,
    input  logic [WIDTH-1:0] in,
    output logic [WIDTH-1:0] out
);
  logic [WIDTH*CLOCKS-1:0] line;
  always_ff @(posedge clk) line <= (WIDTH * CLOCKS)'({line, in});
  assign out = line[WIDTH*CLOCKS-1-:WIDTH];
endmodule
`default_nettype wire
