// SPDX-License-Identifier: Apache-2.0
// The sixteen factors that follow a radix-16 transform in the stages of a 65,536-point transform.
//
//   stage    0, 1, 2: forward, digits 3, 2, 1; 4, 5, 6: inverse, digits 0, 1, 2; 3 and 7 have none
//   count    the three digits that the points of the butterfly share
//   factors  lane k: w^(k e) or, of the inverse, w^(-k e), three clocks later, with e =
//              stage 0  c2 c1 c0      stage 4  c0 c1 c2
//              stage 1  c1 c0 0       stage 5  c1 c2 0       (hexadecimal digits of count)
//              stage 2  c0 0  0       stage 6  c2 0  0
//
//   PORTS    1 or 2: so many stages at once; stage, count and factors of the first are the lowest bits
//   ROM_DIR  the folder of the files lane_01.hex .. lane_15.hex, with a slash at its end
//
// Forward is decimation in frequency and leaves the spectrum with its digits in reverse order; the
// inverse takes it so, walks the digits the other way, and restores natural order: there is no pass of
// reversal or transposition. FFT paper, section IV-B.
`default_nettype none
module twiddle_factors #(
    parameter int PORTS = 1,
    parameter ROM_DIR = ""
) (
    input  logic                  clk,
    input  logic [   PORTS*3-1:0] stage,
    input  logic [  PORTS*12-1:0] count,
    output logic [PORTS*1024-1:0] factors
);
  logic [PORTS*13-1:0] address;

  for (genvar i = 0; i < PORTS; i++) begin : g_port
    logic [ 2:0] stage_here;
    logic [11:0] c;
    logic [11:0] exponent;
    assign stage_here = stage[3*i+:3];
    assign c = count[12*i+:12];
    always_comb
      case (stage_here)
        3'd0: exponent = c;
        3'd1: exponent = {c[7:0], 4'd0};
        3'd2: exponent = {c[3:0], 8'd0};
        3'd4: exponent = {c[3:0], c[7:4], c[11:8]};
        3'd5: exponent = {c[7:4], c[11:8], 4'd0};
        3'd6: exponent = {c[11:8], 8'd0};
        default: exponent = 12'd0;
      endcase
    always_ff @(posedge clk) address[13*i+:13] <= {stage_here[2], exponent};
    assign factors[1024*i+:64] = 64'd1;
  end

  for (genvar k = 1; k < 16; k++) begin : g_lane
    localparam logic [7:0] TENS = 8'(48 + k / 10);
    localparam logic [7:0] ONES = 8'(48 + k % 10);
    logic [PORTS*64-1:0] of_lane;
    twiddle_rom #(
        .PORTS(PORTS),
        .FILE ({ROM_DIR, "lane_", TENS, ONES, ".hex"})
    ) rom (
        .clk,
        .advance(1'b1),
        .address,
        .power  (of_lane)
    );
    for (genvar i = 0; i < PORTS; i++) begin : g_factor
      assign factors[1024*i+64*k+:64] = of_lane[64*i+:64];
    end
  end
endmodule
`default_nettype wire
