// SPDX-License-Identifier: Apache-2.0
// The lines of a slice of elements, one element after the other, whether they are generated or stored.
//
//   stored        the elements lie in memory, in element_words words each, one after the other; a_tail: bits used in the
//                 last word of each, 0 = all. Else they lie 2^32 (skip + 1) bytes apart in the element memory. All of these
//                 stay while slices are asked for
//   slice_valid, slice_ready   a slice:
//     slice_terms   of so many elements, at least 1
//     slice_address   of the first one, where that begins
//     slice_at, slice_lines    its first word, a multiple of LINE_WORDS, and its lines, at least 1
//   segment_*, word_*   of reader a: words of stored elements; what is behind them is zeros
//   line_segment_*, line_*   lines of those that are generated; see datapath
//   out_valid, out_ready   out_line: of all slices, one line after the other
//
//   LINE_WORDS    power of two, at least 2: words of a line
//   SLICE_WORDS   power of two: words of the longest slice
//
// A segment a clock, and a clock between two slices. A line a clock, or a word of a stored one.
`default_nettype none
module element_lines #(
    parameter int LINE_WORDS  = 4,
    parameter int SLICE_WORDS = 2048
) (
    input  logic                                    clk,
    input  logic                                    reset,
    input  logic                                    stored,
    input  logic [                             7:0] skip,
    input  logic [                            23:0] element_words,
    input  logic [                             8:0] a_tail,
    input  logic                                    slice_valid,
    output logic                                    slice_ready,
    input  logic [                            15:0] slice_terms,
    input  logic [                            63:0] slice_address,
    input  logic [                            23:0] slice_at,
    input  logic [$clog2(SLICE_WORDS/LINE_WORDS):0] slice_lines,
    output logic                                    segment_valid,
    input  logic                                    segment_ready,
    output logic [                            63:0] segment_address,
    output logic [                            31:0] segment_words,
    output logic [                            31:0] segment_zeros,
    output logic [                             8:0] segment_tail,
    input  logic                                    word_valid,
    output logic                                    word_ready,
    input  logic [                           511:0] word,
    output logic                                    line_segment_valid,
    input  logic                                    line_segment_ready,
    output logic [                            63:0] line_segment_address,
    output logic [                            31:0] line_segment_lines,
    output logic [                            31:0] line_segment_zeros,
    input  logic                                    line_valid,
    output logic                                    line_ready,
    input  logic [              512*LINE_WORDS-1:0] line,
    output logic                                    out_valid,
    input  logic                                    out_ready,
    output logic [              512*LINE_WORDS-1:0] out_line
);
  localparam int PLACE_BITS = $clog2(LINE_WORDS);
  localparam int LINES_BITS = $clog2(SLICE_WORDS / LINE_WORDS) + 1;

  // The slice: how many of its words are in memory, and whether an element ends there.
  logic [15:0] terms_left;
  logic [63:0] address;
  logic [LINES_BITS-1:0] lines;
  logic [LINES_BITS+PLACE_BITS-1:0] words, slice_words;
  logic [23:0] element_left;
  logic ends_element, asks, asked;
  assign slice_ready = terms_left == 16'd0;
  assign element_left = element_words > slice_at ? element_words - slice_at : 24'd0;
  assign slice_words = {slice_lines, PLACE_BITS'(0)};
  assign asks = terms_left != 16'd0;
  assign asked = asks && (stored ? segment_ready : line_segment_ready);
  always_ff @(posedge clk)
    if (reset) terms_left <= 16'd0;
    else if (slice_valid && slice_ready) terms_left <= slice_terms;
    else if (asked) terms_left <= terms_left - 16'd1;
  always_ff @(posedge clk)
    if (slice_valid && slice_ready) begin
      address <= slice_address + {34'd0, slice_at, 6'd0};
      lines <= slice_lines;
      words <= element_left < 24'(slice_words) ? (LINES_BITS + PLACE_BITS)'(element_left) : slice_words;
      ends_element <= element_left <= 24'(slice_words);
    end else if (asked)
      address <= address + (stored ? {34'd0, element_words, 6'd0} : {23'd0, 9'(skip) + 9'd1, 32'd0});

  assign segment_valid = asks && stored;
  assign segment_address = address;
  assign segment_words = 32'(words);
  assign segment_zeros = 32'({lines, PLACE_BITS'(0)}) - 32'(words);
  assign segment_tail = ends_element ? a_tail : 9'd0;
  assign line_segment_valid = asks && !stored;
  assign line_segment_address = address;
  assign line_segment_lines = 32'(lines);
  assign line_segment_zeros = 32'd0;

  // Stored words become lines.
  logic fills_line;
  logic [PLACE_BITS-1:0] place;
  logic [512*(LINE_WORDS-1)-1:0] words_before;
  assign fills_line = place == PLACE_BITS'(LINE_WORDS - 1);
  assign word_ready = !fills_line || out_ready;
  always_ff @(posedge clk)
    if (reset) place <= '0;
    else if (word_valid && word_ready) place <= place + PLACE_BITS'(1);
  always_ff @(posedge clk)
    if (word_valid && word_ready) words_before <= {word, words_before[512*(LINE_WORDS-1)-1:512]};

  assign line_ready = out_ready;
  assign out_valid = stored ? word_valid && fills_line : line_valid;
  assign out_line = stored ? {word, words_before} : line;
endmodule
`default_nettype wire
