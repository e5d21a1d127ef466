// SPDX-License-Identifier: Apache-2.0
// From block products to the words of a product: schoolbook multiplication, a block every eight clocks.
//
//   reset            forgets the blocks under way
//   block_valid      sums: of block product (i, j), i the block of x and j that of y, j faster; eight or
//                    more clocks after the one before, 17 or more after the last of a product
//   row_first, row_last, column_first, column_last
//                    with it: i = 0, i is the last, j = 0, j is the last
//   fresh            with it, and out again with its terms
//   extend          with it: zeros follow the product, up to `room` words in all
//   product_at, product_words, room, accumulate   hold still while blocks are under way:
//                    where the product lies and how many words it has; 1: where its partial sums lie,
//                    and the words of the product leave as terms instead
//   partial_*, product_*   the memory of the product, one read (data in the next clock) and one write
//   term_next        a term comes in the next clock: a word of the product, of place term_offset, in
//                    order. term_fresh goes with term_next; term_first and term_last with the term. The
//                    last ones, above product_words, are zero: there is at least one, for a carry, and
//                    with `extend` they reach to `room`
//   finished         with the last word of a product
//
// The low half of product (i, j) and the high half of (i, j - 1) have the same weight. To them comes
// what the row above has left there: a word of memory or, at the last j, the high half of its last
// product, which was kept here; so rows cost no time for their last half. The words of (i, 0), and of
// all the last row, are final. Each row carries its own carry; that out of its last half waits for the
// next row. Four clocks from block_valid to its first word.
// Super-size paper, section 3.1, steps 3.1 to 3.3, and Fig. 5.
`default_nettype none
module block_accumulate #(
    parameter int BITS = 224,
    parameter int SUM = 260,
    parameter int HALF = 8
) (
    input  logic                  clk,
    input  logic                  reset,
    input  logic                  block_valid,
    input  logic                  row_first,
    input  logic                  row_last,
    input  logic                  column_first,
    input  logic                  column_last,
    input  logic                  fresh,
    input  logic                  extend,
    input  logic [2*HALF*SUM-1:0] sums,
    input  logic [          31:0] product_at,
    input  logic [          31:0] product_words,
    input  logic [          31:0] room,
    input  logic                  accumulate,
    output logic                  partial_read,
    output logic [          31:0] partial_address,
    input  logic [      BITS-1:0] partial_word,
    output logic                  product_write,
    output logic [          31:0] product_address,
    output logic [      BITS-1:0] product_word,
    output logic                  term_next,
    output logic [          31:0] term_offset,
    output logic                  term_fresh,
    output logic [      BITS-1:0] term,
    output logic                  term_first,
    output logic                  term_last,
    output logic                  finished
);
  localparam int STEP = $clog2(HALF + 1);  // bits of the number of a word
  localparam logic [STEP-1:0] LAST = STEP'(HALF - 1);
  localparam logic [STEP-1:0] BEYOND = STEP'(HALF);

  // First clock of a word: its sums are added up. A slot is the HALF words of a block; the slot after
  // the last block, the tail, is that of its high half, and has one word more, or all up to `room`.
  logic active, tail, flush, tail_ends;
  logic [STEP-1:0] step;
  logic slot_row_first, slot_row_last, slot_column_first, slot_column_last, slot_fresh, slot_extend;
  logic [31:0] row_offset, offset;
  logic belongs;
  logic [BITS-1:0] low_word, high_word;

  assign flush = active && !tail && step == LAST && slot_row_last && slot_column_last;
  assign tail_ends = active && tail && step == BEYOND && (!slot_extend || offset + 32'd1 >= room);

  always_ff @(posedge clk)
    if (reset) active <= 1'b0;
    else if (block_valid || flush) active <= 1'b1;
    else if (tail ? tail_ends : step == LAST) active <= 1'b0;

  always_ff @(posedge clk)
    if (block_valid) begin
      step <= '0;
      tail <= 1'b0;
      {slot_row_first, slot_row_last} <= {row_first, row_last};
      {slot_column_first, slot_column_last} <= {column_first, column_last};
      slot_fresh <= fresh;
      slot_extend <= extend;
      if (column_first) begin
        row_offset <= row_first ? 32'd0 : row_offset + 32'(HALF);
        offset <= row_first ? 32'd0 : row_offset + 32'(HALF);
      end else offset <= offset + 32'd1;
    end else if (flush) begin
      step <= '0;
      tail <= 1'b1;
      slot_row_first <= 1'b1;  // nothing is added to it
      slot_column_last <= 1'b0;
      slot_column_first <= 1'b0;
      offset <= offset + 32'd1;
    end else if (active && (tail ? !tail_ends : step != LAST)) begin
      if (step != BEYOND) step <= step + 1'b1;
      offset <= offset + 32'd1;
    end

  column_recovery #(
      .BITS(BITS),
      .SUM (SUM),
      .HALF(HALF)
  ) recovery (
      .clk,
      .load (block_valid),
      .flush,
      .step (active),
      .first(step == '0),
      .last (step == LAST && !tail),
      .sums,
      .low_word,
      .high_word
  );

  assign belongs = offset < (slot_extend ? room : product_words);
  assign partial_read = active && belongs && !slot_row_first && !slot_column_last;
  assign partial_address = product_at + offset;

  // Second clock: the two halves and what the row above left.
  logic made, made_read, made_kept, made_column_first, made_takes_high, made_first, made_last;
  logic made_saves, made_saved, made_final, made_belongs, made_end, made_fresh;
  logic [STEP-1:0] made_step;
  logic [31:0] made_offset;
  logic [HALF*BITS-1:0] kept;  // the high half of the last product of the row above
  logic [BITS-1:0] above;

  always_ff @(posedge clk) begin
    made <= active && !reset;
    made_read <= partial_read;
    made_kept <= slot_column_last && !slot_column_first && !slot_row_first;
    made_column_first <= slot_column_first;
    made_takes_high <= !slot_column_first || (slot_column_last && !slot_row_first);
    made_first <= step == '0;
    made_last <= step == LAST;
    made_saves <= slot_column_last;
    made_saved <= slot_column_last && !slot_row_first;
    made_final <= slot_column_first || slot_row_last;
    made_belongs <= belongs;
    made_end <= tail_ends;
    made_fresh <= slot_fresh;
    made_step <= step;
    made_offset <= offset;
  end

  assign above = made_read ? partial_word
               : made_kept ? kept[BITS*32'(made_step[STEP-2:0])+:BITS] : '0;
  for (genvar i = 0; i < HALF; i++) begin : g_kept
    always_ff @(posedge clk)
      if (made && made_column_first && made_step == STEP'(i)) kept[BITS*i+:BITS] <= high_word;
  end

  // Third clock: the carry from word to word.
  logic summed, summed_first, summed_last, summed_saves, summed_saved, summed_row, summed_belongs;
  logic summed_final, summed_end, summed_fresh;
  logic [31:0] summed_offset;
  logic [BITS+1:0] total, resolved;
  logic [1:0] carry, saved;  // the sums are below 3 2^BITS, so both are at most 3
  logic [2:0] entering;

  always_ff @(posedge clk) begin
    summed <= made && !reset;
    total <= {2'd0, low_word} + {2'd0, made_takes_high ? high_word : '0} + {2'd0, above};
    summed_first <= made_first;
    summed_last <= made_last;
    summed_saves <= made_saves;
    summed_saved <= made_saved;
    summed_row <= made_first && made_column_first;
    summed_belongs <= made_belongs;
    summed_final <= made_final;
    summed_end <= made_end;
    summed_fresh <= made_fresh;
    summed_offset <= made_offset;
  end

  assign entering = (summed_row ? 3'd0 : {1'b0, carry}) +
                    (summed_first && summed_saved ? {1'b0, saved} : 3'd0);
  assign resolved = total + (BITS + 2)'(entering);
  assign term_next = summed && summed_final && accumulate;
  assign term_offset = summed_offset;
  assign term_fresh = summed_fresh;

  always_ff @(posedge clk) begin
    if (summed) carry <= resolved[BITS+1:BITS];
    if (summed && summed_last && summed_saves) saved <= resolved[BITS+1:BITS];
    product_write <= summed && summed_belongs && !(summed_final && accumulate) && !reset;
    product_address <= product_at + summed_offset;
    product_word <= resolved[BITS-1:0];
    term_first <= summed_offset == 32'd0;
    term_last <= summed_end;
    finished <= summed && summed_end && !reset;
  end
  assign term = product_word;
endmodule
`default_nettype wire
