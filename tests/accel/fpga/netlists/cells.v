// SPDX-License-Identifier: Apache-2.0
// Look-up tables and registers of a Xilinx 7-series part, for techmap: cells of Yosys that it writes as one statement of
// Verilog each, where Yosys's own models of them take Verilator ten times the memory. A cell with another parameter, as of
// an inverted clock, is an error.
module LUT1 #(parameter [1:0] INIT = 0) (output O, input I0);
  \$lut #(.WIDTH(1), .LUT(INIT)) cell (.A(I0), .Y(O));
endmodule

module LUT2 #(parameter [3:0] INIT = 0) (output O, input I0, I1);
  \$lut #(.WIDTH(2), .LUT(INIT)) cell (.A({I1, I0}), .Y(O));
endmodule

module LUT3 #(parameter [7:0] INIT = 0) (output O, input I0, I1, I2);
  \$lut #(.WIDTH(3), .LUT(INIT)) cell (.A({I2, I1, I0}), .Y(O));
endmodule

module LUT4 #(parameter [15:0] INIT = 0) (output O, input I0, I1, I2, I3);
  \$lut #(.WIDTH(4), .LUT(INIT)) cell (.A({I3, I2, I1, I0}), .Y(O));
endmodule

module LUT5 #(parameter [31:0] INIT = 0) (output O, input I0, I1, I2, I3, I4);
  \$lut #(.WIDTH(5), .LUT(INIT)) cell (.A({I4, I3, I2, I1, I0}), .Y(O));
endmodule

module LUT6 #(parameter [63:0] INIT = 0) (output O, input I0, I1, I2, I3, I4, I5);
  \$lut #(.WIDTH(6), .LUT(INIT)) cell (.A({I5, I4, I3, I2, I1, I0}), .Y(O));
endmodule

// A reset goes before the clock enable. An INIT of x is a random value.
module FDRE #(parameter [0:0] INIT = 0) (output Q, input C, CE, D, R);
  (* init = INIT *) wire q;
  \$sdffe #(.WIDTH(1), .CLK_POLARITY(1'b1), .EN_POLARITY(1'b1), .SRST_POLARITY(1'b1), .SRST_VALUE(1'b0))
    cell (.CLK(C), .EN(CE), .SRST(R), .D(D), .Q(q));
  assign Q = q;
endmodule

module FDSE #(parameter [0:0] INIT = 0) (output Q, input C, CE, D, S);
  (* init = INIT *) wire q;
  \$sdffe #(.WIDTH(1), .CLK_POLARITY(1'b1), .EN_POLARITY(1'b1), .SRST_POLARITY(1'b1), .SRST_VALUE(1'b1))
    cell (.CLK(C), .EN(CE), .SRST(S), .D(D), .Q(q));
  assign Q = q;
endmodule
