// SPDX-License-Identifier: Apache-2.0
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
  logic result_valid, result_ready;
  logic [C+11:0] result;
  logic read_request_valid, read_request_ready, read_response_valid, read_response_ready, write_valid;
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
      .combine__read_request_valid(read_request_valid),
      .combine__read_request_ready(read_request_ready),
      .combine__read_request_data(read_address),
      .combine__read_response_valid(read_response_valid),
      .combine__read_response_ready(read_response_ready),
      .combine__read_response_data(read_data),
      .combine__write_request_valid(write_valid),
      .combine__write_request_ready(1'b1),
      .combine__write_request_data({write_address, write_lanes, write_data})
  );

  lane_ram #(
      .LANES(4),
      .WIDTH(C),
      .DEPTH(DEPTH)
  ) memory (
      .clk(clk),
      .reset(reset),
      .read_address_valid(read_request_valid),
      .read_address_ready(read_request_ready),
      .read_address(read_address),
      .read_data_valid(read_response_valid),
      .read_data_ready(read_response_ready),
      .read_data(read_data),
      .write_valid(write_valid),
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
