// SPDX-License-Identifier: Apache-2.0
// One bank of samples: 4096 words of 64 bits, one read and one write port.
//
//   read_enable    0 holds both read registers
//   read_address   read_data follows two clocks later
//   write_enable, write_address, write_data
//
// A word read in the clock of its writing has its old value. FFT paper, section IV-B.
`default_nettype none
module bank_ram (
    input  logic        clk,
    input  logic        read_enable,
    input  logic [11:0] read_address,
    output logic [63:0] read_data,
    input  logic        write_enable,
    input  logic [11:0] write_address,
    input  logic [63:0] write_data
);
  logic [63:0] words[4096];
  logic [63:0] fetched;

  always_ff @(posedge clk) begin
    if (read_enable) begin
      fetched <= words[read_address];
      read_data <= fetched;
    end
    if (write_enable) words[write_address] <= write_data;
  end
endmodule
`default_nettype wire
