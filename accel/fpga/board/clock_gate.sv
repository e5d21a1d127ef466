// SPDX-License-Identifier: Apache-2.0
// In place of rtl/parts/clock_gate.sv on the card: a clock that never stops. There only the low-latency multiplier has
// one, which could rest while other engines work; a buffer behind that of the clock would be later than it by more than
// a path may be early. Not for modules that wait by their gate (rtl/throughput, rtl/super_size).
`default_nettype none
module clock_gate (
    input  logic clk,
    input  logic enable,
    output logic gated
);
  assign gated = clk;
  logic unused;
  assign unused = enable;
endmodule
`default_nettype wire
