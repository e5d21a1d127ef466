// What a memory_reader reads of an operand: one run of words, or the runs of several numbers, one a slot.
//
//   write, write_slot, write_address   the table of the numbers in slots, while nothing is under way
//   start       with what follows, which stays until `busy` is 0:
//   gather      0: `words` words at `address`, then zeros up to `total` words
//               1: for each of `slots` slots, `words` words at its number's address, then zeros up to
//                  slot_words words; after the last slot, zeros up to `total`
//   REVERSED    1: the number of the last slot comes first
//   tail        bits used in the last word of every number, 0 = all
//   segment_*   to the reader
//
// In a cyclic product of two such operands, one of them reversed, slot m - 1 has A_1 B_1 + .. + A_m B_m.
`default_nettype none
module operand_segments #(
    parameter int REVERSED = 0
) (
    input  logic        clk,
    input  logic        reset,
    input  logic        write,
    input  logic [ 3:0] write_slot,
    input  logic [63:0] write_address,
    input  logic        start,
    input  logic        gather,
    input  logic [63:0] address,
    input  logic [23:0] words,
    input  logic [ 8:0] tail,
    input  logic [ 4:0] slots,
    input  logic [23:0] slot_words,
    input  logic [23:0] total,
    output logic        busy,
    output logic        segment_valid,
    input  logic        segment_ready,
    output logic [63:0] segment_address,
    output logic [31:0] segment_words,
    output logic [31:0] segment_zeros,
    output logic [ 8:0] segment_tail
);
  logic [63:0] addresses[16];
  logic [4:0] left;  // segments to come
  logic [3:0] slot;
  logic [23:0] space;  // words of `total` that are not given yet
  logic taken, final_segment;

  assign busy = left != 5'd0 || segment_valid;
  assign taken = !segment_valid || segment_ready;
  assign final_segment = left == 5'd1;

  always_ff @(posedge clk) if (write) addresses[write_slot] <= write_address;

  always_ff @(posedge clk)
    if (reset) begin
      left <= 5'd0;
      segment_valid <= 1'b0;
    end else if (start) begin
      left <= gather ? slots : 5'd1;
    end else if (taken) begin
      segment_valid <= left != 5'd0;
      if (left != 5'd0) left <= left - 5'd1;
    end

  always_ff @(posedge clk)
    if (start) begin
      slot <= REVERSED != 0 ? slots[3:0] - 4'd1 : 4'd0;
      space <= total;
    end else if (taken && left != 5'd0) begin
      slot <= REVERSED != 0 ? slot - 4'd1 : slot + 4'd1;
      space <= space - slot_words;
      segment_address <= gather ? addresses[slot] : address;
      segment_words <= {8'd0, words};
      segment_zeros <= {8'd0, (final_segment ? space : slot_words) - words};
      segment_tail <= words == 24'd0 ? 9'd0 : tail;
    end
endmodule
`default_nettype wire
