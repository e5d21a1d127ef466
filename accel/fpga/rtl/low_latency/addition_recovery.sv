// SPDX-License-Identifier: Apache-2.0
// The columns of the products of a slot as integers, in three thirds whose carries are still apart.
//
//   clear                  to idle; with the start of a multiplication too
//   advance                0 holds everything but clear
//   running, index, first, of the columns that come in, from slot_sequence
//   odd_slot, b_used
//   right_low, right_high  columns i and i + B of the product by block 2 i - 1 of x, in [0, p);
//                          B = 2^INDEX_BITS
//   left_low, left_high    of the product by block 2 i
//   pair, pair_odd_slot    which digits are wanted: 2 j and 2 j + 1, and of which of the last two slots;
//                          of the left third: of the other one
//   right, middle, left    these digits, 28 bits each, one clock later
//   middle_carry           out of the middle third of the last slot: it belongs to the left one
//   joined_carry           belongs to the middle third of the last slot: out of its right third, and out
//                          of the left third of the slot before if that is in the same row
//
//   INDEX_BITS             log2 of B
//
// The right third is the lower half of the right product; the middle one is its upper half plus the lower
// half of the left product; the left one is the upper half of that. Column i is stored 3 clocks after
// it came (with its neighbour, for odd i); the carries of a slot come with its last column.
// Columns are signed and below 2^63: residues with their top bit set stand for negative ones.
// LHW paper, section 4.3 and Figs. 2 and 4.
`default_nettype none
module addition_recovery #(
    parameter int INDEX_BITS = 7
) (
    input  logic                  clk,
    input  logic                  clear,
    input  logic                  advance,
    input  logic                  running,
    input  logic [INDEX_BITS-1:0] index,
    input  logic                  first,
    input  logic                  odd_slot,
    input  logic                  b_used,
    input  logic [          63:0] right_low,
    input  logic [          63:0] right_high,
    input  logic [          63:0] left_low,
    input  logic [          63:0] left_high,
    input  logic [INDEX_BITS-2:0] pair,
    input  logic                  pair_odd_slot,
    output logic [          55:0] right,
    output logic [          55:0] middle,
    output logic [          55:0] left,
    output logic [          38:0] middle_carry,
    output logic [          39:0] joined_carry
);
  localparam logic [63:0] EPSILON = 64'h0000_0000_ffff_ffff;  // 2^64 - p

  // Residues to columns.
  logic a_used;
  logic [255:0] residues;
  logic [ 3:0] used;
  logic [263:0] values;
  logic [197:0] columns;  // right, middle, left

  assign a_used = running && !first;
  assign residues = {left_high, left_low, right_high, right_low};
  assign used = {b_used, b_used, a_used, a_used};
  for (genvar i = 0; i < 4; i++) begin : g_value
    logic [63:0] residue, value;
    assign residue = residues[64*i+:64];
    assign value = residue + (residue[63] ? EPSILON : 64'd0);
    assign values[66*i+:66] = used[i] ? {{2{value[63]}}, value} : 66'd0;
  end
  always_ff @(posedge clk)
    if (advance)
      columns <= {values[198+:66], values[66+:66] + values[132+:66], values[65:0]};

  // Where the columns, and a clock later their digits, come from.
  logic [INDEX_BITS:0] column_place, digit_place;  // slot, index
  logic [INDEX_BITS-1:0] column_index, digit_index;
  logic [1:0] column_slot, digit_slot;  // running, first

  assign column_index = column_place[INDEX_BITS-1:0];
  assign digit_index = digit_place[INDEX_BITS-1:0];
  always_ff @(posedge clk)
    if (advance) begin
      column_place <= {odd_slot, index};
      digit_place <= column_place;
      column_slot <= {running, first};
      digit_slot <= column_slot;
    end

  // Columns to digits, and these to memory.
  logic [116:0] carries;
  logic [167:0] pairs;
  for (genvar i = 0; i < 3; i++) begin : g_third
    localparam logic LEFT = i == 2;
    logic [27:0] digit, lower_digit;
    logic [55:0] memory[2**INDEX_BITS];
    serial_adder adder (
        .clk,
        .advance,
        .first (column_index == '0),
        .column(columns[66*i+:66]),
        .digit (digit),
        .carry (carries[39*i+:39])
    );
    always_ff @(posedge clk)
      if (advance) begin
        lower_digit <= digit;
        if (digit_index[0]) memory[digit_place[INDEX_BITS:1]] <= {digit, lower_digit};
        pairs[56*i+:56] <= memory[{pair_odd_slot ^ LEFT, pair}];
      end
  end
  assign {left, middle, right} = pairs;

  // Carries between the thirds.
  logic [38:0] right_carry, left_carry, left_carry_before;
  assign right_carry = carries[38:0];
  assign left_carry = carries[116:78];
  always_ff @(posedge clk)
    if (clear) joined_carry <= 40'd0;
    else if (advance && digit_slot[1] && (&digit_index)) begin
      middle_carry <= carries[77:39];
      left_carry_before <= left_carry;
      joined_carry <= {right_carry[38], right_carry} +
          (digit_slot[0] ? 40'd0 : {left_carry_before[38], left_carry_before});
    end
endmodule
`default_nettype wire
