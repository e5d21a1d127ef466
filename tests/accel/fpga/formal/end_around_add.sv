// SPDX-License-Identifier: Apache-2.0
// Sums modulo M = 2^192 - 1, of all pairs and out of any state, in two clocks and in three: the sum is a + b or
// a + b - M.
//
// modules: sums/carry_lookahead.sv fft768/end_around_add.sv
// proof: complete 5
// with: REGISTER_CARRIES=0
// with: REGISTER_CARRIES=1
// fault: fft768/end_around_add.sv s/.carry_in(first_turn\[SEGMENTS\])/.carry_in(1'b0)/
// fault: fft768/end_around_add.sv s/\&partial\[32\*i+:32\]/\&partial[32*i+:31]/
`default_nettype none
module end_around_add_proof #(
    parameter int REGISTER_CARRIES = 0
) (
    input logic         clk,
    input logic [191:0] a,
    input logic [191:0] b
);
  localparam int CLOCKS = REGISTER_CARRIES != 0 ? 3 : 2;

  logic [191:0] sum;
  end_around_add #(
      .REGISTER_CARRIES(REGISTER_CARRIES)
  ) dut (
      .clk,
      .a,
      .b,
      .sum
  );

  logic [193*CLOCKS-1:0] sums;
  logic [CLOCKS-1:0] here = '0;
  always_ff @(posedge clk) begin
    sums <= {sums[193*(CLOCKS-1)-1:0], {1'b0, a} + {1'b0, b}};
    here <= {here[CLOCKS-2:0], 1'b1};
  end

  logic [192:0] expected, less;
  assign expected = sums[193*CLOCKS-1-:193];
  assign less = expected - {1'b0, {192{1'b1}}};
  always_comb if (here[CLOCKS-1]) assert ({1'b0, sum} == expected || {1'b0, sum} == less);
endmodule
`default_nettype wire
