// SPDX-License-Identifier: Apache-2.0
// Engine of the datapath: d = a b, all its blocks as one stream of multiplier_throughput; with `accumulate` d = d + a b.
// Or d = sum of a_i b_i, of `terms` long and short numbers. Or d = a b by one long transform.
//
//   sum                d = sum of a_i b_i: a_i lies 2^32 i after a_address, in the element memory, zeros behind it, b_i i b_words
//                      words after b_address; `terms` of them, at least 1. a_words >= 1, b_words at most 6, d_from = 0, d_words
//                      at least a_words; accumulate is not looked at
//   d_from             the words of d below it need not be right: the sum is smaller by less than 2^(512 d_from - 464),
//                      and words of d below may not be written; at most d_words
//   four_step          not 0: d = a b by one long transform (four_step_product) of this size + 1, at most 4 and LOG2_POINTS - 11,
//                      accumulate = 0; cyclic, scratch, keeps, kept, b_points: see there. d_from is not looked at
//   carry              a sum exceeded d
//   all others         see datapath
//   LOG2_POINTS, ROM_DIR   of multiplier_throughput
//   SUM_TERMS          power of two, at most 2^16 / 128: the multiplier adds up so many products with weights of 128 digits
//
// Blocks have 96 * 2^size words, zeros after the end of an operand: the smallest size, thus the shortest pipeline, whose
// blocks hold the shorter operand, else the largest one. diagonal_blocks says which are multiplied. Their operands, and the
// old words of d, wait in queues, so that the one read port works on while the upper, zero half of a product is transformed.
// diagonal_sums keeps what they add up to, so each word of d is written once, and with `accumulate` read once.
// A sum goes by two slices of all a_i at a time (element_slices), each of 184 words: of the 192 words of a product that leaves
// 8, for b_i and for what SUM_TERMS products add up to. The multiplier adds them up, so that there is a product for each
// slice, and not for each term. What has more terms is computed in parts, each of which is added to d.
// A product takes 256 * 2^size clocks in the stream, of which its operands keep the read port busy for 192 * 2^size. A term of
// a sum takes 256, of which its lines keep the element memory busy for 92, and its weight the read port for 6 at most.
// What a short d leaves of the last products in the multiplier is forgotten with the next start.
`default_nettype none
module throughput_engine #(
    parameter int LOG2_POINTS = 16,
    parameter int SUM_TERMS = 512,
    parameter int LINE_WORDS = 4,
    parameter ROM_DIR = ""
) (
    input  logic          clk,
    input  logic          reset,
    input  logic          start,
    input  logic          sum,
    input  logic          accumulate,
    input  logic [  15:0] terms,
    input  logic [  63:0] a_address,
    input  logic [  23:0] a_words,
    input  logic [   8:0] a_tail,
    input  logic [  63:0] b_address,
    input  logic [  23:0] b_words,
    input  logic [   8:0] b_tail,
    input  logic [  63:0] d_address,
    input  logic [  23:0] d_words,
    input  logic [  23:0] d_from,
    input  logic [   2:0] four_step,
    input  logic          cyclic,
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
    input  logic [   2:0] in_valid,
    output logic [   2:0] in_ready,
    input  logic [1535:0] in_data,
    output logic          line_segment_valid,
    input  logic          line_segment_ready,
    output logic [  63:0] line_segment_address,
    output logic [  31:0] line_segment_lines,
    output logic [  31:0] line_segment_zeros,
    input  logic          line_valid,
    output logic          line_ready,
    input  logic [512*LINE_WORDS-1:0] line_data,
    output logic          out_valid,
    input  logic          out_ready,
    output logic [ 511:0] out_data,
    input  logic          writer_idle
);
  `include "register_map.svh"
  localparam int LARGEST = LOG2_POINTS - 12;
  localparam int LEAST_STEP = 96;  // words of a block of size 0, whose product has twice as many
  localparam int WEIGHT_WORDS = WEIGHTED_BITS / WORD_BITS;
  localparam int WEIGHT_BEATS = 8;
  localparam int PRODUCT_LINES = 2 * LEAST_STEP / LINE_WORDS;  // of a product of a slice
  localparam int SLICE_LINES = PRODUCT_LINES - 8 / LINE_WORDS; // 8 words are left to the weight and to carries
  localparam int LANE_BITS = $clog2(PRODUCT_LINES);
  localparam int QUEUE_WORDS = 32 << LARGEST;  // what the multiplier takes faster than the read port brings it

  typedef enum logic [2:0] {
    IDLE,
    LONG,  // a product in four steps
    FIND,  // the first block is being found
    ADD,   // products are added up, words of d leave
    WRITE  // all did
  } state_t;
  state_t state;

  // A product, or a part of a sum, whose first term is at a_part, b_part, begins: what the last one left is forgotten.
  logic starts, again, ended, clear, adds;
  logic [15:0] terms_left, part_terms;  // from this part on, and of it
  logic [63:0] a_part, b_part;
  assign starts = start && !busy;
  assign again = ended && sum && terms_left > 16'(SUM_TERMS);
  assign clear = reset || starts || again;
  assign part_terms = terms_left > 16'(SUM_TERMS) ? 16'(SUM_TERMS) : terms_left;
  always_ff @(posedge clk)
    if (starts) begin
      adds <= accumulate && !sum;
      terms_left <= terms;
      a_part <= a_address;
      b_part <= b_address;
    end else if (again) begin
      adds <= 1'b1;
      terms_left <= terms_left - 16'(SUM_TERMS);
      a_part[63:32] <= a_part[63:32] + 32'(SUM_TERMS);
      b_part <= b_part + 64'(SUM_TERMS) * {34'd0, b_words, 6'd0};
    end

  // The length of the blocks, and of their products.
  logic [2:0] size, size_wanted;
  logic [10:0] step;
  logic [11:0] product_words;
  logic [23:0] shorter;
  assign shorter = a_words < b_words ? a_words : b_words;
  always_comb begin
    size_wanted = 3'(LARGEST);
    for (int i = LARGEST - 1; i >= 0; i--)
      if (sum || shorter <= 24'(LEAST_STEP << i)) size_wanted = 3'(i);
  end
  assign step = 11'(LEAST_STEP) << size;
  assign product_words = {step, 1'b0};
  logic is_long;  // one long transform, whose rows have the size
  assign is_long = four_step != 3'd0;
  always_ff @(posedge clk) if (starts) size <= is_long ? four_step - 3'd1 : size_wanted;

  // The blocks of a product, and their operands, as fast as their segments are taken.
  logic block_valid, block_next, block_first, block_last, block_ends, order_room, walks;
  logic [1:0] given;  // segments of a and b of this block
  logic [3:0] block_segment_valid;
  logic [255:0] block_segment_address;
  logic [127:0] block_segment_words;
  logic [95:0] block_segment_zeros;
  logic [26:0] block_segment_tail;
  logic [23:0] a_at, b_at, block_at, at;
  logic [10:0] a_count, b_count;
  always_ff @(posedge clk) walks <= (starts || again) && !reset;
  diagonal_blocks blocks (
      .clk,
      .reset            (clear),
      .start            (walks && !sum && !is_long),
      .step,
      .a_words,
      .b_words,
      .destination_words(d_words),
      .destination_from (d_from),
      .next             (block_next),
      .valid            (block_valid),
      .a_at,
      .a_count,
      .b_at,
      .b_count,
      .at               (block_at),
      .first            (block_first),
      .last             (block_last),
      .ends             (block_ends)
  );
  assign at = sum ? 24'd0 : block_at;  // of d
  assign block_next = block_valid && order_room && (&(given | segment_ready[1:0]));
  always_ff @(posedge clk)
    if (clear || block_next) given <= 2'd0;
    else given <= given | (block_segment_valid[1:0] & segment_ready[1:0]);

  // The terms of a sum.
  logic term_valid, term_ready, term_first, term_last, term_ends, term_room, weight_valid;
  logic [63:0] weight_at;
  element_slices #(
      .LINE_WORDS (LINE_WORDS),
      .SLICE_LINES(SLICE_LINES)
  ) slices (
      .clk,
      .reset         (clear),
      .start         (walks && sum),
      .terms         (part_terms),
      .a_address     (a_part),
      .a_words,
      .b_address     (b_part),
      .b_words,
      .term_valid,
      .term_ready,
      .term_first,
      .term_last,
      .term_ends,
      .line_valid    (line_segment_valid),
      .line_ready    (line_segment_ready),
      .line_address  (line_segment_address),
      .weight_valid,
      .weight_ready  (segment_ready[1]),
      .weight_address(weight_at)
  );
  assign line_segment_lines = 32'd1;
  assign line_segment_zeros = 32'd0;
  assign term_ready = term_room && (!term_last || order_room);

  assign block_segment_valid[1:0] = sum ? {weight_valid, 1'b0} : {2{block_valid && order_room}} & ~given;
  logic a_ends, b_ends;
  assign a_ends = a_at + 24'(a_count) == a_words;
  assign b_ends = sum || b_at + 24'(b_count) == b_words;
  assign block_segment_address[63:0] = a_address + {34'd0, a_at, 6'd0};
  assign block_segment_address[127:64] = sum ? weight_at : b_address + {34'd0, b_at, 6'd0};
  assign block_segment_words[63:0] = {sum ? {8'd0, b_words} : {21'd0, b_count}, 21'd0, a_count};
  assign block_segment_zeros[63:0] = {sum ? 32'(WEIGHT_WORDS) - {8'd0, b_words} : {21'd0, step - b_count},
                                21'd0, step - a_count};
  assign block_segment_tail[17:0] = {b_ends ? b_tail : 9'd0, a_ends ? a_tail : 9'd0};

  // A product in four steps, which has the readers, the writer and the multiplier for itself.
  logic in_steps, steps_running, steps_done, steps_carry, steps_multiplies, rows_valid, columns_wanted, steps_out_valid, unused_steps_busy;
  logic [3:0] steps_segment_valid;
  logic [255:0] steps_segment_address;
  logic [127:0] steps_segment_words;
  logic [95:0] steps_segment_zeros;
  logic [26:0] steps_segment_tail;
  logic [1:0] steps_in_ready;
  logic [1023:0] row_a, row_b, columns;
  logic [511:0] steps_out_data;
  logic [2:0] queued_valid, queued_ready;
  logic [1535:0] queued;
  logic product_valid, beats_ready, block_out_valid;
  logic [511:0] block_out_data;
  assign in_steps = state == LONG;
  clock_gate steps_gate (
      .clk,
      .enable(clear || in_steps),
      .gated (steps_running)
  );
  four_step_product #(
      .ROM_DIR(ROM_DIR)
  ) four_steps (
      .clk            (steps_running),
      .reset          (clear),
      .start          (walks && is_long),
      .size           (size[1:0]),
      .cyclic,
      .a_address,
      .a_words,
      .a_tail,
      .b_address,
      .b_words,
      .b_tail,
      .d_address,
      .d_words,
      .scratch,
      .keeps,
      .kept,
      .b_points,
      .busy           (unused_steps_busy),
      .done           (steps_done),
      .carry          (steps_carry),
      .segment_valid  (steps_segment_valid),
      .segment_ready,
      .segment_address(steps_segment_address),
      .segment_words  (steps_segment_words),
      .segment_zeros  (steps_segment_zeros),
      .segment_tail   (steps_segment_tail),
      .in_valid       (queued_valid[1:0]),
      .in_ready       (steps_in_ready),
      .in_data        (queued[1023:0]),
      .multiplies     (steps_multiplies),
      .points_valid   (rows_valid),
      .points_ready   (beats_ready),
      .points_a       (row_a),
      .points_b       (row_b),
      .columns_valid  (product_valid),
      .columns_ready  (columns_wanted),
      .columns,
      .out_valid      (steps_out_valid),
      .out_ready,
      .out_data       (steps_out_data),
      .writer_idle
  );
  assign segment_valid = in_steps ? steps_segment_valid : block_segment_valid;
  assign segment_address = in_steps ? steps_segment_address : block_segment_address;
  assign segment_words = in_steps ? steps_segment_words : block_segment_words;
  assign segment_zeros = in_steps ? steps_segment_zeros : block_segment_zeros;
  assign segment_tail = in_steps ? steps_segment_tail : block_segment_tail;
  assign out_valid = in_steps ? steps_out_valid : block_out_valid;
  assign out_data = in_steps ? steps_out_data : block_out_data;

  // Which products are under way. A pair of slices has two of them, each of which is a diagonal.
  logic order_here, order_valid, order_ready, order_first, order_last, order_ends, orders_end, second;
  assign order_here = sum ? term_valid && term_ready && term_last : block_next;
  fifo #(
      .WIDTH(3),
      .DEPTH(16)
  ) orders (
      .clk,
      .reset    (clear),
      .in_valid (order_here),
      .in_ready (order_room),
      .in_data  (sum ? {2'b11, term_ends} : {block_first, block_last, block_ends}),
      .out_valid(order_valid),
      .out_ready(order_ready && (second || !sum)),
      .out_data ({order_first, order_last, orders_end})
  );
  always_ff @(posedge clk)
    if (clear) second <= 1'b0;
    else if (order_ready) second <= !second;
  assign order_ends = orders_end && (second || !sum);

  // What is read ahead.
  for (genvar i = 0; i < 3; i++) begin : g_ahead
    deep_fifo #(
        .WIDTH(512),
        .DEPTH(QUEUE_WORDS)
    ) queue (
        .clk,
        .reset    (clear),
        .in_valid (in_valid[i]),
        .in_ready (in_ready[i]),
        .in_data  (in_data[512*i+:512]),
        .out_valid(queued_valid[i]),
        .out_ready(queued_ready[i]),
        .out_data (queued[512*i+:512])
    );
  end

  // The lines of a sum, in turn of the first slice and the second, each with lines of zeros behind it.
  logic turn;
  logic [1:0] lane_valid, lane_ready, beat_valid, beats_wanted;
  logic [767:0] lanes, beats;
  logic beats_here;
  assign line_ready = turn ? lane_ready[1] : lane_ready[0];
  always_ff @(posedge clk)
    if (clear) turn <= 1'b0;
    else if (line_valid && line_ready) turn <= !turn;
  for (genvar i = 0; i < 2; i++) begin : g_lane
    logic [LANE_BITS-1:0] line;
    logic above, enters, has_room;
    assign above = line >= LANE_BITS'(SLICE_LINES);
    assign lane_ready[i] = has_room && !above;
    assign enters = has_room && (above || (line_valid && turn == 1'(i)));
    always_ff @(posedge clk)
      if (clear) line <= '0;
      else if (enters) line <= line == LANE_BITS'(PRODUCT_LINES - 1) ? '0 : line + LANE_BITS'(1);
    gearbox #(
        .IN_BITS (512 * LINE_WORDS),
        .OUT_BITS(384)
    ) to_beats (
        .clk,
        .clear,
        .in_valid (enters),
        .in_ready (has_room),
        .in_data  (above ? '0 : line_data),
        .out_valid(lane_valid[i]),
        .out_ready(sum && beats_ready && beats_here),
        .out_data (lanes[384*i+:384])
    );
  end

  // The multiplier. With the first beats of a term those of its weight come.
  logic begun_valid, begun_first, begun_last, weighs;
  logic [7:0] beat;  // of a term
  assign weighs = beat < 8'(WEIGHT_BEATS);
  assign beats_here = !sum ? &beat_valid
      : &lane_valid && (beat_valid[1] || !weighs) && (begun_valid || beat != 8'd0);
  always_ff @(posedge clk)
    if (clear) beat <= 8'd0;
    else if (beats_here && beats_ready) beat <= beat + 8'd1;
  fifo #(
      .WIDTH(2),
      .DEPTH(4)
  ) begun (
      .clk,
      .reset    (clear),
      .in_valid (term_valid && term_ready),
      .in_ready (term_room),
      .in_data  ({term_first, term_last}),
      .out_valid(begun_valid),
      .out_ready(sum && beats_here && beats_ready && beat == 8'd0),
      .out_data ({begun_first, begun_last})
  );
  logic multiplier_running, product_ready, word_valid, word_ready, unused_last, unused_busy;
  logic [383:0] product;
  logic [511:0] word;
  for (genvar i = 0; i < 2; i++) begin : g_operand
    gearbox #(
        .IN_BITS (512),
        .OUT_BITS(384)
    ) to_beats (
        .clk,
        .clear,
        .in_valid (queued_valid[i] && !in_steps),
        .in_ready (beats_wanted[i]),
        .in_data  (queued[512*i+:512]),
        .out_valid(beat_valid[i]),
        .out_ready(beats_ready && beats_here && (!sum || weighs)),
        .out_data (beats[384*i+:384])
    );
  end
  assign queued_ready[1:0] = in_steps ? steps_in_ready : beats_wanted;
  clock_gate multiplier_gate (
      .clk,
      .enable(clear || !in_steps || steps_multiplies),
      .gated (multiplier_running)
  );
  multiplier_throughput #(
      .LOG2_POINTS(LOG2_POINTS),
      .ROM_DIR    (ROM_DIR)
  ) multiplier (
      .clk      (multiplier_running),
      .reset    (clear),
      .longest  (size),
      .in_valid (in_steps ? rows_valid : beats_here),
      .in_ready (beats_ready),
      .in_size  (size),
      .in_full  (1'b0),
      .summing  (sum),
      .in_first (begun_first),
      .in_last  (begun_last),
      .a_in     (sum ? lanes[383:0] : beats[383:0]),
      .b_in     (sum ? lanes[767:384] : beats[767:384]),
      .w_in     (beats[767:384]),
      .points   (in_steps),
      .a_points (row_a),
      .b_points (row_b),
      .out_valid(product_valid),
      .out_ready(in_steps ? columns_wanted : product_ready),
      .product,
      .columns,
      .out_last (unused_last),
      .busy     (unused_busy)
  );
  gearbox #(
      .IN_BITS (384),
      .OUT_BITS(512)
  ) to_words (
      .clk,
      .clear,
      .in_valid (product_valid && !in_steps),
      .in_ready (product_ready),
      .in_data  (product),
      .out_valid(word_valid),
      .out_ready(word_ready),
      .out_data (word)
  );

  // Their sum.
  logic sum_valid, sum_ready;
  logic [511:0] sum_word;
  diagonal_sums #(
      .MOST_WORDS(2 * LEAST_STEP << LARGEST)
  ) sums (
      .clk,
      .reset    (clear),
      .words    (product_words),
      .step     (sum ? 12'(SLICE_LINES * LINE_WORDS) : {1'b0, step}),
      .order_valid,
      .order_ready,
      .order_first,
      .order_last,
      .order_ends,
      .word_valid,
      .word_ready,
      .word,
      .out_valid(sum_valid),
      .out_ready(sum_ready),
      .out_data (sum_word)
  );

  // Added to what is there.
  logic finds, first_word, word_adds, adder_ready, last_word, carry_out;
  logic [1:0] asked;         // segments of old and of the writer that are to be taken
  logic [23:0] from, count;  // of the words of d that are written
  logic [23:0] left;         // that have not entered the adder
  assign finds = state == FIND && (sum || block_valid);
  always_ff @(posedge clk)
    if (reset) asked <= 2'd0;
    else asked <= finds ? {1'b1, adds} : asked & ~(block_segment_valid[3:2] & segment_ready[3:2]);
  always_ff @(posedge clk)
    if (finds) begin
      from  <= at;
      count <= d_words - at;
    end
  logic comes;  // old words are not read before the first product: its operands want the read port
  always_ff @(posedge clk)
    if (clear) comes <= 1'b0;
    else if (product_valid) comes <= 1'b1;
  assign block_segment_valid[3:2] = asked & {1'b1, comes};
  assign block_segment_address[255:128] = {2{d_address + {34'd0, from, 6'd0}}};
  assign block_segment_words[127:64] = {2{8'd0, count}};
  assign block_segment_zeros[95:64] = 32'd0;
  assign block_segment_tail[26:18] = 9'd0;

  logic word_here;
  assign word_here = sum_valid && left != 24'd0;
  assign word_adds = word_here && (!adds || queued_valid[2]);
  assign sum_ready = word_adds && adder_ready;
  assign queued_ready[2] = adds && word_here && adder_ready;
  always_ff @(posedge clk)
    if (finds) begin
      left <= d_words - at;
      first_word <= 1'b1;
    end else if (sum_ready) begin
      left <= left - 24'd1;
      first_word <= 1'b0;
    end
  wide_accumulate #(
      .BITS(512)
  ) adder (
      .clk,
      .reset    (clear),
      .in_valid (word_adds),
      .in_ready (adder_ready),
      .in_first (first_word),
      .in_last  (left == 24'd1),
      .subtract (1'b0),
      .carry_in (1'b0),
      .a        (adds ? queued[1535:1024] : 512'd0),
      .b        (sum_word),
      .out_valid(block_out_valid),
      .out_ready,
      .out_last (last_word),
      .result   (block_out_data),
      .carry_out
  );

  logic last_leaves;
  assign last_leaves = block_out_valid && out_ready && last_word;
  assign ended = state == WRITE && writer_idle;
  assign busy = state != IDLE;
  always_ff @(posedge clk)
    if (reset) begin
      state <= IDLE;
      done <= 1'b0;
    end else begin
      done <= (ended && !again) || steps_done;
      if (starts) state <= is_long ? LONG : FIND;
      if (finds) state <= ADD;
      if (last_leaves) state <= WRITE;
      if (ended) state <= again ? FIND : IDLE;
      if (steps_done) state <= IDLE;
    end
  always_ff @(posedge clk)
    if (starts) carry <= 1'b0;
    else if (last_leaves) carry <= carry || carry_out;
    else if (steps_done) carry <= steps_carry;

  logic unused;
  assign unused = &{1'b0, unused_last, unused_busy, unused_steps_busy};
endmodule
`default_nettype wire
