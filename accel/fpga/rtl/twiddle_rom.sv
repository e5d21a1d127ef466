// The powers of the root of unity behind one lane: 4096 for the transform, then 4096 for its inverse.
//
//   address  8192 words; `power` follows two clocks later
//
//   LANE     1 .. 15
//   ROM_DIR  the folder, with a slash at its end, of lane_01.hex .. lane_15.hex: the words in
//            hexadecimal, one a line, written by accel/fpga/roms/write_twiddles
//
// With TWIDDLES_FROM_HOST, for simulations that are to run without that file, the simulating program
// gives the words.
// Two of the paper's thirty ROMs in one memory. FFT paper, section V.
`default_nettype none
module twiddle_rom #(
    parameter int LANE = 1,
    parameter ROM_DIR = ""
) (
    input  logic        clk,
    input  logic [12:0] address,
    output logic [63:0] power
);
  localparam logic [7:0] TENS = 8'(48 + LANE / 10);
  localparam logic [7:0] ONES = 8'(48 + LANE % 10);

  logic [63:0] words[8192];
  logic [63:0] fetched;

`ifdef TWIDDLES_FROM_HOST
  import "DPI-C" function longint unsigned fhe_twiddle(input int lane, input int word);
  initial for (int i = 0; i < 8192; i++) words[i] = fhe_twiddle(LANE, i);
`else
  initial $readmemh({ROM_DIR, "lane_", TENS, ONES, ".hex"}, words);
`endif
  always_ff @(posedge clk) begin
    fetched <= words[address];
    power <= fetched;
  end
endmodule
`default_nettype wire
