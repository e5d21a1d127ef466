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
//   LINE_WORDS    power of two, at least 4: words of a line of elements
//   SLICE_WORDS   power of two, at least 2 LINE_WORDS: words of the elements that are multiplied at a time
//   CHUNK         power of two, at least 2: elements for which c is read once
//
// With c of N = 512 a_words bits and the digits y = sum of y_k 2^(32 k), a result is the sum over k of
//
//   y_k floor(c / 2^(N - 32 k - WINDOW_BITS)) modulo 2^WINDOW_BITS,
//
// which is less than c y / 2^(N - WINDOW_BITS) by less than 2^32 for each digit: what a digit multiplies is a
// window into c, which moves down by a digit from one to the next. So a line of y needs the line of c that is
// as far below its top as that line of y is above the bottom, and WINDOW_BITS - 32 bits below that. A mask is the result
// rounded to its leading bits; it is undecided where the result and one that is greater by 2^32 for each digit
// are rounded to different ones.
//
// Elements bring a line a clock and c only a word. So a slice of c is kept while the same slice of each element of a
// chunk goes by, and the next slice of c is read meanwhile; the sums of the slices before are kept for each element.
// The lines of c wait in a ring: the first element of a chunk finds them as they come, the last one makes room for others.
//
// Clocks: 12 + those of the memory until the first word of c is there, and until the last result is acknowledged. Between,
// with L = LINE_WORDS, n = a_words and s lines of a slice, terms ceil(n / L) + (L - 1) min(ceil(n / L), s) where a chunk has L
// elements or more; L ceil(n / L) of a chunk of one element, and of stored elements one more for each word of c.
// model_clocks.cpp has the law of all lengths.
`default_nettype none
module window_engine #(
    parameter int LINE_WORDS = 4,
    parameter int SLICE_WORDS = 64,  // WINDOW_WORDS
    parameter int CHUNK = 512  // WINDOW_ELEMENTS
) (
    input  logic                      clk,
    input  logic                      reset,
    input  logic                      start,
    input  logic [              15:0] terms,
    input  logic [               7:0] skip,
    input  logic                      stored,
    input  logic [              23:0] element_words,
    input  logic [              63:0] a_address,
    input  logic [              23:0] a_words,
    input  logic [               8:0] a_tail,
    input  logic [              63:0] b_address,
    input  logic [               3:0] mask_width,
    input  logic [              63:0] d_address,
    input  logic [              23:0] d_words,
    output logic                      busy,
    output logic                      done,
    output logic                      undecided,
    output logic [               3:0] segment_valid,
    input  logic [               3:0] segment_ready,
    output logic [             255:0] segment_address,
    output logic [             127:0] segment_words,
    output logic [              95:0] segment_zeros,
    output logic [              26:0] segment_tail,
    input  logic [               2:0] in_valid,
    output logic [               2:0] in_ready,
    input  logic [            1535:0] in_data,
    output logic                      line_segment_valid,
    input  logic                      line_segment_ready,
    output logic [              63:0] line_segment_address,
    output logic [              31:0] line_segment_lines,
    output logic [              31:0] line_segment_zeros,
    input  logic                      line_valid,
    output logic                      line_ready,
    input  logic [512*LINE_WORDS-1:0] line_data,
    output logic                      out_valid,
    input  logic                      out_ready,
    output logic [             511:0] out_data,
    input  logic                      writer_idle
);
  `include "register_map.svh"
  localparam int DIGIT = 32;
  localparam int WORD_DIGITS = WORD_BITS / DIGIT;
  localparam int DIGITS = WORD_DIGITS * LINE_WORDS;
  localparam int PARTS = WINDOW_BITS / DIGIT;
  localparam int REACH = DIGIT * (DIGITS - 1) + WINDOW_BITS;
  localparam int LINE_BITS = WORD_BITS * LINE_WORDS;
  localparam int SLICE_LINES = SLICE_WORDS / LINE_WORDS;
  localparam int PLACE_BITS = $clog2(SLICE_LINES);
  localparam int LINES_BITS = PLACE_BITS + 1;
  localparam int RING_BITS = LINES_BITS;  // two slices
  localparam int CHUNK_BITS = $clog2(CHUNK);
  localparam int STAGES = 6;  // from a line to its sum

  logic starts;
  assign starts = start && !busy;

  // Slices: of each chunk of elements from the lowest words on.
  logic [15:0] terms_left, chunk_terms;  // that are not in a chunk before this one
  logic [63:0] chunk_address;
  logic [23:0] at, left;
  logic [LINES_BITS-1:0] slice_lines;
  logic last_chunk, last_slice, slice_valid, slice_ready, lines_ready, orders_ready;
  assign last_chunk = terms_left <= 16'(CHUNK);
  assign chunk_terms = last_chunk ? terms_left : 16'(CHUNK);
  assign left = a_words - at;
  assign last_slice = left <= 24'(SLICE_WORDS);
  assign slice_lines = last_slice ? LINES_BITS'((left + 24'(LINE_WORDS - 1)) / 24'(LINE_WORDS)) : LINES_BITS'(SLICE_LINES);
  assign slice_valid = terms_left != 16'd0;
  assign slice_ready = slice_valid && lines_ready && orders_ready;
  always_ff @(posedge clk)
    if (reset) terms_left <= 16'd0;
    else if (starts) terms_left <= terms;
    else if (slice_ready && last_slice) terms_left <= terms_left - chunk_terms;
  always_ff @(posedge clk)
    if (starts) begin
      at <= 24'd0;
      chunk_address <= a_address;
    end else if (slice_ready) begin
      at <= last_slice ? 24'd0 : at + 24'(SLICE_WORDS);
      if (last_slice)
        chunk_address <= chunk_address +
            ((stored ? {34'd0, element_words, 6'd0} : {23'd0, 9'(skip) + 9'd1, 32'd0}) << CHUNK_BITS);
    end

  // Their lines, and what becomes of these.
  logic line_here, takes_line, line_taken, order_here, order_ends, first_slice, last_slice_here;
  logic [CHUNK_BITS:0] terms_here;
  logic [LINES_BITS-1:0] lines_here;
  logic [LINE_BITS-1:0] line;
  element_lines #(
      .LINE_WORDS (LINE_WORDS),
      .SLICE_WORDS(SLICE_WORDS)
  ) elements (
      .clk,
      .reset,
      .stored,
      .skip,
      .element_words,
      .a_tail,
      .slice_valid    (slice_valid && orders_ready),
      .slice_ready    (lines_ready),
      .slice_terms    (chunk_terms),
      .slice_address  (chunk_address),
      .slice_at       (at),
      .slice_lines,
      .segment_valid  (segment_valid[0]),
      .segment_ready  (segment_ready[0]),
      .segment_address(segment_address[63:0]),
      .segment_words  (segment_words[31:0]),
      .segment_zeros  (segment_zeros[31:0]),
      .segment_tail   (segment_tail[8:0]),
      .word_valid     (in_valid[0]),
      .word_ready     (in_ready[0]),
      .word           (in_data[511:0]),
      .line_segment_valid,
      .line_segment_ready,
      .line_segment_address,
      .line_segment_lines,
      .line_segment_zeros,
      .line_valid,
      .line_ready,
      .line           (line_data),
      .out_valid      (line_here),
      .out_ready      (takes_line),
      .out_line       (line)
  );
  fifo #(
      .WIDTH(2 + CHUNK_BITS + 1 + LINES_BITS),
      .DEPTH(4)
  ) orders (
      .clk,
      .reset,
      .in_valid (slice_valid && lines_ready),
      .in_ready (orders_ready),
      .in_data  ({at == 24'd0, last_slice, (CHUNK_BITS + 1)'(chunk_terms), slice_lines}),
      .out_valid(order_here),
      .out_ready(order_ends),
      .out_data ({first_slice, last_slice_here, terms_here, lines_here})
  );

  // Segments of c, once for each chunk: whole lines and a word of zeros at least. And of all results.
  logic [15:0] numbers_to_ask;
  logic results_to_ask;
  assign segment_valid[3:1] = {results_to_ask, 1'b0, numbers_to_ask != 16'd0};
  assign segment_address[255:64] = {d_address, 64'd0, b_address};
  assign segment_words[127:32] = {8'd0, d_words, 32'd0, 8'd0, a_words};
  assign segment_zeros[95:32] = {32'd0, 32'd1 + 32'($clog2(LINE_WORDS)'(24'd0 - a_words))};
  assign segment_tail[26:9] = 18'd0;
  always_ff @(posedge clk)
    if (reset) begin
      numbers_to_ask <= 16'd0;
      results_to_ask <= 1'b0;
    end else if (starts) begin
      numbers_to_ask <= (terms + 16'(CHUNK - 1)) >> CHUNK_BITS;
      results_to_ask <= 1'b1;
    end else begin
      if (segment_valid[1] && segment_ready[1]) numbers_to_ask <= numbers_to_ask - 16'd1;
      if (segment_valid[3] && segment_ready[3]) results_to_ask <= 1'b0;
    end

  // Lines of c enter the ring when the word below them is there.
  localparam int COUNT_BITS = $clog2(LINE_WORDS) + 1;
  localparam logic [COUNT_BITS-1:0] WHOLE = COUNT_BITS'(LINE_WORDS);
  logic [21:0] number_lines, lines_to_come;
  logic [COUNT_BITS-1:0] words_here;  // of the next line
  logic [LINE_BITS-1:0] words;
  logic [REACH-1:0] ring[2**RING_BITS];
  logic [RING_BITS-1:0] write_at;
  logic [RING_BITS:0] fresh, kept;  // lines that no element has met, that the last one has not
  logic word_taken, enters, last_enters;
  assign number_lines = 22'((a_words + 24'(LINE_WORDS - 1)) / 24'(LINE_WORDS));
  assign in_ready[2:1] = {1'b0, words_here != WHOLE || kept != (RING_BITS + 1)'(2 ** RING_BITS)};
  assign word_taken = in_valid[1] && in_ready[1];
  assign enters = word_taken && words_here == WHOLE;
  assign last_enters = enters && lines_to_come == 22'd1;
  always_ff @(posedge clk)
    if (starts) begin
      words_here <= '0;
      lines_to_come <= number_lines;
      write_at <= '0;
    end else begin
      if (word_taken) words_here <= last_enters ? '0 : enters ? COUNT_BITS'(1) : words_here + COUNT_BITS'(1);
      if (enters) lines_to_come <= last_enters ? number_lines : lines_to_come - 22'd1;
      if (enters) write_at <= write_at + RING_BITS'(1);
    end
  always_ff @(posedge clk) begin
    if (word_taken) words <= {words[LINE_BITS-WORD_BITS-1:0], in_data[1023:512]};
    if (enters) ring[write_at] <= {words, in_data[1023-:REACH-LINE_BITS]};
  end

  // A line of an element and one of c. All of it stands still while a result waits to leave.
  logic advance, first_element, last_element, line_begins, line_ends;
  logic [PLACE_BITS-1:0] line_place;
  logic [CHUNK_BITS-1:0] element;
  logic [RING_BITS-1:0] slice_at;
  assign advance = !out_valid || out_ready;
  assign first_element = element == '0;
  assign last_element = {1'b0, element} == terms_here - (CHUNK_BITS + 1)'(1);
  assign line_begins = line_place == '0;
  assign line_ends = {1'b0, line_place} == lines_here - LINES_BITS'(1);
  assign takes_line = advance && order_here && (!first_element || fresh != '0);
  assign line_taken = takes_line && line_here;
  assign order_ends = line_taken && line_ends && last_element;
  always_ff @(posedge clk)
    if (starts) begin
      line_place <= '0;
      element <= '0;
      slice_at <= '0;
      {fresh, kept} <= '0;
    end else begin
      if (line_taken) line_place <= line_ends ? '0 : line_place + PLACE_BITS'(1);
      if (line_taken && line_ends) element <= last_element ? '0 : element + CHUNK_BITS'(1);
      if (order_ends) slice_at <= slice_at + RING_BITS'(lines_here);
      fresh <= fresh + (RING_BITS + 1)'(enters) - (RING_BITS + 1)'(line_taken && first_element);
      kept <= kept + (RING_BITS + 1)'(enters) - (RING_BITS + 1)'(line_taken && last_element);
    end

  logic [STAGES-1:0] valid, begins, ends, first, last, alone;  // of a slice of an element: see below
  logic [CHUNK_BITS*STAGES-1:0] number;  // of the element
  logic [LINE_BITS-1:0] digits;
  logic [REACH-1:0] reach;  // of all their windows
  always_ff @(posedge clk)
    if (reset) valid <= '0;
    else if (advance) valid <= {valid[STAGES-2:0], line_taken};
  always_ff @(posedge clk)
    if (advance) begin
      begins <= {begins[STAGES-2:0], line_begins};
      ends <= {ends[STAGES-2:0], line_ends};
      first <= {first[STAGES-2:0], first_slice};
      last <= {last[STAGES-2:0], last_slice_here};
      alone <= {alone[STAGES-2:0], first_element && last_element};
      number <= {number[CHUNK_BITS*(STAGES-1)-1:0], element};
      digits <= line;
      reach <= ring[slice_at+RING_BITS'(line_place)];
    end

  // Products of a digit and the parts of its window; the products; their sum, in three steps.
  localparam int GROUPS = DIGITS / 4;
  localparam int QUARTERS = GROUPS / 4;
  logic [WINDOW_BITS*DIGITS-1:0] products;
  logic [WINDOW_BITS*GROUPS-1:0] group_sums;
  logic [WINDOW_BITS*QUARTERS-1:0] quarters;
  logic [WINDOW_BITS-1:0] sum, next_sum;
  function automatic logic [WINDOW_BITS-1:0] sum_of_four(input logic [4*WINDOW_BITS-1:0] x);
    sum_of_four = (x[0+:WINDOW_BITS] + x[WINDOW_BITS+:WINDOW_BITS]) + (x[2*WINDOW_BITS+:WINDOW_BITS] + x[3*WINDOW_BITS+:WINDOW_BITS]);
  endfunction
  for (genvar i = 0; i < DIGITS; i++) begin : g_digit
    logic [WINDOW_BITS-1:0] window, product;
    logic [2*DIGIT*PARTS-1:0] parts;
    assign window = reach[REACH-DIGIT*i-WINDOW_BITS+:WINDOW_BITS];
    for (genvar j = 0; j < PARTS; j++) begin : g_part
      always_ff @(posedge clk)
        if (advance)
          parts[2*DIGIT*j+:2*DIGIT] <= {DIGIT'(0), digits[DIGIT*i+:DIGIT]} * {DIGIT'(0), window[DIGIT*j+:DIGIT]};
    end
    always_comb begin
      product = '0;
      for (int j = 0; j < PARTS; j++) product += WINDOW_BITS'(parts[2*DIGIT*j+:2*DIGIT]) << (DIGIT * j);
    end
    always_ff @(posedge clk) if (advance) products[WINDOW_BITS*i+:WINDOW_BITS] <= product;
  end
  for (genvar i = 0; i < GROUPS; i++) begin : g_group
    always_ff @(posedge clk)
      if (advance) group_sums[WINDOW_BITS*i+:WINDOW_BITS] <= sum_of_four(products[4*WINDOW_BITS*i+:4*WINDOW_BITS]);
  end
  for (genvar i = 0; i < QUARTERS; i++) begin : g_quarter
    always_ff @(posedge clk)
      if (advance) quarters[WINDOW_BITS*i+:WINDOW_BITS] <= sum_of_four(group_sums[4*WINDOW_BITS*i+:4*WINDOW_BITS]);
  end
  always_comb begin
    next_sum = '0;
    for (int i = 0; i < QUARTERS; i++) next_sum += quarters[WINDOW_BITS*i+:WINDOW_BITS];
  end
  always_ff @(posedge clk) if (advance) sum <= next_sum;

  // The sum of an element: from slice to slice it is kept for each. An element that is alone in its chunk goes on with
  // what it has.
  localparam int NOW = STAGES - 1;
  logic [WINDOW_BITS-1:0] partial_sums[CHUNK];
  logic [WINDOW_BITS-1:0] partial_sum, so_far, total, entry;
  logic [CHUNK_BITS-1:0] number_now;
  logic stops, entry_here;
  assign number_now = number[CHUNK_BITS*NOW+:CHUNK_BITS];
  always_comb begin
    total = so_far;
    if (begins[NOW] && first[NOW]) total = '0;
    else if (begins[NOW] && !alone[NOW]) total = partial_sum;
    total += sum;
  end
  assign stops = valid[NOW] && ends[NOW];
  always_ff @(posedge clk)
    if (advance) begin
      partial_sum <= partial_sums[number[CHUNK_BITS*(NOW-1)+:CHUNK_BITS]];
      if (stops) partial_sums[number_now] <= total;
      if (valid[NOW]) so_far <= total;
      entry <= total;
    end
  always_ff @(posedge clk)
    if (reset) entry_here <= 1'b0;
    else if (advance) entry_here <= stops && last[NOW];

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
          (WINDOW_BITS'(a_words) << (DIGIT + $clog2(WORD_DIGITS)));
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

  logic ended;
  assign ended = busy && !results_to_ask && writer_idle;
  always_ff @(posedge clk)
    if (reset) {busy, done} <= 2'b00;
    else {busy, done} <= {(busy || start) && !ended, ended};

  logic unused;
  assign unused = &{1'b0, in_valid[2], in_data[1535:1024], segment_ready[2], least[WINDOW_BITS-MASK-1:0],
                    most[WINDOW_BITS-MASK-1:0]};
endmodule
`default_nettype wire
