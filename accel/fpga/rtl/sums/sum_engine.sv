// SPDX-License-Identifier: Apache-2.0
// Engine of the datapath: d = A + B, A - B, or one more or less, or only the carry of it; A = a or 2 a, B = b or a signed word.
//
//   subtract, carry_in, double_a, sign_extend_b, drop   see sum_unit
//   all others                                see datapath; a_words, b_words <= d_words, or b_words <= 1 for
//                                             a signed word
`default_nettype none
module sum_engine (
    input  logic          clk,
    input  logic          reset,
    input  logic          start,
    input  logic          subtract,
    input  logic          carry_in,
    input  logic          double_a,
    input  logic          sign_extend_b,
    input  logic          drop,
    input  logic [  63:0] a_address,
    input  logic [  23:0] a_words,
    input  logic [   8:0] a_tail,
    input  logic [  63:0] b_address,
    input  logic [  23:0] b_words,
    input  logic [   8:0] b_tail,
    input  logic [  63:0] d_address,
    input  logic [  23:0] d_words,
    output logic          busy,
    output logic          done,
    output logic          carry,
    output logic [   3:0] segment_valid,
    input  logic [   3:0] segment_ready,
    output logic [ 255:0] segment_address,
    output logic [ 127:0] segment_words,
    output logic [  95:0] segment_zeros,
    output logic [  26:0] segment_tail,
    input  logic [   2:0] in_valid,
    output logic [   2:0] in_ready,
    input  logic [1535:0] in_data,
    output logic          out_valid,
    input  logic          out_ready,
    output logic [ 511:0] out_data,
    input  logic          writer_idle
);
  logic starts, unit_busy, unit_done, running, draining;
  logic [3:0] wanted;
  logic [23:0] b_total;
  assign starts = start && !busy;
  assign busy = running || draining;
  assign b_total = sign_extend_b ? 24'd1 : d_words;

  assign segment_valid = wanted;
  assign segment_address = {d_address, 64'd0, b_address, a_address};
  assign segment_words = {8'd0, d_words, 32'd0, 8'd0, b_words, 8'd0, a_words};
  assign segment_zeros = {32'd0, 8'd0, b_total - b_words, 8'd0, d_words - a_words};
  assign segment_tail = {9'd0, b_tail, a_tail};
  assign in_ready[2] = 1'b0;

  sum_unit sums (
      .clk,
      .reset,
      .start    (starts),
      .words    ({8'd0, d_words}),
      .subtract,
      .carry_in,
      .double_a,
      .sign_extend_b,
      .drop,
      .busy     (unit_busy),
      .done     (unit_done),
      .carry_out(carry),
      .a_valid  (in_valid[0]),
      .a_ready  (in_ready[0]),
      .a_data   (in_data[511:0]),
      .b_valid  (in_valid[1]),
      .b_ready  (in_ready[1]),
      .b_data   (in_data[1023:512]),
      .out_valid,
      .out_ready,
      .out_data
  );

  always_ff @(posedge clk)
    if (reset) begin
      running <= 1'b0;
      draining <= 1'b0;
      done <= 1'b0;
      wanted <= 4'd0;
    end else begin
      done <= draining && writer_idle;
      if (starts) begin
        running <= 1'b1;
        wanted <= {!drop, 3'b011};
      end else begin
        wanted <= wanted & ~segment_ready;
        if (unit_done) begin
          running <= 1'b0;
          draining <= 1'b1;
        end
        if (draining && writer_idle) draining <= 1'b0;
      end
    end

  logic unused;
  assign unused = &{1'b0, unit_busy, in_valid[2], in_data[1535:1024]};
endmodule
`default_nettype wire
