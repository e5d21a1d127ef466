// Powers of a root of unity.
//
//   advance  0 holds everything
//   address  WORDS words; `power` follows two clocks later
//
//   WORDS    a power of two
//   FILE     the words in hexadecimal, one a line, written by accel/fpga/roms/write_twiddles
//
// For multiplier768, the 4096 powers behind one lane, then the 4096 of its inverse: two of the paper's
// thirty ROMs in one memory. FFT paper, section V.
// With ROMS_FROM_HOST, for simulations that are to run without the files, the simulating program gives
// the words of a file.
`default_nettype none
module twiddle_rom #(
    parameter int WORDS = 8192,
    parameter FILE = ""
) (
    input  logic                     clk,
    input  logic                     advance,
    input  logic [$clog2(WORDS)-1:0] address,
    output logic [             63:0] power
);
  logic [63:0] words[WORDS];
  logic [63:0] fetched;

`ifdef ROMS_FROM_HOST
  import "DPI-C" function longint unsigned fhe_rom_word(input string file, input int word);
  initial for (int i = 0; i < WORDS; i++) words[i] = fhe_rom_word(string'(FILE), i);
`else
  initial $readmemh(FILE, words);
`endif
  always_ff @(posedge clk)
    if (advance) begin
      fetched <= words[address];
      power <= fetched;
    end
endmodule
`default_nettype wire
