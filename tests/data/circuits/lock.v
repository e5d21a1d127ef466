// Opens when the digits 3, 1, 2 come one after the other, and stays open until it is reset.
module lock(input clk, input reset, input [1:0] digit, output open);
  reg [1:0] state;
  always @(posedge clk)
    if (reset) state <= 0;
    else if (state == 0) state <= digit == 3 ? 1 : 0;
    else if (state == 1) state <= digit == 1 ? 2 : digit == 3 ? 1 : 0;
    else if (state == 2) state <= digit == 2 ? 3 : digit == 3 ? 1 : 0;
  assign open = state == 3;
endmodule
