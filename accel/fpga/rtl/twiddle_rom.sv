// Powers of a root of unity.
//
//   advance  0 holds everything
//   address  WORDS words; `power` follows two clocks later
//
//   WORDS    a power of two
//   FILE     the words in hexadecimal, one a line, written by accel/fpga/roms/write_twiddles
//
// As it stands, the 4096 powers behind one lane of multiplier768, then the 4096 of its inverse: two of
// the paper's thirty ROMs in one memory. FFT paper, section V.
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

  initial $readmemh(FILE, words);
  always_ff @(posedge clk)
    if (advance) begin
      fetched <= words[address];
      power <= fetched;
    end
endmodule
`default_nettype wire
