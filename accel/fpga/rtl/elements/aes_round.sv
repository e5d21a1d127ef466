// SPDX-License-Identifier: Apache-2.0
// A round of AES encryption, one clock: in at one clock, out at the next.
//
//   LAST   the last round, which does not mix columns
//
// Byte i of a block, at its bits 8 i and up, is in row i mod 4 and column i / 4 of the state.
// FIPS 197, section 5.1: SubBytes, ShiftRows, MixColumns, AddRoundKey.
`default_nettype none
module aes_round #(
    parameter logic LAST = 1'b0
) (
    input  logic         clk,
    input  logic [127:0] in,
    input  logic [127:0] key,
    output logic [127:0] out
);
  logic [127:0] substituted, shifted, mixed;
  aes_substitute #(
      .BYTES(16)
  ) substitute (
      .in,
      .out(substituted)
  );

  // x b in GF(2^8), section 4.2.1.
  function automatic logic [7:0] doubled(input logic [7:0] b);
    doubled = {b[6:0], 1'b0} ^ (b[7] ? 8'h1b : 8'h00);
  endfunction

  for (genvar column = 0; column < 4; column++) begin : g_column
    for (genvar row = 0; row < 4; row++) begin : g_row
      localparam int AT = 8 * (4 * column + row);
      localparam int NEXT = 8 * (4 * column + (row + 1) % 4);
      localparam int OPPOSITE = 8 * (4 * column + (row + 2) % 4);
      localparam int BEFORE = 8 * (4 * column + (row + 3) % 4);
      assign shifted[AT+:8] = substituted[8*(4*((column+row)%4)+row)+:8];
      assign mixed[AT+:8] = doubled(shifted[AT+:8] ^ shifted[NEXT+:8]) ^ shifted[NEXT+:8] ^
          shifted[OPPOSITE+:8] ^ shifted[BEFORE+:8];
    end
  end

  always_ff @(posedge clk) out <= (LAST ? shifted : mixed) ^ key;
endmodule
`default_nettype wire
