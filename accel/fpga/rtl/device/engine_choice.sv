// SPDX-License-Identifier: Apache-2.0
// Which engine multiplies two integers.
//
//   engine    0: the fastest one that there is; else the one of that number, see [engine] in regmap.toml
//   a_words, b_words   lengths of the integers
//   kind      its number in operation_kinds.svh; any number where there is no such engine
//
//   FEATURES  of the device
//   ROW_WORDS words of a row of the low-latency multiplier
//
// A product by SERIAL takes about 64 / 7^2 clocks for each word of whole rows of 7 times each of the longer
// number, one block 39,136: so SERIAL takes those of one row, and those of up to 27,000 words by words. STREAM
// takes 56,000 clocks for one block and 61,000 for two, then 49,152 for any two more: so it takes all longer
// products of more than one block. THROUGHPUT takes 1,250 clocks and more, and SERIAL 730 + 64 / 7 for each word of the longer
// number in one row: so that takes rows of up to 49 words.
`default_nettype none
module engine_choice #(
    parameter logic [31:0] FEATURES = 32'd0,
    parameter logic [23:0] ROW_WORDS = 24'd7
) (
    input  logic [ 2:0] engine,
    input  logic [23:0] a_words,
    input  logic [23:0] b_words,
    output logic [ 3:0] kind
);
  `include "register_map.svh"
  `include "operation_kinds.svh"
  localparam logic BY_BLOCKS = FEATURES[FEATURE_MUL768];
  localparam logic BY_STREAM = FEATURES[FEATURE_STREAM768];
  localparam logic BY_ROWS = FEATURES[FEATURE_FFTMUL];
  localparam logic BY_SUPER_SIZE = FEATURES[FEATURE_SSMUL];
  localparam logic BY_THROUGHPUT = FEATURES[FEATURE_THROUGHPUT];

  logic [23:0] shorter, longer;
  logic few_words, many_blocks, by_rows, one_short_row;
  assign {shorter, longer} = a_words < b_words ? {a_words, b_words} : {b_words, a_words};
  assign few_words = shorter <= ROW_WORDS ||
      (longer < 24'd4096 && (25'(shorter[11:0]) + 25'(ROW_WORDS) - 25'd1) * 25'(longer[11:0]) <= 25'd27000);
  assign by_rows = BY_ROWS && few_words;
  assign one_short_row = BY_ROWS && shorter <= ROW_WORDS && longer <= 24'd49;
  assign many_blocks = {1'b0, shorter} + {1'b0, longer} > 25'(PRODUCT_WORDS);

  always_comb begin
    kind = BY_SUPER_SIZE ? SUPER : BY_ROWS ? SERIAL : BY_STREAM ? STREAM : BLOCKS;
    if (BY_BLOCKS && !by_rows) kind = BLOCKS;
    if (BY_STREAM && !by_rows && many_blocks) kind = STREAM;
    if (BY_THROUGHPUT && !one_short_row) kind = THROUGHPUT;
    case (engine)
      3'(ENGINE_MUL768): kind = BLOCKS;
      3'(ENGINE_FFTMUL): kind = SERIAL;
      3'(ENGINE_SSMUL): kind = SUPER;
      3'(ENGINE_STREAM768): kind = STREAM;
      3'(ENGINE_THROUGHPUT): kind = THROUGHPUT;
      default: ;
    endcase
  end
endmodule
`default_nettype wire
