// SPDX-License-Identifier: Apache-2.0
// Powers of the root W of order 2^21, two at a time.
//
//   advance    0 holds everything
//   exponents  two of 21 bits, the first lowest
//   powers     W^exponent in [0, p), nine clocks later
//
//   ROM_DIR    the folder of the files powers_low.hex and powers_high.hex, with a slash at its end
//
// W^e = W^(2048 floor(e / 2048)) W^(e mod 2048): two memories with two ports each, and a product.
`default_nettype none
module root_powers #(
    parameter ROM_DIR = ""
) (
    input  logic         clk,
    input  logic         advance,
    input  logic [ 41:0] exponents,
    output logic [127:0] powers
);
  logic [127:0] high, low;
  twiddle_rom #(
      .WORDS(1024),
      .PORTS(2),
      .FILE ({ROM_DIR, "powers_high.hex"})
  ) upper (
      .clk,
      .advance,
      .address({exponents[41:32], exponents[20:11]}),
      .power  (high)
  );
  twiddle_rom #(
      .WORDS(2048),
      .PORTS(2),
      .FILE ({ROM_DIR, "powers_low.hex"})
  ) lower (
      .clk,
      .advance,
      .address({exponents[31:21], exponents[10:0]}),
      .power  (low)
  );
  for (genvar i = 0; i < 2; i++) begin : g_product
    goldilocks_multiply multiply (
        .clk,
        .advance,
        .a      (high[64*i+:64]),
        .b      (low[64*i+:64]),
        .product(powers[64*i+:64])
    );
  end
endmodule
`default_nettype wire
