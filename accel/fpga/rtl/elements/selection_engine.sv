// SPDX-License-Identifier: Apache-2.0
// Engine of the datapath: `sums` sums of the elements that masks select, d = the first sum, then the second ..
//
//   terms      at least 1 element; element i lies 2^32 i after a_address, in the element memory, zeros behind it
//   stored     but the elements lie in memory, each in element_words words, one after the other; a_tail of each
//   sums       1 to SELECTION_SUMS
//   a_words    of a sum, at least 1: such that every sum, and every element, fits
//   b_*        the masks, a byte for each element: it is added to sum j where bit j is 1
//   d_address  of the first sum
//   all others see datapath
//
//   LINE_WORDS    power of two, at least 2: words of a line of elements
//   SLICE_WORDS   power of two, at least 4 LINE_WORDS: words of the elements that are added up at a time
//
// Slice by slice: the lines of this slice of one element after the other are added to those of the sums, a line a
// clock, in columns of 32 bits that grow to 48 and pass no carry on; then the words of the sums leave, one sum after
// the other. A column is read, added to and written within four clocks, so that a shorter slice of generated elements is
// read as one of four lines, whose rest are zeros. Stored elements come a word a clock.
//
// Clocks, L = LINE_WORDS: for each slice of n words 12 + those of the memory until the first word of masks is there +
// ceil(terms / 64) + terms max(ceil(n / L), 4), or terms L ceil(n / L) of stored ones, + sums n, and 2 + those until
// the last write is acknowledged.
`default_nettype none
module selection_engine #(
    parameter int LINE_WORDS  = 4,
    parameter int SLICE_WORDS = 2048  // SELECTION_LINES lines
) (
    input  logic                      clk,
    input  logic                      reset,
    input  logic                      start,
    input  logic [              15:0] terms,
    input  logic [               3:0] sums,
    input  logic                      stored,
    input  logic [              23:0] element_words,
    input  logic [              63:0] a_address,
    input  logic [              23:0] a_words,
    input  logic [               8:0] a_tail,
    input  logic [              63:0] b_address,
    input  logic [              23:0] b_words,
    input  logic [               8:0] b_tail,
    input  logic [              63:0] d_address,
    output logic                      busy,
    output logic                      done,
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
  localparam int LINE_BITS = $clog2(LINE_WORDS);
  localparam int PLACE_BITS = $clog2(SLICE_WORDS);  // of a word
  localparam int LANES = 16;  // of a word
  localparam int DIGIT = 32;
  localparam int GROWTH = 16;  // fewer than 2^16 terms
  localparam int COLUMN = DIGIT + GROWTH;
  localparam int MASKS = 64;  // in a word

  typedef enum logic [2:0] {
    IDLE,
    SLICE,    // its sizes
    GATHER,   // lines of the elements are added up
    SETTLE,   // the last ones are written
    SCATTER,  // the words of the sums leave
    DRAIN     // until they are in memory
  } state_t;
  state_t state;
  assign busy = state != IDLE;

  // The slice: its first word and its size, and how many lines of an element are read.
  localparam int COUNT_BITS = PLACE_BITS + 1;
  localparam int LINES_BITS = COUNT_BITS - LINE_BITS;
  localparam logic [LINES_BITS-1:0] LEAST_LINES = LINES_BITS'(4);
  logic [23:0] at, left;
  logic [COUNT_BITS-1:0] here, next_here;
  logic [LINES_BITS-1:0] lines, whole_lines;
  assign left = a_words - at;
  assign next_here = left < 24'(SLICE_WORDS) ? COUNT_BITS'(left) : COUNT_BITS'(SLICE_WORDS);
  assign whole_lines = LINES_BITS'((next_here + COUNT_BITS'(LINE_WORDS - 1)) >> LINE_BITS);
  always_ff @(posedge clk)
    if (state == SLICE) begin
      here  <= next_here;
      lines <= !stored && whole_lines < LEAST_LINES ? LEAST_LINES : whole_lines;
    end

  // Segments: the slice of each element, the masks, and the slice of each sum.
  logic [3:0] sums_to_write;
  logic elements_to_ask, masks_to_ask, slice_ready;
  logic [63:0] sum_address;
  logic line_here, takes_line, word_ready;
  logic [512*LINE_WORDS-1:0] line;
  element_lines #(
      .LINE_WORDS (LINE_WORDS),
      .SLICE_WORDS(SLICE_WORDS)
  ) elements (
      .clk,
      .reset,
      .stored,
      .skip           (8'd0),
      .element_words,
      .a_tail,
      .slice_valid    (state == GATHER && elements_to_ask),
      .slice_ready,
      .slice_terms    (terms),
      .slice_address  (a_address),
      .slice_at       (at),
      .slice_lines    (lines),
      .segment_valid  (segment_valid[0]),
      .segment_ready  (segment_ready[0]),
      .segment_address(segment_address[63:0]),
      .segment_words  (segment_words[31:0]),
      .segment_zeros  (segment_zeros[31:0]),
      .segment_tail   (segment_tail[8:0]),
      .word_valid     (in_valid[0]),
      .word_ready,
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
  assign segment_valid[3:1] = {state == SCATTER && sums_to_write != 4'd0, 1'b0, state == GATHER && masks_to_ask};
  assign segment_address[255:64] = {sum_address, 64'd0, b_address};
  assign segment_words[127:32] = {32'(here), 32'd0, 8'd0, b_words};
  assign segment_zeros[95:32] = 64'd0;
  assign segment_tail[26:9] = {9'd0, b_tail};
  always_ff @(posedge clk)
    if (state == SLICE) begin
      {elements_to_ask, masks_to_ask} <= 2'b11;
      sums_to_write <= sums;
      sum_address <= d_address + {34'd0, at, 6'd0};
    end else begin
      if (state == GATHER && slice_ready) elements_to_ask <= 1'b0;
      if (segment_valid[1] && segment_ready[1]) masks_to_ask <= 1'b0;
      if (segment_valid[3] && segment_ready[3]) begin
        sums_to_write <= sums_to_write - 4'd1;
        sum_address <= sum_address + {34'd0, a_words, 6'd0};
      end
    end

  // Lines of elements, each with its mask.
  logic [15:0] elements_left;
  logic [511:0] masks;
  logic [6:0] masks_here;
  logic [PLACE_BITS-LINE_BITS-1:0] place;
  logic first_element, line_taken, masks_taken, element_ends;
  assign takes_line = state == GATHER && masks_here != 7'd0;
  assign line_taken = takes_line && line_here;
  assign masks_taken = state == GATHER && masks_here == 7'd0 && in_valid[1];
  assign in_ready = {1'b0, masks_taken, word_ready};
  assign element_ends = line_taken && {1'b0, place} == lines - LINES_BITS'(1);
  always_ff @(posedge clk)
    if (state == SLICE) begin
      elements_left <= terms;
      masks_here <= 7'd0;
      place <= '0;
      first_element <= 1'b1;
    end else begin
      if (masks_taken) begin
        masks <= in_data[1023:512];
        masks_here <= 7'(MASKS);
      end
      if (line_taken) place <= place + (PLACE_BITS - LINE_BITS)'(1);
      if (element_ends) begin
        elements_left <= elements_left - 16'd1;
        masks_here <= masks_here - 7'd1;
        masks <= {8'd0, masks[511:8]};
        place <= '0;
        first_element <= 1'b0;
      end
    end

  // On their way to the columns: with the lines, then with what they are added to, then the sums.
  logic [2:0] adding, adding_first;
  logic [PLACE_BITS-LINE_BITS-1:0] place_1, place_2, place_3;
  logic [SELECTION_SUMS-1:0] mask_1, mask_2, mask_3;
  logic [512*LINE_WORDS-1:0] line_1, line_2;
  always_ff @(posedge clk)
    if (reset) adding <= 3'd0;
    else adding <= {adding[1:0], line_taken};
  always_ff @(posedge clk) begin
    adding_first <= {adding_first[1:0], first_element};
    {place_1, place_2, place_3} <= {place, place_1, place_2};
    {mask_1, mask_2, mask_3} <= {masks[SELECTION_SUMS-1:0], mask_1, mask_2};
    {line_1, line_2} <= {line, line_1};
  end

  // Words of sums that leave: which one is read, then three clocks behind it.
  logic advance, reading, ends_sum;
  logic [3:0] read_sum;
  logic [PLACE_BITS-1:0] read_place;
  logic [LINE_BITS-1:0] word_1, word_2;  // in its line
  logic [2:0] leaving, leaving_first, leaving_last;
  logic [3:0] sum_1, sum_2, sum_3;
  assign reading = state == SCATTER && read_sum != sums;
  assign ends_sum = {1'b0, read_place} == here - COUNT_BITS'(1);
  always_ff @(posedge clk)
    if (reset || state != SCATTER) begin
      leaving <= 3'd0;
      read_sum <= 4'd0;
      read_place <= '0;
    end else if (advance) begin
      leaving <= {leaving[1:0], reading};
      if (reading) begin
        read_place <= ends_sum ? '0 : read_place + PLACE_BITS'(1);
        if (ends_sum) read_sum <= read_sum + 4'd1;
      end
    end
  always_ff @(posedge clk)
    if (advance) begin
      leaving_first <= {leaving_first[1:0], read_place == '0};
      leaving_last <= {leaving_last[1:0], ends_sum};
      {sum_1, sum_2, sum_3} <= {read_sum, sum_1, sum_2};
      {word_1, word_2} <= {read_place[LINE_BITS-1:0], word_1};
    end

  // The columns of each sum, and those of one word.
  localparam int WORD_COLUMNS = LANES * COLUMN;
  logic [SELECTION_SUMS*WORD_COLUMNS-1:0] all_olds;
  for (genvar j = 0; j < SELECTION_SUMS; j++) begin : g_sum
    selection_columns #(
        .LINE_WORDS (LINE_WORDS),
        .SLICE_LINES(SLICE_WORDS / LINE_WORDS),
        .COLUMN     (COLUMN)
    ) of_sum (
        .clk,
        .advance     (state != SCATTER || advance),
        .read_place  (state == SCATTER ? read_place[PLACE_BITS-1:LINE_BITS] : place),
        .first       (adding_first[1]),
        .mask        (mask_2[j]),
        .line        (line_2),
        .write       (adding[2] && (mask_3[j] || adding_first[2])),
        .write_place (place_3),
        .word        (word_2),
        .word_columns(all_olds[WORD_COLUMNS*j+:WORD_COLUMNS])
    );
  end

  // One word of one sum: its digits, and what each column has above them added to the next one. Above the last
  // column of a slice it is kept for the next slice, together with the carry there.
  logic [WORD_COLUMNS-1:0] chosen, column;
  always_comb begin
    chosen = '0;
    for (int j = 0; j < SELECTION_SUMS; j++)
      chosen |= all_olds[WORD_COLUMNS*j+:WORD_COLUMNS] & {WORD_COLUMNS{sum_2 == 4'(j)}};
  end
  always_ff @(posedge clk) if (advance) column <= chosen;

  logic [511:0] digits, above;
  logic [GROWTH-1:0] above_before, above_last;
  logic [SELECTION_SUMS*GROWTH-1:0] kept_above;
  logic [SELECTION_SUMS-1:0] kept_carry;
  logic [GROWTH:0] kept;
  always_comb begin
    kept = '0;
    for (int j = 0; j < SELECTION_SUMS; j++)
      if (sum_3 == 4'(j)) kept = {1'b0, kept_above[GROWTH*j+:GROWTH]} + (GROWTH + 1)'(kept_carry[j]);
  end
  assign above_last = column[COLUMN*LANES-1-:GROWTH];
  for (genvar i = 0; i < LANES; i++) begin : g_digit
    assign digits[DIGIT*i+:DIGIT] = column[COLUMN*i+:DIGIT];
    if (i > 0) begin : g_from_below
      assign above[DIGIT*i+:DIGIT] = DIGIT'(column[COLUMN*i-1-:GROWTH]);
    end
  end
  assign above[DIGIT-1:0] = !leaving_first[2] ? DIGIT'(above_before) : at == 24'd0 ? '0 : DIGIT'(kept);

  logic sum_ready, enters, out_last, carry;
  logic [3:0] sums_out;
  wide_accumulate words (
      .clk,
      .reset,
      .in_valid (leaving[2]),
      .in_ready (sum_ready),
      .in_first (leaving_first[2]),
      .in_last  (leaving_last[2]),
      .subtract (1'b0),
      .carry_in (1'b0),
      .a        (digits),
      .b        (above),
      .out_valid,
      .out_ready,
      .out_last,
      .result   (out_data),
      .carry_out(carry)
  );
  assign advance = !leaving[2] || sum_ready;
  assign enters = leaving[2] && sum_ready;
  for (genvar j = 0; j < SELECTION_SUMS; j++) begin : g_kept
    always_ff @(posedge clk) begin
      if (enters && leaving_last[2] && sum_3 == 4'(j)) kept_above[GROWTH*j+:GROWTH] <= above_last;
      if (out_valid && out_last && sums_out == 4'(j)) kept_carry[j] <= carry;
    end
  end
  always_ff @(posedge clk) begin
    if (enters) above_before <= above_last;
    if (state != SCATTER) sums_out <= 4'd0;
    else if (out_valid && out_ready && out_last) sums_out <= sums_out + 4'd1;
  end

  always_ff @(posedge clk)
    if (reset) begin
      state <= IDLE;
      done <= 1'b0;
    end else begin
      done <= 1'b0;
      case (state)
        IDLE:
        if (start) begin
          state <= SLICE;
          at <= 24'd0;
        end
        SLICE: state <= GATHER;
        GATHER: if (element_ends && elements_left == 16'd1) state <= SETTLE;
        SETTLE: if (adding == 3'd0) state <= SCATTER;
        SCATTER:
        if (sums_out == sums) begin
          at <= at + 24'(here);
          state <= at + 24'(here) == a_words ? DRAIN : SLICE;
        end
        default:  // DRAIN
        if (writer_idle) begin
          state <= IDLE;
          done  <= 1'b1;
        end
      endcase
    end

  logic unused;
  assign unused = &{1'b0, in_valid[2], in_data[1535:1024], segment_ready[2]};
endmodule
`default_nettype wire
