// SPDX-License-Identifier: Apache-2.0
// A queue from one clock to another: words leave in the order in which they entered.
//
//   in_clk, out_clk       of the two sides; any relation
//   in_reset, out_reset   empty it; both held together for three clocks of the slower side or more, and
//                         nothing enters or leaves meanwhile
//   in_valid, in_ready    in_data enters; in_ready = 0 while there may be no room
//   out_valid, out_ready  out_data leaves, some clocks after its entry
//
//   DEPTH                 power of two, at least 4
//
// No output depends on an input of its clock. Positions cross in Gray code, where successive numbers
// differ in one bit: what the other side reads is the position of now or of before, never a third. For
// that they have to arrive together: constraints.xdc bounds their way.
`default_nettype none
module async_fifo #(
    parameter int WIDTH = 1,
    parameter int DEPTH = 4
) (
    input  logic             in_clk,
    input  logic             in_reset,
    input  logic             in_valid,
    output logic             in_ready,
    input  logic [WIDTH-1:0] in_data,
    input  logic             out_clk,
    input  logic             out_reset,
    output logic             out_valid,
    input  logic             out_ready,
    output logic [WIDTH-1:0] out_data
);
  localparam int BITS = $clog2(DEPTH) + 1;

  // Positions count modulo 2 DEPTH: equal when the queue is empty, DEPTH apart when it is full; in Gray
  // code the two highest bits differ then, and no others.
  logic [WIDTH-1:0] words[DEPTH];
  logic [BITS-1:0] written, taken, next_written, next_taken;
  logic [BITS-1:0] written_gray, taken_gray;
  (* ASYNC_REG = "TRUE" *) logic [BITS-1:0] written_crossing, written_seen, taken_crossing, taken_seen;

  assign next_written = written + BITS'(in_valid && in_ready);
  assign next_taken = taken + BITS'(out_valid && out_ready);
  assign in_ready = written_gray != (taken_seen ^ {2'b11, {(BITS - 2) {1'b0}}});
  assign out_valid = taken_gray != written_seen;
  assign out_data = words[taken[BITS-2:0]];

  always_ff @(posedge in_clk)
    if (in_reset) begin
      written <= '0;
      written_gray <= '0;
      taken_crossing <= '0;
      taken_seen <= '0;
    end else begin
      written <= next_written;
      written_gray <= next_written ^ (next_written >> 1);
      taken_crossing <= taken_gray;
      taken_seen <= taken_crossing;
    end
  always_ff @(posedge in_clk) if (in_valid && in_ready) words[written[BITS-2:0]] <= in_data;

  always_ff @(posedge out_clk)
    if (out_reset) begin
      taken <= '0;
      taken_gray <= '0;
      written_crossing <= '0;
      written_seen <= '0;
    end else begin
      taken <= next_taken;
      taken_gray <= next_taken ^ (next_taken >> 1);
      written_crossing <= written_gray;
      written_seen <= written_crossing;
    end
endmodule
`default_nettype wire
