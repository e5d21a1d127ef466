// SPDX-License-Identifier: Apache-2.0
// Descriptors on their way to the sequencer.
//
//   reset             to empty; the next sequence number is 0
//   restart           the next sequence number is 0, waiting descriptors stay
//   word_write        word_index gets `word`
//   doorbell          the descriptor is given, if doorbell_sequence is its number and there is room; else
//                     `refused` in the next clock
//   completion_taken  by the driver
//   space             descriptors that can be given: DEPTH less those of which no completion was taken
//   command_valid, command_ready, command, command_sequence   to the sequencer, the oldest first
`default_nettype none
module command_queue #(
    parameter int DEPTH = 16
) (
    input  logic                     clk,
    input  logic                     reset,
    input  logic                     restart,
    input  logic                     word_write,
    input  logic [              3:0] word_index,
    input  logic [             31:0] word,
    input  logic                     doorbell,
    input  logic [             31:0] doorbell_sequence,
    output logic                     refused,
    input  logic                     completion_taken,
    output logic [$clog2(DEPTH+1)-1:0] space,
    output logic                     command_valid,
    input  logic                     command_ready,
    output logic [            511:0] command,
    output logic [             31:0] command_sequence
);
  localparam int SPACE_BITS = $clog2(DEPTH + 1);

  logic [511:0] window;
  logic [31:0] next_sequence;
  logic given, room;
  assign given = doorbell && doorbell_sequence == next_sequence && space != '0;

  always_ff @(posedge clk) if (word_write) window[32*word_index+:32] <= word;

  fifo #(
      .WIDTH(544),
      .DEPTH(DEPTH)
  ) waiting (
      .clk,
      .reset,
      .in_valid (given),
      .in_ready (room),
      .in_data  ({next_sequence, window}),
      .out_valid(command_valid),
      .out_ready(command_ready),
      .out_data ({command_sequence, command})
  );

  always_ff @(posedge clk)
    if (reset) begin
      next_sequence <= 32'd0;
      space <= SPACE_BITS'(DEPTH);
      refused <= 1'b0;
    end else begin
      refused <= doorbell && !given;
      if (restart) next_sequence <= 32'd0;
      else if (given) next_sequence <= next_sequence + 32'd1;
      space <= space - SPACE_BITS'(given) + SPACE_BITS'(completion_taken);
    end

  logic unused;
  assign unused = &{1'b0, room};
endmodule
`default_nettype wire
