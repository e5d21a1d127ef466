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

  // Sum and difference.
  logic [63:0] first, now, corrected, stored;
  logic [64:0] sum;
  logic [65:0] difference;
  memory_line #(
      .WIDTH (64),
      .CLOCKS(DISTANCE - STORE)
  ) waiting (
      .clk,
      .advance(1'b1),
      .in     (stored),
      .out    (first)
  );
  goldilocks_correct correct (
      .value  (difference),
      .residue(corrected)
  );
  always_ff @(posedge clk) begin
    difference <= second ? {2'b00, first} - {2'b00, now} : {2'b00, now};
    stored <= corrected;
    sum <= {1'b0, first} + (second ? {1'b0, now} : 65'd0);
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
    logic [63:0] residue;
    assign straight = {128'd0, point};
    assign now = rotated;
    goldilocks_correct correct_sum (
        .value  ({1'b0, sum}),
        .residue(residue)
    );
    always_ff @(posedge clk) point_next <= residue;
  end
endmodule
`default_nettype wire
