// SPDX-License-Identifier: Apache-2.0
// Products of polynomials modulo q: up to N coefficients below q < 2^C to an operand.
//
//   in_valid, in_ready       a message moves in a clock in which both are 1:
//     in_kind                  0 COEFFICIENT, 1 MODULUS, 2 SIZE
//     in_a, in_b               four lanes each, lane 0 in the lowest bits
//       COEFFICIENT              lane i: the coefficient j + i n/4 of an operand; j = 0 ... n/4 - 1 follow
//                                one another; all below q
//       MODULUS                  lane 0 of a: q of exactly C bits; of b: floor((2^(2C) - 1) / q) - 2^C
//       SIZE                     lane 0 of a: n/4, where n is a power of two, 8 <= n <= N; of b: 0
//   out_valid, out_ready     n/4 beats of a product, in an order that only n decides:
//     out_index                j
//     out_coefficients         lane i of eight: the coefficient j + i n/4; the last of all is 0
//
//   C                        64, 128, 192: the generated modules must be those of C
//   N                        a power of two, 8 to 2048
//
// After a reset a MODULUS and a SIZE come first; later ones wherever a product has ended: they travel with
// the data, so nothing need be waited for. A product every 3^(log2 n - 2) clocks while neither side stalls.
// Karatsuba paper, figures 4 and 5; the modules karatsuba_* are generated from dslx/.
`default_nettype none
module polynomial_multiplier #(
    parameter int C = 64,
    parameter int N = 128
) (
    input  logic           clk,
    input  logic           reset,
    input  logic           in_valid,
    output logic           in_ready,
    input  logic [    1:0] in_kind,
    input  logic [4*C-1:0] in_a,
    input  logic [4*C-1:0] in_b,
    output logic           out_valid,
    input  logic           out_ready,
    output logic [    9:0] out_index,
    output logic [8*C-1:0] out_coefficients
);
  localparam int SUBTREES = 9;

  // Down: one message for all subtrees; a word moves when all take it.
  logic fork_valid, fork_ready;
  logic [18*C+1:0] fork_data;
  logic [1:0] fork_kind;
  logic [9*C-1:0] fork_a, fork_b;
  logic [SUBTREES-1:0] branch_ready;
  assign fork_ready = &branch_ready;
  assign {fork_kind, fork_a, fork_b} = fork_data;

  // Up: the same number of words from all subtrees, with the same kind and index: those of the first count.
  logic join_valid, join_ready;
  logic [1:0] join_kind;
  logic [9:0] join_index;
  logic [9*C-1:0] join_low, join_high;
  logic [SUBTREES-1:0] pair_valid;
  // verilator lint_off UNUSEDSIGNAL
  logic [SUBTREES*12-1:0] pair_heads;
  // verilator lint_on UNUSEDSIGNAL
  assign join_valid = &pair_valid;
  assign {join_kind, join_index} = pair_heads[11:0];

  karatsuba_fork fork_level (
      .clk(clk),
      .reset(reset),
      .fork__input_valid(in_valid),
      .fork__input_ready(in_ready),
      .fork__input_data({in_kind, in_a, in_b}),
      .fork__output_valid(fork_valid),
      .fork__output_ready(fork_ready),
      .fork__output_data(fork_data)
  );

  for (genvar i = 0; i < SUBTREES; i++) begin : subtrees
    subtree #(
        .C(C),
        .SIZE(N / 4)
    ) tree (
        .clk(clk),
        .reset(reset),
        .in_valid(fork_valid && fork_ready),
        .in_ready(branch_ready[i]),
        .in({fork_kind, fork_a[i*C+:C], fork_b[i*C+:C]}),
        .out_valid(pair_valid[i]),
        .out_ready(join_valid && join_ready),
        .out({pair_heads[i*12+:12], join_low[i*C+:C], join_high[i*C+:C]})
    );
  end

  karatsuba_join join_level (
      .clk(clk),
      .reset(reset),
      .join__input_valid(join_valid),
      .join__input_ready(join_ready),
      .join__input_data({join_kind, join_index, join_low, join_high}),
      .join__output_valid(out_valid),
      .join__output_ready(out_ready),
      .join__output_data({out_index, out_coefficients})
  );
endmodule
`default_nettype wire
