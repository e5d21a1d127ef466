// SPDX-License-Identifier: Apache-2.0
// z = x y and z = z + x y for an x of any length and a y with few one-bits, given by their indices.
//
//   reset                     to idle, whatever is under way; the indices stay
//   indices_ready             index_write is heard
//   index_write               index_slot (0..WEIGHT-1) gets `index`
//   ready                     start is heard
//   start                     and with it:
//     weight                    how many slots are used, from slot 0; 0..WEIGHT
//     accumulate                0: z = x y; 1: z = z + x y
//     x_blocks, z_blocks        lengths in blocks: 1 <= x_blocks <= z_blocks, and z_blocks BLOCK_BITS is at
//                               least the bits of the result
//   x_valid, x_ready, x       x_blocks blocks, the lowest first
//   old_valid, old_ready, old z_blocks blocks of the old z; wanted only if accumulate = 1
//   z_valid, z_ready, z       z_blocks blocks of the result; each leaves WEIGHT + 1 blocks after its old
//                             one was taken, so both may be one memory
//   busy, done                done is one clock, after the last block of z; busy until the last done
//   cycles                    clocks from the first after a start that found it idle to the last block of z
//   overflow                  from the last done on: a carry left the last block, so z_blocks was too small
//
//   BLOCK_BITS                64, 128, 256: power of two; the adders are the longest path
//   WEIGHT                    one-bits of y at most
//   INDEX_BITS                every index is below 2^INDEX_BITS
//
// CONCATENATION + WEIGHT + z_blocks clocks while no side stalls. A product may follow while the one before is
// still in the chain, without a gap between their blocks: one with the same lengths and the same `accumulate`,
// of so many blocks that an old one is not awaited that is in the chain itself. A chain of WEIGHT units: each delays x
// by its index and adds it to the sum that passes by; the first adds to the old z. x is read once, block
// by block, by the first unit.
// LHW paper, section 5, eqs. (10) to (12).
`default_nettype none
module lhw_multiplier #(
    parameter int BLOCK_BITS = 64,
    parameter int WEIGHT = 15,
    parameter int INDEX_BITS = 12
) (
    input  logic                        clk,
    input  logic                        reset,
    output logic                        indices_ready,
    input  logic                        index_write,
    input  logic [  $clog2(WEIGHT)-1:0] index_slot,
    input  logic [      INDEX_BITS-1:0] index,
    output logic                        ready,
    input  logic                        start,
    input  logic [$clog2(WEIGHT+1)-1:0] weight,
    input  logic                        accumulate,
    input  logic [                31:0] x_blocks,
    input  logic [                31:0] z_blocks,
    output logic                        busy,
    output logic                        done,
    output logic [                31:0] cycles,
    output logic                        overflow,
    input  logic                        x_valid,
    output logic                        x_ready,
    input  logic [      BLOCK_BITS-1:0] x,
    input  logic                        old_valid,
    output logic                        old_ready,
    input  logic [      BLOCK_BITS-1:0] old,
    output logic                        z_valid,
    input  logic                        z_ready,
    output logic [      BLOCK_BITS-1:0] z
);
  localparam int CONCATENATION = 12;  // clocks from a block of x to its sum in the first unit, less 1
  localparam int UNIT_LATENCY = 4 + ($clog2(BLOCK_BITS) + 1) / 2;
  localparam int SPARE = CONCATENATION - UNIT_LATENCY;  // registers from the memory to the units
  localparam int DEPTH = CONCATENATION + WEIGHT;

  // The command.
  logic [WEIGHT*INDEX_BITS-1:0] indices;
  logic [WEIGHT-1:0] used;
  logic accumulating;
  logic [31:0] x_left, z_fed, z_left, length;
  logic [1:0] under_way;
  logic starts, ends, indices_taken, first_fed, long_enough;
  logic feeding, feeds_last, takes_x, takes_old, advance, x_held_back, old_held_back, z_held_back;
  logic z_leaves, z_gone;

  assign x_held_back = takes_x && !x_valid;
  assign old_held_back = takes_old && !old_valid;
  assign z_held_back = z_valid && !z_ready;
  assign advance = !x_held_back && !old_held_back && !z_held_back;
  assign x_ready = takes_x && !old_held_back && !z_held_back;
  assign old_ready = takes_old && !x_held_back && !z_held_back;
  assign z_leaves = z_valid && z_ready;

  // The units take their indices one after the other, with the first block.
  assign busy = under_way != 2'd0;
  assign indices_ready = !busy || indices_taken;
  assign ready = !busy || (indices_taken && long_enough && (!feeding || (feeds_last && advance)));
  assign starts = start && ready;
  assign ends = z_leaves && z_left == 32'd1;
  always_ff @(posedge clk)
    for (int i = 0; i < WEIGHT; i++) begin
      if (index_write && indices_ready && index_slot == $clog2(WEIGHT)'(i))
        indices[INDEX_BITS*i+:INDEX_BITS] <= index;
      if (starts) used[i] <= $clog2(WEIGHT + 1)'(i) < weight;
    end

  always_ff @(posedge clk)
    if (reset) begin
      under_way <= 2'd0;
      done <= 1'b0;
      cycles <= 32'd0;
      x_left <= 32'd0;
      z_fed <= 32'd0;
      z_left <= 32'd0;
      feeding <= 1'b0;
      feeds_last <= 1'b0;
      takes_x <= 1'b0;
      accumulating <= 1'b0;
    end else begin
      done <= ends;
      under_way <= under_way + 2'(starts) - 2'(ends);
      if (busy) cycles <= cycles + 32'd1;
      // What stalls is in registers of its own: no counter is compared on the way to `advance`.
      if (advance && takes_x) begin
        x_left <= x_left - 32'd1;
        takes_x <= x_left != 32'd1 && !feeds_last;
      end
      if (advance && feeding) begin
        z_fed <= z_fed - 32'd1;
        feeding <= !feeds_last;
        feeds_last <= z_fed == 32'd2;
      end
      if (z_leaves) z_left <= ends ? length : z_left - 32'd1;
      if (starts) begin
        x_left <= x_blocks;
        z_fed <= z_blocks;
        feeding <= z_blocks != 32'd0;
        feeds_last <= z_blocks == 32'd1;
        takes_x <= x_blocks != 32'd0;
        accumulating <= accumulate;
        if (!busy) begin
          cycles <= 32'd0;
          z_left <= z_blocks;
        end
      end
    end
  // Which clocks hold a block, from the memory of x to that of z. A reset empties this, and not the units, where blocks of
  // before may mark a first one.
  logic [DEPTH-1:0] valid;
  logic [WEIGHT:0] blocks_valid, blocks_first;  // at each unit of the chain below
  always_ff @(posedge clk) begin
    if (starts) begin
      length <= z_blocks;
      long_enough <= z_blocks >= 32'(2 * DEPTH);
      first_fed <= 1'b0;
      indices_taken <= 1'b0;
    end else if (advance) begin
      if (feeding) first_fed <= 1'b1;
      if (valid[SPARE+WEIGHT-2] && blocks_first[WEIGHT-1]) indices_taken <= 1'b1;
    end
  end

  always_ff @(posedge clk)
    if (reset) begin
      valid <= '0;
      z_gone <= 1'b0;
    end else begin
      if (advance) valid <= {valid[DEPTH-2:0], feeding};
      z_gone <= !advance && (z_gone || z_leaves);
    end
  assign z_valid = valid[DEPTH-1] && !z_gone;  // it may leave while the chain waits for an input
  assign takes_old = accumulating && valid[CONCATENATION-2];

  // The way of x to the first unit, zeros after its end; the old block waits one clock for the sum.
  logic [SPARE*BLOCK_BITS-1:0] spare;
  logic [SPARE-1:0] spare_first;
  logic [BLOCK_BITS-1:0] held;
  always_ff @(posedge clk)
    if (advance) begin
      spare <= (SPARE * BLOCK_BITS)'({spare, takes_x ? x : {BLOCK_BITS{1'b0}}});
      spare_first <= {spare_first[SPARE-2:0], !first_fed};
      held <= takes_old ? old : {BLOCK_BITS{1'b0}};
    end

  // The chain.
  logic [(WEIGHT+1)*BLOCK_BITS-1:0] blocks, sums;
  logic [WEIGHT-1:0] carries;
  assign blocks[BLOCK_BITS-1:0] = spare[BLOCK_BITS*(SPARE-1)+:BLOCK_BITS];
  assign blocks_valid[0] = valid[SPARE-1];
  assign blocks_first[0] = spare_first[SPARE-1];
  assign sums[BLOCK_BITS-1:0] = held;

  for (genvar i = 0; i < WEIGHT; i++) begin : g_unit
    lhw_unit #(
        .BLOCK_BITS(BLOCK_BITS),
        .INDEX_BITS(INDEX_BITS)
    ) unit (
        .clk,
        .advance,
        .x           (blocks[BLOCK_BITS*i+:BLOCK_BITS]),
        .x_valid     (blocks_valid[i]),
        .x_first     (blocks_first[i]),
        .x_next      (blocks[BLOCK_BITS*(i+1)+:BLOCK_BITS]),
        .x_next_valid(blocks_valid[i+1]),
        .x_next_first(blocks_first[i+1]),
        .index       (indices[INDEX_BITS*i+:INDEX_BITS]),
        .used        (used[i]),
        .sum         (sums[BLOCK_BITS*i+:BLOCK_BITS]),
        .sum_next    (sums[BLOCK_BITS*(i+1)+:BLOCK_BITS]),
        .carry       (carries[i])
    );
  end
  assign z = sums[BLOCK_BITS*WEIGHT+:BLOCK_BITS];
  assign overflow = |carries;

  logic unused;
  assign unused = &{1'b0, blocks[BLOCK_BITS*WEIGHT+:BLOCK_BITS], blocks_valid[WEIGHT],
                    blocks_first[WEIGHT]};
endmodule
`default_nettype wire
