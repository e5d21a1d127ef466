// SPDX-License-Identifier: Apache-2.0
// One lane of a feedback_stage.
//
//   point       residue in [0, p)
//   second      the point is the second of a butterfly; with FORWARD = 0, four clocks later
//   turn        the exponent j of the point to rotate: the one that leaves, D + 1 clocks later; with FORWARD = 0, of `point`
//   halve       with FORWARD = 0: the point is of a butterfly
//   point_next  D + 5 clocks later, D + 6 with FORWARD = 0; in [0, p)
//
//   DISTANCE    D
//   STAGE       i: rotations by 96 j / 2^i
//   FORWARD     as in feedback_stage
//
// Forward: sum 1, rotation 1, normalization 3. Inverse: rotation 1, normalization 3, sum 1, correction 1. In the line:
// the difference 1, correction 1. (Remarks to the simulator as in swap_pair.)
`default_nettype none
module feedback_lane #(
    parameter int DISTANCE = 256,
    parameter int STAGE = 0,
    parameter int FORWARD = 1
) (
    input  logic        clk,
    input  logic [63:0] point /*verilator public_flat_rd*/,
    input  logic        second /*verilator public_flat_rd*/,
    input  logic [ 2:0] turn /*verilator public_flat_rd*/,
    input  logic        halve /*verilator public_flat_rd*/,
    output logic [63:0] point_next
);
  // verilator no_inline_module
  localparam int STEP = 96 >> STAGE;
  localparam int STORE = 2;  // clocks from a point to the line

  // Sum and difference of residues. Where they are to be residues again, they are made in [-p, p) first, and those below
  // zero get p more: 2^32 - 1 less modulo 2^64.
  localparam logic [31:0] EPSILON = 32'hffff_ffff;           // 2^64 - p
  localparam logic [64:0] LESS_P = 65'h1_0000_0000_ffff_ffff;  // -p
  logic [63:0] first, now, stored;
  logic [64:0] sum, difference;
  memory_line #(
      .WIDTH (64),
      .CLOCKS(DISTANCE - STORE)
  ) waiting (
      .clk,
      .advance(1'b1),
      .in     (stored),
      .out    (first)
  );
  always_ff @(posedge clk) begin
    difference <= second ? {1'b0, first} - {1'b0, now} : {1'b0, now};
    stored <= difference[63:0] - {32'd0, difference[64] ? EPSILON : 32'd0};
    sum <= {1'b0, first} + (second ? {1'b0, now} : 65'd0) + (FORWARD != 0 ? 65'd0 : LESS_P);
  end

  // Rotation.
  logic [191:0] straight, turned, wide;
  logic [63:0] rotated;
  rotate_wide #(
      .BITS(3),
      .STEP(FORWARD != 0 ? STEP : 192 - STEP)
  ) rotate (
      .value  (straight),
      .amount (turn),
      .rotated(turned)
  );
  always_ff @(posedge clk)
    wide <= FORWARD == 0 && halve ? {turned[0], turned[191:1]} : turned;
  goldilocks_normalize normalize (
      .clk,
      .value  (wide),
      .residue(rotated)
  );

  // Their order.
  if (FORWARD != 0) begin : g_forward
    assign now = point;
    assign straight = {127'd0, sum};
    assign point_next = rotated;
    logic unused;
    assign unused = halve;
  end else begin : g_inverse
    assign straight = {128'd0, point};
    assign now = rotated;
    always_ff @(posedge clk) point_next <= sum[63:0] - {32'd0, sum[64] ? EPSILON : 32'd0};
  end
endmodule
`default_nettype wire
