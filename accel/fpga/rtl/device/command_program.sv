// SPDX-License-Identifier: Apache-2.0
// The commands of a program: descriptors that lie in memory one after the other.
//
//   reset              to idle, without a program; answers to requests of before must not arrive after it
//   start              a program of `commands` descriptors from `address` on; the one before it was taken
//                      as a whole
//   more               descriptors that were not taken
//   command_valid, command_ready   command: the next one, at command_address;
//   command_error      with it: it could not be read
//   read_valid, read_ready         read_address: one request for each
//   response_valid                 response_data, response_error: the answers
//
// The next one is read as soon as one is taken, so that it is there when the next command begins.
`default_nettype none
module command_program (
    input  logic         clk,
    input  logic         reset,
    input  logic         start,
    input  logic [ 63:0] address,
    input  logic [ 15:0] commands,
    output logic         more,
    output logic         command_valid,
    input  logic         command_ready,
    output logic [511:0] command,
    output logic [ 63:0] command_address,
    output logic         command_error,
    output logic         read_valid,
    input  logic         read_ready,
    output logic [ 63:0] read_address,
    input  logic         response_valid,
    input  logic [511:0] response_data,
    input  logic         response_error
);
  logic [15:0] left;
  logic asked, taken;
  assign more = left != 16'd0;
  assign read_valid = more && !asked;
  assign read_address = command_address;
  assign taken = command_valid && command_ready;

  always_ff @(posedge clk)
    if (reset) begin
      left <= 16'd0;
      asked <= 1'b0;
      command_valid <= 1'b0;
    end else if (start) left <= commands;
    else begin
      if (taken) left <= left - 16'd1;
      if (taken) asked <= 1'b0;
      else if (read_valid && read_ready) asked <= 1'b1;
      if (taken) command_valid <= 1'b0;
      else if (response_valid) command_valid <= 1'b1;
    end

  always_ff @(posedge clk) begin
    if (start) command_address <= address;
    else if (taken) command_address <= command_address + 64'd64;
    if (response_valid) begin
      command <= response_data;
      command_error <= response_error;
    end
  end
endmodule
`default_nettype wire
