// SPDX-License-Identifier: Apache-2.0
// One one-bit of the sparse factor: adds x shifted by its index to the sum that passes by.
//
//   advance                0 holds everything
//   x, x_valid, x_first    blocks of x, the lowest first and marked; zeros follow its end; the blocks of
//                          a product come without a gap
//   x_next, ...            the same one clock later, to the next unit
//   index, used            of the one-bit, taken with the first block; used = 0 adds nothing
//   sum                    the block of the sum before this unit, LATENCY clocks after its x
//   sum_next               with this one-bit's block added, one clock later
//   carry                  out of the last block that was added
//   LATENCY                4 + ceil(log2(BLOCK_BITS) / 2)
//
// Block t of x 2^index is the upper half of {X[t-q], X[t-q-1]} 2^r with index = BLOCK_BITS q + r. The
// last 2^INDEX_BITS / BLOCK_BITS blocks are kept in a ring: x is read from memory once, by the first
// unit. The carry out of a block stays here for the next one, so no carry runs further than one
// block. There is nothing to reset: the first block of a product finds the units as new, also behind the
// last one of another product, since its index goes through the clocks with it.
// Clocks of LATENCY: x 1, ring 2, pair 1, then one for two levels of the shift.
// LHW paper, sections 5.1 and 5.2.
`default_nettype none
module lhw_unit #(
    parameter int BLOCK_BITS = 64,
    parameter int INDEX_BITS = 12
) (
    input  logic                  clk,
    input  logic                  advance,
    input  logic [BLOCK_BITS-1:0] x,
    input  logic                  x_valid,
    input  logic                  x_first,
    output logic [BLOCK_BITS-1:0] x_next,
    output logic                  x_next_valid,
    output logic                  x_next_first,
    input  logic [INDEX_BITS-1:0] index,
    input  logic                  used,
    input  logic [BLOCK_BITS-1:0] sum,
    output logic [BLOCK_BITS-1:0] sum_next,
    output logic                  carry
);
  localparam int SHIFT_BITS = $clog2(BLOCK_BITS);
  localparam int BACK_BITS = INDEX_BITS - SHIFT_BITS;
  localparam int SHIFT_CLOCKS = (SHIFT_BITS + 1) / 2;
  localparam int LATENCY = 4 + SHIFT_CLOCKS;

  // Whether a block is there, and is the first, in each of the clocks.
  logic [LATENCY-1:0] valid, first;
  always_ff @(posedge clk)
    if (advance) begin
      valid <= {valid[LATENCY-2:0], x_valid};
      first <= {first[LATENCY-2:0], x_first};
    end
  // The index, and whether it is used, of the block that is in each of the clocks.
  logic [LATENCY*INDEX_BITS-1:0] indices;
  logic [1:0] uses;
  logic [BACK_BITS-1:0] back;
  always_ff @(posedge clk)
    if (advance) begin
      indices[LATENCY*INDEX_BITS-1:INDEX_BITS] <= indices[(LATENCY-1)*INDEX_BITS-1:0];
      uses[1] <= uses[0];
      if (x_valid && x_first) begin
        indices[INDEX_BITS-1:0] <= index;
        uses[0] <= used;
      end
    end
  assign back = indices[INDEX_BITS+SHIFT_BITS+:BACK_BITS];

  assign x_next_valid = valid[0];
  assign x_next_first = first[0];

  // The ring: `position` is the number of the last block written, modulo the length; `full` says that
  // the ring went around since the first block.
  logic [BLOCK_BITS-1:0] ring[2**BACK_BITS];
  logic [BACK_BITS-1:0] position, position_next;
  logic full, present;
  logic [BLOCK_BITS-1:0] fetched;

  assign position_next = first[0] ? '0 : position + BACK_BITS'(1);
  always_ff @(posedge clk)
    if (advance) begin
      x_next <= x;
      if (valid[0]) begin
        ring[position_next] <= x_next;
        position <= position_next;
        full <= !first[0] && (full || (&position));
      end
      fetched <= ring[position-back];
      present <= uses[1] && (full || position >= back);
    end

  // levels[i]: the pair, shifted by the 2 i upper bits of the lower part of the index.
  logic [(SHIFT_CLOCKS+1)*2*BLOCK_BITS-1:0] levels;
  logic [BLOCK_BITS-1:0] operand;

  always_ff @(posedge clk)
    if (advance)
      levels[2*BLOCK_BITS-1:0] <= {
        present ? fetched : {BLOCK_BITS{1'b0}},
        first[2] ? {BLOCK_BITS{1'b0}} : levels[2*BLOCK_BITS-1:BLOCK_BITS]
      };
  for (genvar i = 0; i < SHIFT_CLOCKS; i++) begin : g_level
    localparam int HIGH = SHIFT_BITS - 2 * i;
    localparam int LOW = HIGH < 2 ? 0 : HIGH - 2;
    logic [HIGH-1:0] amount;
    assign amount = {indices[INDEX_BITS*(3+i)+LOW+:HIGH-LOW], {LOW{1'b0}}};
    always_ff @(posedge clk)
      if (advance)
        levels[2*BLOCK_BITS*(i+1)+:2*BLOCK_BITS] <= levels[2*BLOCK_BITS*i+:2*BLOCK_BITS] << amount;
  end
  assign operand = levels[2*BLOCK_BITS*SHIFT_CLOCKS+BLOCK_BITS+:BLOCK_BITS];

  logic unused;
  assign unused = &{1'b0, levels[2*BLOCK_BITS*SHIFT_CLOCKS+:BLOCK_BITS], indices};

  logic carry_in;
  assign carry_in = carry && !first[LATENCY-1];
  always_ff @(posedge clk)
    if (advance && valid[LATENCY-1])
      {carry, sum_next} <= {1'b0, sum} + {1'b0, operand} + {{BLOCK_BITS{1'b0}}, carry_in};
endmodule
`default_nettype wire
