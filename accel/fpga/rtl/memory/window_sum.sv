// SPDX-License-Identifier: Apache-2.0
// out = old + product, integers of any numbers of words, one after the other: the back part of the
// multipliers that add their products to what is in memory.
//
//   reset                        to idle, whatever is under way
//   window_valid, window_ready   the next window begins:
//     window_product_words         words of its product in the beats, with zeros above
//     window_result_words          those that are added, the lowest ones: length of the result, at least 1
//   beat_valid, beat_ready       beat: the products, BEAT_BITS at a time, the lowest first
//   old_valid, old_ready         old_data: window_result_words words for each window, the lowest first
//   out_valid, out_ready         out_data: window_result_words words of each result
//   out_last                     with the last word of a result, and then
//     carry_out                    the carry out of it
//   idle                         all words of all products came, and all words of all results left
//
//   BEAT_BITS                    a product is a whole number of beats, and of words
//
// Words of a product above its window are taken and dropped. While no side stalls,
// a word of the product leaves three clocks after its last beat came; a word above the product, or one
// that is dropped, takes a clock, and so does the change to the next window.
`default_nettype none
module window_sum #(
    parameter int BEAT_BITS = 384
) (
    input  logic                 clk,
    input  logic                 reset,
    input  logic                 window_valid,
    output logic                 window_ready,
    input  logic [         31:0] window_product_words,
    input  logic [         31:0] window_result_words,
    input  logic                 beat_valid,
    output logic                 beat_ready,
    input  logic [BEAT_BITS-1:0] beat,
    input  logic                 old_valid,
    output logic                 old_ready,
    input  logic [        511:0] old_data,
    output logic                 out_valid,
    input  logic                 out_ready,
    output logic [        511:0] out_data,
    output logic                 out_last,
    output logic                 carry_out,
    output logic                 idle
);
  logic begins, result_leaves;
  logic [31:0] product_left, result_left;
  logic [1:0] results;  // that have not left: one that words enter, and two in the adder

  assign window_ready = product_left == 32'd0 && result_left == 32'd0 && results != 2'd3;
  assign begins = window_valid && window_ready;
  assign result_leaves = out_valid && out_ready && out_last;
  assign idle = product_left == 32'd0 && results == 2'd0;

  // The product as words, zeros after its end.
  logic product_valid, product_taken, product_ended, word_valid, word_taken;
  logic [511:0] product_word, word;

  gearbox #(
      .IN_BITS (BEAT_BITS),
      .OUT_BITS(512)
  ) product_words (
      .clk,
      .clear    (reset),
      .in_valid (beat_valid),
      .in_ready (beat_ready),
      .in_data  (beat),
      .out_valid(product_valid),
      .out_ready(product_taken),
      .out_data (product_word)
  );
  assign product_ended = product_left == 32'd0;
  assign product_taken = word_taken && !product_ended;
  assign word_valid = product_valid || product_ended;
  assign word = product_ended ? 512'd0 : product_word;

  // Words of the window are added, the rest is dropped.
  logic in_result, enters, sum_ready, first;
  assign in_result = result_left != 32'd0;
  assign enters = in_result && word_valid && old_valid && sum_ready;
  assign old_ready = in_result && word_valid && sum_ready;
  assign word_taken = in_result ? old_valid && sum_ready : 1'b1;

  wide_accumulate #(
      .BITS(512)
  ) sum (
      .clk,
      .reset,
      .in_valid (enters),
      .in_ready (sum_ready),
      .in_first (first),
      .in_last  (result_left == 32'd1),
      .subtract (1'b0),
      .carry_in (1'b0),
      .a        (old_data),
      .b        (word),
      .out_valid,
      .out_ready,
      .out_last,
      .result   (out_data),
      .carry_out
  );

  always_ff @(posedge clk)
    if (reset) begin
      product_left <= 32'd0;
      result_left <= 32'd0;
      results <= 2'd0;
    end else begin
      results <= results + 2'(begins) - 2'(result_leaves);
      if (begins) begin
        product_left <= window_product_words;
        result_left <= window_result_words;
      end else begin
        if (product_valid && product_taken) product_left <= product_left - 32'd1;
        if (enters) result_left <= result_left - 32'd1;
      end
    end
  always_ff @(posedge clk)
    if (begins) first <= 1'b1;
    else if (enters) first <= 1'b0;
endmodule
`default_nettype wire
