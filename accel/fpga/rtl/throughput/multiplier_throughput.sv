// SPDX-License-Identifier: Apache-2.0
// Products of integers of up to 12 * 2^LOG2_POINTS bits, one after the other, sixteen digits of 24 bits a clock; or sums of
// products with short ones, thirty-two digits a clock.
//
//   reset                 to idle, whatever is under way; operands and products are forgotten
//   longest               no product that comes has a larger size; at most LOG2_POINTS - 12. Constant while busy = 1, and
//                         from the clock on in which the first beat of a product is offered
//   in_valid, in_ready    beats of both operands: a_in, b_in, sixteen digits each, the lowest first; 2^(7 + in_size) beats
//   in_size               log2(N) - 12 for a product of N digits, of operands of N / 2; at most `longest`; taken with the
//                         first beat of a product
//   in_full               a has up to N digits: 2^(7 + in_size) beats more, in which b_in is not looked at. The digits of a
//                         and of b are N together at most, or the product wraps around; taken with the first beat
//   summing               1: sums of products with weights, of 128 digits at most; `longest` is 0. Constant like `longest`.
//                         Of each term 256 beats come: a_in and b_in, and with the first eight of them those of its weight,
//                         w_in, by which both are multiplied; in_size is 0. A product wraps around above 4,096 digits
//     in_first, in_last       the term is the first, the last one of two sums, which leave one after the other, that of
//                             a_in first, in 256 beats each; taken with the first beat. Digits of its weight times terms
//                             of a sum are 2^16 at most
//   points                1: the operands are residues in [0, p), a_points and b_points, N of each, and what leaves is their
//                         cyclic convolution, `columns`; constant while busy = 1
//   out_valid, out_ready  2^(8 + in_size) beats of each product, in the order of the operands
//   out_last              the last beat of a product
//   busy                  some beat of an operand or of a product is inside, or of the last term of a sum
//
//   LOG2_POINTS           12 .. 16
//   ROM_DIR               folder of the factors, with a slash at its end
//
// N / 16 clocks a product while no side stalls, whatever the lengths of its neighbours: 4096 for 786,432 bits, 256 for
// 49,152. Everything computes in every clock: two forward transforms, sixteen products, the inverse transform and the
// carries, in one pipeline of 8893 clocks for 65,536 points. Shorter products take the same way in the same time, which
// is what keeps lengths from waiting for one another; where `longest` excludes the long ones, they take a shorter way.
// A clock in which a beat is missing in the middle of an operand, or a product beat is not taken, stops the clock of
// the pipeline, by a register and clock_gate; eight beats of slack are in queues. Between products it goes on.
// A tag goes with each beat through all modules: bit 15: it is of a product; 14 .. 12: size; 11 .. 0: its clock in the
// product. Tags and points of the time before a reset are known by their age: nothing takes longer than the pipeline.
// So are those that another `longest` left in the stages which were passed by.
// A column adds up as many products of digits as the shorter operand has digits, N / 2 at most, and so is at most
// 2^15 (2^24 - 1)^2 < p, whether a is full or not. FFT paper, section IV; design: three streaming transforms.
//
// Products with weights are added up as spectra (weight_transform, spectrum_sums), of which a column is at most
// 2^16 (2^24 - 1)^2 < p: so both forward transforms have terms, and the inverse one has nothing to do until a sum ends. The
// term after that finds 256 clocks of zeros in front of it, in which the second sum leaves.
`default_nettype none
module multiplier_throughput #(
    parameter int LOG2_POINTS = 16,
    parameter ROM_DIR = ""
) (
    input  logic          clk,
    input  logic          reset,
    input  logic [   2:0] longest,
    input  logic          in_valid,
    output logic          in_ready,
    input  logic [   2:0] in_size,
    input  logic          in_full,
    input  logic          summing,
    input  logic          in_first,
    input  logic          in_last,
    input  logic [ 383:0] a_in,
    input  logic [ 383:0] b_in,
    input  logic [ 383:0] w_in,
    input  logic          points,
    input  logic [1023:0] a_points,
    input  logic [1023:0] b_points,
    output logic          out_valid,
    input  logic          out_ready,
    output logic [ 383:0] product,
    output logic [1023:0] columns,
    output logic          out_last,
    output logic          busy
);
  localparam int STAGES = LOG2_POINTS - 12;
  localparam int FACTORS = STAGES > 0 ? 9 : 0;
  localparam int CHOICE = STAGES > 0 ? 1 : 0;
  localparam int TO_SECOND = FACTORS + 533;  // to the factors behind the second pass, without the stages
  localparam int TO_SPECTRUM = 9 + 27;       // and from there
  localparam int FORWARD = TO_SECOND + TO_SPECTRUM;
  localparam int INVERSE = FACTORS + 534 + 9 + 28 + CHOICE;
  localparam int MULTIPLY = 7;
  localparam int BORROW = 2;  // by which a borrowed multiplier takes longer
  localparam int ADD_UP = BORROW + 3;
  localparam int RESOLVE = 2;

  // Queues. `waiting` counts the beats in them as of the next clock.
  localparam int DEPTH = 4;
  logic advance;  // the pipeline makes a step at the end of this clock
  logic beat_valid, beat_full, beat_first, beat_last, beat_taken, made_valid, made_last;
  logic [2:0] beat_size, in_waiting, in_next, out_waiting, out_next;
  logic [383:0] beat_w;
  logic [1023:0] in_a, in_b, beat_a, beat_b, made;
  for (genvar i = 0; i < 16; i++) begin : g_in
    assign in_a[64*i+:64] = points ? a_points[64*i+:64] : {40'd0, a_in[24*i+:24]};
    assign in_b[64*i+:64] = points ? b_points[64*i+:64] : {40'd0, b_in[24*i+:24]};
  end

  fifo #(
      .WIDTH(2438),
      .DEPTH(DEPTH)
  ) operands (
      .clk,
      .reset,
      .in_valid,
      .in_ready,
      .in_data  ({in_first, in_last, in_full || points, in_size, in_a, in_b, w_in}),
      .out_valid(beat_valid),
      .out_ready(beat_taken),
      .out_data ({beat_first, beat_last, beat_full, beat_size, beat_a, beat_b, beat_w})
  );
  logic out_queue_ready;
  fifo #(
      .WIDTH(1025),
      .DEPTH(DEPTH)
  ) products (
      .clk,
      .reset,
      .in_valid (made_valid && advance),
      .in_ready (out_queue_ready),
      .in_data  ({made_last, made}),
      .out_valid,
      .out_ready,
      .out_data ({out_last, columns})
  );
  assign product = columns[383:0];
  assign in_next = in_waiting + 3'(in_valid && in_ready) - 3'(beat_taken);
  assign out_next = out_waiting + 3'(made_valid && advance) - 3'(out_valid && out_ready);

  // The product whose beats enter the pipeline. The upper half of the digits of b is zero, and that of a if not full.
  logic [11:0] entered, entered_next, last_clock;
  logic [2:0] size, size_held;
  logic full, full_held, under_way, upper, ended, issue, ended_next;  // ended: its beats have all entered
  logic first, first_held, last, last_held;
  logic leaves, leaves_next;  // zeros enter, in which the second of two sums leaves
  assign under_way = entered != 12'd0;
  assign size = under_way || leaves ? size_held : beat_size;
  assign full = under_way ? full_held : beat_full;
  assign first = !leaves && (under_way ? first_held : beat_first);
  assign last = !leaves && (under_way ? last_held : beat_last);
  assign last_clock = 12'((13'd256 << size) - 13'd1);
  assign upper = entered[4'd7+4'(size)];
  assign ended = summing ? leaves : upper && !full;
  assign issue = under_way || leaves || beat_valid;
  assign beat_taken = advance && beat_valid && !ended;
  assign entered_next = !advance ? entered
                      : !issue || entered == last_clock ? 12'd0 : entered + 12'd1;
  assign leaves_next = !(advance && issue && entered == last_clock) ? leaves : summing && last;
  assign ended_next = summing ? leaves_next : entered_next[4'd7+4'(size)] && !full;

  always_ff @(posedge clk)
    if (reset) begin
      in_waiting <= 3'd0;
      out_waiting <= 3'd0;
      entered <= 12'd0;
      leaves <= 1'b0;
      advance <= 1'b0;
    end else begin
      in_waiting <= in_next;
      out_waiting <= out_next;
      entered <= entered_next;
      leaves <= leaves_next;
      advance <= out_next < 3'(DEPTH) && (entered_next == 12'd0 || ended_next || in_next != 3'd0);
    end
  always_ff @(posedge clk) if (advance) {size_held, full_held, first_held, last_held} <= {size, full, first, last};

  // Products in the pipeline.
  logic [5:0] products_inside;
  assign busy = in_waiting != 3'd0 || products_inside != 6'd0 || out_waiting != 3'd0;
  always_ff @(posedge clk)
    if (reset) products_inside <= 6'd0;
    else if (advance)
      products_inside <= products_inside + 6'(issue && !under_way && (!summing || last || leaves)) -
          6'(made_valid && made_last);

  // The pipeline, and its clock.
  logic running;
  clock_gate gate (
      .clk,
      .enable(advance || reset),
      .gated (running)
  );

  logic [15:0] tag;
  logic [1023:0] entering_a, entering_b;
  always_ff @(posedge running) tag <= issue && !reset ? {1'b1, size, entered} : 16'd0;
  for (genvar i = 0; i < 16; i++) begin : g_digit
    always_ff @(posedge running) begin
      entering_a[64*i+:64] <= ended ? 64'd0 : beat_a[64*i+:64];
      entering_b[64*i+:64] <= (summing ? leaves : upper && !points) ? 64'd0 : beat_b[64*i+:64];
    end
  end

  // What a sum wants to know of a beat beside its tag, up to the factors and up to its products. The weights are
  // numbered.
  logic [1:0] slot, slot_tagged, slot_second;
  logic [2:0] of_sum, of_sum_second, of_sum_product;  // first, last, leaves
  always_ff @(posedge clk)
    if (reset) slot <= 2'd0;
    else if (advance && issue && entered == last_clock) slot <= slot + 2'd1;
  always_ff @(posedge running) begin
    slot_tagged <= slot;
    of_sum <= {first, last, leaves};
  end
  memory_line #(
      .WIDTH (5),
      .CLOCKS(TO_SECOND)
  ) to_second (
      .clk    (running),
      .advance(1'b1),
      .in     ({slot_tagged, of_sum}),
      .out    ({slot_second, of_sum_second})
  );
  memory_line #(
      .WIDTH (3),
      .CLOCKS(TO_SPECTRUM + MULTIPLY + BORROW)
  ) to_products (
      .clk    (running),
      .advance(1'b1),
      .in     (of_sum_second),
      .out    (of_sum_product)
  );

  // Transforms. Those of a and b keep step, so they want the same factors.
  logic [11:0] forward_clock, inverse_clock, unused_clock;
  logic [7:0] forward_low, inverse_low, unused_low;
  logic [1023:0] forward_first, inverse_first, forward_second, inverse_second;
  logic [15:0] tag_spectrum, tag_product, tag_sums, tag_columns, unused_tag;
  logic [1023:0] spectrum_a, spectrum_b, spectrum_w, weight_late, product_a, product_a_late, product_b, sums, convolution;
  logic [1023:0] unused_products;

  transform_factors #(
      .ROM_DIR(ROM_DIR)
  ) powers (
      .clk(running),
      .forward_clock,
      .inverse_clock,
      .forward_low,
      .inverse_low,
      .forward_first,
      .inverse_first,
      .forward_second,
      .inverse_second
  );
  forward_transform #(
      .LOG2_POINTS(LOG2_POINTS)
  ) transform_a (
      .clk           (running),
      .longest,
      .tag,
      .points        (entering_a),
      .first_clock   (forward_clock),
      .first_factors (forward_first),
      .second_clock  (forward_low),
      .second_factors(forward_second),
      .lend          (1'b0),
      .lent_points   (1024'd0),
      .lent_factors  (1024'd0),
      .lent_products (unused_products),
      .spectrum_tag  (tag_spectrum),
      .spectrum      (spectrum_a)
  );
  forward_transform #(
      .LOG2_POINTS(LOG2_POINTS),
      .LENDS      (1)
  ) transform_b (
      .clk           (running),
      .longest,
      .tag,
      .points        (entering_b),
      .first_clock   (unused_clock),
      .first_factors (forward_first),
      .second_clock  (unused_low),
      .second_factors(forward_second),
      .lend          (summing),
      .lent_points   (spectrum_b),
      .lent_factors  (weight_late),
      .lent_products (product_b),
      .spectrum_tag  (unused_tag),
      .spectrum      (spectrum_b)
  );
  weight_transform #(
      .ROM_DIR(ROM_DIR)
  ) transform_w (
      .clk           (running),
      .keeps         (summing && !leaves && beat_valid && entered[7:3] == 5'd0),
      .keep_at       ({slot, entered[2:0]}),
      .digits        (beat_w),
      .second_clock  (forward_low),
      .slot          (slot_second),
      .second_factors(forward_second),
      .spectrum      (spectrum_w)
  );
  for (genvar i = 0; i < 16; i++) begin : g_point
    goldilocks_multiply multiply (
        .clk    (running),
        .advance(1'b1),
        .a      (spectrum_a[64*i+:64]),
        .b      (summing ? spectrum_w[64*i+:64] : spectrum_b[64*i+:64]),
        .product(product_a[64*i+:64])
    );
  end
  delay_line #(
      .WIDTH (16),
      .CLOCKS(MULTIPLY)
  ) to_product (
      .clk(running),
      .in (tag_spectrum),
      .out(tag_product)
  );
  // In sums, the second products are those of the multipliers of the first factors, which 4,096 points do not want.
  delay_line #(
      .WIDTH (1024),
      .CLOCKS(BORROW)
  ) to_borrowed (
      .clk(running),
      .in (spectrum_w),
      .out(weight_late)
  );
  logic [15:0] tag_late;
  delay_line #(
      .WIDTH (1040),
      .CLOCKS(BORROW)
  ) to_sums (
      .clk(running),
      .in ({summing ? tag_product : 16'd0, product_a}),
      .out({tag_late, product_a_late})
  );
  spectrum_sums add_up (
      .clk       (running),
      .tag       (tag_late),
      .first     (of_sum_product[2]),
      .last      (of_sum_product[1]),
      .leaves    (of_sum_product[0]),
      .products_a(product_a_late),
      .products_b(product_b),
      .tag_next  (tag_sums),
      .sums
  );
  inverse_transform #(
      .LOG2_POINTS(LOG2_POINTS)
  ) transform_back (
      .clk           (running),
      .longest,
      .spectrum_tag  (summing ? tag_sums : tag_product),
      .spectrum      (summing ? sums : product_a),
      .first_clock   (inverse_clock),
      .first_factors (inverse_first),
      .second_clock  (inverse_low),
      .second_factors(inverse_second),
      .tag           (tag_columns),
      .points        (convolution)
  );

  // Carries, of what entered after the reset, or with the change of `longest` or `summing`, or after it.
  logic [13:0] age, pipeline;
  logic [2:0] longest_before;
  logic summing_before;
  logic column_valid, column_last, digits_valid, digits_last;
  logic [383:0] digits;
  always_ff @(posedge running) begin
    longest_before <= longest;
    summing_before <= summing;
    pipeline <= 14'(FORWARD + MULTIPLY + INVERSE - 512) + (14'd512 << longest) + 14'd11 * 14'(longest) +
        (summing ? 14'(ADD_UP) : 14'd0);
    if (reset || longest != longest_before || summing != summing_before) age <= 14'd0;
    else if (age < pipeline) age <= age + 14'd1;
  end
  assign column_valid = tag_columns[15] && age >= pipeline;
  assign column_last = tag_columns[11:0] == 12'((13'd256 << tag_columns[14:12]) - 13'd1);
  resolve_carries resolve (
      .clk      (running),
      .reset,
      .advance  (1'b1),
      .in_valid (column_valid),
      .in_first (tag_columns[11:0] == 12'd0),
      .columns  (convolution),
      .out_valid(digits_valid),
      .digits
  );
  delay_line #(
      .WIDTH (1),
      .CLOCKS(RESOLVE)
  ) to_last (
      .clk(running),
      .in (column_last),
      .out(digits_last)
  );
  assign {made_valid, made_last, made} =
      points ? {column_valid, column_last, convolution} : {digits_valid, digits_last, 640'd0, digits};
  logic unused;
  assign unused = &{1'b0, out_queue_ready, unused_clock, unused_low, unused_tag, unused_products};
endmodule
`default_nettype wire
