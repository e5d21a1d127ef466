// The memory of a level: DEPTH addresses, at each LANES words that are written one by one and read
// together. One read and one write port.
//
//   DEPTH           a power of two up to 256: higher bits of an address are not looked at
//   read_enable     0 holds read_data
//   read_address    read_data, lane 0 in the lowest bits, follows a clock later
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
    input  logic                   read_enable,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [            7:0] read_address,
    // verilator lint_on UNUSEDSIGNAL
    output logic [LANES*WIDTH-1:0] read_data,
    input  logic                   write_enable,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [            7:0] write_address,
    // verilator lint_on UNUSEDSIGNAL
    input  logic [      LANES-1:0] write_lanes,
    input  logic [LANES*WIDTH-1:0] write_data
);
  localparam int ADDRESS_BITS = DEPTH > 1 ? $clog2(DEPTH) : 1;

  for (genvar lane = 0; lane < LANES; lane++) begin : lanes
    logic [WIDTH-1:0] words[DEPTH];
    always_ff @(posedge clk) begin
      if (read_enable) read_data[lane*WIDTH+:WIDTH] <= words[ADDRESS_BITS'(read_address)];
      if (write_enable && write_lanes[lane])
        words[ADDRESS_BITS'(write_address)] <= write_data[lane*WIDTH+:WIDTH];
    end
  end
endmodule
`default_nettype wire
