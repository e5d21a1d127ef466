// SPDX-License-Identifier: Apache-2.0
// d = a b for long integers in memory, or a b modulo 2^(22 N) - 1, by one transform of N = 2^(18 + size) points in four
// steps, of which multiplier_throughput does one and half of another.
//
//   start             with all operands, when busy = 0; they stay until `done`
//   size              N digits of 22 bits are 11264 * 2^size words of 512 bits: at least a_words + b_words
//   cyclic            1: at least a_words, and b_words, and as many as d_words; size <= 2. d + 2^(22 N) carry is a number below
//                     2^(22 N + 1) that differs from a b by a multiple of 2^(22 N) - 1
//   scratch           of 2^(22 + size) bytes, apart from a, b and d; a multiple of 64
//   keeps             1: the points of b, which is not a, are left at b_points, 2^(21 + size) bytes; 0: nowhere
//   kept              1, with keeps: they are there
//   carry             with done: out of the last word of d; none where d_words is a_words + b_words or more
//   in_*              words of the readers a and b
//   multiplies        the multiplier is wanted:
//     points_*          rows to be multiplied, sixteen points of each a clock; points_b = points_a where a is b
//     columns_*         their cyclic convolutions, in order
//   all others        see datapath
//
//   ROM_DIR           of root_powers
//
// Point n = R n1 + n2 of 64 rows and R = N / 64 columns, frequency k = k1 + 64 k2, w of order N:
//   X(k) = sum over n2 of ( w^(n2 k1) sum over n1 of x(n) 2^(3 n1 k1) ) w^(64 n2 k2)
// which is a transform of each column, factors, and one of each row. Five sweeps, each through memory:
//   FIRST     columns of a, factors        11 words of each row of digits -> 32 words of each row of points
//   SECOND    columns of b, factors        the same; none where a is b, or these points were kept
//   PRODUCTS  rows of both, products, rows back: the multiplier
//   INVERSE   factors, columns back, carries in each row     32 words of each row of points -> 11 words of digits
//   CARRIES   what was left of each row is added to the next one; of the last row to the first one of a cyclic product
// A batch is 256 columns: a burst of each row. It is turned from rows to columns and back by two memories (corner_turn).
// At most 2^20 digits in the shorter operand: column sums stay below 2^20 (2^22 - 1)^2 < p.
// FFT paper, section III; design: the four-step transform, D. H. Bailey, FFTs in external or hierarchical memory, 1990.
`default_nettype none
module four_step_product #(
    parameter ROM_DIR = ""
) (
    input  logic          clk,
    input  logic          reset,
    input  logic          start,
    input  logic [   1:0] size,
    input  logic          cyclic,
    input  logic [  63:0] a_address,
    input  logic [  23:0] a_words,
    input  logic [   8:0] a_tail,
    input  logic [  63:0] b_address,
    input  logic [  23:0] b_words,
    input  logic [   8:0] b_tail,
    input  logic [  63:0] d_address,
    input  logic [  23:0] d_words,
    input  logic [  63:0] scratch,
    input  logic          keeps,
    input  logic          kept,
    input  logic [  63:0] b_points,
    output logic          busy,
    output logic          done,
    output logic          carry,
    output logic [   3:0] segment_valid,
    input  logic [   3:0] segment_ready,
    output logic [ 255:0] segment_address,
    output logic [ 127:0] segment_words,
    output logic [  95:0] segment_zeros,
    output logic [  26:0] segment_tail,
    input  logic [   1:0] in_valid,
    output logic [   1:0] in_ready,
    input  logic [1023:0] in_data,
    output logic          multiplies,
    output logic          points_valid,
    input  logic          points_ready,
    output logic [1023:0] points_a,
    output logic [1023:0] points_b,
    input  logic          columns_valid,
    output logic          columns_ready,
    input  logic [1023:0] columns,
    output logic          out_valid,
    input  logic          out_ready,
    output logic [ 511:0] out_data,
    input  logic          writer_idle
);
  localparam logic [5:0] DIGIT_BURST = 6'd11;  // 256 digits in words
  localparam logic [5:0] POINT_BURST = 6'd32;

  typedef enum logic [2:0] {
    IDLE,
    FIRST,
    SECOND,
    PRODUCTS,
    INVERSE,
    CARRIES
  } state_t;
  state_t state;
  logic forward, inverse, adds, square, begins, ends;  // begins: the first clock of a sweep
  assign forward = state == FIRST || state == SECOND;
  assign multiplies = state == PRODUCTS;
  assign inverse = state == INVERSE;
  assign adds = state == CARRIES;
  assign busy = state != IDLE;
  assign square = a_address == b_address && a_words == b_words && (b_tail == a_tail || b_tail == 9'd0);

  // The bursts of a sweep, or its one long one.
  logic [7:0] batches;
  logic [12:0] digit_stride, point_stride;
  logic [18:0] point_words;  // of all rows
  logic [16:0] digit_words;
  logic read_valid, write_valid, read_taken, write_taken, single;
  logic [18:0] read_at, write_at;
  assign batches = 8'd16 << size;
  assign digit_stride = 13'd176 << size;
  assign point_stride = 13'd512 << size;
  assign digit_words = 17'd11264 << size;
  assign point_words = 19'd32768 << size;
  assign single = multiplies || adds;
  burst_walk reads (
      .clk,
      .reset,
      .start (begins),
      .single,
      .batches,
      .stride(forward ? digit_stride : point_stride),
      .burst (forward ? DIGIT_BURST : POINT_BURST),
      .valid (read_valid),
      .next  (read_taken),
      .at    (read_at)
  );
  burst_walk writes (
      .clk,
      .reset,
      .start (begins),
      .single,
      .batches,
      .stride(forward ? point_stride : digit_stride),
      .burst (forward ? POINT_BURST : DIGIT_BURST),
      .valid (write_valid),
      .next  (write_taken),
      .at    (write_at)
  );

  // Words of an operand in a burst, and the tail of its last one.
  logic [63:0] operand, other_scratch, other_points;
  logic [23:0] operand_words, operand_left, sum_words;
  logic [8:0] operand_tail;
  logic [5:0] digits_here;
  assign other_scratch = scratch + {38'd0, 26'h20_0000 << size};
  assign other_points = keeps ? b_points : other_scratch;
  assign operand = state == FIRST ? a_address : b_address;
  assign operand_words = state == FIRST ? a_words : b_words;
  assign operand_tail = state == FIRST ? a_tail : b_tail;
  assign operand_left = operand_words > 24'(read_at) ? operand_words - 24'(read_at) : 24'd0;
  assign digits_here = operand_left < 24'(DIGIT_BURST) ? operand_left[5:0] : DIGIT_BURST;
  assign sum_words = d_words < 24'(digit_words) ? d_words : 24'(digit_words);

  logic other_given;  // of PRODUCTS: the segment of reader b
  logic other_valid;
  assign other_valid = multiplies && read_valid && !square && !other_given;
  assign read_taken = segment_valid[0] && segment_ready[0];
  assign write_taken = write_valid && segment_ready[3];
  assign segment_valid = {write_valid, 1'b0, other_valid, read_valid && (!multiplies || square || other_given)};
  always_ff @(posedge clk) other_given <= multiplies && (other_given || (other_valid && segment_ready[1]));
  always_comb begin
    segment_address = '0;
    segment_words = '0;
    segment_zeros = '0;
    segment_tail = '0;
    segment_address[63:0] = (forward ? operand : adds ? other_scratch : scratch) + {39'd0, read_at, 6'd0};
    segment_address[127:64] = other_points;
    segment_address[255:192] = (adds ? d_address : inverse ? other_scratch : state == SECOND ? other_points : scratch) +
        {39'd0, write_at, 6'd0};
    if (forward) begin
      segment_words[5:0] = digits_here;
      segment_zeros[5:0] = DIGIT_BURST - digits_here;
      if (operand_left <= 24'(DIGIT_BURST)) segment_tail[8:0] = operand_tail;
      segment_words[101:96] = POINT_BURST;
    end else if (inverse) begin
      segment_words[5:0] = POINT_BURST;
      segment_words[101:96] = DIGIT_BURST;
    end else if (adds) begin
      segment_words[23:0] = sum_words;
      segment_zeros[23:0] = d_words - sum_words;
      segment_words[119:96] = d_words;
    end else begin
      segment_words[18:0] = point_words;
      segment_words[50:32] = point_words;
      segment_words[114:96] = point_words;
    end
  end

  // The sweeps. The words of one are in memory before the next one begins.
  assign ends = busy && !begins && !read_valid && !write_valid && writer_idle;
  always_ff @(posedge clk)
    if (reset) begin
      state <= IDLE;
      begins <= 1'b0;
      done <= 1'b0;
    end else begin
      begins <= start || (ends && !adds);
      done <= ends && adds;
      if (start) state <= FIRST;
      else if (ends)
        case (state)
          FIRST: state <= square || kept ? PRODUCTS : SECOND;
          SECOND: state <= PRODUCTS;
          PRODUCTS: state <= INVERSE;
          INVERSE: state <= CARRIES;
          default: state <= IDLE;
        endcase
    end

  // Words to and from the factors: points on their way out of FIRST and SECOND, and into INVERSE.
  logic factors_in_valid, factors_in_ready, factors_out_valid, factors_out_ready;
  logic halves_valid, halves_ready;
  logic [511:0] factors_out, half;
  assign factors_in_valid = inverse ? in_valid[0] : forward && halves_valid;
  column_factors #(
      .ROM_DIR(ROM_DIR)
  ) factors (
      .clk,
      .reset,
      .start    (begins),
      .size,
      .inverse,
      .in_valid (factors_in_valid),
      .in_ready (factors_in_ready),
      .in_data  (inverse ? in_data[511:0] : half),
      .out_valid(factors_out_valid),
      .out_ready(factors_out_ready),
      .out_data (factors_out)
  );

  // Words to beats: sixteen digits, or sixteen points.
  logic digits_in_ready, digits_valid, pair_in_valid, pair_in_ready, pair_valid, pair_ready, turn_ready;
  logic [351:0] digits;
  logic [1023:0] pair;
  gearbox #(
      .IN_BITS (512),
      .OUT_BITS(352)
  ) to_digits (
      .clk,
      .clear    (reset),
      .in_valid (forward && in_valid[0]),
      .in_ready (digits_in_ready),
      .in_data  (in_data[511:0]),
      .out_valid(digits_valid),
      .out_ready(turn_ready),
      .out_data (digits)
  );
  assign pair_in_valid = inverse ? factors_out_valid : multiplies && in_valid[0];
  gearbox #(
      .IN_BITS (512),
      .OUT_BITS(1024)
  ) to_points (
      .clk,
      .clear    (reset),
      .in_valid (pair_in_valid),
      .in_ready (pair_in_ready),
      .in_data  (inverse ? factors_out : in_data[511:0]),
      .out_valid(pair_valid),
      .out_ready(pair_ready),
      .out_data (pair)
  );
  logic other_in_ready, other_pair_valid, points_taken;
  logic [1023:0] other_pair;
  gearbox #(
      .IN_BITS (512),
      .OUT_BITS(1024)
  ) to_other_points (
      .clk,
      .clear    (reset),
      .in_valid (multiplies && in_valid[1]),
      .in_ready (other_in_ready),
      .in_data  (in_data[1023:512]),
      .out_valid(other_pair_valid),
      .out_ready(points_taken && !square),
      .out_data (other_pair)
  );
  assign points_valid = multiplies && pair_valid && (square || other_pair_valid);
  assign points_taken = points_valid && points_ready;
  assign points_a = pair;
  assign points_b = square ? pair : other_pair;
  assign pair_ready = inverse ? turn_ready : points_taken;

  // From rows to columns: sixteen columns after the other, their rows in the order that column_transform wants.
  logic [9:0] turn_index, turn_place, turned_index;
  logic [5:0] turn_row;
  logic turned_valid, turned_ready, unused_frees;
  logic [1023:0] turned;
  assign turn_row = {turn_index[1:0], turn_index[5:2]};
  assign turn_place = {inverse ? -turn_row : turn_row, turn_index[9:6]};
  corner_turn #(
      .WIDTH(1024)
  ) to_columns (
      .clk,
      .reset,
      .in_valid (inverse ? pair_valid : digits_valid),
      .in_ready (turn_ready),
      .in_data  (inverse ? pair : {672'd0, digits}),
      .index    (turn_index),
      .place    (turn_place),
      .out_valid(turned_valid),
      .out_ready(turned_ready),
      .out_index(turned_index),
      .out_data (turned),
      .frees    (unused_frees)
  );

  // A batch enters when the memory behind the transforms has room for it.
  logic [1:0] batches_inside;
  logic first_batch, batch_starts, batch_ends, back_frees;
  assign turned_ready = turned_index != 10'd0 || batches_inside != 2'd2;
  assign batch_starts = turned_valid && turned_ready && turned_index == 10'd0;
  assign batch_ends = turned_valid && turned_index == 10'd1023;
  always_ff @(posedge clk)
    if (reset) batches_inside <= 2'd0;
    else batches_inside <= batches_inside + 2'(batch_starts) - 2'(back_frees);
  always_ff @(posedge clk)
    if (begins) first_batch <= 1'b1;
    else if (batch_ends) first_batch <= 1'b0;

  logic [1023:0] points, transformed;
  logic transformed_valid, fresh;
  logic [14:0] transformed_tag;
  assign fresh = first_batch && turned_index[9:6] == 4'd0;
  for (genvar i = 0; i < 16; i++) begin : g_point
    assign points[64*i+:64] = inverse ? turned[64*i+:64] : {42'd0, turned[22*i+:22]};
  end
  column_transform transform (
      .clk,
      .reset,
      .in_valid   (turned_valid && turned_ready),
      .in_tag     ({8'd0, fresh, turned_index[5:0]}),
      .points,
      .out_valid  (transformed_valid),
      .tag_next   (transformed_tag),
      .points_next(transformed)
  );

  // Digits of the product, and what is left of each row.
  logic carried_valid;
  logic [351:0] carried;
  logic [6:0] sum_row;
  logic [42:0] pending;
  row_carries resolve (
      .clk,
      .reset,
      .in_valid   (inverse && transformed_valid),
      .in_fresh   (transformed_tag[6]),
      .row        (transformed_tag[5:0]),
      .columns    (transformed),
      .out_valid  (carried_valid),
      .digits     (carried),
      .pending_row(sum_row[5:0] - 6'd1),
      .pending
  );

  // And back from columns to rows.
  logic [9:0] back_index, unused_index;
  logic back_valid, back_ready, unused_ready;
  logic [1023:0] back;
  corner_turn #(
      .WIDTH(1024)
  ) to_rows (
      .clk,
      .reset,
      .in_valid (inverse ? carried_valid : transformed_valid),
      .in_ready (unused_ready),
      .in_data  (inverse ? {672'd0, carried} : transformed),
      .index    (back_index),
      .place    ({back_index[3:0], back_index[9:4]}),
      .out_valid(back_valid),
      .out_ready(back_ready),
      .out_index(unused_index),
      .out_data (back),
      .frees    (back_frees)
  );

  // Beats to words.
  logic words_in_ready, words_valid, halves_in_ready;
  logic [511:0] word;
  gearbox #(
      .IN_BITS (1024),
      .OUT_BITS(512)
  ) to_halves (
      .clk,
      .clear    (reset),
      .in_valid (multiplies ? columns_valid : forward && back_valid),
      .in_ready (halves_in_ready),
      .in_data  (multiplies ? columns : back),
      .out_valid(halves_valid),
      .out_ready(halves_ready),
      .out_data (half)
  );
  gearbox #(
      .IN_BITS (352),
      .OUT_BITS(512)
  ) to_words (
      .clk,
      .clear    (reset),
      .in_valid (inverse && back_valid),
      .in_ready (words_in_ready),
      .in_data  (back[351:0]),
      .out_valid(words_valid),
      .out_ready(inverse && out_ready),
      .out_data (word)
  );
  assign columns_ready = multiplies && halves_in_ready;
  assign back_ready = inverse ? words_in_ready : halves_in_ready;
  assign halves_ready = multiplies ? out_ready : factors_in_ready;

  // The sum of the digits and what was left of the rows.
  logic [10:0] word_in_row;
  logic [23:0] words_added;
  logic row_ends, adds_pending, adder_ready, sum_valid, sum_last, sum_carry;
  logic [511:0] sum;
  assign row_ends = word_in_row == 11'(digit_stride - 13'd1);
  assign adds_pending = word_in_row == 11'd0 && (cyclic || sum_row != 7'd0) && !sum_row[6];
  always_ff @(posedge clk)
    if (begins) {sum_row, word_in_row, words_added} <= '0;
    else if (adds && in_valid[0] && adder_ready) begin
      words_added <= words_added + 24'd1;
      word_in_row <= row_ends ? 11'd0 : word_in_row + 11'd1;
      if (row_ends && !sum_row[6]) sum_row <= sum_row + 7'd1;
    end
  wide_accumulate #(
      .BITS(512)
  ) adder (
      .clk,
      .reset,
      .in_valid (adds && in_valid[0]),
      .in_ready (adder_ready),
      .in_first (words_added == 24'd0),
      .in_last  (words_added == d_words - 24'd1),
      .subtract (1'b0),
      .carry_in (1'b0),
      .a        (in_data[511:0]),
      .b        (adds_pending ? {469'd0, pending} : 512'd0),
      .out_valid(sum_valid),
      .out_ready(adds && out_ready),
      .out_last (sum_last),
      .result   (sum),
      .carry_out(sum_carry)
  );
  always_ff @(posedge clk)
    if (start) carry <= 1'b0;
    else if (sum_valid && sum_last) carry <= sum_carry;

  // What the readers and the writer see.
  assign in_ready[0] = forward ? digits_in_ready : inverse ? factors_in_ready : multiplies ? pair_in_ready : adds && adder_ready;
  assign in_ready[1] = multiplies && other_in_ready;
  assign factors_out_ready = inverse ? pair_in_ready : out_ready;
  assign out_valid = forward ? factors_out_valid : multiplies ? halves_valid : inverse ? words_valid : sum_valid;
  assign out_data = forward ? factors_out : multiplies ? half : inverse ? word : sum;

  logic unused;
  assign unused = &{1'b0, unused_frees, unused_ready, unused_index, transformed_tag[14:7], segment_ready[2]};
endmodule
`default_nettype wire
