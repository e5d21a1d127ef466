// The sum of two 64-bit numbers, modulo 2^64.
module adder64(input [63:0] a, input [63:0] b, output [63:0] sum);
  assign sum = a + b;
endmodule
