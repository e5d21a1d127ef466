// SPDX-License-Identifier: Apache-2.0
// The correction that ends every reduction modulo p = 2^64 - 2^32 + 1, for all 2^66 values: the residue is below p
// and differs from the value by a multiple of p.
//
// modules: modular/goldilocks_correct.sv
// proof: complete 1
// fault: modular/goldilocks_correct.sv s/low - (EPSILON << 1)/low - EPSILON/
// fault: modular/goldilocks_correct.sv s/folded < low || folded >= MODULUS/folded < low/
// fault: modular/goldilocks_correct.sv s/!below \&\& folded >= MODULUS/!below \&\& folded > MODULUS/
`default_nettype none
module goldilocks_correct_proof (
    input logic [65:0] value
);
  localparam logic [69:0] P = 70'h0_ffff_ffff_0000_0001;

  logic [63:0] residue;
  goldilocks_correct dut (
      .value,
      .residue
  );

  // |value| <= 2^65 < 3 p.
  logic [69:0] extended;
  logic [ 5:0] congruent;
  assign extended = {{4{value[65]}}, value};
  for (genvar i = 0; i < 6; i++) begin : g_multiple
    assign congruent[i] = extended == 70'(residue) + (70'(i) - 70'd3) * P;
  end

  always_comb begin
    assert (residue < P[63:0]);
    assert (congruent != 6'd0);
  end
endmodule
`default_nettype wire
