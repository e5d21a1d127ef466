// SPDX-License-Identifier: Apache-2.0
// A delay commutator of two lanes.
//
//   lower, upper             the lanes
//   crossed                  they change places: the lower lane's point with what the upper one had D clocks ago
//   lower_next, upper_next   D + 1 clocks later
//
//   DISTANCE                 D
//
// The upper lane is late by D; then comes the choice, then a register; then the lower lane is late by D. (The remarks
// to the simulator keep one copy of its code for all instances, here and in the other modules of this folder: its
// program is a tenth as long.) LHW paper, Fig. 3.
`default_nettype none
module swap_pair #(
    parameter int DISTANCE = 1
) (
    input  logic        clk,
    input  logic        crossed /*verilator public_flat_rd*/,
    input  logic [63:0] lower /*verilator public_flat_rd*/,
    input  logic [63:0] upper /*verilator public_flat_rd*/,
    output logic [63:0] lower_next,
    output logic [63:0] upper_next
);
  // verilator no_inline_module
  logic [63:0] upper_late;
  memory_line #(
      .WIDTH (64),
      .CLOCKS(DISTANCE)
  ) line_upper (
      .clk,
      .advance(1'b1),
      .in     (upper),
      .out    (upper_late)
  );
  always_ff @(posedge clk) upper_next <= crossed ? lower : upper_late;
  memory_line #(
      .WIDTH (64),
      .CLOCKS(DISTANCE + 1)
  ) line_lower (
      .clk,
      .advance(1'b1),
      .in     (crossed ? upper_late : lower),
      .out    (lower_next)
  );
endmodule
`default_nettype wire
