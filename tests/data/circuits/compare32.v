// Compares two 32-bit numbers, and gives the smaller one.
module compare32(input [31:0] a, input [31:0] b, output less, output equal, output [31:0] smaller);
  assign less = a < b;
  assign equal = a == b;
  assign smaller = less ? a : b;
endmodule
