// SPDX-License-Identifier: Apache-2.0
// Two words between two streams. Neither in_ready nor out_valid depends on the other side in the same
// clock, so chains of handshakes end here.
//
//   in_valid, in_ready, in       a word moves in a clock in which both are 1
//   out_valid, out_ready, out    as well
`default_nettype none
module stream_fifo #(
    parameter int WIDTH = 1
) (
    input  logic             clk,
    input  logic             reset,
    input  logic             in_valid,
    output logic             in_ready,
    input  logic [WIDTH-1:0] in,
    output logic             out_valid,
    input  logic             out_ready,
    output logic [WIDTH-1:0] out
);
  logic [WIDTH-1:0] waiting;
  logic             waits;

  assign in_ready = !waits;

  always_ff @(posedge clk) begin
    if (in_ready) waiting <= in;
    if (!out_valid || out_ready) out <= waits ? waiting : in;
    if (reset) begin
      waits <= 1'b0;
      out_valid <= 1'b0;
    end else begin
      waits <= (waits || in_valid) && out_valid && !out_ready;
      out_valid <= waits || in_valid || (out_valid && !out_ready);
    end
  end
endmodule
`default_nettype wire
