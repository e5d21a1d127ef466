// SPDX-License-Identifier: Apache-2.0
// Adds up products that come diagonal by diagonal, as diagonal_blocks and element_slices show them: one stream of words, the
// lowest first, whose end is not marked: zeros follow.
//
//   reset                         to idle, before the first product
//   words                         of a product, constant from reset on
//   step                          which begin so many words higher with each diagonal: at least 8, and at most words - 8
//   order_valid, order_ready      of the product that comes:
//     order_first, order_last       it is the first of its diagonal, the last one
//     order_ends                    no product follows
//   word_valid, word_ready        word: the words of the products
//   out_valid, out_ready          out_data: words of the sum
//
//   MOST_WORDS                    the most words
//
// Memory holds the words that the next product adds to, and a counter what is carried out of them. A word below
// the next diagonal leaves when the last product of this one is added to it, and those above stay in their places,
// where they become the lowest ones: it is a ring. While no side stalls, each word takes one clock, and leaves three clocks
// after it came. A place in memory is read `words` words after it was written, or words - step, when that has left the adder.
`default_nettype none
module diagonal_sums #(
    parameter int MOST_WORDS = 3072
) (
    input  logic         clk,
    input  logic         reset,
    input  logic [ 11:0] words,
    input  logic [ 11:0] step,
    input  logic         order_valid,
    output logic         order_ready,
    input  logic         order_first,
    input  logic         order_last,
    input  logic         order_ends,
    input  logic         word_valid,
    output logic         word_ready,
    input  logic [511:0] word,
    output logic         out_valid,
    input  logic         out_ready,
    output logic [511:0] out_data
);
  localparam int PLACE_BITS = $clog2(MOST_WORDS);

  // Words as they come, `offset` in their product; above the last product, zeros.
  logic fresh, above, above_first;  // fresh: no product before
  logic [11:0] offset, kept_words, last_offset, base, base_next, place_next;  // base: where a product begins
  logic here, enters, first_word, last_word, is_new, leaves_below, product_ends;
  logic [PLACE_BITS-1:0] place;
  always_ff @(posedge clk) begin
    kept_words <= words - step;  // of the diagonal before
    last_offset <= words - 12'd1;
    base_next <= base >= kept_words ? base - kept_words : base + step;
  end
  assign here = above || (order_valid && word_valid);
  assign first_word = offset == 12'd0;
  assign last_word = offset == last_offset;
  assign is_new = fresh || offset >= kept_words;  // in the first product of a diagonal
  assign leaves_below = offset < step;
  assign product_ends = enters && !above && last_word;
  assign word_ready = enters && !above;
  assign order_ready = product_ends;
  assign place_next = 12'(place) == last_offset ? 12'd0 : 12'(place) + 12'd1;  // after a whole product `base`

  logic sum_ready, last_left;  // last_left: of the last product, all words left the adder
  always_ff @(posedge clk)
    if (reset) begin
      fresh <= 1'b1;
      offset <= 12'd0;
      base <= 12'd0;
      place <= '0;
      above <= 1'b0;
      above_first <= 1'b1;
    end else begin
      if (enters && !above) begin
        offset <= last_word ? 12'd0 : offset + 12'd1;
        place <= PLACE_BITS'(last_word && order_last ? base_next : place_next);
      end
      if (product_ends) begin
        fresh <= 1'b0;
        if (order_last) base <= base_next;
      end
      if (last_left) above <= 1'b1;
      if (enters && above) above_first <= 1'b0;
    end

  // What they are added to.
  logic [511:0] memory[MOST_WORDS];
  logic [511:0] kept, added;
  logic waits, adds_kept, adds_carried, leaves_it;  // in front of the adder
  logic [PLACE_BITS-1:0] waits_place;
  logic waits_first, waits_last, waits_leaves, waits_ends;
  assign leaves_it = waits && sum_ready;
  assign enters = here && (!waits || leaves_it);
  always_ff @(posedge clk)
    if (reset) waits <= 1'b0;
    else if (enters) waits <= 1'b1;
    else if (leaves_it) waits <= 1'b0;
  always_ff @(posedge clk)
    if (enters) begin
      added <= above ? 512'd0 : word;
      kept <= memory[place];
      adds_kept <= !above && !(order_first && is_new);
      adds_carried <= above ? above_first : order_first && offset == kept_words;
      waits_place <= place;
      waits_first <= above ? above_first : first_word;
      waits_last <= !above && last_word;
      waits_leaves <= above || order_ends || (order_last && leaves_below);
      waits_ends <= !above && order_ends && last_word;
    end

  logic [15:0] carried;  // out of the products of a diagonal
  logic sum_valid, sum_taken, sum_last, carry_out;
  logic [511:0] sum;
  wide_accumulate #(
      .BITS(512)
  ) adder (
      .clk,
      .reset,
      .in_valid (waits),
      .in_ready (sum_ready),
      .in_first (waits_first),
      .in_last  (waits_last),
      .subtract (1'b0),
      .carry_in (1'b0),
      .a        (adds_kept ? kept : adds_carried ? {496'd0, carried} : 512'd0),
      .b        (added),
      .out_valid(sum_valid),
      .out_ready(sum_taken),
      .out_last (sum_last),
      .result   (sum),
      .carry_out
  );

  // Beside the words in the adder, which moves when sum_ready = 1.
  logic [PLACE_BITS-1:0] summed_place, sum_place;
  logic summed_leaves, sum_leaves, summed_ends, sum_ends;
  always_ff @(posedge clk)
    if (sum_ready) begin
      {summed_place, summed_leaves, summed_ends} <= {waits_place, waits_leaves, waits_ends};
      {sum_place, sum_leaves, sum_ends} <= {summed_place, summed_leaves, summed_ends};
    end
  assign out_valid = sum_valid && sum_leaves;
  assign out_data = sum;
  assign sum_taken = !sum_leaves || out_ready;
  assign last_left = sum_valid && sum_taken && sum_ends;
  always_ff @(posedge clk) if (sum_valid) memory[sum_place] <= sum;
  always_ff @(posedge clk)
    if (reset) carried <= 16'd0;
    else if (sum_valid && sum_taken && sum_last) carried <= carried + 16'(carry_out);
    else if (leaves_it && adds_carried) carried <= 16'd0;
endmodule
`default_nettype wire
