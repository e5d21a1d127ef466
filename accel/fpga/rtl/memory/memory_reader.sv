// SPDX-License-Identifier: Apache-2.0
// A stream of words from memory, segment by segment.
//
//   reset                         to idle; segments, requests and words are forgotten. Answers to requests
//                                 of before must not arrive after it
//   clear                         forgets pad_error
//   segment_valid, segment_ready  a segment is put in the queue:
//     segment_address               of its first word in bytes, a multiple of the bytes of a word
//     segment_words                 words from memory, and after them
//     segment_zeros                 words of zero; one of both may be 0
//     segment_tail                  bits used in its last word from memory; 0: all
//   out_valid, out_ready          out_data: the words of all segments, one after the other
//   pad_error                     a bit at or above the tail was set in the last word from memory of a
//                                 segment that left since `clear`
//   read_valid, read_ready        read_address: one request for each word, in order
//   response_valid                response_data: the answers, in the same order; always taken
//   idle                          all words of all segments left
//
//   DEPTH                         power of two: words and requests under way together, and segments
//   WIDTH                         power of two, at least 64: bits of a word
//
// A request is sent only when there is room for its answer. One word a clock, without a gap between
// segments, when memory answers every request within DEPTH - 3 clocks. A segment without a word
// from memory takes one clock of the requests.
`default_nettype none
module memory_reader #(
    parameter int DEPTH = 32,
    parameter int WIDTH = 512
) (
    input  logic                     clk,
    input  logic                     reset,
    input  logic                     clear,
    input  logic                     segment_valid,
    output logic                     segment_ready,
    input  logic [             63:0] segment_address,
    input  logic [             31:0] segment_words,
    input  logic [             31:0] segment_zeros,
    input  logic [$clog2(WIDTH)-1:0] segment_tail,
    output logic                     out_valid,
    input  logic                     out_ready,
    output logic [        WIDTH-1:0] out_data,
    output logic                     pad_error,
    output logic                     read_valid,
    input  logic                     read_ready,
    output logic [             63:0] read_address,
    input  logic                     response_valid,
    input  logic [        WIDTH-1:0] response_data,
    output logic                     idle
);
  localparam int COUNT_BITS = $clog2(DEPTH + 1);
  localparam int TAIL_BITS = $clog2(WIDTH);
  localparam int LANES = WIDTH / 32;

  // A segment waits twice: for its requests to be sent and for its words to leave.
  logic requests_ready, request_here, request_taken;
  logic segments_ready, segment_here, segment_taken;
  logic [63:0] address;
  logic [31:0] words_asked, words, zeros;
  logic [TAIL_BITS-1:0] tail;

  assign segment_ready = requests_ready && segments_ready;
  fifo #(
      .WIDTH(96),
      .DEPTH(2)
  ) requests (
      .clk,
      .reset,
      .in_valid (segment_valid && segments_ready),
      .in_ready (requests_ready),
      .in_data  ({segment_address, segment_words}),
      .out_valid(request_here),
      .out_ready(request_taken),
      .out_data ({address, words_asked})
  );
  fifo #(
      .WIDTH(64 + TAIL_BITS),
      .DEPTH(DEPTH)
  ) segments (
      .clk,
      .reset,
      .in_valid (segment_valid && requests_ready),
      .in_ready (segments_ready),
      .in_data  ({segment_words, segment_zeros, segment_tail}),
      .out_valid(segment_here),
      .out_ready(segment_taken),
      .out_data ({words, zeros, tail})
  );

  // Requests.
  logic [COUNT_BITS-1:0] kept;  // words asked for that have not left
  logic [31:0] asked;
  logic asks, word_leaves;

  assign read_valid = request_here && words_asked != 32'd0 && kept != COUNT_BITS'(DEPTH);
  assign read_address = address + (64'(asked) << $clog2(WIDTH / 8));
  assign asks = read_valid && read_ready;
  assign request_taken = words_asked == 32'd0 || (asks && asked == words_asked - 32'd1);

  always_ff @(posedge clk)
    if (reset) begin
      asked <= 32'd0;
      kept <= '0;
    end else begin
      if (request_here && request_taken) asked <= 32'd0;
      else if (asks) asked <= asked + 32'd1;
      kept <= kept + COUNT_BITS'(asks) - COUNT_BITS'(word_leaves);
    end

  // Answers.
  logic word_here, always_room;
  logic [WIDTH-1:0] word;

  fifo #(
      .WIDTH(WIDTH),
      .DEPTH(DEPTH)
  ) answers (
      .clk,
      .reset,
      .in_valid (response_valid),
      .in_ready (always_room),
      .in_data  (response_data),
      .out_valid(word_here),
      .out_ready(word_leaves),
      .out_data (word)
  );

  // Words of a segment, then its zeros.
  logic in_zeros, zero, leaves, part_ends;
  logic [31:0] left_before;  // words of this part that left

  assign zero = in_zeros || words == 32'd0;
  assign out_valid = segment_here && (zero || word_here);
  assign out_data = zero ? '0 : word;
  assign leaves = out_valid && out_ready;
  assign word_leaves = leaves && !zero;
  assign part_ends = left_before == (zero ? zeros : words) - 32'd1;
  assign segment_taken = leaves && part_ends && (zero || zeros == 32'd0);
  assign idle = !segment_here;

  always_ff @(posedge clk)
    if (reset) begin
      in_zeros <= 1'b0;
      left_before <= 32'd0;
    end else if (leaves) begin
      in_zeros <= part_ends ? !segment_taken : in_zeros;
      left_before <= part_ends ? 32'd0 : left_before + 32'd1;
    end

  // Of the last word from memory, the bits at or above the tail: those in the lane of 32 bits that has the tail, and
  // whether a lane above has any. Two clocks, as the mask of all bits is the longest path in one.
  logic checks, above, above_next, found;
  logic [31:0] in_lane;
  always_comb begin
    above_next = 1'b0;
    for (int i = 0; i < LANES; i++)
      if ((TAIL_BITS - 5)'(i) > tail[TAIL_BITS-1:5] && word[32*i+:32] != 32'd0) above_next = 1'b1;
  end
  assign checks = word_leaves && part_ends && tail != '0;
  assign pad_error = found || above || in_lane != 32'd0;
  always_ff @(posedge clk)
    if (reset || clear) begin
      found <= 1'b0;
      above <= 1'b0;
      in_lane <= 32'd0;
    end else begin
      found <= pad_error;
      above <= checks && above_next;
      in_lane <= checks ? word[{tail[TAIL_BITS-1:5], 5'd0}+:32] & ({32{1'b1}} << tail[4:0]) : 32'd0;
    end

  logic unused;
  assign unused = &{1'b0, always_room};
endmodule
`default_nettype wire
