// SPDX-License-Identifier: Apache-2.0
// Engine of the datapath: d = sum of A_i B_i over `terms` pairs, B_i a word of indices; with `accumulate`
// d = d + that sum.
//
//   terms          at least 1; so many pairs are taken
//   weight         number of indices in every B_i, 0: no word of indices is read
//   pair_valid     pair_a, pair_b: the addresses of A_i and of the indices
//   bad_index      with done: an index is 4096 or more; d is undefined
//   carry          the last sum exceeded d
//   all others     see datapath; every A_i has a_words words
//
// The readers ask for the next pair while the one before is multiplied, and long products follow each other
// without a gap. A word of d is read once that word of the sum before is written: old_hold. Words of 16 bits,
// of which the lower 12 may be set, are indices.
`default_nettype none
module sparse_engine (
    input  logic          clk,
    input  logic          reset,
    input  logic          start,
    input  logic          accumulate,
    input  logic [  15:0] terms,
    input  logic [   3:0] weight,
    input  logic [  23:0] a_words,
    input  logic [   8:0] a_tail,
    input  logic [  63:0] d_address,
    input  logic [  23:0] d_words,
    input  logic          pair_valid,
    output logic          pair_ready,
    input  logic [  63:0] pair_a,
    input  logic [  63:0] pair_b,
    output logic          busy,
    output logic          done,
    output logic          carry,
    output logic          bad_index,
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
    input  logic          writer_idle,
    input  logic          written,
    output logic          old_hold,
    input  logic          old_asked
);
  `include "register_map.svh"
  typedef enum logic [1:0] {
    IDLE,
    PRODUCTS,  // one begins when its indices are there
    DRAIN      // the last ones, and results on their way to memory
  } state_t;
  state_t state;
  logic starts, has_indices, has_old;
  assign starts = start && !busy;
  assign busy = state != IDLE;
  assign has_indices = weight != 4'd0;

  // In front: the segments of one pair after the other.
  logic [15:0] pairs_left;
  logic [3:0] given;
  logic first_pair;
  assign has_old = accumulate || !first_pair;
  assign segment_valid = pair_valid && pairs_left != 16'd0 ? ~given : 4'd0;
  assign pair_ready = pairs_left != 16'd0 && (given | segment_ready) == 4'b1111;
  assign segment_address = {d_address, d_address, pair_b, pair_a};
  assign segment_words = {8'd0, d_words, has_old ? {8'd0, d_words} : 32'd0, 31'd0, has_indices, 8'd0, a_words};
  assign segment_zeros = {has_old ? 32'd0 : {8'd0, d_words}, 31'd0, !has_indices,
                          a_words == 24'd0 ? 32'd1 : 32'd0};
  assign segment_tail = {18'd0, a_words == 24'd0 ? 9'd0 : a_tail};
  always_ff @(posedge clk)
    if (reset) pairs_left <= 16'd0;
    else if (starts) begin
      pairs_left <= terms;
      first_pair <= 1'b1;
      given <= 4'd0;
    end else if (pair_valid && pair_ready) begin
      pairs_left <= pairs_left - 16'd1;
      first_pair <= 1'b0;
      given <= 4'd0;
    end else if (pair_valid && pairs_left != 16'd0) given <= given | segment_ready;

  // Old words may be read as far as they are written; those that were there before, at once.
  logic [31:0] readable;
  assign old_hold = readable == 32'd0;
  always_ff @(posedge clk)
    if (starts) readable <= accumulate ? {8'd0, d_words} : 32'd0;
    else readable <= readable + 32'(written) - 32'(old_asked);

  // Behind: one product after the other.
  logic [15:0] products_left;
  logic [14:0] index_too_large;
  logic [239:0] indices;
  logic index_taken, unit_ready, unit_start, unit_busy, unit_done, overflow, x_ready, old_ready;
  assign index_taken = state == PRODUCTS && in_valid[1] && unit_ready && !unit_start;
  for (genvar i = 0; i < SPARSE_WEIGHT; i++) begin : g_index
    assign index_too_large[i] = 4'(i) < weight && in_data[512+16*i+SPARSE_INDEX_BITS+:4] != 4'd0;
  end
  always_ff @(posedge clk) if (index_taken) indices <= in_data[512+:240];

  sparse_unit #(
      .BLOCK_BITS(SPARSE_BLOCK_BITS)
  ) products (
      .clk,
      .reset,
      .ready       (unit_ready),
      .start       (unit_start),
      .weight,
      .indices,
      .x_words     (a_words == 24'd0 ? 32'd1 : {8'd0, a_words}),
      .result_words({8'd0, d_words}),
      .busy        (unit_busy),
      .done        (unit_done),
      .overflow,
      .x_valid     (in_valid[0]),
      .x_ready,
      .x_data      (in_data[511:0]),
      .old_valid   (in_valid[2]),
      .old_ready,
      .old_data    (in_data[1535:1024]),
      .out_valid,
      .out_ready,
      .out_data
  );
  assign in_ready = {old_ready, index_taken, x_ready};

  always_ff @(posedge clk)
    if (reset) begin
      state <= IDLE;
      done <= 1'b0;
      unit_start <= 1'b0;
    end else begin
      done <= 1'b0;
      unit_start <= 1'b0;
      case (state)
        IDLE:
        if (start) begin
          state <= PRODUCTS;
          products_left <= terms;
          bad_index <= 1'b0;
        end
        PRODUCTS:
        if (index_taken) begin
          products_left <= products_left - 16'd1;
          if (index_too_large != 15'd0) begin
            state <= IDLE;
            done <= 1'b1;
            bad_index <= 1'b1;
          end else begin
            unit_start <= 1'b1;
            if (products_left == 16'd1) state <= DRAIN;
          end
        end
        default:  // DRAIN
        if (!unit_start && !unit_busy && writer_idle) begin
          state <= IDLE;
          done  <= 1'b1;
          carry <= overflow;
        end
      endcase
    end

  logic unused;
  assign unused = &{1'b0, unit_done, in_data[1023:752]};
endmodule
`default_nettype wire
