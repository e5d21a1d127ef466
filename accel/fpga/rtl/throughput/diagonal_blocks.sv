// SPDX-License-Identifier: Apache-2.0
// The blocks of a product of two long integers, diagonal by diagonal: all those that add to the same words first.
//
//   start              with the lengths of the operands and of the destination, in words of 512 bits; they stay while
//                      blocks are shown
//   step               words of a block of either operand
//   destination_words  at least 1; diagonals that begin above are left out
//   destination_from   at most destination_words; diagonals that end below its last word are left out
//   valid              a block is shown
//   next               the shown block is done; the following one is shown three clocks later, unless
//                      the shown one was the last
//   a_at, a_count      its words of the first operand
//   b_at, b_count      its words of the second one; a count may be 0
//   at                 the first word of the destination that its diagonal adds to; at = a_at + b_at
//   first, last        of its diagonal
//   ends               no block follows
//
// Diagonal k has the blocks i of a and k - i of b, and the words k step .. (k + 2) step - 1 of the destination. Leaving
// out those of diagonals k < K, with (K + 1) step < destination_from, makes the result smaller by less than
// K^2 2^(512 (destination_from - 1)) < 2^-464 2^(512 destination_from), as K < 2^24. One diagonal is always shown. Each one
// that is left out takes three clocks.
`default_nettype none
module diagonal_blocks (
    input  logic        clk,
    input  logic        reset,
    input  logic        start,
    input  logic [10:0] step,
    input  logic [23:0] a_words,
    input  logic [23:0] b_words,
    input  logic [23:0] destination_words,
    input  logic [23:0] destination_from,
    input  logic        next,
    output logic        valid,
    output logic [23:0] a_at,
    output logic [10:0] a_count,
    output logic [23:0] b_at,
    output logic [10:0] b_count,
    output logic [23:0] at,
    output logic        first,
    output logic        last,
    output logic        ends
);
  logic [23:0] a_head, b_head;  // of the diagonal's first block
  logic [23:0] a_left, b_left;
  logic goes_on, a_advances, b_advances, reaches, is_low, leave_out, shows;
  logic [1:0] settling;

  // First clock after a change: where the block lies and what follows it.
  always_ff @(posedge clk) begin
    a_left <= a_words - a_at;
    b_left <= b_words - b_at;
    goes_on <= b_at != 24'd0 && {1'b0, a_at} + 25'(step) < {1'b0, a_words};
    a_advances <= {1'b0, a_head} + 25'(step) < {1'b0, a_words};
    b_advances <= {1'b0, b_head} + 25'(step) < {1'b0, b_words};
    reaches <= {1'b0, at} + 25'(step) < {1'b0, destination_words};
    is_low <= {1'b0, at} + {13'd0, step, 1'b0} < {1'b0, destination_from};
  end

  // Second clock: its sizes.
  logic another;
  assign another = (a_advances || b_advances) && reaches;
  always_ff @(posedge clk) begin
    a_count <= a_left < 24'(step) ? a_left[10:0] : step;
    b_count <= b_left < 24'(step) ? b_left[10:0] : step;
    first <= a_at == a_head;
    last <= !goes_on;
    ends <= !goes_on && !another;
    leave_out <= is_low && another;
  end

  assign shows = settling == 2'd1;
  assign valid = shows && !leave_out;
  always_ff @(posedge clk)
    if (reset) settling <= 2'd0;
    else if (start || (shows && leave_out) || (next && !ends)) settling <= 2'd3;
    else if (next) settling <= 2'd0;
    else if (settling[1]) settling <= settling - 2'd1;

  logic [23:0] a_next_head, b_next_head;
  assign a_next_head = b_advances ? a_head : a_head + 24'(step);
  assign b_next_head = b_advances ? b_head + 24'(step) : b_head;
  always_ff @(posedge clk)
    if (start) begin
      {a_head, b_head, a_at, b_at, at} <= '0;
    end else if (shows && !leave_out && !last) begin
      if (next) begin
        a_at <= a_at + 24'(step);
        b_at <= b_at - 24'(step);
      end
    end else if (shows && (leave_out || next)) begin
      a_head <= a_next_head;
      b_head <= b_next_head;
      a_at <= a_next_head;
      b_at <= b_next_head;
      at <= at + 24'(step);
    end
endmodule
`default_nettype wire
