// The powers of the root of unity behind one lane: 4096 for the transform, then 4096 for its inverse.
//
//   address  8192 words; `power` follows two clocks later
//
//   FILE     the words in hexadecimal, one a line, written by accel/fpga/roms/write_twiddles
//
// Two of the paper's thirty ROMs in one memory. FFT paper, section V.
`default_nettype none
module twiddle_rom #(
    parameter FILE = ""
) (
    input  logic        clk,
    input  logic [12:0] address,
    output logic [63:0] power
);
  logic [63:0] words[8192];
  logic [63:0] fetched;

  initial $readmemh(FILE, words);
  always_ff @(posedge clk) begin
    fetched <= words[address];
    power <= fetched;
  end
endmodule
`default_nettype wire
