// SPDX-License-Identifier: Apache-2.0
// Sums and differences of integers of any length, a word of BITS bits of each a clock.
//
//   reset                to idle; words under way are forgotten
//   in_valid, in_ready   a and b: the words of both operands, the lowest first
//   in_first, in_last    with the lowest and the highest word
//   subtract             0: a + b; 1: a - b; the same with all words of an operation
//   carry_in             with in_first: a + b + 1, or a - b - 1
//   out_valid, out_ready the words of the result, two clocks later
//   out_last             with the highest word of the result, and then
//   carry_out              the carry out of a + b, or the borrow of a - b (a < b)
//
//   DIGITS               divides BITS; the longest chains have BITS / DIGITS and DIGITS + 1 bits
//
// a - b = a + not b + 1, and a - b - 1 = a + not b. First clock: the digits add by themselves; second clock: carry_lookahead
// finds their carries, and the one for the next word.
// The adder of FFT paper, section IV-D and eq. (13).
`default_nettype none
module wide_accumulate #(
    parameter int BITS = 512,
    parameter int DIGITS = 16
) (
    input  logic            clk,
    input  logic            reset,
    input  logic            in_valid,
    output logic            in_ready,
    input  logic            in_first,
    input  logic            in_last,
    input  logic            subtract,
    input  logic            carry_in,
    input  logic [BITS-1:0] a,
    input  logic [BITS-1:0] b,
    output logic            out_valid,
    input  logic            out_ready,
    output logic            out_last,
    output logic [BITS-1:0] result,
    output logic            carry_out
);
  localparam int DIGIT = BITS / DIGITS;

  assign in_ready = !out_valid || out_ready;

  logic [BITS-1:0] partial, resolved;
  logic [DIGITS-1:0] generates, critical;
  logic [DIGITS:0] carries;
  logic summed, summed_first, summed_last, subtracting, begins_with, carry;

  for (genvar i = 0; i < DIGITS; i++) begin : g_digit
    logic [DIGIT-1:0] addend;
    assign addend = b[DIGIT*i+:DIGIT] ^ {DIGIT{subtract}};
    always_ff @(posedge clk)
      if (in_ready)
        {generates[i], partial[DIGIT*i+:DIGIT]} <= {1'b0, a[DIGIT*i+:DIGIT]} + {1'b0, addend};
    assign critical[i] = &partial[DIGIT*i+:DIGIT];
    assign resolved[DIGIT*i+:DIGIT] = partial[DIGIT*i+:DIGIT] + DIGIT'(carries[i]);
  end

  carry_lookahead #(
      .DIGITS(DIGITS)
  ) lookahead (
      .generates,
      .critical,
      .carry_in(summed_first ? begins_with : carry),
      .carries
  );

  always_ff @(posedge clk)
    if (reset) begin
      summed <= 1'b0;
      out_valid <= 1'b0;
    end else if (in_ready) begin
      summed <= in_valid;
      out_valid <= summed;
    end
  always_ff @(posedge clk)
    if (in_ready) begin
      summed_first <= in_first;
      summed_last <= in_last;
      subtracting <= subtract;
      begins_with <= subtract ^ carry_in;
      result <= resolved;
      out_last <= summed_last;
      carry_out <= carries[DIGITS] ^ subtracting;
      if (summed) carry <= carries[DIGITS];
    end
endmodule
`default_nettype wire
