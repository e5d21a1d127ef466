// SPDX-License-Identifier: Apache-2.0
// The memory of a level: DEPTH addresses, at each LANES words that are written one by one and read
// together. Streams, as the generated processes have them: a word moves in a clock in which valid and ready
// are 1. Writes are always taken.
//
//   DEPTH           a power of two up to 256: higher bits of an address are not looked at
//   read_address    its read_data, lane 0 in the lowest bits, is there from the next clock until taken
//   write_lanes     lane i of write_data is written where bit i is 1
//
// A word read in the clock of its writing has its old value.
`default_nettype none
module lane_ram #(
    parameter int LANES = 2,
    parameter int WIDTH = 64,
    parameter int DEPTH = 2
) (
    input  logic                   clk,
    input  logic                   reset,
    input  logic                   read_address_valid,
    output logic                   read_address_ready,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [            7:0] read_address,
    // verilator lint_on UNUSEDSIGNAL
    output logic                   read_data_valid,
    input  logic                   read_data_ready,
    output logic [LANES*WIDTH-1:0] read_data,
    input  logic                   write_valid,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [            7:0] write_address,
    // verilator lint_on UNUSEDSIGNAL
    input  logic [      LANES-1:0] write_lanes,
    input  logic [LANES*WIDTH-1:0] write_data
);
  localparam int ADDRESS_BITS = DEPTH > 1 ? $clog2(DEPTH) : 1;

  logic reads;
  assign read_address_ready = !read_data_valid || read_data_ready;
  assign reads = read_address_valid && read_address_ready;

  always_ff @(posedge clk)
    if (reset) read_data_valid <= 1'b0;
    else read_data_valid <= reads || (read_data_valid && !read_data_ready);

  for (genvar lane = 0; lane < LANES; lane++) begin : lanes
    logic [WIDTH-1:0] words[DEPTH];
    always_ff @(posedge clk) begin
      if (reads) read_data[lane*WIDTH+:WIDTH] <= words[ADDRESS_BITS'(read_address)];
      if (write_valid && write_lanes[lane])
        words[ADDRESS_BITS'(write_address)] <= write_data[lane*WIDTH+:WIDTH];
    end
  end
endmodule
`default_nettype wire
