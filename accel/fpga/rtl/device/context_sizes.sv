// SPDX-License-Identifier: Apache-2.0
// The sizes, in words of 512 bits, of a reduction by Barrett's method, from the record of its context.
//
//   record       the numbers of the record that SET_CTX reads, see context_record in register_map.svh
//   sizes follow one clock later, quotient_words two; scratch_words, and sound, from start on when ready = 1: the
//                record keeps to what PROGRAMMING.md requires of its numbers
//   may_lose     y < 2 A_0 also where q is too small by any number below 1/4 before it is rounded
//
//   SHIFT_BITS   the shifts are multiples of it: 512, or d of super_size_engine, which then reduces and has
//                scratch memory of its own kind
//
// phi_words: of the modulus; input_words: of what is reduced, phi + gamma bits; high_words: of its part
// above shift_low; reciprocal_words: of A_01, alpha + 2 bits; quotient_words: of q, before the shift;
// kept_words: of q after it, gamma + 2 bits; remainder_words: of y < 2 A_0, phi + 1 bits.
// Super-size paper, eqs. (9) to (11): beta = shift_low - phi <= -2, alpha = shift_high + beta > gamma.
// Before it is rounded, q is too small by less than 2^(beta + 1) for the lower bits of x, and by less than
// 2^(gamma - alpha) for those of A_01; rounding takes less than 1, and y < 2 A_0 where all is less than 2. Each of the
// first two is at most 1/2, and 1/4 where its exponent is not the greatest, which leaves 1/4: that is may_lose.
`default_nettype none
module context_sizes #(
    parameter int SHIFT_BITS = 512
) (
    input  logic         clk,
    input  logic         reset,
    input  logic         start,
    output logic         ready,
    input  logic [127:0] record,
    output logic [ 23:0] phi_words,
    output logic [ 23:0] input_words,
    output logic [ 23:0] low_words,
    output logic [ 23:0] shift_words,
    output logic [ 23:0] reciprocal_words,
    output logic [ 23:0] quotient_words,
    output logic [ 23:0] kept_words,
    output logic [ 23:0] remainder_words,
    output logic [ 23:0] sum_words,
    output logic [ 25:0] scratch_words,
    output logic         sound,
    output logic         may_lose
);
  `include "register_map.svh"

  function automatic logic [23:0] words(input logic [33:0] bits);
    words = 24'((bits + 34'd511) >> 9);
  endfunction

  logic [33:0] phi, gamma, shift_low, shift_high, alpha;
  assign phi = {2'd0, record[32*CONTEXT_PHI+:32]};
  assign gamma = {2'd0, record[32*CONTEXT_GAMMA+:32]};
  assign shift_low = {2'd0, record[32*CONTEXT_SHIFT_LOW+:32]};
  assign shift_high = {2'd0, record[32*CONTEXT_SHIFT_HIGH+:32]};
  assign alpha = shift_high + shift_low - phi;  // negative ones are found below

  logic in_range, whole;
  logic [23:0] high_words;
  assign high_words = input_words - low_words;
  always_ff @(posedge clk) begin
    quotient_words <= high_words + reciprocal_words;
    phi_words <= words(phi);
    input_words <= words(phi + gamma);
    low_words <= shift_low[32:9];
    shift_words <= shift_high[32:9];
    reciprocal_words <= words(alpha + 34'd2);
    kept_words <= words(gamma + 34'd2);
    remainder_words <= words(phi + 34'd1);
    sum_words <= words(phi + gamma) + 24'd1;
    may_lose <= shift_low + 34'd3 <= phi || shift_high + shift_low > phi + gamma + 34'd1;
    in_range <= phi != 34'd0 && shift_low + 34'd2 <= phi && shift_high + shift_low > phi + gamma &&
        phi + gamma < 34'h1_0000_0000;
  end

  assign sound = in_range && whole;
  if (SHIFT_BITS == WORD_BITS) begin : g_words
    logic started;
    logic [25:0] other_words;
    always_ff @(posedge clk) begin
      started <= !reset && start;
      whole <= shift_low[8:0] == 9'd0 && shift_high[8:0] == 9'd0;
      other_words <= 26'(remainder_words) + 26'(sum_words);
    end
    assign ready = !started;
    assign scratch_words = 26'(quotient_words) + other_words;
  end else begin : g_short_words
    logic [1:0] exact, divided;
    logic [63:0] quotients;
    for (genvar i = 0; i < 2; i++) begin : g_shift
      word_quotient #(
          .BITS(SHIFT_BITS)
      ) divide (
          .clk,
          .reset,
          .start,
          .bits    (record[32*(CONTEXT_SHIFT_LOW+i)+:32]),
          .quotient(quotients[32*i+:32]),
          .done    (divided[i])
      );
      assign exact[i] = quotients[32*i+:32] * 32'(SHIFT_BITS) == record[32*(CONTEXT_SHIFT_LOW+i)+:32];
    end
    assign whole = &exact;
    assign ready = &divided;
    always_ff @(posedge clk)
      scratch_words <= {input_words, 2'b00} + 26'(reciprocal_words) + 26'({remainder_words, 1'b0});
  end
endmodule
`default_nettype wire
