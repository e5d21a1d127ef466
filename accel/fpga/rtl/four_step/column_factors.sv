// SPDX-License-Identifier: Apache-2.0
// The factors between the transforms of the columns and those of the rows: points times w^(j k), w of order N.
//
//   start                 with size and inverse, before the first word
//   size                  log2(N) - 18, at most 3
//   inverse               1: times w^(-j k) / 64
//   in_valid, in_ready    in_data: eight points of 64 bits, neighbours in a row, the lowest first. For each 256 columns j the
//                         rows k = 0 .. 63, of each 32 words
//   out_valid, out_ready  out_data: the products in [0, p), eighteen clocks later
//
//   ROM_DIR               of root_powers
//
// One word a clock; everything is held while a product is not taken. Exponents are those of W = w^(1 / 2^(3 - size)), of order
// 2^21: from word to word they grow by 8 k, from row to row by the first column. 1 / 64 = 2^(-6) is a power too: 2^3 = W^(2^15).
`default_nettype none
module column_factors #(
    parameter ROM_DIR = ""
) (
    input  logic         clk,
    input  logic         reset,
    input  logic         start,
    input  logic [  1:0] size,
    input  logic         inverse,
    input  logic         in_valid,
    output logic         in_ready,
    input  logic [511:0] in_data,
    output logic         out_valid,
    input  logic         out_ready,
    output logic [511:0] out_data
);
  localparam int POWER = 11;  // from a word to its powers
  localparam int MULTIPLY = 7;
  localparam logic [20:0] SIXTY_FOURTH = -21'h1_0000;

  logic advance, enters;
  assign advance = !out_valid || out_ready;
  assign in_ready = advance;
  assign enters = in_valid && advance;

  // The word that comes: number `word` of 32, row k, and 256 times `batch` its first column.
  logic [1:0] scale;
  logic [4:0] word;
  logic [5:0] row;
  logic [6:0] batch;
  logic [8:0] row_step;    // of the exponent, from a column to the next
  logic [20:0] row_first, exponent, batch_step;
  assign scale = 2'd3 - size;
  assign row_step = 9'(row) << scale;
  assign batch_step = {6'd0, batch, 8'd0} << scale;
  always_ff @(posedge clk)
    if (start) {batch, row, word, row_first, exponent} <= '0;
    else if (enters) begin
      {batch, row, word} <= {batch, row, word} + 18'd1;
      if (word != 5'd31) exponent <= exponent + {9'd0, row_step, 3'd0};
      else begin
        row_first <= row == 6'd63 ? 21'd0 : row_first + batch_step;
        exponent <= row == 6'd63 ? 21'd0 : row_first + batch_step;
      end
    end

  // Its eight exponents, and powers.
  logic [167:0] forward_exponents, exponents;
  logic [511:0] powers, point;
  for (genvar i = 0; i < 8; i++) begin : g_exponent
    logic [11:0] steps;  // i of them; a product would take a multiplier of the FPGA
    assign steps = (i % 2 != 0 ? {3'd0, row_step} : 12'd0) + (i / 2 % 2 != 0 ? {2'd0, row_step, 1'b0} : 12'd0) +
        (i / 4 != 0 ? {1'b0, row_step, 2'b00} : 12'd0);
    always_ff @(posedge clk)
      if (advance) begin
        forward_exponents[21*i+:21] <= exponent + {9'd0, steps};
        exponents[21*i+:21] <= inverse ? SIXTY_FOURTH - forward_exponents[21*i+:21] : forward_exponents[21*i+:21];
      end
  end
  for (genvar i = 0; i < 4; i++) begin : g_power
    root_powers #(
        .ROM_DIR(ROM_DIR)
    ) two (
        .clk,
        .advance,
        .exponents(exponents[42*i+:42]),
        .powers   (powers[128*i+:128])
    );
  end

  memory_line #(
      .WIDTH (512),
      .CLOCKS(POWER)
  ) to_powers (
      .clk,
      .advance,
      .in (in_data),
      .out(point)
  );
  for (genvar i = 0; i < 8; i++) begin : g_product
    goldilocks_multiply multiply (
        .clk,
        .advance,
        .a      (point[64*i+:64]),
        .b      (powers[64*i+:64]),
        .product(out_data[64*i+:64])
    );
  end

  logic [POWER+MULTIPLY-1:0] under_way;
  always_ff @(posedge clk)
    if (reset) under_way <= '0;
    else if (advance) under_way <= {under_way[POWER+MULTIPLY-2:0], in_valid};
  assign out_valid = under_way[POWER+MULTIPLY-1];
endmodule
`default_nettype wire
