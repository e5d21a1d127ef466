// SPDX-License-Identifier: Apache-2.0
// The forward transform of multiplier_throughput: sixteen points a clock, 2^12 .. 2^LOG2_POINTS points.
//
//   longest            no transform under way has a larger size; at most LOG2_POINTS - 12
//   tag, points        a beat: its tag, as multiplier_throughput says, and sixteen residues in [0, p): point
//                      16 c + l in clock c, lane l
//   first_clock,       addresses of transform_factors,
//   second_clock
//   first_factors,     whose words come two clocks later
//   second_factors
//   spectrum_tag,      X(k) = sum of x(n) w^(n k), N = 2^(12 + size) points, w of order N; in clock
//   spectrum           c = 256 k0 + 64 q1 + 4 r1 + q2, lane r2, k = k0' + (N / 4096) (q1 + 4 r1 + 64 (q2 + 4 r2)), k0'
//                      the size lower bits of k0 in reverse order
//
//   lend               with LENDS = 1: all transforms have 4,096 points, whose first factors are 1, and the multipliers
//   lent_points        of these have other products: of lent_points and, two clocks later, lent_factors, in [0, p)
//   lent_factors
//   lent_products      nine clocks after the points
//
//   LOG2_POINTS        12 .. 16
//   LENDS              0: lent_products is 0
//
// One beat per clock; transforms of any lengths may follow one another with or without clocks between them. Three
// passes of radix N / 4096, 64 and 64, decimation in frequency; inside of a pass all factors are shifts:
//   first    index bits 12 ..  clocks 256 .. 2048 apart: feedback_stage, one for each bit; those of bits that `longest`
//                              excludes are passed by
//   second   bits 11 .. 6      clocks 4 .. 128 apart: radix 4 and radix 16, with the lanes exchanged for clocks
//   third    bits 5 .. 0       clocks 1, 2 apart and the lanes: third_pass
// Clocks: 256 (2^longest - 1) + 5 longest, 9 of the product (none for LOG2_POINTS = 12), 533, 9, 27.
// FFT paper, sections III-D and IV-B; design: radix 64, streaming.
`default_nettype none
module forward_transform #(
    parameter int LOG2_POINTS = 16,
    parameter int LENDS = 0
) (
    input  logic          clk,
    input  logic [   2:0] longest,
    input  logic [  15:0] tag,
    input  logic [1023:0] points,
    output logic [  11:0] first_clock,
    input  logic [1023:0] first_factors,
    output logic [   7:0] second_clock,
    input  logic [1023:0] second_factors,
    input  logic          lend,
    input  logic [1023:0] lent_points,
    input  logic [1023:0] lent_factors,
    output logic [1023:0] lent_products,
    output logic [  15:0] spectrum_tag,
    output logic [1023:0] spectrum
);
  localparam int STAGES = LOG2_POINTS - 12;
  localparam int FIRST = 9;  // clocks of the first factors

  // First pass: stage i is between levels i + 1 and i; the beats come in at level `longest`.
  logic [16*(STAGES+1)-1:0] tags;
  logic [1024*(STAGES+1)-1:0] levels;
  assign tags[16*STAGES+:16] = tag;
  assign levels[1024*STAGES+:1024] = points;
  for (genvar i = 0; i < STAGES; i++) begin : g_stage
    logic [15:0] tag_staged;
    logic [1023:0] points_staged;
    feedback_stage #(
        .LOG2_DISTANCE(8 + i),
        .FORWARD      (1)
    ) stage (
        .clk,
        .tag        (tags[16*(i+1)+:16]),
        .points     (levels[1024*(i+1)+:1024]),
        .tag_next   (tag_staged),
        .points_next(points_staged)
    );
    assign tags[16*i+:16] = longest == 3'(i) ? tag : tag_staged;
    assign levels[1024*i+:1024] = longest == 3'(i) ? points : points_staged;
  end
  if (STAGES == 0) begin : g_one_length
    logic unused;
    assign unused = &{1'b0, longest};
  end

  logic [15:0] tag_first;
  logic [1023:0] points_first;
  assign first_clock = tags[11:0];
  if (STAGES > 0 && LENDS != 0) begin : g_first
    logic [1023:0] multiplied, passed;
    twiddle_products products (
        .clk,
        .tag        (tags[15:0]),
        .points     (lend ? lent_points : levels[1023:0]),
        .factors    (lend ? lent_factors : first_factors),
        .tag_next   (tag_first),
        .points_next(multiplied)
    );
    delay_line #(
        .WIDTH (1024),
        .CLOCKS(FIRST)
    ) pass (
        .clk,
        .in (levels[1023:0]),
        .out(passed)
    );
    assign points_first = lend ? passed : multiplied;
    assign lent_products = multiplied;
  end else if (STAGES > 0) begin : g_first
    twiddle_products products (
        .clk,
        .tag        (tags[15:0]),
        .points     (levels[1023:0]),
        .factors    (first_factors),
        .tag_next   (tag_first),
        .points_next(points_first)
    );
    assign lent_products = '0;
  end else begin : g_first
    assign tag_first = tags[15:0];
    assign points_first = levels[1023:0];
    if (LENDS != 0) begin : g_lends
      logic [15:0] unused_tag;
      twiddle_products products (
          .clk,
          .tag        (16'd0),
          .points     (lent_points),
          .factors    (lent_factors),
          .tag_next   (unused_tag),
          .points_next(lent_products)
      );
      logic unused_lend;
      assign unused_lend = &{1'b0, unused_tag};
    end else begin : g_lends_nothing
      assign lent_products = '0;
    end
    logic unused;
    assign unused = &{1'b0, first_factors};
  end
  logic unused_lent;
  assign unused_lent = &{1'b0, lend, lent_points, lent_factors};

  // Second pass.
  logic [15:0] tag_a, tag_b, tag_c, tag_d, tag_e, tag_second;
  logic [1023:0] points_a, points_b, points_c, points_d, points_e, points_second;
  swap_lanes #(
      .LOW (6),
      .BITS(2)
  ) swap_a (
      .clk,
      .tag        (tag_first),
      .points     (points_first),
      .tag_next   (tag_a),
      .points_next(points_a)
  );
  radix4_lanes #(
      .FORWARD(1),
      .LANES  (0)
  ) radix4_b (
      .clk,
      .tag        (tag_a),
      .points     (points_a),
      .tag_next   (tag_b),
      .points_next(points_b)
  );
  swap_lanes #(
      .LOW (6),
      .BITS(2)
  ) swap_c (
      .clk,
      .tag        (tag_b),
      .points     (points_b),
      .tag_next   (tag_c),
      .points_next(points_c)
  );
  swap_lanes #(
      .LOW (2),
      .BITS(4)
  ) swap_d (
      .clk,
      .tag        (tag_c),
      .points     (points_c),
      .tag_next   (tag_d),
      .points_next(points_d)
  );
  radix16_lanes #(
      .INVERSE(0)
  ) radix16_e (
      .clk,
      .tag        (tag_d),
      .points     (points_d),
      .tag_next   (tag_e),
      .points_next(points_e)
  );
  swap_lanes #(
      .LOW (2),
      .BITS(4)
  ) swap_f (
      .clk,
      .tag        (tag_e),
      .points     (points_e),
      .tag_next   (tag_second),
      .points_next(points_second)
  );

  // Third pass.
  logic [15:0] tag_g;
  logic [1023:0] points_g;
  assign second_clock = tag_second[7:0];
  twiddle_products products_g (
      .clk,
      .tag        (tag_second),
      .points     (points_second),
      .factors    (second_factors),
      .tag_next   (tag_g),
      .points_next(points_g)
  );
  third_pass last (
      .clk,
      .tag     (tag_g),
      .points  (points_g),
      .tag_next(spectrum_tag),
      .spectrum
  );
endmodule
`default_nettype wire
