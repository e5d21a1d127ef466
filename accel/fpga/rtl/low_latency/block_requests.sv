// SPDX-License-Identifier: Apache-2.0
// The blocks that one operand port of low_latency_multiplier wants, in the order of their use.
//
//   reset        to idle
//   start        heard at any time, and with it x_blocks and y_rows
//   valid, ready a block is wanted; it is taken notice of
//   of_y         1: row `block` of y; 0: block `block` of x
//
//   PORT_A       1: for each row of y the row, then blocks 1, 3, 5, .. of x; 0: blocks 0, 2, 4, ..
`default_nettype none
module block_requests #(
    parameter int PORT_A = 1
) (
    input  logic        clk,
    input  logic        reset,
    input  logic        start,
    input  logic [31:0] x_blocks,
    input  logic [31:0] y_rows,
    output logic        valid,
    input  logic        ready,
    output logic        of_y,
    output logic [31:0] block
);
  logic [30:0] slot, last_slot;
  logic [31:0] row, last_row;

  assign of_y = PORT_A == 1 && slot == 31'd0;
  assign block = of_y ? row : {slot, 1'b0} - 32'(PORT_A);

  always_ff @(posedge clk)
    if (reset) valid <= 1'b0;
    else if (start) begin
      valid <= 1'b1;
      slot <= 31'd0;
      last_slot <= PORT_A == 1 ? x_blocks[31:1] : 31'((x_blocks - 32'd1) >> 1);
      row <= 32'd0;
      last_row <= y_rows - 32'd1;
    end else if (valid && ready) begin
      slot <= slot == last_slot ? 31'd0 : slot + 31'd1;
      if (slot == last_slot) begin
        row <= row + 32'd1;
        valid <= row != last_row;
      end
    end
endmodule
`default_nettype wire
