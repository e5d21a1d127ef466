// SPDX-License-Identifier: Apache-2.0
// The S-box of AES on BYTES bytes, without a clock.
//
// FIPS 197, section 5.1.1 and figure 7; here the entry of 0 is the lowest byte of the table.
`default_nettype none
module aes_substitute #(
    parameter int BYTES = 16
) (
    input  logic [8*BYTES-1:0] in,
    output logic [8*BYTES-1:0] out
);
  localparam logic [2047:0] S_BOX = {
      256'h16bb54b00f2d99416842e6bf0d89a18cdf2855cee9871e9b948ed9691198f8e1,
      256'h9e1dc186b95735610ef6034866b53e708a8bbd4b1f74dde8c6b4a61c2e2578ba,
      256'h08ae7a65eaf4566ca94ed58d6d37c8e779e4959162acd3c25c2406490a3a32e0,
      256'hdb0b5ede14b8ee4688902a22dc4f816073195d643d7ea7c41744975fec130ccd,
      256'hd2f3ff1021dab6bcf5389d928f40a351a89f3c507f02f94585334d43fbaaefd0,
      256'hcf584c4a39becb6a5bb1fc20ed00d153842fe329b3d63b52a05a6e1b1a2c8309,
      256'h75b227ebe28012079a059618c323c7041531d871f1e5a534ccf73f362693fdb7,
      256'hc072a49cafa2d4adf04759fa7dc982ca76abd7fe2b670130c56f6bf27b777c63
  };

  for (genvar i = 0; i < BYTES; i++) begin : g_byte
    assign out[8*i+:8] = S_BOX[{in[8*i+:8], 3'b000}+:8];
  end
endmodule
`default_nettype wire
