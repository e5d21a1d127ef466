// karatsuba_pair (dslx/pair.x), its memory, and a FIFO behind it.
//
//   C       bits of a coefficient; the generated modules must be those of C
//   DEPTH   half the coefficients of a subtree, the largest
`default_nettype none
module pair_level #(
    parameter int C = 64,
    parameter int DEPTH = 16
) (
    input  logic            clk,
    input  logic            reset,
    input  logic            in_valid,
    output logic            in_ready,
    input  logic [  C+11:0] in,
    output logic            out_valid,
    input  logic            out_ready,
    output logic [2*C+11:0] out
);
  logic result_valid, result_ready, read_enable, write_enable;
  logic [2*C+11:0] result;
  logic [7:0] read_address, write_address;
  logic [1:0] write_lanes;
  logic [2*C-1:0] read_data, write_data;

  karatsuba_pair level (
      .clk(clk),
      .reset(reset),
      .pair__input_valid(in_valid),
      .pair__input_ready(in_ready),
      .pair__input_data(in),
      .pair__output_valid(result_valid),
      .pair__output_ready(result_ready),
      .pair__output_data(result),
      .ram_rd_en(read_enable),
      .ram_rd_addr(read_address),
      .ram_rd_data(read_data),
      .ram_wr_en(write_enable),
      .ram_wr_addr(write_address),
      .ram_wr_mask(write_lanes),
      .ram_wr_data(write_data)
  );

  lane_ram #(
      .LANES(2),
      .WIDTH(C),
      .DEPTH(DEPTH)
  ) memory (
      .clk(clk),
      .read_enable(read_enable),
      .read_address(read_address),
      .read_data(read_data),
      .write_enable(write_enable),
      .write_address(write_address),
      .write_lanes(write_lanes),
      .write_data(write_data)
  );

  stream_fifo #(
      .WIDTH(2 * C + 12)
  ) fifo (
      .clk(clk),
      .reset(reset),
      .in_valid(result_valid),
      .in_ready(result_ready),
      .in(result),
      .out_valid(out_valid),
      .out_ready(out_ready),
      .out(out)
  );
endmodule
`default_nettype wire
