// SPDX-License-Identifier: Apache-2.0
// Engine of the datapath: for each of `terms` elements y, the leading bits of c y.
//
//   terms      at least 1 element; element i lies 2^32 (skip + 1) i after a_address, in the element memory
//   stored     but the elements lie in memory, each in element_words words, one after the other; a_tail of each
//   a_words    of every element with zeros above it, at least 1; as many has c
//   b_address  of the words of c, the highest first
//   mask_width   0: the results are entries of WINDOW_ENTRY_BITS; else they are masks, bytes of so many bits
//   d_address, d_words   of the results, one for each element
//   undecided  with done: a mask may be off by one
//   all others see datapath
//
// With c of N = 512 a_words bits and the digits y = sum of y_k 2^(32 k), a result is the sum over k of
//
//   y_k floor(c / 2^(N - 32 k - WINDOW_BITS)) modulo 2^WINDOW_BITS,
//
// which is less than c y / 2^(N - WINDOW_BITS) by less than 2^32 for each digit: what a digit multiplies is a
// window into c, which moves down by a digit from one to the next. So a word of y needs the word of c that is
// as far below its top as that word of y is above the bottom, and the one below that. A mask is the result
// rounded to its leading bits; it is undecided where the result and one that is greater by 2^32 for each digit
// are rounded to different ones.
//
// Clocks: a_words + 1 for each element, a_words + element_words where it is stored, and 11 + those of the memory until the first word of c is there, and
// until the last result is acknowledged.
`default_nettype none
module window_engine (
    input  logic          clk,
    input  logic          reset,
    input  logic          start,
    input  logic [  15:0] terms,
    input  logic [   7:0] skip,
    input  logic          stored,
    input  logic [  23:0] element_words,
    input  logic [  63:0] a_address,
    input  logic [  23:0] a_words,
    input  logic [   8:0] a_tail,
    input  logic [  63:0] b_address,
    input  logic [   3:0] mask_width,
    input  logic [  63:0] d_address,
    input  logic [  23:0] d_words,
    output logic          busy,
    output logic          done,
    output logic          undecided,
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
  `include "register_map.svh"
  localparam int DIGIT = 32;
  localparam int DIGITS = 16;  // of a word
  localparam int PARTS = WINDOW_BITS / DIGIT;
  localparam int REACH = DIGIT * (DIGITS - 1) + WINDOW_BITS;
  localparam int STAGES = 5;  // from a word to its sum

  typedef enum logic [1:0] {
    IDLE,
    RUN,
    DRAIN  // until the results are in memory
  } state_t;
  state_t state;
  logic starts;
  assign starts = start && !busy;
  assign busy = state != IDLE;

  // Segments: every element, the words of c and a zero for each of them, and all results.
  logic [15:0] elements_to_ask, numbers_to_ask;
  logic results_to_ask;
  logic [63:0] element_address;
  assign segment_valid = {results_to_ask, 1'b0, numbers_to_ask != 16'd0, elements_to_ask != 16'd0};
  assign segment_address = {d_address, 64'd0, b_address, element_address};
  assign segment_words = {8'd0, d_words, 32'd0, 8'd0, a_words, 8'd0, stored ? element_words : a_words};
  assign segment_zeros = {32'd0, 32'd1, 8'd0, stored ? a_words - element_words : 24'd0};
  assign segment_tail = {18'd0, stored ? a_tail : 9'd0};
  always_ff @(posedge clk)
    if (reset) begin
      elements_to_ask <= 16'd0;
      numbers_to_ask <= 16'd0;
      results_to_ask <= 1'b0;
    end else if (starts) begin
      elements_to_ask <= terms;
      numbers_to_ask <= terms;
      results_to_ask <= 1'b1;
      element_address <= a_address;
    end else begin
      if (segment_valid[0] && segment_ready[0]) begin
        elements_to_ask <= elements_to_ask - 16'd1;
        element_address <= element_address + (stored ? {34'd0, element_words, 6'd0} : {23'd0, 9'(skip) + 9'd1, 32'd0});
      end
      if (segment_valid[1] && segment_ready[1]) numbers_to_ask <= numbers_to_ask - 16'd1;
      if (segment_valid[3] && segment_ready[3]) results_to_ask <= 1'b0;
    end

  // A word of c by itself, then words of y together with the next ones of c. All of it stands still while a
  // result waits to leave.
  logic advance, first_taken, pair_taken, has_first;
  logic [15:0] elements_left;
  logic [23:0] words_left;
  logic [511:0] higher;
  assign advance = !out_valid || out_ready;
  assign first_taken = advance && state == RUN && !has_first && in_valid[1];
  assign pair_taken = advance && state == RUN && has_first && in_valid[1] && in_valid[0];
  assign in_ready = {1'b0, first_taken || pair_taken, pair_taken};
  always_ff @(posedge clk)
    if (starts) begin
      has_first <= 1'b0;
      elements_left <= terms;
      words_left <= a_words;
    end else if (first_taken) has_first <= 1'b1;
    else if (pair_taken) begin
      words_left <= words_left == 24'd1 ? a_words : words_left - 24'd1;
      if (words_left == 24'd1) begin
        has_first <= 1'b0;
        elements_left <= elements_left - 16'd1;
      end
    end
  always_ff @(posedge clk) if (first_taken || pair_taken) higher <= in_data[1023:512];

  logic [STAGES-1:0] valid, last;  // last: of an element
  logic [511:0] word;
  logic [REACH-1:0] reach;  // of all windows
  always_ff @(posedge clk)
    if (reset) valid <= '0;
    else if (advance) valid <= {valid[STAGES-2:0], pair_taken};
  always_ff @(posedge clk)
    if (advance) begin
      last <= {last[STAGES-2:0], words_left == 24'd1};
      word <= in_data[511:0];
      reach <= {higher, in_data[1023-:REACH-512]};
    end

  // Products of a digit and the parts of its window; the products; their sum, in two steps.
  logic [WINDOW_BITS*DIGITS-1:0] products;
  logic [WINDOW_BITS*DIGITS/4-1:0] quarters;
  logic [WINDOW_BITS-1:0] sum;
  for (genvar i = 0; i < DIGITS; i++) begin : g_digit
    logic [WINDOW_BITS-1:0] window, product;
    logic [2*DIGIT*PARTS-1:0] parts;
    assign window = reach[REACH-DIGIT*i-WINDOW_BITS+:WINDOW_BITS];
    for (genvar j = 0; j < PARTS; j++) begin : g_part
      always_ff @(posedge clk)
        if (advance)
          parts[2*DIGIT*j+:2*DIGIT] <= {DIGIT'(0), word[DIGIT*i+:DIGIT]} * {DIGIT'(0), window[DIGIT*j+:DIGIT]};
    end
    always_comb begin
      product = '0;
      for (int j = 0; j < PARTS; j++) product += WINDOW_BITS'(parts[2*DIGIT*j+:2*DIGIT]) << (DIGIT * j);
    end
    always_ff @(posedge clk) if (advance) products[WINDOW_BITS*i+:WINDOW_BITS] <= product;
  end
  for (genvar i = 0; i < DIGITS / 4; i++) begin : g_quarter
    always_ff @(posedge clk)
      if (advance)
        quarters[WINDOW_BITS*i+:WINDOW_BITS] <=
            (products[WINDOW_BITS*4*i+:WINDOW_BITS] + products[WINDOW_BITS*(4*i+1)+:WINDOW_BITS]) +
            (products[WINDOW_BITS*(4*i+2)+:WINDOW_BITS] + products[WINDOW_BITS*(4*i+3)+:WINDOW_BITS]);
  end
  always_ff @(posedge clk)
    if (advance)
      sum <= (quarters[0+:WINDOW_BITS] + quarters[WINDOW_BITS+:WINDOW_BITS]) +
          (quarters[2*WINDOW_BITS+:WINDOW_BITS] + quarters[3*WINDOW_BITS+:WINDOW_BITS]);

  // The sum of an element.
  logic [WINDOW_BITS-1:0] so_far, total, entry;
  logic ends, entry_here;
  assign total = so_far + sum;
  assign ends = valid[STAGES-1] && last[STAGES-1];
  always_ff @(posedge clk)
    if (starts) so_far <= '0;
    else if (advance && valid[STAGES-1]) so_far <= ends ? '0 : total;
  always_ff @(posedge clk) if (advance) entry <= total;
  always_ff @(posedge clk)
    if (reset) entry_here <= 1'b0;
    else if (advance) entry_here <= ends;

  // As a mask: with half of its lowest bit, and also with all that may be missing.
  localparam int MASK = SELECTION_SUMS;
  logic [WINDOW_BITS-1:0] half, half_and_missing, least, most;
  logic [MASK-1:0] mask, differing;
  logic masks, differs;
  assign masks = mask_width != 4'd0;
  always_ff @(posedge clk)
    if (starts) begin
      half <= {1'b1, {WINDOW_BITS - 1{1'b0}}} >> mask_width;
      half_and_missing <= ({1'b1, {WINDOW_BITS - 1{1'b0}}} >> mask_width) +
          (WINDOW_BITS'(a_words) << (DIGIT + $clog2(DIGITS)));
    end
  assign least = entry + half;
  assign most = entry + half_and_missing;
  assign mask = least[WINDOW_BITS-1-:MASK] >> (4'(MASK) - mask_width);
  assign differing = (least[WINDOW_BITS-1-:MASK] ^ most[WINDOW_BITS-1-:MASK]) >> (4'(MASK) - mask_width);
  assign differs = differing != '0;

  // The results that fill a word.
  logic [15:0] results_left;
  logic [5:0] place;  // of a byte
  logic word_ends;
  assign word_ends = place == (masks ? 6'd63 : 6'd48) || results_left == 16'd1;
  always_ff @(posedge clk)
    if (starts) begin
      results_left <= terms;
      place <= 6'd0;
      undecided <= 1'b0;
    end else if (advance && entry_here) begin
      results_left <= results_left - 16'd1;
      place <= place + (masks ? 6'd1 : 6'd16);
      if (masks && differs) undecided <= 1'b1;
    end
  always_ff @(posedge clk)
    if (advance && entry_here) begin
      if (place == 6'd0) out_data <= masks ? 512'(mask) : 512'(entry);
      else begin
        for (int i = 0; i < 64; i++) if (masks && place == 6'(i)) out_data[8*i+:8] <= mask;
        for (int i = 1; i < 4; i++)
          if (!masks && place == 6'(16 * i)) out_data[WINDOW_ENTRY_BITS*i+:WINDOW_BITS] <= entry;
      end
    end
  always_ff @(posedge clk)
    if (reset) out_valid <= 1'b0;
    else if (advance) out_valid <= entry_here && word_ends;

  always_ff @(posedge clk)
    if (reset) begin
      state <= IDLE;
      done <= 1'b0;
    end else begin
      done <= 1'b0;
      case (state)
        IDLE: if (start) state <= RUN;
        RUN: if (pair_taken && words_left == 24'd1 && elements_left == 16'd1) state <= DRAIN;
        default:  // DRAIN
        if (writer_idle && !results_to_ask) begin
          state <= IDLE;
          done  <= 1'b1;
        end
      endcase
    end

  logic unused;
  assign unused = &{1'b0, in_valid[2], in_data[1535:1024], segment_ready[2], least[WINDOW_BITS-MASK-1:0],
                    most[WINDOW_BITS-MASK-1:0]};
endmodule
`default_nettype wire
