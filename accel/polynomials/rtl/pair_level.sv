// SPDX-License-Identifier: Apache-2.0
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
  logic result_valid, result_ready;
  logic [2*C+11:0] result;
  logic read_request_valid, read_request_ready, read_response_valid, read_response_ready, write_valid;
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
      .pair__read_request_valid(read_request_valid),
      .pair__read_request_ready(read_request_ready),
      .pair__read_request_data(read_address),
      .pair__read_response_valid(read_response_valid),
      .pair__read_response_ready(read_response_ready),
      .pair__read_response_data(read_data),
      .pair__write_request_valid(write_valid),
      .pair__write_request_ready(1'b1),
      .pair__write_request_data({write_address, write_lanes, write_data})
  );

  lane_ram #(
      .LANES(2),
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
