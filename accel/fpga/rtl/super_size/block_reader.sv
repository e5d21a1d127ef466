// SPDX-License-Identifier: Apache-2.0
// Reads two operands from memory, block by block: every block of y with every block of x.
//
//   reset            to idle
//   start, ready     start is heard when ready = 1, and with it x_at, y_at and the marks fresh, extend
//   x_words, y_words lengths, at least 1; they hold still while blocks are under way; blocks are filled
//                    up with zeros
//   x_read, x_address, x_word and those of y
//                    reads of a memory that answers in the next clock
//   block_valid      x, y: block i of x and block j of y, j faster, two clocks after the last of its
//                    HALF reads
//   row_first, row_last, column_first, column_last, block_fresh, block_extend
//                    with it, as block_accumulate takes them
//
// A block takes HALF clocks, and after the last of a product HALF + 1 are left free for the high half
// of its last block product. Super-size paper, section 3.1, steps 1 and 3.3.
`default_nettype none
module block_reader #(
    parameter int BITS = 224,
    parameter int HALF = 8
) (
    input  logic                 clk,
    input  logic                 reset,
    input  logic                 start,
    output logic                 ready,
    input  logic [         31:0] x_at,
    input  logic [         31:0] y_at,
    input  logic [         31:0] x_words,
    input  logic [         31:0] y_words,
    input  logic                 fresh,
    input  logic                 extend,
    output logic                 x_read,
    output logic [         31:0] x_address,
    input  logic [     BITS-1:0] x_word,
    output logic                 y_read,
    output logic [         31:0] y_address,
    input  logic [     BITS-1:0] y_word,
    output logic                 block_valid,
    output logic [HALF*BITS-1:0] x,
    output logic [HALF*BITS-1:0] y,
    output logic                 row_first,
    output logic                 row_last,
    output logic                 column_first,
    output logic                 column_last,
    output logic                 block_fresh,
    output logic                 block_extend
);
  localparam int STEP = $clog2(HALF);
  localparam logic [STEP-1:0] LAST = STEP'(HALF - 1);
  localparam logic [31:0] STRIDE = 32'(HALF);
  localparam int PAUSE = HALF;  // and one clock for the start

  logic reading, block_read;
  logic [STEP-1:0] step;
  logic [$clog2(PAUSE+1)-1:0] pause;
  logic [31:0] x_base, y_base, x_block, y_block;  // addresses; offsets of the blocks
  logic [31:0] x_offset, y_offset;
  logic is_fresh, marked_extend, last_row, last_column;

  assign ready = !reading && pause == '0;
  assign block_read = reading && step == LAST;
  assign last_row = x_block + STRIDE >= x_words;
  assign last_column = y_block + STRIDE >= y_words;
  assign x_offset = x_block + 32'(step);
  assign y_offset = y_block + 32'(step);
  assign x_address = x_base + x_offset;
  assign y_address = y_base + y_offset;
  assign x_read = reading && x_offset < x_words;
  assign y_read = reading && y_offset < y_words;

  always_ff @(posedge clk)
    if (reset) begin
      reading <= 1'b0;
      pause <= '0;
    end else if (start && ready) begin
      reading <= 1'b1;
      step <= '0;
      x_base <= x_at;
      y_base <= y_at;
      x_block <= 32'd0;
      y_block <= 32'd0;
      is_fresh <= fresh;
      marked_extend <= extend;
    end else if (reading) begin
      step <= step + 1'b1;
      if (block_read) begin
        y_block <= last_column ? 32'd0 : y_block + STRIDE;
        if (last_column) x_block <= x_block + STRIDE;
        if (last_column && last_row) begin
          reading <= 1'b0;
          pause <= $bits(pause)'(PAUSE);
        end
      end
    end else if (pause != '0) pause <= pause - 1'b1;

  logic taken, x_taken, y_taken;
  logic [5:0] place;
  always_ff @(posedge clk) begin
    x_taken <= x_read;
    y_taken <= y_read;
    x <= {x_taken ? x_word : {BITS{1'b0}}, x[HALF*BITS-1:BITS]};
    y <= {y_taken ? y_word : {BITS{1'b0}}, y[HALF*BITS-1:BITS]};
    taken <= block_read && !reset;
    place <= {x_block == 32'd0, last_row, y_block == 32'd0, last_column, is_fresh, marked_extend};
    block_valid <= taken && !reset;
    {row_first, row_last, column_first, column_last, block_fresh, block_extend} <= place;
  end
endmodule
`default_nettype wire
