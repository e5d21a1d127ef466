// SPDX-License-Identifier: Apache-2.0
// The unified butterfly of the parallel transforms, decimation in time: the factors, then sum and
// difference.
//
//   up, down                in [0, p)
//   up_factor, down_factor  constants, as modular_factor takes them
//   sum, difference         u up + d down and u up - d down mod p, eight clocks later
//
//   SCALED    1: u is up_factor, which only the last inverse stage needs; 0: u = 1
//   TWIDDLED  1: d is down_factor; 0: d = 1; a factor of 1 is a delay and no multiplier
//
// One butterfly per clock. (The remarks for Verilator keep one copy of its code for all instances: a
// simulation is ten times as fast.) Super-size paper, Fig. 2(ii).
`default_nettype none
module modular_butterfly #(
    parameter logic [64:0] MODULUS = 65'h0_ffff_ffff_0000_0001,
    parameter int SCALED = 0,
    parameter int TWIDDLED = 1,
    localparam int WIDTH = $clog2(MODULUS)
) (
    input  logic             clk,
    input  logic [WIDTH-1:0] up /*verilator public_flat_rd*/,
    input  logic [WIDTH-1:0] down /*verilator public_flat_rd*/,
    input  logic [WIDTH-1:0] up_factor /*verilator public_flat_rd*/,
    input  logic [WIDTH-1:0] down_factor /*verilator public_flat_rd*/,
    output logic [WIDTH-1:0] sum,
    output logic [WIDTH-1:0] difference
);
  // verilator no_inline_module
  localparam int MULTIPLY = 7;  // clocks of modular_factor
  localparam logic [WIDTH-1:0] P = MODULUS[WIDTH-1:0];

  logic [WIDTH-1:0] u, d, complement;

  if (SCALED != 0) begin : g_up
    modular_factor #(
        .MODULUS(MODULUS)
    ) multiply (
        .clk,
        .value  (up),
        .factor (up_factor),
        .product(u)
    );
  end else begin : g_up
    delay_line #(
        .WIDTH (WIDTH),
        .CLOCKS(MULTIPLY)
    ) delay (
        .clk,
        .in (up),
        .out(u)
    );
    logic unused;
    assign unused = &{1'b0, up_factor};
  end

  if (TWIDDLED != 0) begin : g_down
    modular_factor #(
        .MODULUS(MODULUS)
    ) multiply (
        .clk,
        .value  (down),
        .factor (down_factor),
        .product(d)
    );
  end else begin : g_down
    delay_line #(
        .WIDTH (WIDTH),
        .CLOCKS(MULTIPLY)
    ) delay (
        .clk,
        .in (down),
        .out(d)
    );
    logic unused;
    assign unused = &{1'b0, down_factor};
  end

  // No sum is formed that WIDTH bits do not hold.
  assign complement = P - d;
  always_ff @(posedge clk) begin
    sum <= u >= complement ? u - complement : u + d;
    difference <= u < d ? u + complement : u - d;
  end
endmodule
`default_nettype wire
