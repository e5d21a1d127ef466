// SPDX-License-Identifier: Apache-2.0
// The sums and differences of an encryption, a word a clock, over a memory that answers in the next clock.
//
//   reset          forgets the words under way
//   term_*         of super_size_multiplier: added to the words at sum_at or, if fresh, to those at
//                  first_at, and the results written at sum_at
//   sum_words, first_words   words there; what lies above counts as zero
//   sum_room       words that terms may write at sum_at
//   start          a sweep, when no term is under way: over sweep_words words,
//     subtract       0: sum = 2 (sum + operand) + message, the operand signed;
//                    1: difference = sum - operand, reduced = difference - modulus
//   operand_words, modulus_words   words there; above are zeros, and the sign of a signed operand
//   swept          one clock, after the last word of a sweep
//   negative       from then on: the last `reduced` is negative, so `difference` is the remainder
//   *_read, *_address, *_word      three reads
//   sum_write ..   a write of sum or difference; reduced_write ..: one of reduced
//
// All addresses and lengths hold still from the first term or the start on, for a clock after the last
// term. Three clocks from a read to its write; two more to that of reduced.
// Super-size paper, Fig. 6(ii) and 6(iii), with both borrow chains in one pass.
`default_nettype none
module super_size_sums #(
    parameter int BITS = 224,
    parameter int DIGITS = 8
) (
    input  logic            clk,
    input  logic            reset,
    input  logic            term_next,
    input  logic [    31:0] term_offset,
    input  logic            term_fresh,
    input  logic [BITS-1:0] term,
    input  logic            term_first,
    input  logic            term_last,
    input  logic            start,
    input  logic            subtract,
    input  logic            message,
    input  logic [    31:0] sum_at,
    input  logic [    31:0] sum_words,
    input  logic [    31:0] sum_room,
    input  logic [    31:0] first_at,
    input  logic [    31:0] first_words,
    input  logic [    31:0] sweep_words,
    input  logic [    31:0] operand_at,
    input  logic [    31:0] operand_words,
    input  logic [    31:0] modulus_at,
    input  logic [    31:0] modulus_words,
    input  logic [    31:0] difference_at,
    input  logic [    31:0] reduced_at,
    output logic            swept,
    output logic            negative,
    output logic            sum_read,
    output logic [    31:0] sum_read_address,
    input  logic [BITS-1:0] sum_word,
    output logic            operand_read,
    output logic [    31:0] operand_address,
    input  logic [BITS-1:0] operand_word,
    output logic            modulus_read,
    output logic [    31:0] modulus_address,
    input  logic [BITS-1:0] modulus_word,
    output logic            sum_write,
    output logic [    31:0] sum_write_address,
    output logic [BITS-1:0] sum_write_word,
    output logic            reduced_write,
    output logic [    31:0] reduced_address,
    output logic [BITS-1:0] reduced_word
);
  // First clock: the reads.
  logic sweeping, subtracting, last;
  logic [31:0] sweep, offset, base, words;
  assign last = sweep + 32'd1 == sweep_words;
  assign offset = term_next ? term_offset : sweep;
  assign base = term_next && term_fresh ? first_at : sum_at;
  assign words = term_next && term_fresh ? first_words : sum_words;

  always_ff @(posedge clk)
    if (reset) sweeping <= 1'b0;
    else if (start) begin
      sweeping <= 1'b1;
      subtracting <= subtract;
      sweep <= 32'd0;
    end else if (sweeping) begin
      sweep <= sweep + 32'd1;
      if (last) sweeping <= 1'b0;
    end

  assign sum_read = (term_next || sweeping) && offset < words;
  assign sum_read_address = base + offset;
  assign operand_read = sweeping && sweep < operand_words;
  assign operand_address = operand_at + sweep;
  assign modulus_read = sweeping && subtracting && sweep < modulus_words;
  assign modulus_address = modulus_at + sweep;

  // Second clock: the words; the sign of the operand comes with its last.
  logic is_term, is_sweep, sweep_first, sweep_last, sum_taken, operand_taken, operand_ends;
  logic modulus_taken, writes, sign;
  logic [31:0] address, reduced_to;
  logic [BITS-1:0] added;
  always_ff @(posedge clk) begin
    is_term <= term_next && !reset;
    is_sweep <= sweeping && !reset;
    sweep_first <= sweep == 32'd0;
    sweep_last <= last;
    sum_taken <= sum_read;
    operand_taken <= operand_read;
    operand_ends <= sweep + 32'd1 == operand_words;
    modulus_taken <= modulus_read;
    writes <= sweeping || offset < sum_room;
    address <= (sweeping && subtracting ? difference_at : sum_at) + offset;
    reduced_to <= reduced_at + offset;
    if (start) sign <= 1'b0;
    else if (operand_taken && operand_ends) sign <= operand_word[BITS-1] && !subtracting;
  end
  assign added = is_term ? term : operand_taken ? operand_word : {BITS{sign}};

  // Third and fourth clock: the addition. The fourth also doubles.
  logic result_valid, result_last, result_writes, result_sweep, doubling, unused_ready, unused_carry;
  logic [31:0] result_address, result_reduced_to;
  logic [BITS-1:0] result, result_modulus;
  logic below;  // the bit that the word before has shifted out
  wide_accumulate #(
      .BITS  (BITS),
      .DIGITS(DIGITS)
  ) add (
      .clk,
      .reset,
      .in_valid (is_term || is_sweep),
      .in_ready (unused_ready),
      .in_first (is_term ? term_first : sweep_first),
      .in_last  (is_term ? term_last : sweep_last),
      .subtract (is_sweep && subtracting),
      .carry_in (1'b0),
      .a        (sum_taken ? sum_word : {BITS{1'b0}}),
      .b        (added),
      .out_valid(result_valid),
      .out_ready(1'b1),
      .out_last (result_last),
      .result,
      .carry_out(unused_carry)
  );
  delay_line #(
      .WIDTH (66 + BITS),
      .CLOCKS(2)
  ) places (
      .clk,
      .in ({writes, is_sweep, address, reduced_to, modulus_taken ? modulus_word : {BITS{1'b0}}}),
      .out({result_writes, result_sweep, result_address, result_reduced_to, result_modulus})
  );
  assign doubling = result_sweep && !subtracting;
  always_ff @(posedge clk)
    if (start) below <= message;
    else if (result_valid) below <= result[BITS-1];

  assign sum_write = result_valid && result_writes;
  assign sum_write_address = result_address;
  assign sum_write_word = doubling ? {result[BITS-2:0], below} : result;

  // Fifth and sixth clock: the second borrow chain.
  logic reduced_last, borrow, unused_second_ready, difference_first;
  wide_accumulate #(
      .BITS  (BITS),
      .DIGITS(DIGITS)
  ) subtract_modulus (
      .clk,
      .reset,
      .in_valid (result_valid && result_sweep && subtracting),
      .in_ready (unused_second_ready),
      .in_first (difference_first),
      .in_last  (result_last),
      .subtract (1'b1),
      .carry_in (1'b0),
      .a        (result),
      .b        (result_modulus),
      .out_valid(reduced_write),
      .out_ready(1'b1),
      .out_last (reduced_last),
      .result   (reduced_word),
      .carry_out(borrow)
  );
  delay_line #(
      .WIDTH (32),
      .CLOCKS(2)
  ) reduced_places (
      .clk,
      .in (result_reduced_to),
      .out(reduced_address)
  );

  always_ff @(posedge clk) begin
    if (start) difference_first <= 1'b1;
    else if (result_valid) difference_first <= 1'b0;
    if (reduced_write && reduced_last) negative <= borrow;
    swept <= !reset && (subtracting ? reduced_write && reduced_last
                                    : result_valid && result_sweep && result_last);
  end

  logic unused;
  assign unused = &{1'b0, unused_ready, unused_second_ready, unused_carry};
endmodule
`default_nettype wire
