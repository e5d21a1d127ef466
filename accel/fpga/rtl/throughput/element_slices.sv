// SPDX-License-Identifier: Apache-2.0
// What sums of products of elements and short weights want from memory, two slices of the elements at a time: this pair of
// slices of all elements first, which add to the same words; then the next pair.
//
//   start              with what follows, which stays while anything is shown:
//   terms              elements and weights, at least 1
//   a_address          of the first element; the next ones lie 2^32 bytes apart
//   a_words            of each, at least 1
//   b_address          of the first weight; the next ones lie b_words words apart
//   term_valid/_ready  a term begins:
//     term_first, _last  of its pair of slices
//     term_ends          no other pair follows
//   line_valid/_ready  line_address: of a line of LINE_WORDS words of its element, alternately of the first slice and of the
//                      second one, SLICE_LINES of each; lines may lie behind the end of the element
//   weight_valid/_ready  weight_address: of its weight
//
// The next term is shown when all of this one was taken; between two pairs two clocks pass.
`default_nettype none
module element_slices #(
    parameter int LINE_WORDS  = 4,
    parameter int SLICE_LINES = 46
) (
    input  logic        clk,
    input  logic        reset,
    input  logic        start,
    input  logic [15:0] terms,
    input  logic [63:0] a_address,
    input  logic [23:0] a_words,
    input  logic [63:0] b_address,
    input  logic [23:0] b_words,
    output logic        term_valid,
    input  logic        term_ready,
    output logic        term_first,
    output logic        term_last,
    output logic        term_ends,
    output logic        line_valid,
    input  logic        line_ready,
    output logic [63:0] line_address,
    output logic        weight_valid,
    input  logic        weight_ready,
    output logic [63:0] weight_address
);
  `include "register_map.svh"
  localparam int PAIR_LINES = 2 * SLICE_LINES;
  localparam int COUNT_BITS = $clog2(PAIR_LINES + 1);
  localparam int LINE_BYTES = LINE_WORDS * WORD_BITS / 8;

  logic [23:0] left;  // words of an element in this pair of slices and above
  logic [15:0] terms_left;
  logic [63:0] pair_at, element_at;  // this pair of slices of the first element, and of that of this term
  logic begins, shown, next, ends_pair, last_pair;

  // What was taken of this term.
  logic term_taken, weight_taken, lines_taken;
  logic [COUNT_BITS-1:0] lines;
  assign term_valid = shown && !term_taken;
  assign weight_valid = shown && !weight_taken;
  assign lines_taken = lines == COUNT_BITS'(PAIR_LINES);
  assign line_valid = shown && !lines_taken;
  assign next = shown && (term_taken || term_ready) && (weight_taken || weight_ready) &&
      (lines_taken || (line_ready && lines == COUNT_BITS'(PAIR_LINES - 1)));
  always_ff @(posedge clk)
    if (reset || next || begins) begin
      {term_taken, weight_taken} <= 2'b00;
      lines <= '0;
    end else begin
      term_taken <= term_taken || (term_valid && term_ready);
      weight_taken <= weight_taken || (weight_valid && weight_ready);
      if (line_valid && line_ready) lines <= lines + COUNT_BITS'(1);
    end
  assign line_address = {element_at[63:32], element_at[31:0] + 32'(lines[COUNT_BITS-1:1]) * 32'(LINE_BYTES) +
                         (lines[0] ? 32'(SLICE_LINES * LINE_BYTES) : 32'd0)};

  assign term_last = terms_left == 16'd1;
  assign term_ends = term_last && last_pair;
  assign ends_pair = next && term_last;
  always_ff @(posedge clk)
    if (reset) {begins, shown} <= 2'b00;
    else begin
      begins <= start || (ends_pair && !last_pair);
      shown <= begins || (shown && !ends_pair);
    end
  always_ff @(posedge clk)
    if (start) begin
      left <= a_words;
      pair_at <= a_address;
    end else if (ends_pair) begin
      left <= left - 24'(PAIR_LINES * LINE_WORDS);
      pair_at <= pair_at + 64'(PAIR_LINES * LINE_BYTES);
    end
  always_ff @(posedge clk)
    if (begins) begin
      last_pair <= left <= 24'(PAIR_LINES * LINE_WORDS);
      terms_left <= terms;
      element_at <= pair_at;
      weight_address <= b_address;
      term_first <= 1'b1;
    end else if (next) begin
      terms_left <= terms_left - 16'd1;
      element_at <= element_at + {31'd0, 1'b1, 32'd0};
      weight_address <= weight_address + {34'd0, b_words, 6'd0};
      term_first <= 1'b0;
    end
endmodule
`default_nettype wire
