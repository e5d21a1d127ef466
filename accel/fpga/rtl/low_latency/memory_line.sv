// SPDX-License-Identifier: Apache-2.0
// A word as it was CLOCKS clocks ago, for delays that are too long for registers.
//
//   advance  0 holds everything; a clock counts when it is 1
//
//   CLOCKS   at least 1
//
// A ring in memory: the word that was written longest ago is read, and replaced. It has no reset: the
// place in the ring is a good one from the first clock on, so the first word ever may be lost.
`default_nettype none
module memory_line #(
    parameter int WIDTH  = 64,
    parameter int CLOCKS = 8
) (
    input  logic             clk,
    input  logic             advance,
    input  logic [WIDTH-1:0] in,
    output logic [WIDTH-1:0] out
);
  if (CLOCKS < 3) begin : g_registers
    logic [WIDTH*CLOCKS-1:0] line;
    always_ff @(posedge clk) if (advance) line <= (WIDTH * CLOCKS)'({line, in});
    assign out = line[WIDTH*CLOCKS-1-:WIDTH];
  end else begin : g_ring
    localparam int WORDS = CLOCKS - 1;  // and the read register
    localparam int POSITION_BITS = $clog2(WORDS);
    logic [WIDTH-1:0] ring[WORDS];
    logic [POSITION_BITS-1:0] position;
    always_ff @(posedge clk)
      if (advance) begin
        out <= ring[position];
        ring[position] <= in;
        position <= position >= POSITION_BITS'(WORDS - 1) ? '0 : position + POSITION_BITS'(1);
      end
  end
endmodule
`default_nettype wire
