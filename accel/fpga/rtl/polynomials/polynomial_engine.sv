// SPDX-License-Identifier: Apache-2.0
// Products of polynomials modulo q, from memory to memory: the Karatsuba multiplier as an engine of the
// datapath. A batch of them is one operation.
//
//   reset             to idle, whatever is under way
//   start             heard when busy = 0; the fields of the operation stay until done:
//     a_address         first operands, one behind the other: each n/4 beats of 4 BITS bits, lane i of beat j
//                       the coefficient j + i n/4, all below q
//     b_address         second operands, as many
//     a_words           of either of both: n BITS / 512 for each product
//     record_address    two words: q, of exactly BITS bits; floor((2^(2 BITS) - 1) / q) - 2^BITS
//     record_tail       of both words, for the readers: BITS, or 0
//     d_address         results: each n/4 beats of 8 BITS bits, lane i of beat j the coefficient j + i n/4
//     d_words           2 a_words
//     log2_size         log2 n, 3 to log2 SIZE
//   busy, done        done: one clock, when all results are in memory, or with
//   bad_modulus       the highest bit of q is 0; nothing is written
//   segment_*, in_*, out_*, writer_idle   of the readers a and b and of the writer: see datapath
//
//   BITS              of a coefficient: 64, 128, 192; the generated modules must be those of this width
//   SIZE              largest n, a power of two, 8 to 2048
//
// The record goes ahead of the operands through the same readers and becomes the messages MODULUS and SIZE;
// then a product enters right behind the other. Beats of a result come in the order of the multiplier, so
// each is a segment of the writer. A product takes 3^(log2 n - 2) clocks, or if that is more, n BITS / 256
// (the words of its result) while memory takes and gives a word a clock.
`default_nettype none
module polynomial_engine #(
    parameter int BITS = 64,
    parameter int SIZE = 128
) (
    input  logic          clk,
    input  logic          reset,
    input  logic          start,
    input  logic [  63:0] a_address,
    input  logic [  63:0] b_address,
    input  logic [  23:0] a_words,
    input  logic [  63:0] record_address,
    input  logic [   8:0] record_tail,
    input  logic [  63:0] d_address,
    input  logic [  23:0] d_words,
    input  logic [   3:0] log2_size,
    output logic          busy,
    output logic          done,
    output logic          bad_modulus,
    output logic [   3:0] segment_valid,
    input  logic [   3:0] segment_ready,
    output logic [ 255:0] segment_address,
    output logic [ 127:0] segment_words,
    output logic [  95:0] segment_zeros,
    output logic [  26:0] segment_tail,
    input  logic [   2:0] in_valid,
    output logic [   2:0] in_ready,
    input  logic [1535:0] in_data,
    output logic          out_valid,
    input  logic          out_ready,
    output logic [ 511:0] out_data,
    input  logic          writer_idle
);
  localparam int BEAT_BITS = 4 * BITS;       // of an operand
  localparam int RESULT_WORDS = BITS / 64;   // of a beat of the results

  // Kinds of the multiplier's messages.
  localparam logic [1:0] COEFFICIENT = 2'd0;
  localparam logic [1:0] MODULUS = 2'd1;
  localparam logic [1:0] LENGTH = 2'd2;

  typedef enum logic [2:0] {
    IDLE,
    SEND_MODULUS,
    SEND_SIZE,
    PRODUCTS,
    DRAIN
  } state_t;
  state_t state;

  logic [9:0] beats;  // n/4
  assign beats = 10'd1 << (log2_size - 4'd2);

  // Segments of the readers: the word of the record, then the operands.
  logic [1:0] record_asked, operands_asked;
  for (genvar i = 0; i < 2; i++) begin : g_segments
    assign segment_valid[i] = busy && !operands_asked[i];
    assign segment_address[64*i+:64] =
        !record_asked[i] ? record_address + 64'(64 * i) : i == 0 ? a_address : b_address;
    assign segment_words[32*i+:32] = record_asked[i] ? {8'd0, a_words} : 32'd1;
    assign segment_tail[9*i+:9] = record_asked[i] ? 9'd0 : record_tail;
    always_ff @(posedge clk)
      if (!busy) begin
        record_asked[i]   <= 1'b0;
        operands_asked[i] <= 1'b0;
      end else if (segment_ready[i]) begin
        record_asked[i]   <= 1'b1;
        operands_asked[i] <= record_asked[i];
      end
  end
  assign segment_valid[2] = 1'b0;
  assign segment_address[191:128] = 64'd0;
  assign segment_words[95:64] = 32'd0;
  assign segment_tail[26:18] = 9'd0;
  assign segment_zeros = 96'd0;

  // Words to beats.
  logic operands_may_enter, beat_taken;
  logic [1:0] box_ready, beat_valid;
  logic [2*BEAT_BITS-1:0] beat;
  assign operands_may_enter = state == SEND_SIZE || state == PRODUCTS;
  for (genvar i = 0; i < 2; i++) begin : g_beats
    gearbox #(
        .IN_BITS (512),
        .OUT_BITS(BEAT_BITS)
    ) box (
        .clk,
        .clear    (reset),
        .in_valid (in_valid[i] && operands_may_enter),
        .in_ready (box_ready[i]),
        .in_data  (in_data[512*i+:512]),
        .out_valid(beat_valid[i]),
        .out_ready(beat_taken && beat_valid[1-i]),
        .out_data (beat[BEAT_BITS*i+:BEAT_BITS])
    );
  end

  // Messages.
  logic message_valid, message_ready, record_taken;
  logic [1:0] message_kind;
  logic [BEAT_BITS-1:0] message_a, message_b;
  logic normalized;
  assign normalized = in_data[BITS-1];
  assign record_taken = state == SEND_MODULUS && normalized && message_ready;
  assign beat_taken = state == PRODUCTS && message_ready;
  assign in_ready = {
    1'b0,
    operands_may_enter ? box_ready : {record_taken && in_valid[0], record_taken && in_valid[1]}
  };
  always_comb begin
    message_valid = 1'b0;
    message_kind = COEFFICIENT;
    message_a = beat[BEAT_BITS-1:0];
    message_b = beat[2*BEAT_BITS-1:BEAT_BITS];
    case (state)
      SEND_MODULUS: begin
        message_valid = in_valid[0] && in_valid[1] && normalized;
        message_kind = MODULUS;
        message_a = BEAT_BITS'(in_data[BITS-1:0]);
        message_b = BEAT_BITS'(in_data[512+:BITS]);
      end
      SEND_SIZE: begin
        message_valid = 1'b1;
        message_kind = LENGTH;
        message_a = BEAT_BITS'(beats);
        message_b = '0;
      end
      PRODUCTS: message_valid = beat_valid[0] && beat_valid[1];
      default: ;
    endcase
  end

  logic result_valid, result_taken;
  logic [9:0] result_index;
  logic [8*BITS-1:0] result;
  polynomial_multiplier #(
      .C(BITS),
      .N(SIZE)
  ) multiplier (
      .clk,
      .reset,
      .in_valid        (message_valid),
      .in_ready        (message_ready),
      .in_kind         (message_kind),
      .in_a            (message_a),
      .in_b            (message_b),
      .out_valid       (result_valid),
      .out_ready       (result_taken),
      .out_index       (result_index),
      .out_coefficients(result)
  );

  // Beats of the results: a segment, and its words.
  logic result_box_ready, result_moves, product_ends;
  logic [63:0] product_address;
  logic [23:0] words_left;
  logic [9:0] beats_before;  // of this product
  assign result_taken = result_box_ready && segment_ready[3];
  assign result_moves = result_valid && result_taken;
  assign product_ends = beats_before == beats - 10'd1;
  assign segment_valid[3] = result_valid && result_box_ready;
  assign segment_address[255:192] = product_address + 64'(result_index) * 64'(64 * RESULT_WORDS);
  assign segment_words[127:96] = 32'(RESULT_WORDS);
  gearbox #(
      .IN_BITS (8 * BITS),
      .OUT_BITS(512)
  ) result_box (
      .clk,
      .clear    (reset),
      .in_valid (result_valid && segment_ready[3]),
      .in_ready (result_box_ready),
      .in_data  (result),
      .out_valid,
      .out_ready,
      .out_data
  );
  always_ff @(posedge clk)
    if (start && !busy) begin
      product_address <= d_address;
      words_left <= d_words;
      beats_before <= 10'd0;
    end else if (result_moves) begin
      words_left <= words_left - 24'(RESULT_WORDS);
      beats_before <= product_ends ? 10'd0 : beats_before + 10'd1;
      if (product_ends) product_address <= product_address + 64'(beats) * 64'(64 * RESULT_WORDS);
    end

  assign busy = state != IDLE;
  always_ff @(posedge clk)
    if (reset) begin
      state <= IDLE;
      done  <= 1'b0;
    end else begin
      done <= 1'b0;
      case (state)
        IDLE:
        if (start) begin
          state <= SEND_MODULUS;
          bad_modulus <= 1'b0;
        end
        SEND_MODULUS:
        if (in_valid[0] && !normalized) begin
          state <= IDLE;
          done <= 1'b1;
          bad_modulus <= 1'b1;
        end else if (message_valid && message_ready) state <= SEND_SIZE;
        SEND_SIZE: if (message_ready) state <= PRODUCTS;
        PRODUCTS: if (result_moves && words_left == 24'(RESULT_WORDS)) state <= DRAIN;
        DRAIN:
        if (writer_idle) begin
          state <= IDLE;
          done  <= 1'b1;
        end
        default: state <= IDLE;
      endcase
    end

  logic unused;
  assign unused = &{1'b0, segment_ready[2], in_valid[2], in_data[1535:1024]};
endmodule
`default_nettype wire
