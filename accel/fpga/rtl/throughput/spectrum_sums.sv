// SPDX-License-Identifier: Apache-2.0
// Adds up spectra of 4,096 points, two sums side by side.
//
//   tag          of a beat, as multiplier_throughput says; its clock is below 256
//   first        of a sum, in all of its beats: both sums begin with these
//   last         the first sum leaves
//   leaves       the second sum leaves: products_a, products_b are zeros. Never with first or last
//   products_a,  what is added, in [0, p)
//   products_b
//   tag_next     of a beat of a sum that leaves, three clocks later; else 0
//   sums         its points in [0, p)
//
// One beat per clock. A place in memory is read again at least 256 clocks after it was read. A sum that leaves is
// overwritten by zeros.
`default_nettype none
module spectrum_sums (
    input  logic          clk,
    input  logic [  15:0] tag,
    input  logic          first,
    input  logic          last,
    input  logic          leaves,
    input  logic [1023:0] products_a,
    input  logic [1023:0] products_b,
    output logic [  15:0] tag_next,
    output logic [1023:0] sums
);
  localparam int CLOCKS = 3;

  // First clock: what was added up before.
  logic [1023:0] memory_a[256], memory_b[256];
  logic [1023:0] kept_a, kept_b, now_a, now_b, sums_a, sums_b, unused_a, unused_b;
  logic begins;
  always_ff @(posedge clk) begin
    kept_a <= memory_a[tag[7:0]];
    kept_b <= memory_b[tag[7:0]];
    now_a <= products_a;
    now_b <= products_b;
    begins <= first;
  end

  // Second and third clock: the sums.
  for (genvar i = 0; i < 16; i++) begin : g_point
    goldilocks_sum_difference add_a (
        .clk,
        .advance   (1'b1),
        .a         (begins ? 64'd0 : kept_a[64*i+:64]),
        .b         (now_a[64*i+:64]),
        .sum       (sums_a[64*i+:64]),
        .difference(unused_a[64*i+:64])
    );
    goldilocks_sum_difference add_b (
        .clk,
        .advance   (1'b1),
        .a         (begins ? 64'd0 : kept_b[64*i+:64]),
        .b         (now_b[64*i+:64]),
        .sum       (sums_b[64*i+:64]),
        .difference(unused_b[64*i+:64])
    );
  end

  logic [15:0] tag_here;
  logic last_here, leaves_here;
  delay_line #(
      .WIDTH (18),
      .CLOCKS(CLOCKS)
  ) to_sums (
      .clk,
      .in ({last, leaves, tag}),
      .out({last_here, leaves_here, tag_here})
  );
  always_ff @(posedge clk)
    if (tag_here[15]) begin
      memory_a[tag_here[7:0]] <= last_here ? '0 : sums_a;
      memory_b[tag_here[7:0]] <= leaves_here ? '0 : sums_b;
    end
  assign tag_next = last_here || leaves_here ? tag_here : 16'd0;
  assign sums = leaves_here ? sums_b : sums_a;

  logic unused;
  assign unused = &{1'b0, unused_a, unused_b};
endmodule
`default_nettype wire
