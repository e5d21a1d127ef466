// SPDX-License-Identifier: Apache-2.0
// Sums modulo 2^192 - 1, where the carry out of the top bit enters at the bottom.
//
//   a, b   any 192 bits; all ones stands for zero, as zero does
//   sum    a + b modulo 2^192 - 1, two clocks later; three with REGISTER_CARRIES = 1
//
// One sum per clock. Six segments of 32 bits add by themselves; then the carry into each is found
// from all others, around the end, since a segment generates (its sum has a carry), propagates (its
// sum is all ones) or neither; then each takes its carry. No chain is longer than 32 bits.
// FFT paper, section III-D.
`default_nettype none
module end_around_add #(
    parameter int REGISTER_CARRIES = 0
) (
    input  logic         clk,
    input  logic [191:0] a,
    input  logic [191:0] b,
    output logic [191:0] sum
);
  localparam int SEGMENTS = 6;

  logic [191:0] partial, incremented, waiting;
  logic [SEGMENTS-1:0] generates, propagates, carries, entering;

  for (genvar i = 0; i < SEGMENTS; i++) begin : g_segment
    always_ff @(posedge clk)
      {generates[i], partial[32*i+:32]} <= {1'b0, a[32*i+:32]} + {1'b0, b[32*i+:32]};
    assign propagates[i] = &partial[32*i+:32];
    assign incremented[32*i+:32] = waiting[32*i+:32] + {31'd0, entering[i]};
  end

  // Twice around: the carry that leaves the first turn enters the second.
  logic [SEGMENTS:0] first_turn, second_turn;
  carry_lookahead #(
      .DIGITS(SEGMENTS)
  ) first (
      .generates,
      .critical(propagates),
      .carry_in(1'b0),
      .carries (first_turn)
  );
  carry_lookahead #(
      .DIGITS(SEGMENTS)
  ) second (
      .generates,
      .critical(propagates),
      .carry_in(first_turn[SEGMENTS]),
      .carries (second_turn)
  );
  assign carries = second_turn[SEGMENTS-1:0];
  logic unused;
  assign unused = &{1'b0, first_turn[SEGMENTS-1:0], second_turn[SEGMENTS]};

  if (REGISTER_CARRIES != 0) begin : g_three_clocks
    always_ff @(posedge clk) begin
      waiting <= partial;
      entering <= carries;
    end
  end else begin : g_two_clocks
    assign waiting = partial;
    assign entering = carries;
  end

  always_ff @(posedge clk) sum <= incremented;
endmodule
`default_nettype wire
