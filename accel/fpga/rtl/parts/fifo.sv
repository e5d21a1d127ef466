// SPDX-License-Identifier: Apache-2.0
// A queue: words leave in the order in which they entered.
//
//   reset                 empties it
//   in_valid, in_ready    in_data enters; in_ready = 0 while it holds DEPTH words
//   out_valid, out_ready  out_data leaves, from the clock after its entry on
//
//   DEPTH                 power of two, at least 2
//
// No output depends on an input of its clock. The words live in look-up tables as memory.
`default_nettype none
module fifo #(
    parameter int WIDTH = 32,
    parameter int DEPTH = 2
) (
    input  logic             clk,
    input  logic             reset,
    input  logic             in_valid,
    output logic             in_ready,
    input  logic [WIDTH-1:0] in_data,
    output logic             out_valid,
    input  logic             out_ready,
    output logic [WIDTH-1:0] out_data
);
  localparam int POSITION_BITS = $clog2(DEPTH);

  // Positions count modulo 2 DEPTH: equal when the queue is empty, DEPTH apart when it is full.
  logic [WIDTH-1:0] words[DEPTH];
  logic [POSITION_BITS:0] written, taken;

  assign in_ready = written != (taken ^ (POSITION_BITS + 1)'(DEPTH));
  assign out_valid = written != taken;
  assign out_data = words[taken[POSITION_BITS-1:0]];

  always_ff @(posedge clk)
    if (reset) begin
      written <= '0;
      taken <= '0;
    end else begin
      if (in_valid && in_ready) written <= written + (POSITION_BITS + 1)'(1);
      if (out_valid && out_ready) taken <= taken + (POSITION_BITS + 1)'(1);
    end
  always_ff @(posedge clk)
    if (in_valid && in_ready) words[written[POSITION_BITS-1:0]] <= in_data;
endmodule
`default_nettype wire
