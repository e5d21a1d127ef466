// SPDX-License-Identifier: Apache-2.0
// The blocks of a sum of products of elements and short weights, slice by slice of the elements: the products of a slice of
// all elements first, which add to the same words.
//
//   start            with what follows, which stays while blocks are shown:
//   terms            elements and weights, at least 1
//   step             words of a slice
//   a_address        of the first element; the next ones lie 2^32 bytes apart
//   a_words          of each, at least 1
//   b_address        of the first weight; the next ones lie b_words words apart
//   valid            a block is shown
//   next             the shown block is done; the following one is shown at once, or, in another slice, two clocks
//                    later, unless the shown one was the last
//   a_at, a_count    address and words of the slice of this element; the last slice may be shorter
//   b_at             address of its weight
//   first, last      of its slice
//   ends             no block follows
`default_nettype none
module element_slices (
    input  logic        clk,
    input  logic        reset,
    input  logic        start,
    input  logic [15:0] terms,
    input  logic [11:0] step,
    input  logic [63:0] a_address,
    input  logic [23:0] a_words,
    input  logic [63:0] b_address,
    input  logic [23:0] b_words,
    output logic        valid,
    input  logic        next,
    output logic [63:0] a_at,
    output logic [11:0] a_count,
    output logic [63:0] b_at,
    output logic        first,
    output logic        last,
    output logic        ends
);
  logic [23:0] left;  // words of an element in this slice and above
  logic [15:0] terms_left;
  logic [63:0] slice;  // of the first element
  logic begins, last_slice;

  always_ff @(posedge clk)
    if (reset) {begins, valid} <= 2'b00;
    else begin
      begins <= start || (next && last && !ends);
      valid <= begins || (valid && !(next && last));
    end

  always_ff @(posedge clk) begin
    last_slice <= left <= 24'(step);
    a_count <= left <= 24'(step) ? left[11:0] : step;
  end

  always_ff @(posedge clk)
    if (start) begin
      left <= a_words;
      slice <= a_address;
    end else if (next && last) begin
      left <= left - 24'(step);
      slice <= slice + {46'd0, step, 6'd0};
    end
  always_ff @(posedge clk)
    if (begins) begin
      terms_left <= terms;
      a_at <= slice;
      b_at <= b_address;
      first <= 1'b1;
    end else if (next) begin
      terms_left <= terms_left - 16'd1;
      a_at <= a_at + {31'd0, 1'b1, 32'd0};
      b_at <= b_at + {34'd0, b_words, 6'd0};
      first <= 1'b0;
    end
  assign last = terms_left == 16'd1;
  assign ends = last && last_slice;
endmodule
`default_nettype wire
