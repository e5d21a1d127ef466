// SPDX-License-Identifier: Apache-2.0
// The whole words in so many bits.
//
//   start     with bits, which holds still until done
//   quotient  floor(bits / BITS), when done = 1
//   done      from 32 clocks after start to the next start
//
// A restoring division, a bit of the quotient a clock.
`default_nettype none
module word_quotient #(
    parameter int BITS = 224
) (
    input  logic        clk,
    input  logic        reset,
    input  logic        start,
    input  logic [31:0] bits,
    output logic [31:0] quotient,
    output logic        done
);
  localparam logic [32:0] DIVISOR = 33'(BITS);

  logic [5:0] left;
  logic [31:0] remainder, dividend;
  logic [32:0] next, less;
  assign done = left == 6'd0;
  assign next = {remainder, dividend[31]};
  assign less = next - DIVISOR;

  always_ff @(posedge clk) begin
    if (reset) left <= 6'd0;
    else if (start) left <= 6'd32;
    else if (!done) left <= left - 6'd1;
    if (start) begin
      remainder <= 32'd0;
      dividend <= bits;
    end else if (!done) begin
      remainder <= less[32] ? next[31:0] : less[31:0];
      dividend <= {dividend[30:0], 1'b0};
      quotient <= {quotient[30:0], !less[32]};
    end
  end
endmodule
`default_nettype wire
