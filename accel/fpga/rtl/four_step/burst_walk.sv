// SPDX-License-Identifier: Apache-2.0
// Where the bursts of a sweep over the columns lie: of every batch of columns one in each of the 64 rows.
//
//   start    with what follows, which stays
//   single   one burst at 0, and no more
//   batches  in a row, at most 128
//   stride   words from row to row
//   burst    words of a burst
//   valid    a burst is shown: `at` words after the first one; from the clock after start on
//   next     it is taken
`default_nettype none
module burst_walk (
    input  logic        clk,
    input  logic        reset,
    input  logic        start,
    input  logic        single,
    input  logic [ 7:0] batches,
    input  logic [12:0] stride,
    input  logic [ 5:0] burst,
    output logic        valid,
    input  logic        next,
    output logic [18:0] at
);
  logic [ 5:0] row;
  logic [ 6:0] batch;
  logic [12:0] first;  // of the batch
  logic last_row, last_batch;
  assign last_row = row == 6'd63;
  assign last_batch = {1'b0, batch} == batches - 8'd1;

  always_ff @(posedge clk)
    if (reset) valid <= 1'b0;
    else if (start) valid <= 1'b1;
    else if (next && (single || (last_row && last_batch))) valid <= 1'b0;
  always_ff @(posedge clk)
    if (start) {row, batch, first, at} <= '0;
    else if (next) begin
      row <= row + 6'd1;
      at <= last_row ? {6'd0, first + 13'(burst)} : at + {6'd0, stride};
      if (last_row) begin
        batch <= batch + 7'd1;
        first <= first + 13'(burst);
      end
    end
endmodule
`default_nettype wire
