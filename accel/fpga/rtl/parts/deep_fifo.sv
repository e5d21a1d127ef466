// SPDX-License-Identifier: Apache-2.0
// A queue of many words: as fifo, but its words live in a block of memory.
//
//   reset                 empties it
//   in_valid, in_ready    in_data enters; in_ready = 0 while the memory holds DEPTH words
//   out_valid, out_ready  out_data leaves, from three clocks after its entry on
//
//   DEPTH                 power of two, at least 2
//
// One word a clock. No output depends on an input of its clock. A few words more are on their way out.
`default_nettype none
module deep_fifo #(
    parameter int WIDTH = 32,
    parameter int DEPTH = 512
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
  localparam int AHEAD = 4;  // a word is fetched, enters the queue and leaves it: three clocks

  // Positions count modulo 2 DEPTH, as in fifo.
  logic [WIDTH-1:0] words[DEPTH];
  logic [WIDTH-1:0] fetched;
  logic [POSITION_BITS:0] written, taken;
  logic [2:0] ahead;  // words that were fetched and have not left
  logic enters, fetch, fetched_valid, leaves, unused_ready;

  assign in_ready = written != (taken ^ (POSITION_BITS + 1)'(DEPTH));
  assign enters = in_valid && in_ready;
  assign fetch = written != taken && ahead != 3'(AHEAD);
  assign leaves = out_valid && out_ready;

  always_ff @(posedge clk)
    if (reset) begin
      written <= '0;
      taken <= '0;
      ahead <= 3'd0;
      fetched_valid <= 1'b0;
    end else begin
      if (enters) written <= written + (POSITION_BITS + 1)'(1);
      if (fetch) taken <= taken + (POSITION_BITS + 1)'(1);
      ahead <= ahead + 3'(fetch) - 3'(leaves);
      fetched_valid <= fetch;
    end
  always_ff @(posedge clk) begin
    if (enters) words[written[POSITION_BITS-1:0]] <= in_data;
    fetched <= words[taken[POSITION_BITS-1:0]];
  end

  fifo #(
      .WIDTH(WIDTH),
      .DEPTH(AHEAD)
  ) out_queue (
      .clk,
      .reset,
      .in_valid (fetched_valid),
      .in_ready (unused_ready),
      .in_data  (fetched),
      .out_valid,
      .out_ready,
      .out_data
  );
  logic unused;
  assign unused = &{1'b0, unused_ready};
endmodule
`default_nettype wire
