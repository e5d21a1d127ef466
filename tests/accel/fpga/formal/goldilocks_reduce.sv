// SPDX-License-Identifier: Apache-2.0
// 128-bit values modulo p = 2^64 - 2^32 + 1, all of them and with any stalls: the residue is below p, belongs to the
// value that entered three clocks before, clocks of a stall not counted, and differs from it by a multiple of p.
//
// With value = 2^96 a + 2^64 b + 2^32 c + d: p ((2^32 + 1) a + b) = (2^96 + 1) a + (2^64 - 2^32 + 1) b, so that
//   value - p ((2^32 + 1) a + b) = 2^32 (b + c) + d - (a + b) = residue + k p, -3 <= k <= 2.
//
// modules: modular/goldilocks_correct.sv modular/goldilocks_reduce.sv
// proof: induction 1
// fault: modular/goldilocks_reduce.sv s/lowered <= {1'b0, a}/lowered <= {1'b0, c}/
// fault: modular/goldilocks_reduce.sv s/if (advance) begin/if (advance || value[0]) begin/
// fault: modular/goldilocks_reduce.sv s/difference <= {1'b0, raised, kept} - {33'd0, lowered}/difference <= {2'b0, raised[31:0], kept} - {33'd0, lowered}/
`default_nettype none
module goldilocks_reduce_proof (
    input logic         clk,
    input logic         advance,
    input logic [127:0] value
);
  localparam logic [69:0] P = 70'h0_ffff_ffff_0000_0001;

  logic [63:0] residue;
  goldilocks_reduce dut (
      .clk,
      .advance,
      .value,
      .residue
  );
  (* hierconn *) wire [32:0] \dut.raised ;
  (* hierconn *) wire [32:0] \dut.lowered ;
  (* hierconn *) wire [31:0] \dut.kept ;
  (* hierconn *) wire [65:0] \dut.difference ;

  // The values under way, and how many have come.
  logic [127:0] first, second, third;
  logic [  2:0] here = 3'd0;
  always_ff @(posedge clk)
    if (advance) begin
      {first, second, third} <= {value, first, second};
      here <= {here[1:0], 1'b1};
    end

  // 2^32 (b + c) + d - (a + b).
  function automatic logic [69:0] folded(input logic [127:0] x);
    folded = {5'd0, {1'b0, x[95:64]} + {1'b0, x[63:32]}, x[31:0]} - {37'd0, {1'b0, x[127:96]} + {1'b0, x[95:64]}};
  endfunction
  logic [69:0] expected;
  assign expected = folded(second);

  logic [5:0] congruent;
  for (genvar i = 0; i < 6; i++) begin : g_multiple
    assign congruent[i] = folded(third) == 70'(residue) + (70'(i) - 70'd3) * P;
  end

  always_comb begin
    if (here[2]) begin
      assert (residue < P[63:0]);
      assert (congruent != 6'd0);
    end
    // What makes it inductive.
    if (here[0]) begin
      assert (\dut.raised == {1'b0, first[95:64]} + {1'b0, first[63:32]});
      assert (\dut.lowered == {1'b0, first[127:96]} + {1'b0, first[95:64]});
      assert (\dut.kept == first[31:0]);
    end
    if (here[1]) assert (\dut.difference == expected[65:0]);
    assert (here[2:1] != 2'b10 && here[1:0] != 2'b10);
  end
endmodule
`default_nettype wire
