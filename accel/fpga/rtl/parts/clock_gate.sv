// SPDX-License-Identifier: Apache-2.0
// A clock that can be stopped: the part with the name BUFGCE in Xilinx devices, which may replace it.
//
//   enable  of the next rising edge; it settles while clk = 0
//   gated   clk without the edges that are not enabled
`default_nettype none
module clock_gate (
    input  logic clk,
    input  logic enable,
    output logic gated
);
  logic held;
  always_latch if (!clk) held = enable;
  assign gated = clk && held;
endmodule
`default_nettype wire
