// SPDX-License-Identifier: Apache-2.0
// Encryption of CNT and CMNT, and the multiplication and the reduction that it is made of, over a memory
// of words.
//
//   reset       to idle, whatever is under way; only while advance = 1
//   advance     0: the next clock does not count. For a memory that needs longer than a clock, or has
//               fewer ports; it settles while clk = 0
//   operation ..  as of encryption_control, with
//   message       M, and R at noise_at: noise_words words, two's complement, 0 words for R = 0
//   busy, done, cycles, remainder_reduced, settled   as of encryption_control
//   x, y, partial, sum, product, total    ports of the memory: four reads, whose words come in the next
//               clock that counts, and two writes. No word is read in the clock that writes it
//
//   MODULUS, POINTS, DIGIT   as of super_size_multiplier; a word has POINTS / 16 digits
//
// Clocks of a product: 33 (lengths) + 8 X Y + 16 log2(POINTS) + log2(POINTS / 16) + 31, with X and Y blocks
// of eight words. Of an encryption: 8 X Y + 9 for each product where they overlap, and once the reduction:
// two products and two sweeps, a word a clock.
// Super-size paper, section 4 and Fig. 6(i).
`default_nettype none
module super_size_encrypt #(
    parameter logic [64:0] MODULUS = 65'h0_ffff_ffff_0000_0001,
    parameter int POINTS = 16,
    parameter int DIGIT = 28,
    localparam int BITS = POINTS / 16 * DIGIT
) (
    input  logic            clk,
    input  logic            reset,
    input  logic            advance,
    input  logic            start,
    input  logic [     1:0] operation,
    input  logic [     1:0] initial_sum,
    input  logic            affine,
    input  logic            reduces,
    input  logic [    31:0] element_bits,
    input  logic [    31:0] weight_bits,
    input  logic [    31:0] modulus_bits,
    input  logic [    31:0] excess_bits,
    input  logic [    31:0] row_excess_bits,
    input  logic [    31:0] shift_low,
    input  logic [    31:0] shift_high,
    input  logic [    31:0] result_bits,
    input  logic            overlap,
    input  logic            message,
    input  logic [    31:0] count,
    input  logic            pair_valid,
    output logic            pair_ready,
    input  logic [    31:0] pair_element,
    input  logic [    31:0] pair_weight,
    input  logic [    31:0] modulus_at,
    input  logic [    31:0] reciprocal_at,
    input  logic [    31:0] noise_at,
    input  logic [    31:0] noise_words,
    input  logic [    31:0] sum_at,
    input  logic [    31:0] row_at,
    input  logic [    31:0] product_at,
    input  logic [    31:0] multiple_at,
    input  logic [    31:0] difference_at,
    input  logic [    31:0] reduced_at,
    output logic            busy,
    output logic            done,
    output logic [    31:0] cycles,
    output logic            remainder_reduced,
    output logic            settled,
    output logic            x_read,
    output logic [    31:0] x_address,
    input  logic [BITS-1:0] x_word,
    output logic            y_read,
    output logic [    31:0] y_address,
    input  logic [BITS-1:0] y_word,
    output logic            partial_read,
    output logic [    31:0] partial_address,
    input  logic [BITS-1:0] partial_word,
    output logic            sum_read,
    output logic [    31:0] sum_address,
    input  logic [BITS-1:0] sum_word,
    output logic            product_write,
    output logic [    31:0] product_address,
    output logic [BITS-1:0] product_word,
    output logic            total_write,
    output logic [    31:0] total_address,
    output logic [BITS-1:0] total_word
);
  logic running;
  clock_gate gate (
      .clk,
      .enable(advance),
      .gated (running)
  );

  logic multiplier_start, multiplier_ready, multiplier_busy, accumulate, fresh, extend;
  logic [31:0] x_at, y_at, x_words, y_words, result_at, total_at, total_words, total_room;
  logic [31:0] first_words;
  logic sweep_start, sweep_subtract, swept, negative;
  logic [31:0] sweep_words, operand_at, operand_words, modulus_words;

  encryption_control #(
      .BITS(BITS)
  ) control (
      .clk(running),
      .reset,
      .start,
      .operation,
      .initial_sum,
      .affine,
      .reduces,
      .element_bits,
      .weight_bits,
      .modulus_bits,
      .excess_bits,
      .row_excess_bits,
      .shift_low,
      .shift_high,
      .result_bits,
      .overlap,
      .count,
      .pair_valid,
      .pair_ready,
      .pair_element,
      .pair_weight,
      .modulus_at,
      .reciprocal_at,
      .noise_at,
      .noise_words,
      .sum_at,
      .row_at,
      .product_at,
      .multiple_at,
      .difference_at,
      .reduced_at,
      .busy,
      .done,
      .cycles,
      .remainder_reduced,
      .settled,
      .multiplier_start,
      .multiplier_ready,
      .multiplier_busy,
      .x_at,
      .y_at,
      .x_words,
      .y_words,
      .result_at,
      .accumulate,
      .fresh,
      .extend,
      .total_at,
      .total_words,
      .total_room,
      .first_words,
      .sweep_start,
      .sweep_subtract,
      .sweep_words,
      .operand_at,
      .operand_words,
      .modulus_words,
      .swept,
      .negative
  );

  logic factor_read, other_read, operand_read, modulus_read, part_write, reduced_write;
  logic [31:0] factor_address, other_address, operand_address, modulus_address, part_address;
  logic [31:0] reduced_address;
  logic [BITS-1:0] part_word, reduced_word;
  logic term_next, term_fresh, term_first, term_last, unused_finished;
  logic [31:0] term_offset;
  logic [BITS-1:0] term;

  super_size_multiplier #(
      .MODULUS(MODULUS),
      .POINTS (POINTS),
      .DIGIT  (DIGIT)
  ) multiplier (
      .clk(running),
      .reset,
      .start(multiplier_start),
      .ready(multiplier_ready),
      .busy (multiplier_busy),
      .x_at,
      .y_at,
      .fresh,
      .extend,
      .x_words,
      .y_words,
      .product_at(result_at),
      .room(total_room),
      .accumulate,
      .x_read   (factor_read),
      .x_address(factor_address),
      .x_word,
      .y_read   (other_read),
      .y_address(other_address),
      .y_word,
      .partial_read,
      .partial_address,
      .partial_word,
      .product_write  (part_write),
      .product_address(part_address),
      .product_word   (part_word),
      .term_next,
      .term_offset,
      .term_fresh,
      .term,
      .term_first,
      .term_last,
      .finished(unused_finished)
  );

  super_size_sums #(
      .BITS  (BITS),
      .DIGITS(POINTS / 16)
  ) sums (
      .clk(running),
      .reset,
      .term_next,
      .term_offset,
      .term_fresh,
      .term,
      .term_first,
      .term_last,
      .start   (sweep_start),
      .subtract(sweep_subtract),
      .message,
      .sum_at   (total_at),
      .sum_words(total_words),
      .sum_room (total_room),
      .first_at (modulus_at),
      .first_words,
      .sweep_words,
      .operand_at,
      .operand_words,
      .modulus_at,
      .modulus_words,
      .difference_at,
      .reduced_at,
      .swept,
      .negative,
      .sum_read,
      .sum_read_address(sum_address),
      .sum_word,
      .operand_read,
      .operand_address,
      .operand_word(x_word),
      .modulus_read,
      .modulus_address,
      .modulus_word     (y_word),
      .sum_write        (total_write),
      .sum_write_address(total_address),
      .sum_write_word   (total_word),
      .reduced_write,
      .reduced_address,
      .reduced_word
  );

  // Products and sweeps alternate: they share the ports.
  assign x_read = factor_read || operand_read;
  assign x_address = operand_read ? operand_address : factor_address;
  assign y_read = other_read || modulus_read;
  assign y_address = modulus_read ? modulus_address : other_address;
  assign product_write = part_write || reduced_write;
  assign product_address = reduced_write ? reduced_address : part_address;
  assign product_word = reduced_write ? reduced_word : part_word;

  logic unused;
  assign unused = unused_finished;
endmodule
`default_nettype wire
