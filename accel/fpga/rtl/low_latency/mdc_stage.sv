// SPDX-License-Identifier: Apache-2.0
// One stage of a serial radix-2 transform: a delay commutator and a butterfly, two points a clock.
//
//   advance                  0 holds everything
//   index                    which pair of its block comes in; 2^INDEX_BITS pairs a block, without a gap
//   upper, lower             the pair of the stage before, in [0, p)
//   index_next, upper_next,  the pairs of this stage, D + 17 clocks later
//   lower_next
//
//   INDEX_BITS     log2 of the pairs
//   LOG2_DISTANCE  D = 2^LOG2_DISTANCE: the points of a butterfly came in D clocks apart, both of them in
//                  `upper` or both in `lower`
//   FORWARD        1: factor i / D for butterfly i; 0: factor i mod 2 D
//   SCALE          1: the upper point is multiplied too, by 1/2^(INDEX_BITS + 1); the factors of the lower
//                  one hold it
//   FILE           the factors
//
// The lower line delays by D; then the branches change places for D clocks out of 2 D; then the upper
// line delays by D. Out comes butterfly i: a(i), b(i) with a, b from `upper` for i mod 2 D < D, from
// `lower` else; it gives a + f b, a - f b. Clocks: D in the commutator, 8 spare ones, 7 of the product, 2 of
// sum and difference. The paper's 17 have 12 for the 64-bit product alone: a deeper multiplier would take
// its clocks from the spare ones.
// LHW paper, section 4.1 and Fig. 3.
`default_nettype none
module mdc_stage #(
    parameter int INDEX_BITS = 7,
    parameter int LOG2_DISTANCE = 6,
    parameter int FORWARD = 1,
    parameter int SCALE = 0,
    parameter FILE = ""
) (
    input  logic                  clk,
    input  logic                  advance,
    input  logic [INDEX_BITS-1:0] index,
    input  logic [          63:0] upper,
    input  logic [          63:0] lower,
    output logic [INDEX_BITS-1:0] index_next,
    output logic [          63:0] upper_next,
    output logic [          63:0] lower_next
);
  localparam int DISTANCE = 2 ** LOG2_DISTANCE;
  localparam int SPARE = 8;
  localparam int MULTIPLY = 7;
  localparam int LATENCY = DISTANCE + SPARE + MULTIPLY + 2;
  localparam int FETCH = 3;  // clocks from an index to the factor
  localparam int LOW = FORWARD == 1 ? LOG2_DISTANCE : 0;
  localparam int ADDRESS_BITS = FORWARD == 1 ? INDEX_BITS - LOG2_DISTANCE : LOG2_DISTANCE + 1;
  localparam logic [63:0] MODULUS = 64'hffff_ffff_0000_0001;
  localparam int LOG2_POINTS = INDEX_BITS + 1;
  // 1/2^n = 1 - (2^64 - 2^32) / 2^n
  localparam logic [63:0] POINTS_INVERSE =
      MODULUS - (64'd1 << (64 - LOG2_POINTS)) + (64'd1 << (32 - LOG2_POINTS));

  // Commutator.
  logic swapped;
  logic [63:0] lower_delayed, a_early, b_early, a, b, factor, product;

  assign swapped = index[LOG2_DISTANCE];
  assign a_early = swapped ? lower_delayed : upper;
  assign b_early = swapped ? upper : lower_delayed;
  memory_line #(
      .CLOCKS(DISTANCE)
  ) line_lower (
      .clk,
      .advance,
      .in (lower),
      .out(lower_delayed)
  );
  memory_line #(
      .CLOCKS(SPARE)
  ) line_b (
      .clk,
      .advance,
      .in (b_early),
      .out(b)
  );

  // Factors: the address runs ahead of its butterfly.
  logic [INDEX_BITS-1:0] butterfly;
  always_ff @(posedge clk)
    if (advance) begin
      butterfly <= index - INDEX_BITS'(DISTANCE + SPARE - FETCH);
      index_next <= index - INDEX_BITS'(LATENCY - 1);
    end
  twiddle_rom #(
      .WORDS(2 ** ADDRESS_BITS),
      .FILE (FILE)
  ) rom (
      .clk,
      .advance,
      .address(butterfly[LOW+:ADDRESS_BITS]),
      .power  (factor)
  );

  // Butterfly.
  goldilocks_multiply multiply_b (
      .clk,
      .advance,
      .a      (b),
      .b      (factor),
      .product(product)
  );
  if (SCALE == 1) begin : g_scaled
    logic [63:0] a_unscaled;
    memory_line #(
        .CLOCKS(DISTANCE + SPARE)
    ) line_a (
        .clk,
        .advance,
        .in (a_early),
        .out(a_unscaled)
    );
    goldilocks_multiply multiply_a (
        .clk,
        .advance,
        .a      (a_unscaled),
        .b      (POINTS_INVERSE),
        .product(a)
    );
  end else begin : g_plain
    memory_line #(
        .CLOCKS(DISTANCE + SPARE + MULTIPLY)
    ) line_a (
        .clk,
        .advance,
        .in (a_early),
        .out(a)
    );
  end
  goldilocks_sum_difference butterfly_sums (
      .clk,
      .advance,
      .a,
      .b         (product),
      .sum       (upper_next),
      .difference(lower_next)
  );

  logic unused;
  assign unused = &{1'b0, butterfly};
endmodule
`default_nettype wire
