// SPDX-License-Identifier: Apache-2.0
// A 4-point transform, and the factors behind it, which are shifts.
//
//   points       four residues of 64 bits
//   j            three clocks later; at once with FORWARD = 0
//   points_next  seven clocks later, eight with FORWARD = 0; in [0, p)
//
//   FORWARD      1: X(q) = 2^(3 q j) sum of x(n) 2^(48 n q); 0: four times the inverse of this
//
// One per clock. Forward: two layers of 2-point transforms 1 and 2, rotation 1, normalization 3. Inverse: rotation 1,
// two layers 2 each, normalization 3. (Remarks to the simulator as in swap_pair.)
// FFT paper, section III-D, whose radix-16 units have the same layers.
`default_nettype none
module radix4_group #(
    parameter int FORWARD = 1
) (
    input  logic         clk,
    input  logic [255:0] points /*verilator public_flat_rd*/,
    input  logic [  3:0] j /*verilator public_flat_rd*/,
    output logic [255:0] points_next
);
  // verilator no_inline_module
  // The layers: numbers 0 .. 3 to 0 .. 3.
  logic [4*192-1:0] layer_in, layer_out, rotation_in, rotated;
  logic [2*192-1:0] even, odd;  // sum and difference of numbers 0, 2 and of numbers 1, 3
  for (genvar n = 0; n < 4; n++) begin : g_rotate
    logic [191:0] product;
    rotate_wide #(
        .BITS(4),
        .STEP(FORWARD != 0 ? 3 * n : (192 - 3 * n) % 192)
    ) rotate (
        .value  (rotation_in[192*n+:192]),
        .amount (j),
        .rotated(product)
    );
    always_ff @(posedge clk) rotated[192*n+:192] <= product;
  end

  if (FORWARD != 0) begin : g_first
    assign layer_in = '0;
    for (genvar n = 0; n < 2; n++) begin : g_pair
      logic [63:0] a, b;
      logic [191:0] sum, difference;
      assign a = points[64*n+:64];
      assign b = points[64*(n+2)+:64];
      always_ff @(posedge clk) begin
        sum <= {127'd0, {1'b0, a} + {1'b0, b}};
        difference <= {32'd0, b, 32'd0, a};  // a + 2^96 b = a - b
      end
      if (n == 0) begin : g_even
        assign even = {difference, sum};
      end else begin : g_odd
        assign odd = {difference, sum};
      end
    end
    assign rotation_in = layer_out;
  end else begin : g_first
    for (genvar n = 0; n < 4; n++) begin : g_wide
      assign rotation_in[192*n+:192] = {128'd0, points[64*n+:64]};
    end
    assign layer_in = rotated;
    for (genvar n = 0; n < 2; n++) begin : g_pair
      logic [191:0] sum, difference;
      radix2_butterfly #(
          .SHIFT(0)
      ) butterfly (
          .clk,
          .a(layer_in[192*n+:192]),
          .b(layer_in[192*(n+2)+:192]),
          .sum,
          .difference
      );
      if (n == 0) begin : g_even
        assign even = {difference, sum};
      end else begin : g_odd
        assign odd = {difference, sum};
      end
    end
  end

  // Backwards, 2^-48 = -2^48: numbers 1 and 3 change places.
  localparam int ONE = FORWARD != 0 ? 1 : 3;
  radix2_butterfly #(
      .SHIFT(0)
  ) butterfly_02 (
      .clk,
      .a         (even[191:0]),
      .b         (odd[191:0]),
      .sum       (layer_out[191:0]),
      .difference(layer_out[2*192+:192])
  );
  radix2_butterfly #(
      .SHIFT(48)
  ) butterfly_13 (
      .clk,
      .a         (even[383:192]),
      .b         (odd[383:192]),
      .sum       (layer_out[192*ONE+:192]),
      .difference(layer_out[192*(4-ONE)+:192])
  );

  for (genvar n = 0; n < 4; n++) begin : g_output
    goldilocks_normalize normalize (
        .clk,
        .value  (FORWARD != 0 ? rotated[192*n+:192] : layer_out[192*n+:192]),
        .residue(points_next[64*n+:64])
    );
  end
  logic unused;
  assign unused = &{1'b0, layer_in};
endmodule
`default_nettype wire
