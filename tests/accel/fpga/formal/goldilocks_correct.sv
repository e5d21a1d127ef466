// SPDX-License-Identifier: Apache-2.0
// The correction that ends every reduction modulo p = 2^64 - 2^32 + 1, for all 2^66 values and with any stalls: the
// residue is below p, belongs to the value that entered two clocks before, clocks of a stall not counted, and differs
// from it by a multiple of p.
//
// modules: modular/goldilocks_correct.sv
// proof: complete 4
// fault: modular/goldilocks_correct.sv s/-3'sd3 : -3'sd2/-3'sd2 : -3'sd2/
// fault: modular/goldilocks_correct.sv s/(|low\[32:1\]) ? 3'sd2/(|low[32:0]) ? 3'sd2/
// fault: modular/goldilocks_correct.sv s/(|low\[31:0\]) ? 3'sd1/(|low[31:1]) ? 3'sd1/
// fault: modular/goldilocks_correct.sv s/!(&low\[31:0\]) ? -3'sd2/!(\&low[31:1]) ? -3'sd2/
// fault: modular/goldilocks_correct.sv s/if (advance) begin/if (advance || value[0]) begin/
`default_nettype none
module goldilocks_correct_proof (
    input logic        clk,
    input logic        advance,
    input logic [65:0] value
);
  localparam logic [69:0] P = 70'h0_ffff_ffff_0000_0001;

  logic [63:0] residue;
  goldilocks_correct dut (
      .clk,
      .advance,
      .value,
      .residue
  );

  // The values under way, and how many have come.
  logic [65:0] first, second;
  logic [ 1:0] here = 2'd0;
  always_ff @(posedge clk)
    if (advance) begin
      {first, second} <= {value, first};
      here <= {here[0], 1'b1};
    end

  // |value| <= 2^65 < 3 p.
  logic [69:0] extended;
  logic [ 5:0] congruent;
  assign extended = {{4{second[65]}}, second};
  for (genvar i = 0; i < 6; i++) begin : g_multiple
    assign congruent[i] = extended == 70'(residue) + (70'(i) - 70'd3) * P;
  end

  always_comb
    if (here[1]) begin
      assert (residue < P[63:0]);
      assert (congruent != 6'd0);
    end
endmodule
`default_nettype wire
