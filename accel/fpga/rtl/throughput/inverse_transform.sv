// SPDX-License-Identifier: Apache-2.0
// The inverse of forward_transform, step by step backwards: it takes the spectrum in the order in which that leaves
// it, and gives back the points in their natural order.
//
//   longest            as there
//   spectrum_tag,      a beat: its tag, as multiplier_throughput says, and sixteen residues in [0, p)
//   spectrum
//   first_clock,       addresses of transform_factors,
//   second_clock
//   first_factors,     whose words come two clocks later
//   second_factors
//   tag, points        x(n) = 1/N sum of X(k) w^(-n k), as many clocks later as are summed below: point 16 c + l in clock c, lane l
//
//   LOG2_POINTS        12 .. 16
//
// One beat per clock. 1/N: each feedback_stage halves, and the factors behind the third pass have 1/4096.
// Clocks: 28, 9 of the product, 534, and but for LOG2_POINTS = 12: 9 of the product, 256 (2^longest - 1) + 6 longest, and 1
// of the choice among lengths.
// FFT paper, sections III-D and IV-B; design: radix 64, streaming.
`default_nettype none
module inverse_transform #(
    parameter int LOG2_POINTS = 16
) (
    input  logic          clk,
    input  logic [   2:0] longest,
    input  logic [  15:0] spectrum_tag,
    input  logic [1023:0] spectrum,
    output logic [  11:0] first_clock,
    input  logic [1023:0] first_factors,
    output logic [   7:0] second_clock,
    input  logic [1023:0] second_factors,
    output logic [  15:0] tag,
    output logic [1023:0] points
);
  localparam int STAGES = LOG2_POINTS - 12;

  // Third pass.
  logic [15:0] tag_k, tag_j, tag_i, tag_h;
  logic [1023:0] points_k, points_j, points_i, points_h;
  radix16_lanes #(
      .INVERSE(1)
  ) radix16_k (
      .clk,
      .tag        (spectrum_tag),
      .points     (spectrum),
      .tag_next   (tag_k),
      .points_next(points_k)
  );
  swap_lanes #(
      .LOW (0),
      .BITS(2)
  ) swap_j (
      .clk,
      .tag        (tag_k),
      .points     (points_k),
      .tag_next   (tag_j),
      .points_next(points_j)
  );
  radix4_lanes #(
      .FORWARD(0),
      .LANES  (1)
  ) radix4_i (
      .clk,
      .tag        (tag_j),
      .points     (points_j),
      .tag_next   (tag_i),
      .points_next(points_i)
  );
  swap_lanes #(
      .LOW (0),
      .BITS(2)
  ) swap_h (
      .clk,
      .tag        (tag_i),
      .points     (points_i),
      .tag_next   (tag_h),
      .points_next(points_h)
  );

  // Second pass.
  logic [15:0] tag_g, tag_f, tag_e, tag_d, tag_c, tag_b, tag_a;
  logic [1023:0] points_g, points_f, points_e, points_d, points_c, points_b, points_a;
  assign second_clock = tag_h[7:0];
  twiddle_products products_g (
      .clk,
      .tag        (tag_h),
      .points     (points_h),
      .factors    (second_factors),
      .tag_next   (tag_g),
      .points_next(points_g)
  );
  swap_lanes #(
      .LOW (2),
      .BITS(4)
  ) swap_f (
      .clk,
      .tag        (tag_g),
      .points     (points_g),
      .tag_next   (tag_f),
      .points_next(points_f)
  );
  radix16_lanes #(
      .INVERSE(1)
  ) radix16_e (
      .clk,
      .tag        (tag_f),
      .points     (points_f),
      .tag_next   (tag_e),
      .points_next(points_e)
  );
  swap_lanes #(
      .LOW (2),
      .BITS(4)
  ) swap_d (
      .clk,
      .tag        (tag_e),
      .points     (points_e),
      .tag_next   (tag_d),
      .points_next(points_d)
  );
  swap_lanes #(
      .LOW (6),
      .BITS(2)
  ) swap_c (
      .clk,
      .tag        (tag_d),
      .points     (points_d),
      .tag_next   (tag_c),
      .points_next(points_c)
  );
  radix4_lanes #(
      .FORWARD(0),
      .LANES  (0)
  ) radix4_b (
      .clk,
      .tag        (tag_c),
      .points     (points_c),
      .tag_next   (tag_b),
      .points_next(points_b)
  );
  swap_lanes #(
      .LOW (6),
      .BITS(2)
  ) swap_a (
      .clk,
      .tag        (tag_b),
      .points     (points_b),
      .tag_next   (tag_a),
      .points_next(points_a)
  );

  // First pass: stage i is between levels i and i + 1; the beats leave at level `longest`.
  logic [16*(STAGES+1)-1:0] tags;
  logic [1024*(STAGES+1)-1:0] levels;
  assign first_clock = tag_a[11:0];
  if (STAGES > 0) begin : g_first
    twiddle_products products (
        .clk,
        .tag        (tag_a),
        .points     (points_a),
        .factors    (first_factors),
        .tag_next   (tags[15:0]),
        .points_next(levels[1023:0])
    );
  end else begin : g_first
    assign tags[15:0] = tag_a;
    assign levels[1023:0] = points_a;
    logic unused;
    assign unused = &{1'b0, first_factors};
  end
  for (genvar i = 0; i < STAGES; i++) begin : g_stage
    feedback_stage #(
        .LOG2_DISTANCE(8 + i),
        .FORWARD      (0)
    ) stage (
        .clk,
        .tag        (tags[16*i+:16]),
        .points     (levels[1024*i+:1024]),
        .tag_next   (tags[16*(i+1)+:16]),
        .points_next(levels[1024*(i+1)+:1024])
    );
  end
  if (STAGES > 0) begin : g_lengths
    always_ff @(posedge clk) begin
      tag <= tags[16*longest+:16];
      points <= levels[1024*longest+:1024];
    end
  end else begin : g_one_length
    assign tag = tags;
    assign points = levels;
    logic unused;
    assign unused = &{1'b0, longest};
  end
endmodule
`default_nettype wire
