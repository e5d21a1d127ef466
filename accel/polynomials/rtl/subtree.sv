// SPDX-License-Identifier: Apache-2.0
// One of the nine subtrees: operands of up to SIZE coefficients come one coefficient a clock and leave as their
// product, in pairs of terms. log2 SIZE levels down, a leaf, as many levels up.
//
//   in     an Operands of dslx/messages.x
//   out    a PairOfTerms of dslx/pair.x
//
//   C      bits of a coefficient; the generated modules must be those of C
//   SIZE   a power of two, 2 to 512
//
// One product of n coefficients takes 3^(log2 n) clocks, those of its leaves.
`default_nettype none
module subtree #(
    parameter int C = 64,
    parameter int SIZE = 32
) (
    input  logic            clk,
    input  logic            reset,
    input  logic            in_valid,
    output logic            in_ready,
    input  logic [ 2*C+1:0] in,
    output logic            out_valid,
    input  logic            out_ready,
    output logic [2*C+11:0] out
);
  localparam int LEVELS = $clog2(SIZE);

  // What enters level i on the way down, the leaf at LEVELS; and what leaves it on the way up.
  logic [LEVELS:0] down_valid, down_ready, up_valid, up_ready;
  logic [(LEVELS+1)*(2*C+2)-1:0] down;
  logic [(LEVELS+1)*(C+12)-1:0] up;

  stream_fifo #(
      .WIDTH(2 * C + 2)
  ) entrance (
      .clk(clk),
      .reset(reset),
      .in_valid(in_valid),
      .in_ready(in_ready),
      .in(in),
      .out_valid(down_valid[0]),
      .out_ready(down_ready[0]),
      .out(down[2*C+1:0])
  );

  for (genvar i = 0; i < LEVELS; i++) begin : levels
    split_level #(
        .C(C),
        .DEPTH(SIZE >> (i + 1))
    ) split (
        .clk(clk),
        .reset(reset),
        .in_valid(down_valid[i]),
        .in_ready(down_ready[i]),
        .in(down[i*(2*C+2)+:2*C+2]),
        .out_valid(down_valid[i+1]),
        .out_ready(down_ready[i+1]),
        .out(down[(i+1)*(2*C+2)+:2*C+2])
    );

    combine_level #(
        .C(C),
        .DEPTH(SIZE >> (i + 1))
    ) combine (
        .clk(clk),
        .reset(reset),
        .in_valid(up_valid[i+1]),
        .in_ready(up_ready[i+1]),
        .in(up[(i+1)*(C+12)+:C+12]),
        .out_valid(up_valid[i]),
        .out_ready(up_ready[i]),
        .out(up[i*(C+12)+:C+12])
    );
  end

  karatsuba_leaf leaf (
      .clk(clk),
      .reset(reset),
      .leaf__input_valid(down_valid[LEVELS]),
      .leaf__input_ready(down_ready[LEVELS]),
      .leaf__input_data(down[LEVELS*(2*C+2)+:2*C+2]),
      .leaf__output_valid(up_valid[LEVELS]),
      .leaf__output_ready(up_ready[LEVELS]),
      .leaf__output_data(up[LEVELS*(C+12)+:C+12])
  );

  pair_level #(
      .C(C),
      .DEPTH(SIZE / 2)
  ) pair (
      .clk(clk),
      .reset(reset),
      .in_valid(up_valid[0]),
      .in_ready(up_ready[0]),
      .in(up[C+11:0]),
      .out_valid(out_valid),
      .out_ready(out_ready),
      .out(out)
  );
endmodule
`default_nettype wire
