// SPDX-License-Identifier: Apache-2.0
// Columns joined to words: neighbours are added two by two.
//
//   columns  COUNT GROUP sums of COLUMN bits, column t of weight 2^(DIGIT t)
//   words    COUNT sums of WORD bits, word i of weight 2^(DIGIT GROUP i): those of the columns GROUP i
//            to GROUP i + GROUP - 1; log2(GROUP) clocks later
//
//   GROUP    power of two; 1: the columns are the words
//
// One set of columns per clock. Super-size paper, section 3.4 and Fig. 4(i).
`default_nettype none
module adder_tree #(
    parameter int COUNT = 16,
    parameter int GROUP = 8,
    parameter int COLUMN = 62,
    parameter int DIGIT = 28,
    localparam int WORD = COLUMN + DIGIT * (GROUP - 1) + 1
) (
    input  logic                          clk,
    input  logic [COUNT*GROUP*COLUMN-1:0] columns,
    output logic [        COUNT*WORD-1:0] words
);
  localparam int LEVELS = $clog2(GROUP);

  // Level l has sums of 2^l columns.
  for (genvar l = 0; l <= LEVELS; l++) begin : g_level
    localparam int SUMS = COUNT * GROUP >> l;
    localparam int WIDTH = COLUMN + DIGIT * ((1 << l) - 1) + 1;
    logic [SUMS*WIDTH-1:0] sums;

    if (l == 0) begin : g_columns
      for (genvar i = 0; i < SUMS; i++) begin : g_sum
        assign sums[WIDTH*i+:WIDTH] = WIDTH'(columns[COLUMN*i+:COLUMN]);
      end
    end else begin : g_pairs
      localparam int PART = WIDTH - (DIGIT << (l - 1));
      for (genvar i = 0; i < SUMS; i++) begin : g_sum
        always_ff @(posedge clk)
          sums[WIDTH*i+:WIDTH] <= WIDTH'(g_level[l-1].sums[PART*2*i+:PART]) +
              (WIDTH'(g_level[l-1].sums[PART*(2*i+1)+:PART]) << (DIGIT << (l - 1)));
      end
    end
  end
  assign words = g_level[LEVELS].sums;
  if (LEVELS == 0) begin : g_no_clock
    logic unused;
    assign unused = clk;
  end
endmodule
`default_nettype wire
