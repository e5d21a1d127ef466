// SPDX-License-Identifier: Apache-2.0
// The look-ahead of carries, for all pairs of sixteen digits of 24 bits and both carries in: digits that were added
// by themselves and take their carries are the sum.
//
// modules: sums/carry_lookahead.sv
// proof: complete 1
// fault: sums/carry_lookahead.sv s/ ^ {1'b0, critical}/ ^ {1'b0, generates}/
// fault: sums/carry_lookahead.sv s/{generates, carry_in}/{generates, 1'b0}/
`default_nettype none
module carry_lookahead_proof (
    input logic [383:0] a,
    input logic [383:0] b,
    input logic         carry_in
);
  logic [15:0] generates, critical;
  logic [16:0] carries;
  carry_lookahead #(
      .DIGITS(16)
  ) dut (
      .generates,
      .critical,
      .carry_in,
      .carries
  );

  logic [383:0] partial, sum;
  for (genvar i = 0; i < 16; i++) begin : g_digit
    assign {generates[i], partial[24*i+:24]} = {1'b0, a[24*i+:24]} + {1'b0, b[24*i+:24]};
    assign critical[i] = &partial[24*i+:24];
    assign sum[24*i+:24] = partial[24*i+:24] + {23'd0, carries[i]};
  end

  always_comb assert ({carries[16], sum} == {1'b0, a} + {1'b0, b} + {384'd0, carry_in});
endmodule
`default_nettype wire
