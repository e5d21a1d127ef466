// SPDX-License-Identifier: Apache-2.0
// AES-128 encryption, a block a clock: out is the cipher text of what `in` was 11 clocks before.
//
//   keys   the 11 round keys, the first one lowest
//
// Byte 0 of a block or key is its lowest. FIPS 197, section 5.1.
`default_nettype none
module aes_cipher (
    input  logic          clk,
    input  logic [1407:0] keys,
    input  logic [ 127:0] in,
    output logic [ 127:0] out
);
  localparam int ROUNDS = 10;

  logic [127:0] first;
  logic [128*ROUNDS-1:0] states;  // after each round
  always_ff @(posedge clk) first <= in ^ keys[127:0];
  for (genvar i = 0; i < ROUNDS; i++) begin : g_round
    logic [127:0] previous;
    if (i == 0) begin : g_first
      assign previous = first;
    end else begin : g_later
      assign previous = states[128*(i-1)+:128];
    end
    aes_round #(
        .LAST(i == ROUNDS - 1)
    ) round (
        .clk,
        .in (previous),
        .key(keys[128*(i+1)+:128]),
        .out(states[128*i+:128])
    );
  end
  assign out = states[128*(ROUNDS-1)+:128];
endmodule
`default_nettype wire
