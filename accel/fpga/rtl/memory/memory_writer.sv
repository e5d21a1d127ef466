// SPDX-License-Identifier: Apache-2.0
// A stream of words to memory, segment by segment.
//
//   reset                         to idle; segments are forgotten
//   power_reset                   with reset, when memory forgets as well: outstanding becomes 0
//   clear                         forgets error
//   segment_valid, segment_ready  a segment is put in the queue of two:
//     segment_address               of its first word in bytes, a multiple of 64
//     segment_words                 at least 1
//   in_valid, in_ready            in_data: the words of all segments, one after the other
//   write_valid, write_ready      write_address, write_data: one write for each word
//   written_valid                 one acknowledgement for each write, with written_error; always taken
//   error                         a write failed since `clear`
//   outstanding                   writes that are not acknowledged; reset leaves it, and answers count
//                                 and are not looked at while reset is held
//   idle                          all words of all segments are written and acknowledged
//
// One word a clock, without a gap between segments. A word goes to memory in the clock in which it
// is offered.
`default_nettype none
module memory_writer (
    input  logic         clk,
    input  logic         reset,
    input  logic         power_reset,
    input  logic         clear,
    input  logic         segment_valid,
    output logic         segment_ready,
    input  logic [ 63:0] segment_address,
    input  logic [ 31:0] segment_words,
    input  logic         in_valid,
    output logic         in_ready,
    input  logic [511:0] in_data,
    output logic         write_valid,
    input  logic         write_ready,
    output logic [ 63:0] write_address,
    output logic [511:0] write_data,
    input  logic         written_valid,
    input  logic         written_error,
    output logic         error,
    output logic [ 31:0] outstanding,
    output logic         idle
);
  logic segment_here, writes, last;
  logic [63:0] address;
  logic [31:0] words, sent;  // `sent` words of the segment are written

  fifo #(
      .WIDTH(96),
      .DEPTH(2)
  ) segments (
      .clk,
      .reset,
      .in_valid (segment_valid),
      .in_ready (segment_ready),
      .in_data  ({segment_address, segment_words}),
      .out_valid(segment_here),
      .out_ready(writes && last),
      .out_data ({address, words})
  );

  assign write_valid = segment_here && in_valid;
  assign in_ready = segment_here && write_ready;
  assign write_address = address + {26'd0, sent, 6'd0};
  assign write_data = in_data;
  assign writes = write_valid && write_ready;
  assign last = sent == words - 32'd1;
  assign idle = !segment_here && outstanding == 32'd0;

  always_ff @(posedge clk)
    if (reset) sent <= 32'd0;
    else if (writes) sent <= last ? 32'd0 : sent + 32'd1;
  always_ff @(posedge clk)
    if (power_reset) outstanding <= 32'd0;
    else outstanding <= outstanding + 32'(writes) - 32'(written_valid);
  always_ff @(posedge clk)
    if (reset || clear) error <= 1'b0;
    else if (written_valid && written_error) error <= 1'b1;
endmodule
`default_nettype wire
