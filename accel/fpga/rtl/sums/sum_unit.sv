// SPDX-License-Identifier: Apache-2.0
// Sums and differences A + B and A - B of integers of `words` words.
//
//   reset                 to idle, whatever is under way
//   start                 one clock, heard when busy = 0, and with it:
//     words                 of the operands and of the result, at least 1
//     subtract              0: A + B; 1: A - B
//     carry_in              and 1 more in A + B, or 1 less in A - B
//     double_a              0: A = a; 1: A = 2 a, without the bit above the last word
//     sign_extend_b         0: B = b; 1: b is one word, a number in two's complement, and B is the same
//                           number in so many words
//     drop                  no word leaves, only the carry is wanted
//   a_valid, a_ready      a_data: `words` words, the lowest first
//   b_valid, b_ready      b_data: `words` words, or one
//   out_valid, out_ready  out_data: `words` words of the result
//   busy, done            done is one clock, after the last word of the result
//   carry_out             from done on: the carry out of the last word of the sum, or the borrow of the difference
//
// One word a clock, two clocks later; done in clock words + 3 after start.
`default_nettype none
module sum_unit (
    input  logic         clk,
    input  logic         reset,
    input  logic         start,
    input  logic [ 31:0] words,
    input  logic         subtract,
    input  logic         carry_in,
    input  logic         double_a,
    input  logic         sign_extend_b,
    input  logic         drop,
    output logic         busy,
    output logic         done,
    output logic         carry_out,
    input  logic         a_valid,
    output logic         a_ready,
    input  logic [511:0] a_data,
    input  logic         b_valid,
    output logic         b_ready,
    input  logic [511:0] b_data,
    output logic         out_valid,
    input  logic         out_ready,
    output logic [511:0] out_data
);
  logic subtracting, carrying, doubling, extending, dropping;
  logic [31:0] left;  // words of the operands to come
  logic first, feeding, in_extension, b_here, enters;
  logic sum_ready, sum_valid, sum_taken, sum_last, sum_carry, ends;

  assign feeding = left != 32'd0;
  assign in_extension = extending && !first;
  assign b_here = b_valid || in_extension;
  assign a_ready = feeding && b_here && sum_ready;
  assign b_ready = feeding && !in_extension && a_valid && sum_ready;
  assign enters = a_valid && a_ready;

  // The operands as they are added.
  logic a_top, b_sign;
  logic [511:0] addend_a, addend_b;
  assign addend_a = doubling ? {a_data[510:0], a_top && !first} : a_data;
  assign addend_b = in_extension ? {512{b_sign}} : b_data;
  always_ff @(posedge clk)
    if (enters) begin
      a_top <= a_data[511];
      b_sign <= addend_b[511];
    end

  wide_accumulate #(
      .BITS(512)
  ) sum (
      .clk,
      .reset,
      .in_valid (enters),
      .in_ready (sum_ready),
      .in_first (first),
      .in_last  (left == 32'd1),
      .subtract (subtracting),
      .carry_in (carrying),
      .a        (addend_a),
      .b        (addend_b),
      .out_valid(sum_valid),
      .out_ready(sum_taken),
      .out_last (sum_last),
      .result   (out_data),
      .carry_out(sum_carry)
  );
  assign out_valid = sum_valid && !dropping;
  assign sum_taken = out_ready || dropping;
  assign ends = sum_valid && sum_taken && sum_last;

  always_ff @(posedge clk)
    if (reset) begin
      busy <= 1'b0;
      done <= 1'b0;
      left <= 32'd0;
    end else begin
      done <= ends;
      if (start && !busy) begin
        busy <= 1'b1;
        left <= words;
      end else begin
        if (enters) left <= left - 32'd1;
        if (ends) busy <= 1'b0;
      end
    end
  always_ff @(posedge clk) begin
    if (start && !busy) begin
      subtracting <= subtract;
      carrying <= carry_in;
      doubling <= double_a;
      extending <= sign_extend_b;
      dropping <= drop;
      first <= 1'b1;
    end else if (enters) first <= 1'b0;
    if (ends) carry_out <= sum_carry;
  end
endmodule
`default_nettype wire
