// SPDX-License-Identifier: Apache-2.0
// The slots of a product, as one part of the multiplier sees them: `delay` clocks after the start.
//
//   reset        to idle
//   advance      0 holds everything but reset and start
//   start        and with it:
//     delay        clocks until the first slot, 0: the next one
//     x_blocks     X >= 1, blocks of x
//     y_rows       Y >= 1, rows of y
//   running      the clocks of the Y (1 + floor(X / 2)) slots
//   index        of the pair in its slot; while not running, it goes on counting for what still flows
//   first        slot 0 of a row
//   odd_slot     changes with every slot
//   b_used       slot i holds block 2 i of x: all but the last slot of a row for even X
//
//   INDEX_BITS   a slot has 2^INDEX_BITS clocks
//
// Slot 0 of a row multiplies block 0 of x, slot i the blocks 2 i - 1 and 2 i. (LHW paper, eqs. (3) and (4),
// count ceil((X - 1) / 2) slots; that leaves out slot 0.) LHW paper, Algorithm 1 and Fig. 2.
`default_nettype none
module slot_sequence #(
    parameter int INDEX_BITS = 7
) (
    input  logic                  clk,
    input  logic                  reset,
    input  logic                  advance,
    input  logic                  start,
    input  logic [          15:0] delay,
    input  logic [          31:0] x_blocks,
    input  logic [          31:0] y_rows,
    output logic                  running,
    output logic [INDEX_BITS-1:0] index,
    output logic                  first,
    output logic                  odd_slot,
    output logic                  b_used
);
  logic [15:0] waiting;
  logic [30:0] row_slots, slots_left;  // after slot 0; after this one
  logic [31:0] rows_left;              // after this one
  logic odd, slot_ends;

  assign slot_ends = running && (&index);
  assign b_used = running && (slots_left != 31'd0 || odd);

  always_ff @(posedge clk)
    if (reset) begin
      running <= 1'b0;
      waiting <= 16'd0;
    end else if (start) begin
      running <= delay == 16'd0;
      waiting <= delay;
      index <= '0;
      {row_slots, odd} <= x_blocks;
      slots_left <= x_blocks[31:1];
      rows_left <= y_rows - 32'd1;
      first <= 1'b1;
      odd_slot <= 1'b0;
    end else if (advance && waiting != 16'd0) begin
      waiting <= waiting - 16'd1;
      running <= waiting == 16'd1;
    end else if (advance) begin
      index <= index + INDEX_BITS'(1);
      if (slot_ends) begin
        odd_slot <= !odd_slot;
        first <= slots_left == 31'd0;
        slots_left <= slots_left == 31'd0 ? row_slots : slots_left - 31'd1;
        if (slots_left == 31'd0) rows_left <= rows_left - 32'd1;
        running <= slots_left != 31'd0 || rows_left != 32'd0;
      end
    end
endmodule
`default_nettype wire
