// SPDX-License-Identifier: Apache-2.0
// From columns of a product of 22-bit digits to its digits, of 64 rows side by side.
//
//   reset         forgets the columns under way
//   in_valid      columns: sixteen of 64 bits, neighbours in row `row`, the lowest first
//   in_fresh      with in_valid: the lowest sixteen of the row; else they follow those of this row before
//   out_valid     digits: sixteen of 22 bits, two clocks later
//   pending_row   at any time, of a row whose digits have all left:
//   pending         what its columns have above its digits, at most 43 bits: it belongs to the next row
//
// A row comes at most every second clock. With what is pending, 2^22 p1 + p0, and the columns as three digits, low,
// middle and high of 22, 22 and 20 bits: t(i) = low(i) + middle(i-1) + high(i-2) + p(i), i = 0 .. 17, below 2^24, and
// z(i) = t(i) mod 2^22 + t(i-1) / 2^22 needs but one more carry bit, which carry_lookahead finds. First clock: t and z;
// second clock: carries. FFT paper, section IV-D.
`default_nettype none
module row_carries (
    input  logic          clk,
    input  logic          reset,
    input  logic          in_valid,
    input  logic          in_fresh,
    input  logic [   5:0] row,
    input  logic [1023:0] columns,
    output logic          out_valid,
    output logic [ 351:0] digits,
    input  logic [   5:0] pending_row,
    output logic [  42:0] pending
);
  localparam int DIGIT = 22;

  logic [42:0] kept[64];  // of each row
  logic [42:0] was_kept;
  assign was_kept = in_fresh ? 43'd0 : kept[row];

  logic [18*24-1:0] sums;  // t
  logic [18*23-1:0] z_next, z;
  for (genvar i = 0; i < 18; i++) begin : g_column
    logic [23:0] low, middle, high, carried, over;
    if (i < 16) begin : g_low
      assign low = {2'd0, columns[64*i+:DIGIT]};
    end else begin : g_low
      assign low = 24'd0;
    end
    if (i >= 1 && i < 17) begin : g_middle
      assign middle = {2'd0, columns[64*(i-1)+DIGIT+:DIGIT]};
    end else begin : g_middle
      assign middle = 24'd0;
    end
    if (i >= 2) begin : g_high
      assign high = {4'd0, columns[64*(i-2)+2*DIGIT+:20]};
    end else begin : g_high
      assign high = 24'd0;
    end
    if (i == 0) begin : g_carried
      assign carried = {2'd0, was_kept[21:0]};
      assign over = 24'd0;
    end else if (i == 1) begin : g_carried
      assign carried = {3'd0, was_kept[42:22]};
      assign over = {22'd0, sums[23:22]};
    end else begin : g_carried
      assign carried = 24'd0;
      assign over = {22'd0, sums[24*(i-1)+22+:2]};
    end
    assign sums[24*i+:24] = low + middle + high + carried;
    assign z_next[23*i+:23] = {1'b0, sums[24*i+:22]} + over[22:0];
    logic unused;
    assign unused = over[23];
  end

  logic summed;
  logic [5:0] summed_row;
  always_ff @(posedge clk) begin
    summed <= in_valid && !reset;
    summed_row <= row;
    z <= z_next;
  end

  logic [15:0] generates, critical;
  logic [16:0] carries;
  logic [351:0] resolved;
  logic [42:0] left;  // above the digits
  carry_lookahead #(
      .DIGITS(16)
  ) lookahead (
      .generates,
      .critical,
      .carry_in(1'b0),
      .carries
  );
  for (genvar i = 0; i < 16; i++) begin : g_digit
    assign generates[i] = z[23*i+22];
    assign critical[i] = z[23*i+:23] == 23'h3f_ffff;
    assign resolved[22*i+:22] = z[23*i+:22] + 22'(carries[i]);
  end
  assign left = {20'd0, z[23*16+:23]} + {z[23*17+:21], 22'd0} + 43'(carries[16]);
  always_ff @(posedge clk) begin
    out_valid <= summed && !reset;
    digits <= resolved;
    if (summed) kept[summed_row] <= left;
  end
  assign pending = kept[pending_row];
  logic unused_top;
  assign unused_top = &{1'b0, z[23*17+21+:2], sums[24*17+22+:2]};
endmodule
`default_nettype wire
