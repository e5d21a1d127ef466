// The 32 lower bits of the product of two 32-bit numbers.
module multiply32(input [31:0] a, input [31:0] b, output [31:0] product);
  assign product = a * b;
endmodule
