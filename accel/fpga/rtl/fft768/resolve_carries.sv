// SPDX-License-Identifier: Apache-2.0
// From the columns of a convolution of 24-bit digits to the digits of the product.
//
//   reset          forgets the columns under way
//   advance        0 holds everything
//   in_valid       columns: sixteen of 64 bits, the lowest first
//   in_first       with in_valid: the lowest sixteen of a product
//   out_valid      digits: the sixteen digits of 24 bits of these columns, two clocks later
//
// Column i overlaps the next two: t(i) = low 24 of c(i) + middle 24 of c(i-1) + high 16 of c(i-2), and
// z(i) = t(i) mod 2^24 + t(i-1) / 2^24 needs but one more carry bit, which carry_lookahead finds for
// sixteen digits at once. First clock: t and z; second clock: carries. The carry out of the last digit
// of a product is zero. FFT paper, section IV-D and Fig. 9.
`default_nettype none
module resolve_carries (
    input  logic          clk,
    input  logic          reset,
    input  logic          advance,
    input  logic          in_valid,
    input  logic          in_first,
    input  logic [1023:0] columns,
    output logic          out_valid,
    output logic [ 383:0] digits
);
  // The last two columns of the beat before: only their parts that reach further.
  logic [23:0] middle_before;
  logic [15:0] high_before, high_before_that;
  logic [ 1:0] over_before;

  logic [16*26-1:0] sums;  // t
  logic [16*25-1:0] digits_next, z;
  logic summed, summed_first;

  for (genvar i = 0; i < 16; i++) begin : g_column
    logic [23:0] middle;
    logic [15:0] high;
    logic [ 1:0] over;
    if (i == 0) begin : g_middle
      assign middle = in_first ? 24'd0 : middle_before;
      assign over = in_first ? 2'd0 : over_before;
    end else begin : g_middle
      assign middle = columns[64*(i-1)+24+:24];
      assign over = sums[26*(i-1)+24+:2];
    end
    if (i == 0) begin : g_high
      assign high = in_first ? 16'd0 : high_before_that;
    end else if (i == 1) begin : g_high
      assign high = in_first ? 16'd0 : high_before;
    end else begin : g_high
      assign high = columns[64*(i-2)+48+:16];
    end
    assign sums[26*i+:26] = {2'd0, columns[64*i+:24]} + {2'd0, middle} + {10'd0, high};
    assign digits_next[25*i+:25] = {1'b0, sums[26*i+:24]} + {23'd0, over};
  end

  always_ff @(posedge clk) begin
    if (reset) summed <= 1'b0;
    else if (advance) summed <= in_valid;
    if (advance && in_valid) begin
      z <= digits_next;
      summed_first <= in_first;
      middle_before <= columns[64*15+24+:24];
      high_before <= columns[64*15+48+:16];
      high_before_that <= columns[64*14+48+:16];
      over_before <= sums[26*15+24+:2];
    end
  end

  logic [ 15:0] generates, critical;
  logic [ 16:0] carries;
  logic         carry;
  logic [383:0] resolved;

  carry_lookahead #(
      .DIGITS(16)
  ) lookahead (
      .generates,
      .critical,
      .carry_in(carry & ~summed_first),
      .carries
  );
  for (genvar i = 0; i < 16; i++) begin : g_digit
    assign generates[i] = z[25*i+24];
    assign critical[i] = z[25*i+:25] == 25'h0ffffff;
    assign resolved[24*i+:24] = z[25*i+:24] + {23'd0, carries[i]};
  end

  always_ff @(posedge clk) begin
    if (reset) out_valid <= 1'b0;
    else if (advance) out_valid <= summed;
    if (advance && summed) begin
      digits <= resolved;
      carry <= carries[16];
    end
  end
endmodule
`default_nettype wire
