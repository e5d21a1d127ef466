// SPDX-License-Identifier: Apache-2.0
// out = old + a product, integers of result_words words.
//
//   reset                 to idle, whatever is under way
//   start                 one clock, heard when busy = 0, and with it:
//     full_load             0: operands of 1536 words; 1: operands of 3072 words
//     result_words          length of the result, at least 1
//   a_valid, a_ready      a_data: all words of the first operand, the lowest first
//   b_valid, b_ready      b_data: of the second one
//   old_valid, old_ready  old_data: result_words words
//   out_valid, out_ready  out_data: result_words words
//   busy, done            done is one clock, after the last word of the product and of the result
//   carry_out             from done on: the carry out of the last word of the result
//
//   LAYERED, ROM_DIR      of multiplier768
//
// The product has 3072 words, and zeros above. With full_load = 1 it is the cyclic product of 65,536
// digits: sum c(k) 2^(24 k) mod 2^1572864, c(k) = sum of a(i) b(j) over i + j = k mod 65,536; then one
// of the operands must have at most 2^15 digits of 24 bits that are not 0, or a c(k) may reach p. It is
// the product itself where that has at most 3072 words. Words above the result are computed and dropped.
// While no side stalls, done comes 6 clocks after those of the multiplier, 39,098 or 41,146 with
// full_load = 1, and one more for each word above the product.
`default_nettype none
module product_unit #(
    parameter int LAYERED = 1,
    parameter ROM_DIR = ""
) (
    input  logic         clk,
    input  logic         reset,
    input  logic         start,
    input  logic         full_load,
    input  logic [ 31:0] result_words,
    output logic         busy,
    output logic         done,
    output logic         carry_out,
    input  logic         a_valid,
    output logic         a_ready,
    input  logic [511:0] a_data,
    input  logic         b_valid,
    output logic         b_ready,
    input  logic [511:0] b_data,
    input  logic         old_valid,
    output logic         old_ready,
    input  logic [511:0] old_data,
    output logic         out_valid,
    input  logic         out_ready,
    output logic [511:0] out_data
);
  localparam logic [31:0] PRODUCT_WORDS = 32'd3072;
  localparam logic [31:0] HALF_WORDS = 32'd1536;

  logic starts, ends;
  assign starts = start && !busy;

  // Operands: words to beats of both.
  logic [31:0] a_left, b_left;
  logic a_box_ready, b_box_ready, a_beat_valid, b_beat_valid, beat_ready;
  logic [383:0] a_beat, b_beat;

  assign a_ready = a_left != 32'd0 && a_box_ready;
  assign b_ready = b_left != 32'd0 && b_box_ready;
  always_ff @(posedge clk)
    if (reset) begin
      a_left <= 32'd0;
      b_left <= 32'd0;
    end else if (starts) begin
      a_left <= full_load ? PRODUCT_WORDS : HALF_WORDS;
      b_left <= full_load ? PRODUCT_WORDS : HALF_WORDS;
    end else begin
      if (a_valid && a_ready) a_left <= a_left - 32'd1;
      if (b_valid && b_ready) b_left <= b_left - 32'd1;
    end

  gearbox #(
      .IN_BITS (512),
      .OUT_BITS(384)
  ) a_beats (
      .clk,
      .clear    (reset),
      .in_valid (a_valid && a_left != 32'd0),
      .in_ready (a_box_ready),
      .in_data  (a_data),
      .out_valid(a_beat_valid),
      .out_ready(beat_ready && b_beat_valid),
      .out_data (a_beat)
  );
  gearbox #(
      .IN_BITS (512),
      .OUT_BITS(384)
  ) b_beats (
      .clk,
      .clear    (reset),
      .in_valid (b_valid && b_left != 32'd0),
      .in_ready (b_box_ready),
      .in_data  (b_data),
      .out_valid(b_beat_valid),
      .out_ready(beat_ready && a_beat_valid),
      .out_data (b_beat)
  );

  logic multiplier_busy, multiplier_done;
  logic [31:0] multiplier_cycles;
  logic product_beat_valid, product_beat_ready;
  logic [383:0] product_beat;
  multiplier768 #(
      .LAYERED(LAYERED),
      .ROM_DIR(ROM_DIR)
  ) multiplier (
      .clk,
      .reset,
      .start          (starts),
      .full_load,
      .skip_zero_beats(1'b1),
      .busy           (multiplier_busy),
      .done           (multiplier_done),
      .cycles         (multiplier_cycles),
      .in_valid       (a_beat_valid && b_beat_valid),
      .in_ready       (beat_ready),
      .a_in           (a_beat),
      .b_in           (b_beat),
      .out_valid      (product_beat_valid),
      .out_ready      (product_beat_ready),
      .product        (product_beat)
  );

  logic idle, last, last_carry, unused_window_ready;
  window_sum #(
      .BEAT_BITS(384)
  ) window (
      .clk,
      .reset,
      .window_valid        (starts),
      .window_ready        (unused_window_ready),
      .window_product_words(PRODUCT_WORDS),
      .window_result_words (result_words),
      .beat_valid          (product_beat_valid),
      .beat_ready          (product_beat_ready),
      .beat                (product_beat),
      .old_valid,
      .old_ready,
      .old_data,
      .out_valid,
      .out_ready,
      .out_data,
      .out_last            (last),
      .carry_out           (last_carry),
      .idle
  );

  assign ends = busy && idle;
  always_ff @(posedge clk)
    if (reset) begin
      busy <= 1'b0;
      done <= 1'b0;
    end else begin
      done <= ends;
      busy <= starts || (busy && !ends);
    end
  always_ff @(posedge clk) if (out_valid && out_ready && last) carry_out <= last_carry;

  logic unused;
  assign unused = &{1'b0, multiplier_busy, multiplier_done, multiplier_cycles, unused_window_ready};
endmodule
`default_nettype wire
