// SPDX-License-Identifier: Apache-2.0
// 64-bit counters of events, read in halves.
//
//   clear, freeze     all become 0; all stay as they are
//   events            bit i: counter i counts this clock
//   read              of the half word_index[0] of counter word_index[4:1]; reading a low half keeps the
//                     high half as it was then
//   value             follows one clock later
`default_nettype none
module performance_counters #(
    parameter int COUNTERS = 12
) (
    input  logic                clk,
    input  logic                reset,
    input  logic                clear,
    input  logic                freeze,
    input  logic [COUNTERS-1:0] events,
    input  logic                read,
    input  logic [         4:0] word_index,
    output logic [        31:0] value
);
  logic [64*COUNTERS-1:0] counts;
  logic [63:0] chosen;
  logic [31:0] high_half;

  for (genvar i = 0; i < COUNTERS; i++) begin : g_counter
    always_ff @(posedge clk)
      if (reset || clear) counts[64*i+:64] <= 64'd0;
      else if (events[i] && !freeze) counts[64*i+:64] <= counts[64*i+:64] + 64'd1;
  end

  always_comb begin
    chosen = 64'd0;
    for (int i = 0; i < COUNTERS; i++) if (word_index[4:1] == 4'(i)) chosen = counts[64*i+:64];
  end

  always_ff @(posedge clk)
    if (read) begin
      value <= word_index[0] ? high_half : chosen[31:0];
      if (!word_index[0]) high_half <= chosen[63:32];
    end
endmodule
`default_nettype wire
