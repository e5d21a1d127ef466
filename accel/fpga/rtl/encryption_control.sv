// The sequence of an encryption, and of its parts: which product comes next, and what is done with it.
//
//   reset      to idle, whatever is under way
//   start      heard when busy = 0. All that follows holds still from then to done:
//   operation  0: product = A B, of element_bits and weight_bits
//              1: the remainder of sum modulo A_0; sum < 2^(element_bits + excess_bits)
//              2: C = M + 2 R + 2 sum A_i B_i mod A_0 over count pairs. CNT: theta of them; CMNT:
//                 theta^2 with A_ij = A_i1 A_j0 mod A_0 made once for a key
//              3: C = M + 2 R + 2 sum over i of A_i1 (sum over j of B_ij A_j0 mod A_0) mod A_0, CMNT
//                 without these; i and j over count each
//   element_bits, weight_bits, excess_bits, row_excess_bits
//              phi, those of A_0 exactly, >= 2; those of B, >= 1; gamma, so that
//              0 <= 2 (A_0 + sum + R) + M < 2^(phi + gamma); of operation 3, so that
//              sum over j < 2^(phi + row_excess_bits), row_excess_bits <= gamma
//   long_reciprocal   1: alpha as printed, eq. (11); 0: the least alpha (below)
//   overlap    1: products follow each other at once; 0: each waits for the end of the one before
//   count      >= 1, and below 2^d - 1: the carries of a sum are one word of d bits
//   *_at       addresses: A_i or A_j0 at element, B_i or B_ij (j faster) at weight, A_i1 at factor, each
//              list without gaps and each integer in whole words, then A_0 and A_01 (below), R; and room
//              for, with a = ceil(phi / d), b = ceil(weight_bits / d) or a of operation 3,
//                sum         max(a + b + 1, t), t = floor((phi + gamma) / d) + 1
//                row         a + b + 1, of operation 3
//                product     max(a + b, t - head + n)
//                multiple    a + t - head
//                difference, reduced     floor(phi / d) + 1 each
//   busy, done, cycles   done is one clock
//   remainder_reduced    from done on: the result lies at reduced_at, else at difference_at
//
//   multiplier_*, term_*, sweep_*   commands to super_size_multiplier and super_size_sums
//
// States: IDLE, LOAD_CTX (lengths in words), TERMS (products and their accumulation), FINISH (2 sum + M +
// 2 R), QUOTIENT and MULTIPLE (both products of the reduction), SUBTRACT, IDLE; LIFT: the product of a
// reduced row sum, of operation 3. The accumulation begins with A_0, not 0, so that no R makes it negative.
//
// Reduction, eqs. (9) to (11), with d bits a word: phi + beta = d head, head = floor((phi - 2) / d), and
// alpha - beta = d n with n = floor(phi / d) + 1 as printed (alpha > gamma where gamma is short), or
// n = floor((phi + gamma) / d) + 1 - head, the least for alpha > gamma. Then
//   q = floor(sum / 2^(d head)) A_01, A_01 = floor(2^(d (head + n)) / A_0), at product_at
//   r = floor(q / 2^(d n)) A_0, at multiple_at;  sum - r is in [0, 2 A_0)
// The larger n of both is taken. The row sums use the upper words of the same A_01.
// Super-size paper, section 4 and Fig. 6.
`default_nettype none
module encryption_control #(
    parameter int BITS = 224
) (
    input  logic        clk,
    input  logic        reset,
    input  logic        start,
    input  logic [ 1:0] operation,
    input  logic [31:0] element_bits,
    input  logic [31:0] weight_bits,
    input  logic [31:0] excess_bits,
    input  logic [31:0] row_excess_bits,
    input  logic        long_reciprocal,
    input  logic        overlap,
    input  logic [31:0] count,
    input  logic [31:0] element_at,
    input  logic [31:0] weight_at,
    input  logic [31:0] factor_at,
    input  logic [31:0] modulus_at,
    input  logic [31:0] reciprocal_at,
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
    output logic [31:0] total_at,
    output logic [31:0] total_words,
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

  typedef enum logic [3:0] {
    IDLE,
    LOAD_CTX,
    PRODUCT,
    TERMS,
    LIFT,
    FINISH,
    QUOTIENT,
    MULTIPLE,
    SUBTRACT
  } state_t;
  state_t state;

  // Lengths in words.
  logic [5:0] divided;
  logic [6*32-1:0] dividends, quotients;
  logic [31:0] head, element_words, span, top, row_top, weight_words;
  assign dividends = {weight_bits - 32'd1, element_bits + row_excess_bits, element_bits + excess_bits,
                      element_bits, element_bits - 32'd1, element_bits - 32'd2};
  for (genvar i = 0; i < 6; i++) begin : g_quotient
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
  assign head = quotients[31:0];
  assign element_words = quotients[63:32] + 32'd1;
  assign span = quotients[95:64] + 32'd1;  // bits 0 .. phi
  assign top = quotients[127:96] + 32'd1;
  assign row_top = quotients[159:128] + 32'd1;
  assign weight_words = quotients[191:160] + 32'd1;

  // The reduction under way, of a row sum or the last one: words of q, and n.
  logic nested, of_row;
  logic [31:0] least, row_least, longest, quotient_words, n;
  assign nested = operation == NESTED;
  assign least = top - head;
  assign row_least = row_top - head;
  assign longest = long_reciprocal && span > least ? span : least;
  assign quotient_words = of_row ? row_least : least;
  assign n = !of_row ? longest : long_reciprocal && span > row_least ? span : row_least;

  // The lists, and what is under way: `issued` when all products, or the sweep, of a state have begun.
  logic [31:0] column, row, element, weight, factor;
  logic issued, last_column, last_row, multiplies, sweeps, issue, over;
  assign last_column = state != TERMS || column + 32'd1 == count;
  assign last_row = row + 32'd1 == count;
  assign sweeps = state == FINISH || state == SUBTRACT;
  assign multiplies = state != IDLE && state != LOAD_CTX && !sweeps;
  assign multiplier_start = multiplies && !issued && (overlap || !multiplier_busy);
  assign issue = multiplier_start && multiplier_ready;
  assign sweep_start = sweeps && !issued;
  assign over = sweeps ? swept : issued && !multiplier_busy;

  always_comb
    case (state)
      PRODUCT: begin
        {x_at, x_words} = {element_at, element_words};
        {y_at, y_words} = {weight_at, weight_words};
      end
      LIFT: begin
        {x_at, x_words} = {factor, element_words};
        {y_at, y_words} = {remainder_reduced ? reduced_at : difference_at, element_words};
      end
      QUOTIENT: begin
        {x_at, x_words} = {total_at + head, quotient_words};
        {y_at, y_words} = {reciprocal_at + longest - n, n};
      end
      MULTIPLE: begin
        {x_at, x_words} = {modulus_at, element_words};
        {y_at, y_words} = {product_at + n, quotient_words};
      end
      default: begin
        {x_at, x_words} = {element, element_words};
        {y_at, y_words} = {weight, weight_words};
      end
    endcase
  assign result_at = state == MULTIPLE ? multiple_at : product_at;
  assign accumulate = state == TERMS || state == LIFT;
  assign fresh = state == LIFT ? row == 32'd0 : column == 32'd0;

  assign total_at = of_row ? row_at : sum_at;
  assign total_words = state == SUBTRACT ? (of_row ? row_top : top)
      : element_words + (state == TERMS || !nested ? weight_words : element_words) + 32'd1;
  assign first_words = of_row ? 32'd0 : element_words;

  assign sweep_subtract = state == SUBTRACT;
  assign sweep_words = sweep_subtract ? span : top;
  assign operand_at = sweep_subtract ? multiple_at : noise_at;
  assign operand_words = sweep_subtract ? element_words + quotient_words : noise_words;
  assign modulus_words = element_words;
  assign remainder_reduced = !negative;

  assign busy = state != IDLE;

  always_ff @(posedge clk)
    if (reset) begin
      state <= IDLE;
      done <= 1'b0;
      cycles <= 32'd0;
    end else begin
      done <= over && (state == PRODUCT || (state == SUBTRACT && !of_row));
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
        TERMS: if (over) state <= nested ? QUOTIENT : FINISH;
        LIFT: if (over) state <= last_row ? FINISH : TERMS;
        FINISH: if (over) state <= QUOTIENT;
        QUOTIENT: if (over) state <= MULTIPLE;
        MULTIPLE: if (over) state <= SUBTRACT;
        SUBTRACT: if (over) state <= of_row ? LIFT : IDLE;
        default: if (over) state <= IDLE;
      endcase
    end

  always_ff @(posedge clk)
    if (!busy) begin
      issued <= 1'b0;
      of_row <= nested;
      column <= 32'd0;
      row <= 32'd0;
      element <= element_at;
      weight <= weight_at;
      factor <= factor_at;
    end else if (over) begin
      issued <= 1'b0;
      if (state == SUBTRACT) of_row <= 1'b0;
      if (state == LIFT) begin
        of_row <= !last_row;
        row <= row + 32'd1;
        factor <= factor + element_words;
        column <= 32'd0;
        element <= element_at;
      end
    end else if (issue || sweep_start) begin
      issued <= last_column;
      if (state == TERMS) begin
        column <= column + 32'd1;
        element <= element + element_words;
        weight <= weight + weight_words;
      end
    end
endmodule
`default_nettype wire
