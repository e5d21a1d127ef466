// SPDX-License-Identifier: Apache-2.0
// A slice of one sum of elements, in columns of 32 bits that have room for 48 and pass no carry on: a line of them at each
// of SLICE_LINES places.
//
//   advance, read_place    while advance = 1 the columns of this place are `old`, two clocks later
//   first, mask, line      with `old`: what the line is added to: 0 where it is the first one, else old; it is where mask = 1
//   write, write_place     a clock later: the sums go there
//   word                   with `old`: which word of the line goes out
//   word_columns           the columns of this word
//
// A column is read, added to and written within four clocks.
`default_nettype none
module selection_columns #(
    parameter int LINE_WORDS = 4,
    parameter int SLICE_LINES = 512,
    parameter int COLUMN = 48
) (
    input  logic                             clk,
    input  logic                             advance,
    input  logic [$clog2(SLICE_LINES) - 1:0] read_place,
    input  logic                             first,
    input  logic                             mask,
    input  logic [      512*LINE_WORDS-1:0] line,
    input  logic                             write,
    input  logic [$clog2(SLICE_LINES) - 1:0] write_place,
    input  logic [ $clog2(LINE_WORDS) - 1:0] word,
    output logic [          16 * COLUMN-1:0] word_columns
);
  `include "register_map.svh"
  localparam int DIGIT = 32;
  localparam int WORD_COLUMNS = WORD_BITS / DIGIT * COLUMN;

  logic [LINE_WORDS*WORD_COLUMNS-1:0] columns[SLICE_LINES];
  logic [LINE_WORDS*WORD_COLUMNS-1:0] looked_up, old, result;
  always_ff @(posedge clk)
    if (advance) begin
      looked_up <= columns[read_place];
      old <= looked_up;
    end
  for (genvar i = 0; i < LINE_WORDS * WORD_BITS / DIGIT; i++) begin : g_column
    always_ff @(posedge clk)
      result[COLUMN*i+:COLUMN] <= (first ? '0 : old[COLUMN*i+:COLUMN]) +
          (mask ? {(COLUMN - DIGIT)'(0), line[DIGIT*i+:DIGIT]} : '0);
  end
  always_ff @(posedge clk) if (write) columns[write_place] <= result;
  assign word_columns = old[WORD_COLUMNS*word+:WORD_COLUMNS];
endmodule
`default_nettype wire
