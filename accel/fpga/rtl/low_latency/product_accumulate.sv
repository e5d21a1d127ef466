// SPDX-License-Identifier: Apache-2.0
// The fourth adder: joins the thirds of all slots and adds the rows to the product, two digits a clock.
//
//   clear                  to idle; with the start of a multiplication too, and then with it:
//     x_blocks, y_rows       X and Y
//   advance                0 holds everything but clear
//   running, index, first, from slot_sequence: where this adder is
//   odd_slot, b_used
//   pair, pair_odd_slot    to addition_recovery, whose thirds and carries come back
//   takes_old              `old` is added in this clock: two digits of the product of the rows before
//   old_address            their number in the product
//   z_here, z              two digits of the product, three clocks after their index
//   z_address              their number in the product
//   z_row_ends, z_ends     they are the last ones of their row, of the product
//
//   INDEX_BITS             log2 of the digits of a block; a slot has as many clocks
//   ROW_DIGITS             digits of a row of y, an even number
//
// In the first half of a slot comes the left third of the slot before plus the right third of this one,
// in the second half the middle third of this one. After the last slot of a row comes its left third, in
// the first half of slot 0 of the next row, which has no right third, or after the end. Row j begins at
// digit j ROW_DIGITS and has (X + 1) 2^INDEX_BITS digits; nobody wrote its last ROW_DIGITS before.
// LHW paper, section 4.3 and Fig. 5.
`default_nettype none
module product_accumulate #(
    parameter int INDEX_BITS = 7,
    parameter int ROW_DIGITS = 128
) (
    input  logic                  clk,
    input  logic                  clear,
    input  logic [          31:0] x_blocks,
    input  logic [          31:0] y_rows,
    input  logic                  advance,
    input  logic                  running,
    input  logic [INDEX_BITS-1:0] index,
    input  logic                  first,
    input  logic                  odd_slot,
    input  logic                  b_used,
    output logic [INDEX_BITS-2:0] pair,
    output logic                  pair_odd_slot,
    input  logic [          55:0] right,
    input  logic [          55:0] middle,
    input  logic [          55:0] left,
    input  logic [          38:0] middle_carry,
    input  logic [          39:0] joined_carry,
    output logic                  takes_old,
    output logic [          31:0] old_address,
    input  logic [          55:0] old,
    output logic                  z_here,
    output logic [          55:0] z,
    output logic [          31:0] z_address,
    output logic                  z_row_ends,
    output logic                  z_ends
);
  localparam logic [31:0] ROW_PAIRS = 32'(ROW_DIGITS / 2);

  // First clock: which thirds.
  logic second_half, has_left, has_right, slot_ends;
  assign second_half = index[INDEX_BITS-1];
  assign has_right = running && !first;
  assign slot_ends = &index;
  assign pair = index[INDEX_BITS-2:0];
  assign pair_odd_slot = odd_slot;

  // What the second and the third clock work on.
  logic here, of_middle, of_left, of_right, third_starts, row_starts;
  logic summed, summed_row_starts;
  always_ff @(posedge clk)
    if (clear) begin
      has_left <= 1'b0;
      here <= 1'b0;
      row_starts <= 1'b0;
      summed <= 1'b0;
      z_here <= 1'b0;
    end else if (advance) begin
      if (slot_ends) has_left <= b_used;
      here <= second_half ? running : has_left || has_right;
      of_middle <= second_half;
      of_left <= has_left;
      of_right <= has_right;
      third_starts <= pair == '0;
      row_starts <= second_half && running && first && pair == '0;
      summed <= here;
      summed_row_starts <= row_starts;
      z_here <= summed;
    end

  // Second clock: the thirds, and the carries between them.
  logic signed [58:0] thirds, between, sum;
  always_comb begin
    if (of_middle) thirds = {3'd0, middle};
    else thirds = (of_left ? {3'd0, left} : 59'd0) + (of_right ? {3'd0, right} : 59'd0);
    if (!third_starts) between = 59'd0;
    else if (of_middle) between = {{19{joined_carry[39]}}, joined_carry};
    else between = {{20{middle_carry[38]}}, middle_carry};
  end
  always_ff @(posedge clk) if (advance) sum <= thirds + between;

  // Third clock: the rows before, and the carry.
  logic [2:0] carry;  // -1..3
  logic [58:0] total;
  assign total = sum + (takes_old ? {3'd0, old} : 59'd0) +
      (summed_row_starts ? 59'd0 : {{56{carry[2]}}, carry});
  always_ff @(posedge clk) if (advance && summed) {carry, z} <= total;

  // Where in the product.
  logic [31:0] row_length, rows_left, row_address, pairs_left;
  logic first_row, adds_old;
  assign takes_old = summed && adds_old;

  always_ff @(posedge clk)
    if (clear) begin
      row_length <= (x_blocks + 32'd1) << (INDEX_BITS - 1);
      rows_left <= y_rows;
      row_address <= 32'd0;
      first_row <= 1'b1;
    end else if (advance) begin
      if (row_starts) begin
        pairs_left <= row_length;
        rows_left <= rows_left - 32'd1;
        old_address <= row_address;
        row_address <= row_address + ROW_PAIRS;
        first_row <= 1'b0;
        adds_old <= !first_row;
      end else if (summed) begin
        pairs_left <= pairs_left - 32'd1;
        old_address <= old_address + 32'd1;
        if (pairs_left == ROW_PAIRS + 32'd1) adds_old <= 1'b0;
      end
      z_address <= old_address;
      z_row_ends <= pairs_left == 32'd1;
      z_ends <= pairs_left == 32'd1 && rows_left == 32'd0;
    end
endmodule
`default_nettype wire
