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
//   DEPTH                         power of two: words and requests under way together, and segments that wait
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
  logic segments_ready, next_here, next_taken;
  logic [63:0] address;
  logic [31:0] words_asked, next_words, next_zeros;
  logic [TAIL_BITS-1:0] next_tail;

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
      .out_valid(next_here),
      .out_ready(next_taken),
      .out_data ({next_words, next_zeros, next_tail})
  );

  // Requests.
  logic [COUNT_BITS-1:0] kept;  // words asked for that have not left
  logic [31:0] asked, number_asked;  // words asked for of this segment, and one more
  logic asks, word_leaves;

  assign read_valid = request_here && words_asked != 32'd0 && kept != COUNT_BITS'(DEPTH);
  assign read_address = address + (64'(asked) << $clog2(WIDTH / 8));
  assign asks = read_valid && read_ready;
  assign request_taken = words_asked == 32'd0 || (asks && number_asked == words_asked);

  always_ff @(posedge clk)
    if (reset) begin
      asked <= 32'd0;
      number_asked <= 32'd1;
      kept <= '0;
    end else begin
      if (request_here && request_taken) begin
        asked <= 32'd0;
        number_asked <= 32'd1;
      end else if (asks) begin
        asked <= number_asked;
        number_asked <= number_asked + 32'd1;
      end
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

  // The segment whose words leave. What they are compared with comes from registers: with the queue before it, it would
  // be the longest path.
  logic segment_here, segment_taken, no_words, no_zeros, has_tail;
  logic [31:0] words, zeros, at_tail;  // and of the lane of 32 bits that has the tail, the bits at or above it
  logic [LANES-1:0] tail_lane, lanes_above;  // this lane, and those above it
  logic [TAIL_BITS-6:0] lane;

  assign next_taken = !segment_here || segment_taken;
  assign lane = next_tail[TAIL_BITS-1:5];
  always_ff @(posedge clk)
    if (reset) segment_here <= 1'b0;
    else if (next_taken) segment_here <= next_here;
  always_ff @(posedge clk)
    if (next_taken) begin
      words <= next_words;
      zeros <= next_zeros;
      no_words <= next_words == 32'd0;
      no_zeros <= next_zeros == 32'd0;
      has_tail <= next_tail != '0;
      tail_lane <= LANES'(1) << lane;
      lanes_above <= ~(LANES'(1)) << lane;  // Yosys 0.23 reads ~LANES'(1) as (~LANES)'(1)
      at_tail <= {32{1'b1}} << next_tail[4:0];
    end

  // Words of a segment, then its zeros.
  logic in_zeros, zero, leaves, part_ends;
  logic [31:0] number;  // of the next word of this part, from 1 on

  assign zero = in_zeros || no_words;
  assign out_valid = segment_here && (zero || word_here);
  assign out_data = zero ? '0 : word;
  assign leaves = out_valid && out_ready;
  assign word_leaves = leaves && !zero;
  assign part_ends = number == (zero ? zeros : words);
  assign segment_taken = leaves && part_ends && (zero || no_zeros);
  assign idle = !segment_here && !next_here;

  always_ff @(posedge clk)
    if (reset) begin
      in_zeros <= 1'b0;
      number <= 32'd1;
    end else if (leaves) begin
      in_zeros <= part_ends ? !segment_taken : in_zeros;
      number <= part_ends ? 32'd1 : number + 32'd1;
    end

  // Of the last word from memory, the bits at or above the tail: those in the lane that has it, and whether a lane above
  // has any. Two clocks, as the mask of all bits is the longest path in one.
  logic checked, found;
  logic [LANES-1:0] lanes, lanes_next, checked_lanes;  // that are not zero, and of these, those to look at
  logic [31:0] in_lane, in_lane_next;
  always_comb begin
    in_lane_next = 32'd0;
    for (int i = 0; i < LANES; i++) begin
      lanes_next[i]  = word[32*i+:32] != 32'd0;
      in_lane_next |= word[32*i+:32] & {32{tail_lane[i]}};
    end
  end
  assign pad_error = found || (checked && ((lanes & checked_lanes) != '0 || in_lane != 32'd0));
  always_ff @(posedge clk) begin
    lanes <= lanes_next;
    checked_lanes <= lanes_above;
    in_lane <= in_lane_next & at_tail;
    checked <= word_leaves && part_ends && has_tail && !reset && !clear;
    found <= pad_error && !reset && !clear;
  end

  logic unused;
  assign unused = &{1'b0, always_room};
endmodule
`default_nettype wire
