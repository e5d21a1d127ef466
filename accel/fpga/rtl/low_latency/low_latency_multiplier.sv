// SPDX-License-Identifier: Apache-2.0
// z = x y for an x and a y of any length, block by block, through serial transforms of
// k = 2^LOG2_POINTS points modulo p = 2^64 - 2^32 + 1.
//
//   reset                   to idle, whatever is under way
//   start                   heard when busy = 0, and with it:
//     x_blocks                X >= 1, length of x in blocks of k / 2 digits of 28 bits
//     y_rows                  Y >= 1, length of y in rows of ROW_DIGITS = min(k / 2, 384) digits
//   a_block_valid, _ready   what the first operand port wants next:
//     a_block_of_y, a_block   1: row a_block of y; 0: block a_block of x
//   a_valid, a_ready, a     the digits of these, the lowest first: for each row of y the row, then the
//                           blocks 1, 3, 5, .. of x
//   b_block_valid, _ready   what the second operand port wants next: block b_block of x
//   b_valid, b_ready, b     the digits of these: for each row of y the blocks 0, 2, 4, .. of x
//   z_valid, z_ready, z     digits of the product, two a beat, the lower one first
//     z_address               number of the beat in the product: those of row j go up from
//                             j ROW_DIGITS / 2, (X + 1) k / 4 of them; they replace those of former rows
//     z_row_ends              with the last beat of a row
//   old_valid, old_ready,   the beat of z at old_address, as the row before left it; wanted in every row
//     old, old_address        but the first, all its beats but the last ROW_DIGITS / 2. Every beat of a row
//                             can leave before the next row wants its first one
//   busy, done              done is one clock, after the last beat of z
//   cycles                  clocks from the first after start to the last beat of z
//
//   LOG2_POINTS             8..13
//   ROM_DIR                 the folder of the files of serial_fft and serial_ifft, with a slash at its end
//
// While no side stalls: k - 2 + 34 (LOG2_POINTS - 1) + 15 clocks to the first columns, then
// Y (1 + floor(X / 2)) slots of k / 2 clocks, then k / 2 clocks, or 3 k / 4 for odd X >= 3. Each clock in
// which a digit or a beat is missing or not taken adds one.
// LHW paper, section 4 and Figs. 1 to 5; its eqs. (2) to (5), corrected so that they give its table 4.
`default_nettype none
module low_latency_multiplier #(
    parameter int LOG2_POINTS = 8,
    parameter ROM_DIR = ""
) (
    input  logic        clk,
    input  logic        reset,
    input  logic        start,
    input  logic [31:0] x_blocks,
    input  logic [31:0] y_rows,
    output logic        busy,
    output logic        done,
    output logic [31:0] cycles,
    output logic        a_block_valid,
    input  logic        a_block_ready,
    output logic        a_block_of_y,
    output logic [31:0] a_block,
    input  logic        a_valid,
    output logic        a_ready,
    input  logic [27:0] a,
    output logic        b_block_valid,
    input  logic        b_block_ready,
    output logic [31:0] b_block,
    input  logic        b_valid,
    output logic        b_ready,
    input  logic [27:0] b,
    input  logic        old_valid,
    output logic        old_ready,
    output logic [31:0] old_address,
    input  logic [55:0] old,
    output logic        z_valid,
    input  logic        z_ready,
    output logic [31:0] z_address,
    output logic        z_row_ends,
    output logic [55:0] z
);
  localparam int INDEX_BITS = LOG2_POINTS - 1;
  localparam int BLOCK = 2 ** INDEX_BITS;
  localparam int ROW_DIGITS = BLOCK < 384 ? BLOCK : 384;

  // Clocks from the first digit to the spectra, to their products, to the columns, to the last adder.
  localparam int STAGES = 17 * INDEX_BITS;
  localparam int TO_SPECTRA = BLOCK + STAGES;
  localparam int POINTWISE = 12;
  localparam int TO_COLUMNS = TO_SPECTRA + POINTWISE + BLOCK + 1 + STAGES;
  localparam int ACCUMULATE = 3;

  logic starts, clear;
  assign starts = start && !busy;
  assign clear = reset || starts;

  // Where each part is in its slots.
  logic reading, read_first, read_b_used, read_odd_slot;
  logic multiplying, multiplied_first, multiplied_b_used, multiplied_odd_slot;
  logic recovering, recovered_first, recovered_b_used, recovered_odd_slot;
  logic joining, joined_first, joined_b_used, joined_odd_slot;
  logic [INDEX_BITS-1:0] read_index, multiplied_index, recovered_index, joined_index;
  logic advance;

  slot_sequence #(
      .INDEX_BITS(INDEX_BITS)
  ) at_operands (
      .clk,
      .reset,
      .advance,
      .start   (starts),
      .delay   (16'd0),
      .x_blocks,
      .y_rows,
      .running (reading),
      .index   (read_index),
      .first   (read_first),
      .odd_slot(read_odd_slot),
      .b_used  (read_b_used)
  );
  slot_sequence #(
      .INDEX_BITS(INDEX_BITS)
  ) at_spectra (
      .clk,
      .reset,
      .advance,
      .start   (starts),
      .delay   (16'(TO_SPECTRA)),
      .x_blocks,
      .y_rows,
      .running (multiplying),
      .index   (multiplied_index),
      .first   (multiplied_first),
      .odd_slot(multiplied_odd_slot),
      .b_used  (multiplied_b_used)
  );
  slot_sequence #(
      .INDEX_BITS(INDEX_BITS)
  ) at_columns (
      .clk,
      .reset,
      .advance,
      .start   (starts),
      .delay   (16'(TO_COLUMNS)),
      .x_blocks,
      .y_rows,
      .running (recovering),
      .index   (recovered_index),
      .first   (recovered_first),
      .odd_slot(recovered_odd_slot),
      .b_used  (recovered_b_used)
  );
  // A slot behind the columns; one block has no right third, and the wait for it is left out.
  slot_sequence #(
      .INDEX_BITS(INDEX_BITS)
  ) at_join (
      .clk,
      .reset,
      .advance,
      .start   (starts),
      .delay   (16'(TO_COLUMNS - ACCUMULATE) + (x_blocks == 32'd1 ? 16'(BLOCK / 2) : 16'(BLOCK))),
      .x_blocks,
      .y_rows,
      .running (joining),
      .index   (joined_index),
      .first   (joined_first),
      .odd_slot(joined_odd_slot),
      .b_used  (joined_b_used)
  );
  // Operands.
  logic b_block_of_y;  // never
  logic takes_a, takes_b, takes_old, z_here, z_gone, z_ends;
  logic a_held_back, b_held_back, old_held_back, z_held_back;

  block_requests #(
      .PORT_A(1)
  ) requests_a (
      .clk,
      .reset,
      .start(starts),
      .x_blocks,
      .y_rows,
      .valid(a_block_valid),
      .ready(a_block_ready),
      .of_y (a_block_of_y),
      .block(a_block)
  );
  block_requests #(
      .PORT_A(0)
  ) requests_b (
      .clk,
      .reset,
      .start(starts),
      .x_blocks,
      .y_rows,
      .valid(b_block_valid),
      .ready(b_block_ready),
      .of_y (b_block_of_y),
      .block(b_block)
  );
  assign takes_a = reading && (!read_first || {1'b0, read_index} < LOG2_POINTS'(ROW_DIGITS));
  assign takes_b = read_b_used;

  // Everything moves, or nothing does. A beat of z may leave while the others wait.
  assign a_held_back = takes_a && !a_valid;
  assign b_held_back = takes_b && !b_valid;
  assign old_held_back = takes_old && !old_valid;
  assign z_held_back = z_valid && !z_ready;
  assign advance = !a_held_back && !b_held_back && !old_held_back && !z_held_back;
  assign a_ready = takes_a && !b_held_back && !old_held_back && !z_held_back;
  assign b_ready = takes_b && !a_held_back && !old_held_back && !z_held_back;
  assign old_ready = takes_old && !a_held_back && !b_held_back && !z_held_back;
  assign z_valid = busy && z_here && !z_gone;

  logic z_leaves;
  assign z_leaves = z_valid && z_ready;
  always_ff @(posedge clk)
    if (clear) z_gone <= 1'b0;
    else z_gone <= !advance && (z_gone || z_leaves);

  always_ff @(posedge clk)
    if (reset) begin
      busy <= 1'b0;
      done <= 1'b0;
      cycles <= 32'd0;
    end else begin
      done <= z_leaves && z_ends;
      if (starts) begin
        busy <= 1'b1;
        cycles <= 32'd0;
      end else if (busy) begin
        cycles <= cycles + 32'd1;
        if (z_leaves && z_ends) busy <= 1'b0;
      end
    end

  // Spectra.
  logic [63:0] a_upper, a_lower, b_upper, b_lower;
  logic [63:0] right_upper, right_lower, left_upper, left_lower;
  logic [63:0] right_low, right_high, left_low, left_high;
  logic [INDEX_BITS-1:0] product_index;

  serial_fft #(
      .LOG2_POINTS(LOG2_POINTS),
      .ROM_DIR    (ROM_DIR)
  ) fft_a (
      .clk,
      .advance,
      .index(read_index),
      .digit(takes_a ? a : 28'd0),
      .upper(a_upper),
      .lower(a_lower)
  );
  serial_fft #(
      .LOG2_POINTS(LOG2_POINTS),
      .ROM_DIR    (ROM_DIR)
  ) fft_b (
      .clk,
      .advance,
      .index(read_index),
      .digit(takes_b ? b : 28'd0),
      .upper(b_upper),
      .lower(b_lower)
  );
  pointwise_products #(
      .INDEX_BITS(INDEX_BITS)
  ) pointwise (
      .clk,
      .advance,
      .first(multiplied_first),
      .index(multiplied_index),
      .a_upper,
      .a_lower,
      .b_upper,
      .b_lower,
      .right_upper,
      .right_lower,
      .left_upper,
      .left_lower
  );
  always_ff @(posedge clk)
    if (advance) product_index <= multiplied_index - INDEX_BITS'(POINTWISE - 1);
  serial_ifft #(
      .LOG2_POINTS(LOG2_POINTS),
      .ROM_DIR    (ROM_DIR)
  ) ifft_right (
      .clk,
      .advance,
      .index(product_index),
      .upper(right_upper),
      .lower(right_lower),
      .low  (right_low),
      .high (right_high)
  );
  serial_ifft #(
      .LOG2_POINTS(LOG2_POINTS),
      .ROM_DIR    (ROM_DIR)
  ) ifft_left (
      .clk,
      .advance,
      .index(product_index),
      .upper(left_upper),
      .lower(left_lower),
      .low  (left_low),
      .high (left_high)
  );

  // The product.
  logic [INDEX_BITS-2:0] pair;
  logic pair_odd_slot;
  logic [55:0] right, middle, left;
  logic [38:0] middle_carry;
  logic [39:0] joined_carry;

  addition_recovery #(
      .INDEX_BITS(INDEX_BITS)
  ) recovery (
      .clk,
      .clear,
      .advance,
      .running (recovering),
      .index   (recovered_index),
      .first   (recovered_first),
      .odd_slot(recovered_odd_slot),
      .b_used  (recovered_b_used),
      .right_low,
      .right_high,
      .left_low,
      .left_high,
      .pair,
      .pair_odd_slot,
      .right,
      .middle,
      .left,
      .middle_carry,
      .joined_carry
  );
  product_accumulate #(
      .INDEX_BITS(INDEX_BITS),
      .ROW_DIGITS(ROW_DIGITS)
  ) accumulate (
      .clk,
      .clear,
      .x_blocks,
      .y_rows,
      .advance,
      .running (joining),
      .index   (joined_index),
      .first   (joined_first),
      .odd_slot(joined_odd_slot),
      .b_used  (joined_b_used),
      .pair,
      .pair_odd_slot,
      .right,
      .middle,
      .left,
      .middle_carry,
      .joined_carry,
      .takes_old,
      .old_address,
      .old,
      .z_here,
      .z,
      .z_address,
      .z_row_ends,
      .z_ends
  );

  logic unused;
  assign unused = &{1'b0, read_odd_slot, multiplying, multiplied_b_used, multiplied_odd_slot,
                    b_block_of_y};
endmodule
`default_nettype wire
