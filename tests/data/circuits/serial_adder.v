// Adds two numbers bit by bit, the lowest first; `start` forgets the carry of the last ones.
module serial_adder(input clk, input start, input a, input b, output sum);
  reg carry;
  wire kept = carry & ~start;
  always @(posedge clk) carry <= (a & b) | (a & kept) | (b & kept);
  assign sum = a ^ b ^ kept;
endmodule
