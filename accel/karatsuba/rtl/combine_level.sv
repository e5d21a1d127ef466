// karatsuba_combine (dslx/combine.x), its memory, and a FIFO behind it.
//
//   C       bits of a coefficient; the generated modules must be those of C
//   DEPTH   half the coefficients of the largest node of this level
`default_nettype none
module combine_level #(
    parameter int C = 64,
    parameter int DEPTH = 16
) (
    input  logic          clk,
    input  logic          reset,
    input  logic          in_valid,
    output logic          in_ready,
    input  logic [C+11:0] in,
    output logic          out_valid,
    input  logic          out_ready,
    output logic [C+11:0] out
);
  logic result_valid, result_ready, read_enable, write_enable;
  logic [C+11:0] result;
  logic [7:0] read_address, write_address;
  logic [3:0] write_lanes;
  logic [4*C-1:0] read_data, write_data;

  karatsuba_combine level (
      .clk(clk),
      .reset(reset),
      .combine__input_valid(in_valid),
      .combine__input_ready(in_ready),
      .combine__input_data(in),
      .combine__output_valid(result_valid),
      .combine__output_ready(result_ready),
      .combine__output_data(result),
      .ram_rd_en(read_enable),
      .ram_rd_addr(read_address),
      .ram_rd_data(read_data),
      .ram_wr_en(write_enable),
      .ram_wr_addr(write_address),
      .ram_wr_mask(write_lanes),
      .ram_wr_data(write_data)
  );

  lane_ram #(
      .LANES(4),
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
      .WIDTH(C + 12)
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
