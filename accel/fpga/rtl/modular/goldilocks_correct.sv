// SPDX-License-Identifier: Apache-2.0
// The last step of every reduction modulo p = 2^64 - 2^32 + 1: a short integer to its residue.
//
//   advance  0 holds everything
//   value    any 66 bits, signed
//   residue  value mod p, in [0, p), two clocks later
//
// One value per clock. value = 2^64 h + l with h in -2..1, and 2^64 = 2^32 - 1 modulo p, so l + h (2^32 - 1) is in
// (-p, 2p). Modulo 2^64 an addition of p is one of -(2^32 - 1): the residue is l + t (2^32 - 1) with t = h or, where p is
// left to be added or subtracted, t = h - 1 or h + 1. Clock 1: t, by comparisons of l with constants; 2: the sum.
// FFT paper, section III-C.
`default_nettype none
module goldilocks_correct (
    input  logic        clk,
    input  logic        advance,
    input  logic [65:0] value,
    output logic [63:0] residue
);
  logic [63:0] low;
  logic signed [2:0] times;
  assign low = value[63:0];
  always_comb
    case (value[65:64])
      2'b01: times = (&low[63:33]) && (|low[32:1]) ? 3'sd2 : 3'sd1;       // low >= 2^64 - 2^33 + 2
      2'b00: times = (&low[63:32]) && (|low[31:0]) ? 3'sd1 : 3'sd0;       // low >= p
      2'b11: times = !(|low[63:32]) && !(&low[31:0]) ? -3'sd2 : -3'sd1;   // low < 2^32 - 1
      2'b10: times = !(|low[63:33]) && !(&low[32:1]) ? -3'sd3 : -3'sd2;   // low < 2^33 - 2
    endcase

  // t (2^32 - 1) modulo 2^64 in halves, both signed: -t, and t less the 1 that a negative -t takes from it.
  logic [63:0] kept;
  logic signed [2:0] upper, lower;
  always_ff @(posedge clk)
    if (advance) begin
      kept <= low;
      upper <= times > 3'sd0 ? times - 3'sd1 : times;
      lower <= -times;
      residue <= kept + {{29{upper[2]}}, upper, {29{lower[2]}}, lower};
    end
endmodule
`default_nettype wire
