// Counts up by a step while it is enabled, from 5 on.
module counter(input clk, input enable, input [0:2] step, output [3:0] count, output wrapped);
  reg [3:0] value = 5;
  always @(posedge clk) if (enable) value <= value + step;
  assign count = value;
  assign wrapped = value == 0;
endmodule
