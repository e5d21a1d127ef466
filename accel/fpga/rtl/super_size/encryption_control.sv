// SPDX-License-Identifier: Apache-2.0
// The sequence of an encryption, and of its parts: which product comes next, and what is done with it.
//
//   reset      to idle, whatever is under way
//   start      heard when busy = 0. All that follows holds still from then to done:
//   operation  0: product = A B
//              1: the remainder of sum modulo A_0
//              2: sum of A_i B_i over count pairs. CNT: theta of them; CMNT: theta^2 with
//                 A_ij = A_i1 A_j0 mod A_0 made once for a key
//              3: sum over i of A_i1 (sum over j of B_ij A_j0 mod A_0), CMNT without these; i and j over
//                 count each. Requires `reduces`
//   initial_sum   with 2 and 3, what the sum begins with: 0: nothing; 1: A_0, so that no R makes it negative;
//              2: what is there, for one pair and without `reduces`
//   affine     with 2 and 3: 2 sum + M + 2 R takes the place of the sum, >= 0
//   reduces    with 2 and 3: its remainder modulo A_0
//   element_bits, weight_bits   those of A; those of B; >= 1
//   modulus_bits, excess_bits, row_excess_bits
//              phi, those of A_0 exactly, >= 2; gamma, so that what is reduced is in
//              0 .. 2^(phi + gamma) - 1; of operation 3, so that sum over j < 2^(phi + row_excess_bits),
//              row_excess_bits <= gamma
//   shift_low, shift_high   phi + beta and alpha - beta, multiples of d (below)
//   result_bits   of operation 0, and without `reduces`: the result has floor(result_bits / d) + 1 words,
//              the upper ones zeros. They hold the result
//   overlap    1: products follow each other at once; 0: each waits for the end of the one before
//   count      >= 1, and below 2^d - 1: the carries of a sum are one word of d bits
//   pair_*     addresses of A and B, taken when valid && ready: of operation 0; of each A_i, B_i; with 3
//              of A_j0, B_ij for all j, then of A_i1, whose B is not looked at, for all i. The integers
//              are in whole words, and stay until done
//   *_at       addresses of A_0, A_01 (below) and R; and room for, with
//              a, b = ceil(bits / d) of A, B (or of A_0, with 3), t = floor((phi + gamma) / d) + 1,
//                sum         max(a + b + 1, t) with `reduces`
//                row         of operation 3: max(a + b + 1, floor((phi + row_excess_bits) / d) + 1)
//                product     max(a + b, t - head + n); not used without `reduces`
//                multiple    ceil(phi / d) + t - head
//                difference, reduced     floor(phi / d) + 1 each
//   busy, done, cycles   done is one clock
//   remainder_reduced    from done on: the remainder lies at reduced_at, else at difference_at
//   settled    one clock: the reads of this clock and of later ones may ask, through any port, for what
//              another port has written before
//
//   multiplier_*, sweep_* ..   commands to super_size_multiplier and super_size_sums
//
// States: IDLE, LOAD_CTX (lengths in words), TERMS (products and their accumulation), FINISH (2 sum + M +
// 2 R), QUOTIENT and MULTIPLE (both products of the reduction), SUBTRACT, or SETTLE where there is none, IDLE;
// LIFT: the product of a reduced row sum, of operation 3.
//
// Without `reduces` no memory for partial products is needed: the weight is cut into slices of one block,
// eight words, and the product of each is added to the sum where it belongs, up to its end.
//
// Reduction, eqs. (9) to (11), with d bits a word: phi + beta = d head, alpha - beta = d n. Printed are
// head = floor((phi - 2) / d) and n = floor(phi / d) + 1 (alpha > gamma where gamma is short);
// n = floor((phi + gamma) / d) + 1 - head is the least for alpha > gamma. Then
//   q = floor(sum / 2^(d head)) A_01, A_01 = floor(2^(d (head + n)) / A_0), at product_at
//   r = floor(q / 2^(d n)) A_0, at multiple_at;  sum - r is in [0, 2 A_0)
// The row sums use the upper words of the same A_01, as many as they need at least.
// Super-size paper, section 4 and Fig. 6.
`default_nettype none
module encryption_control #(
    parameter int BITS = 224
) (
    input  logic        clk,
    input  logic        reset,
    input  logic        start,
    input  logic [ 1:0] operation,
    input  logic [ 1:0] initial_sum,
    input  logic        affine,
    input  logic        reduces,
    input  logic [31:0] element_bits,
    input  logic [31:0] weight_bits,
    input  logic [31:0] modulus_bits,
    input  logic [31:0] excess_bits,
    input  logic [31:0] row_excess_bits,
    input  logic [31:0] shift_low,
    input  logic [31:0] shift_high,
    input  logic [31:0] result_bits,
    input  logic        overlap,
    input  logic [31:0] count,
    input  logic        pair_valid,
    output logic        pair_ready,
    input  logic [31:0] pair_element,
    input  logic [31:0] pair_weight,
    input  logic [31:0] reciprocal_at,
    input  logic [31:0] modulus_at,
    input  logic [31:0] noise_at,
    input  logic [31:0] noise_words,
    input  logic [31:0] sum_at,
    input  logic [31:0] row_at,
    input  logic [31:0] product_at,
    input  logic [31:0] multiple_at,
    input  logic [31:0] difference_at,
    input  logic [31:0] reduced_at,
    output logic        busy,
    output logic        done,
    output logic [31:0] cycles,
    output logic        remainder_reduced,
    output logic        settled,
    output logic        multiplier_start,
    input  logic        multiplier_ready,
    input  logic        multiplier_busy,
    output logic [31:0] x_at,
    output logic [31:0] y_at,
    output logic [31:0] x_words,
    output logic [31:0] y_words,
    output logic [31:0] result_at,
    output logic        accumulate,
    output logic        fresh,
    output logic        extend,
    output logic [31:0] total_at,
    output logic [31:0] total_words,
    output logic [31:0] total_room,
    output logic [31:0] first_words,
    output logic        sweep_start,
    output logic        sweep_subtract,
    output logic [31:0] sweep_words,
    output logic [31:0] operand_at,
    output logic [31:0] operand_words,
    output logic [31:0] modulus_words,
    input  logic        swept,
    input  logic        negative
);
  localparam logic [1:0] MULTIPLY = 2'd0;  // of operation
  localparam logic [1:0] REDUCE = 2'd1;
  localparam logic [1:0] NESTED = 2'd3;
  localparam logic [1:0] FROM_MODULUS = 2'd1;  // of initial_sum
  localparam logic [1:0] FROM_ITSELF = 2'd2;
  localparam logic [31:0] SLICE = 32'd8;  // words of a block

  typedef enum logic [3:0] {
    IDLE,
    LOAD_CTX,
    PRODUCT,
    TERMS,
    LIFT,
    FINISH,
    QUOTIENT,
    MULTIPLE,
    SUBTRACT,
    SETTLE     // until the last word of a sum is written
  } state_t;
  state_t state;

  // Lengths in words.
  localparam int LENGTHS = 9;
  logic [LENGTHS-1:0] divided;
  logic [LENGTHS*32-1:0] dividends, quotients;
  logic [31:0] element_words, weight_words, span, top, row_top, head, longest, result_words;
  assign dividends = {result_bits, shift_high, shift_low, modulus_bits + row_excess_bits,
                      modulus_bits + excess_bits, modulus_bits, modulus_bits - 32'd1,
                      weight_bits - 32'd1, element_bits - 32'd1};
  for (genvar i = 0; i < LENGTHS; i++) begin : g_quotient
    word_quotient #(
        .BITS(BITS)
    ) divide (
        .clk,
        .reset,
        .start   (start && !busy),
        .bits    (dividends[32*i+:32]),
        .quotient(quotients[32*i+:32]),
        .done    (divided[i])
    );
  end
  assign element_words = quotients[31:0] + 32'd1;
  assign weight_words = quotients[63:32] + 32'd1;
  assign modulus_words = quotients[95:64] + 32'd1;
  assign span = quotients[127:96] + 32'd1;  // bits 0 .. phi
  assign top = quotients[159:128] + 32'd1;
  assign row_top = quotients[191:160] + 32'd1;
  assign head = quotients[223:192];
  assign longest = quotients[255:224];
  assign result_words = quotients[287:256] + 32'd1;

  // The reduction under way, of a row sum or the last one: words of x, of q, and n.
  logic nested, of_row;
  logic [31:0] reducible_words, quotient_words, n;
  assign nested = operation == NESTED;
  assign reducible_words = of_row ? row_top : top;
  assign quotient_words = reducible_words - head;
  assign n = of_row ? quotient_words : longest;

  // The lists, and what is under way: `issued` when all products, or the sweep, of a state have begun.
  logic [31:0] column, row, slice, element, weight;
  logic issued, in_order, last_column, last_row, last_slice, of_list, takes_pair, multiplies, sweeps;
  logic issue, step_over, over;
  assign in_order = !overlap || !reduces;
  assign last_column = state != TERMS || column + 32'd1 == count;
  assign last_row = row + 32'd1 == count;
  assign last_slice = state != TERMS || reduces || slice + SLICE >= weight_words;
  assign sweeps = state == FINISH || state == SUBTRACT;
  assign of_list = state == PRODUCT || state == TERMS || state == LIFT;
  assign multiplies = of_list || state == QUOTIENT || state == MULTIPLE;
  assign takes_pair = of_list && slice == 32'd0;
  assign pair_ready = takes_pair && !issued && !(in_order && multiplier_busy) && multiplier_ready;
  assign multiplier_start = multiplies && !issued && !(in_order && multiplier_busy) &&
      (!takes_pair || pair_valid);
  assign issue = multiplier_start && multiplier_ready;
  assign sweep_start = sweeps && !issued;
  assign step_over = sweeps ? swept : issued && !multiplier_busy;
  assign over = step_over && (reduces || (last_column && last_slice));

  logic [31:0] slice_words;
  assign slice_words = last_slice ? weight_words - slice : SLICE;
  always_comb begin
    x_at = takes_pair ? pair_element : element;
    x_words = element_words;
    y_at = takes_pair ? pair_weight : weight + slice;
    y_words = state == TERMS ? slice_words : weight_words;
    case (state)
      LIFT: begin
        y_at = remainder_reduced ? reduced_at : difference_at;
        y_words = modulus_words;
      end
      QUOTIENT: begin
        {x_at, x_words} = {total_at + head, quotient_words};
        {y_at, y_words} = {reciprocal_at + longest - n, n};
      end
      MULTIPLE: begin
        {x_at, x_words} = {modulus_at, modulus_words};
        {y_at, y_words} = {product_at + n, quotient_words};
      end
      default: ;
    endcase
  end
  assign result_at = state == MULTIPLE ? multiple_at : product_at;
  assign accumulate = state == TERMS || state == LIFT;

  // The sum: its words that are there, those of its end, and what it begins with.
  logic [31:0] term_words, room;
  logic first;
  assign first = state == LIFT ? row == 32'd0 : column == 32'd0 && slice == 32'd0;
  assign fresh = first && initial_sum != FROM_ITSELF;
  assign extend = state == PRODUCT ||
      (accumulate && (!reduces || (state == LIFT ? last_row : last_column)));
  assign term_words = element_words + (state == TERMS ? weight_words : modulus_words) + 32'd1;
  assign room = state == PRODUCT || !reduces ? result_words
      : term_words > reducible_words ? term_words : reducible_words;
  assign total_at = (of_row ? row_at : sum_at) + slice;
  assign total_room = room - slice;
  assign total_words = !accumulate ? (reduces || sweep_subtract ? reducible_words : room)
      : reduces ? term_words : total_room;
  assign first_words = !of_row && initial_sum == FROM_MODULUS ? modulus_words : 32'd0;

  assign sweep_subtract = state == SUBTRACT;
  assign sweep_words = sweep_subtract ? span : total_words;
  assign operand_at = sweep_subtract ? multiple_at : noise_at;
  assign operand_words = sweep_subtract ? modulus_words + quotient_words : noise_words;
  assign remainder_reduced = !negative;

  assign busy = state != IDLE;

  state_t after_sum;
  assign after_sum = state != FINISH && affine ? FINISH : reduces ? QUOTIENT : SETTLE;
  always_ff @(posedge clk)
    if (reset) begin
      state <= IDLE;
      done <= 1'b0;
      cycles <= 32'd0;
    end else begin
      done <= (over && (state == PRODUCT || (state == SUBTRACT && !of_row))) || state == SETTLE;
      if (busy) cycles <= cycles + 32'd1;
      case (state)
        IDLE:
        if (start) begin
          state <= LOAD_CTX;
          cycles <= 32'd0;
        end
        LOAD_CTX:
        if (&divided)
          state <= operation == MULTIPLY ? PRODUCT : operation == REDUCE ? QUOTIENT : TERMS;
        TERMS: if (over) state <= nested ? QUOTIENT : after_sum;
        LIFT: if (over) state <= last_row ? after_sum : TERMS;
        FINISH: if (over) state <= after_sum;
        QUOTIENT: if (over) state <= MULTIPLE;
        MULTIPLE: if (over) state <= SUBTRACT;
        SUBTRACT: if (over) state <= of_row ? LIFT : IDLE;
        SETTLE: state <= IDLE;
        default: if (over) state <= IDLE;
      endcase
    end

  // The last word of a sum is written in the clock after `over`.
  logic ended;
  always_ff @(posedge clk) {settled, ended} <= reset ? 2'd0 : {ended, over};

  always_ff @(posedge clk)
    if (!busy) begin
      issued <= 1'b0;
      of_row <= nested;
      column <= 32'd0;
      row <= 32'd0;
      slice <= 32'd0;
    end else if (over) begin
      issued <= 1'b0;
      slice <= 32'd0;
      if (state == SUBTRACT) of_row <= 1'b0;
      if (state == LIFT) begin
        of_row <= !last_row;
        row <= row + 32'd1;
        column <= 32'd0;
      end
    end else if (step_over) begin  // of a slice
      issued <= 1'b0;
      slice <= last_slice ? 32'd0 : slice + SLICE;
      if (last_slice) column <= column + 32'd1;
    end else if (issue || sweep_start) begin
      issued <= last_column || !reduces;
      if (state == TERMS && reduces) column <= column + 32'd1;
    end
  always_ff @(posedge clk)
    if (issue && takes_pair) begin
      element <= pair_element;
      weight <= pair_weight;
    end
endmodule
`default_nettype wire
