// SPDX-License-Identifier: Apache-2.0
// Powers of a root of unity.
//
//   advance  0 holds everything
//   address  of each port, the first lowest: WORDS words; `power` follows two clocks later
//
//   WORDS    a power of two
//   PORTS    1 or 2: a block of memory has two ports, so the second one costs nothing
//   FILE     the words in hexadecimal, one a line, written by accel/fpga/roms/write_twiddles
//
// For multiplier768, the 4096 powers behind one lane, then the 4096 of its inverse: two of the paper's
// thirty ROMs in one memory. FFT paper, section V.
// With ROMS_FROM_HOST, for simulations that are to run without the files, the simulating program gives
// the words of a file.
`default_nettype none
module twiddle_rom #(
    parameter int WORDS = 8192,
    parameter int PORTS = 1,
    parameter FILE = ""
) (
    input  logic                           clk,
    input  logic                           advance,
    input  logic [PORTS*$clog2(WORDS)-1:0] address,
    output logic [           PORTS*64-1:0] power
);
  localparam int ADDRESS_BITS = $clog2(WORDS);

  logic [63:0] words[WORDS];

`ifdef ROMS_FROM_HOST
  import "DPI-C" function longint unsigned fhe_rom_word(input string file, input int word);
  initial for (int i = 0; i < WORDS; i++) words[i] = fhe_rom_word(string'(FILE), i);
`else
  if (FILE != "") begin : g_file  // without one, tools that look at the ports alone read nothing
    initial $readmemh(FILE, words);
  end
`endif
  for (genvar i = 0; i < PORTS; i++) begin : g_port
    logic [63:0] fetched;
    always_ff @(posedge clk)
      if (advance) begin
        fetched <= words[address[ADDRESS_BITS*i+:ADDRESS_BITS]];
        power[64*i+:64] <= fetched;
      end
  end
endmodule
`default_nettype wire
