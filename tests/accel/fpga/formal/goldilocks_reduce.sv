// SPDX-License-Identifier: Apache-2.0
// Products modulo p = 2^64 - 2^32 + 1 out of any four 64-bit products of halves, with any stalls: the residue is below
// p, belongs to the products that entered four clocks before, clocks of a stall not counted, and differs from what they
// are together by a multiple of p.
//
// With upper and lower halves u and l, and 2^64 = p + 2^32 - 1:
//   low_low + 2^32 (low_high + high_low) + 2^64 high_high - p (low_high.u + high_low.u + high_high.l + (2^32 + 1) high_high.u)
//   = low_low + 2^32 raised - lowered,
//   raised = low_high.l + high_low.l + low_high.u + high_low.u + high_high.l,
//   lowered = low_high.u + high_low.u + high_high.l + high_high.u.
// Of this the module takes k p with k = 1 + raised / 2^32, and what is left is residue + j p, -3 <= j <= 2.
//
// modules: modular/goldilocks_correct.sv modular/goldilocks_reduce.sv
// proof: induction 1
// fault: modular/goldilocks_reduce.sv s/34'(high_high\[63:32\]);/34'(high_high[31:0]);/
// fault: modular/goldilocks_reduce.sv s/if (advance) begin/if (advance || low_low[0]) begin/
// fault: modular/goldilocks_reduce.sv s/+ {3'd1, 32'd0}/+ {3'd0, 32'd0}/
// fault: modular/goldilocks_reduce.sv s/- {32'd0, lowered}/- {33'd0, lowered[32:0]}/
`default_nettype none
module goldilocks_reduce_proof (
    input logic        clk,
    input logic        advance,
    input logic [63:0] low_low,
    input logic [63:0] low_high,
    input logic [63:0] high_low,
    input logic [63:0] high_high
);
  localparam logic [69:0] P = 70'h0_ffff_ffff_0000_0001;

  logic [63:0] residue;
  goldilocks_reduce dut (
      .clk,
      .advance,
      .low_low,
      .low_high,
      .high_low,
      .high_high,
      .residue
  );
  (* hierconn *) wire [34:0] \dut.raised ;
  (* hierconn *) wire [33:0] \dut.lowered ;
  (* hierconn *) wire [63:0] \dut.kept ;
  (* hierconn *) wire [65:0] \dut.difference ;
  (* hierconn *) wire [63:0] \dut.correct.kept ;
  (* hierconn *) wire [2:0] \dut.correct.upper ;
  (* hierconn *) wire [2:0] \dut.correct.lower ;

  // What has come: as it is, then what is left of it; and how many.
  logic [255:0] first;
  logic [69:0] left, second, third, fourth;
  logic [3:0] here = 4'd0;
  always_ff @(posedge clk)
    if (advance) begin
      first <= {high_high, high_low, low_high, low_low};
      {second, third, fourth} <= {left, second, third};
      here <= {here[2:0], 1'b1};
    end

  logic [34:0] raised;
  logic [33:0] lowered;
  assign raised = 35'(first[95:64]) + 35'(first[159:128]) + 35'(first[127:96]) + 35'(first[191:160]) +
                  35'(first[223:192]);
  assign lowered = 34'(first[127:96]) + 34'(first[191:160]) + 34'(first[223:192]) + 34'(first[255:224]);
  assign left = 70'(first[63:0]) + {3'd0, raised, 32'd0} - 70'(lowered) - (70'(raised[34:32]) + 70'd1) * P;

  // The residue, and the next one.
  logic [63:0] next;
  logic [5:0] congruent, next_congruent;
  assign next = \dut.correct.kept + {{29{\dut.correct.upper [2]}}, \dut.correct.upper ,
                                     {29{\dut.correct.lower [2]}}, \dut.correct.lower };
  for (genvar i = 0; i < 6; i++) begin : g_multiple
    assign congruent[i] = fourth == 70'(residue) + (70'(i) - 70'd3) * P;
    assign next_congruent[i] = third == 70'(next) + (70'(i) - 70'd3) * P;
  end

  always_comb begin
    if (here[3]) begin
      assert (residue < P[63:0]);
      assert (congruent != 6'd0);
    end
    // What makes it inductive.
    if (here[0]) begin
      assert (\dut.raised == raised + {3'd1, 32'd0});
      assert (\dut.lowered == lowered);
      assert (\dut.kept == first[63:0]);
    end
    if (here[1]) assert (second == {{4{\dut.difference [65]}}, \dut.difference });
    if (here[2]) begin
      assert (next < P[63:0]);
      assert (next_congruent != 6'd0);
    end
    assert (here[3:2] != 2'b10 && here[2:1] != 2'b10 && here[1:0] != 2'b10);
  end
endmodule
`default_nettype wire
