// SPDX-License-Identifier: Apache-2.0
// Engine of the datapath: d = a b, block by block, each loaded, multiplied and stored before the next;
// with `accumulate` d = d + a b.
//
//   carry          a sum exceeded d
//   all others     see datapath
//   ROM_DIR        of product_unit
`default_nettype none
module block_engine #(
    parameter ROM_DIR = ""
) (
    input  logic          clk,
    input  logic          reset,
    input  logic          start,
    input  logic          accumulate,
    input  logic [  63:0] a_address,
    input  logic [  23:0] a_words,
    input  logic [   8:0] a_tail,
    input  logic [  63:0] b_address,
    input  logic [  23:0] b_words,
    input  logic [   8:0] b_tail,
    input  logic [  63:0] d_address,
    input  logic [  23:0] d_words,
    output logic          busy,
    output logic          done,
    output logic          carry,
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
  `include "register_map.svh"
  typedef enum logic [1:0] {
    IDLE,
    BLOCK,  // the next block is being found
    RUN,
    DRAIN   // results are on their way to memory
  } state_t;
  state_t state;
  logic starts;
  assign starts = start && !busy;
  assign busy = state != IDLE;

  logic block_valid, full_load, last;
  logic [23:0] a_at, a_count, b_at, b_count, at, result_words, old_words;
  product_blocks blocks (
      .clk,
      .reset,
      .start            (starts),
      .accumulate,
      .a_words,
      .b_words,
      .destination_words(d_words),
      .next             (state == DRAIN && writer_idle),
      .valid            (block_valid),
      .a_at,
      .a_count,
      .b_at,
      .b_count,
      .full_load,
      .at,
      .result_words,
      .old_words,
      .last
  );

  // The words of a block.
  logic [23:0] loaded;
  logic [3:0] wanted;
  assign loaded = full_load ? 24'(PRODUCT_WORDS) : 24'(PRODUCT_WORDS / 2);
  always_ff @(posedge clk) begin
    segment_address <= {{2{d_address + {34'd0, at, 6'd0}}}, b_address + {34'd0, b_at, 6'd0},
                        a_address + {34'd0, a_at, 6'd0}};
    segment_words <= {8'd0, result_words, 8'd0, old_words, 8'd0, b_count, 8'd0, a_count};
    segment_zeros <= {8'd0, result_words - old_words, 8'd0, loaded - b_count, 8'd0, loaded - a_count};
    segment_tail <= {9'd0, b_at + b_count == b_words ? b_tail : 9'd0, a_at + a_count == a_words ? a_tail : 9'd0};
  end
  assign segment_valid = wanted;

  logic unit_start, unit_busy, unit_done, unit_carry;
  product_unit #(
      .ROM_DIR(ROM_DIR)
  ) products (
      .clk,
      .reset,
      .start       (unit_start),
      .full_load,
      .result_words({8'd0, result_words}),
      .busy        (unit_busy),
      .done        (unit_done),
      .carry_out   (unit_carry),
      .a_valid     (in_valid[0]),
      .a_ready     (in_ready[0]),
      .a_data      (in_data[511:0]),
      .b_valid     (in_valid[1]),
      .b_ready     (in_ready[1]),
      .b_data      (in_data[1023:512]),
      .old_valid   (in_valid[2]),
      .old_ready   (in_ready[2]),
      .old_data    (in_data[1535:1024]),
      .out_valid,
      .out_ready,
      .out_data
  );

  always_ff @(posedge clk)
    if (reset) begin
      state <= IDLE;
      done <= 1'b0;
      unit_start <= 1'b0;
      wanted <= 4'd0;
    end else begin
      done <= 1'b0;
      unit_start <= 1'b0;
      wanted <= wanted & ~segment_ready;
      case (state)
        IDLE:
        if (start) begin
          state <= BLOCK;
          carry <= 1'b0;
        end
        BLOCK:
        if (block_valid) begin
          state <= RUN;
          unit_start <= 1'b1;
          wanted <= 4'b1111;
        end
        RUN:
        if (unit_done) begin
          state <= DRAIN;
          // Any block that is added can be the one whose sum runs over.
          carry <= carry || unit_carry;
        end
        DRAIN:
        if (writer_idle) begin
          state <= last ? IDLE : BLOCK;
          done  <= last;
        end
      endcase
    end

  logic unused;
  assign unused = &{1'b0, unit_busy};
endmodule
`default_nettype wire
