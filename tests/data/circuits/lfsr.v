// A shift register with feedback, x^5 + x^3 + 1. No inputs: its states are all numbers but 0.
module lfsr(input clk, output [4:0] state);
  reg [4:0] bits = 1;
  always @(posedge clk) bits <= {bits[3:0], bits[4] ^ bits[2]};
  assign state = bits;
endmodule
