// The sixteen factors that follow a radix-16 transform in the stages of a 65,536-point transform.
//
//   stage    0, 1, 2: forward, digits 3, 2, 1; 4, 5, 6: inverse, digits 0, 1, 2; 3 and 7 have none
//   count    the three digits that the points of the butterfly share
//   factors  lane k: w^(k e) or, of the inverse, w^(-k e), three clocks later, with e =
//              stage 0  c2 c1 c0      stage 4  c0 c1 c2
//              stage 1  c1 c0 0       stage 5  c1 c2 0       (hexadecimal digits of count)
//              stage 2  c0 0  0       stage 6  c2 0  0
//
//   ROM_DIR  the folder of the files lane_01.hex .. lane_15.hex, with a slash at its end
//
// Forward is decimation in frequency and leaves the spectrum with its digits in reverse order; the
// inverse takes it so, walks the digits the other way, and restores natural order: there is no pass of
// reversal or transposition. FFT paper, section IV-B.
`default_nettype none
module twiddle_factors #(
    parameter ROM_DIR = ""
) (
    input  logic          clk,
    input  logic [   2:0] stage,
    input  logic [  11:0] count,
    output logic [1023:0] factors
);
  logic [11:0] exponent;
  logic [12:0] address;

  always_comb
    case (stage)
      3'd0: exponent = count;
      3'd1: exponent = {count[7:0], 4'd0};
      3'd2: exponent = {count[3:0], 8'd0};
      3'd4: exponent = {count[3:0], count[7:4], count[11:8]};
      3'd5: exponent = {count[7:4], count[11:8], 4'd0};
      3'd6: exponent = {count[11:8], 8'd0};
      default: exponent = 12'd0;
    endcase
  always_ff @(posedge clk) address <= {stage[2], exponent};

  assign factors[63:0] = 64'd1;
  for (genvar k = 1; k < 16; k++) begin : g_lane
    localparam logic [7:0] TENS = 8'(48 + k / 10);
    localparam logic [7:0] ONES = 8'(48 + k % 10);
    twiddle_rom #(
        .FILE({ROM_DIR, "lane_", TENS, ONES, ".hex"})
    ) rom (
        .clk,
        .advance(1'b1),
        .address,
        .power(factors[64*k+:64])
    );
  end
endmodule
`default_nettype wire
