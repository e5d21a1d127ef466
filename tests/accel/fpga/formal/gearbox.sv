// SPDX-License-Identifier: Apache-2.0
// A gearbox of every ratio of widths that the device has: it holds as many bits as entered and have not left, takes a word
// when there is room, offers one when all of it is there, always does one of the two, and gives each bit as it was and in
// its turn. The solver chooses the bit that is watched. Words of more bits are as many gearboxes side by side. That of
// 512 to 28 bits takes the solver more than a minute, the others seconds.
//
// modules: memory/gearbox.sv
// proof: induction 2
// with: IN_BITS=4 OUT_BITS=3 RING=12
// with: IN_BITS=3 OUT_BITS=4 RING=12
// with: IN_BITS=2 OUT_BITS=1 RING=4
// with: IN_BITS=1 OUT_BITS=2 RING=4
// with: IN_BITS=8 OUT_BITS=1 RING=16
// with: IN_BITS=1 OUT_BITS=8 RING=16
// with: IN_BITS=4 OUT_BITS=1 RING=8
// with: IN_BITS=1 OUT_BITS=4 RING=8
// with: IN_BITS=7 OUT_BITS=64 RING=448
// with: IN_BITS=128 OUT_BITS=7 RING=896
// fault: memory/gearbox.sv s/fill <= FILL_BITS'(RING - IN)/fill <= FILL_BITS'(RING - IN + 1)/
// fault: memory/gearbox.sv s/fill >= FILL_BITS'(OUT)/fill >= FILL_BITS'(OUT - 1)/
// fault: memory/gearbox.sv s/out_slot == OUT_SLOT_BITS'(OUT_SLOTS - 1)/out_slot == OUT_SLOT_BITS'(OUT_SLOTS - 2)/
// fault: memory/gearbox.sv s/if (enters \&\& in_slot ==/if (in_valid \&\& in_slot ==/
`default_nettype none
module gearbox_proof #(
    parameter int IN_BITS = 4,
    parameter int OUT_BITS = 3,
    parameter int RING = 12,  // the bits that it has room for
    localparam int COUNT_BITS = $clog2(RING + 1)
) (
    input logic                  clk,
    input logic                  clear,
    input logic                  in_valid,
    input logic [   IN_BITS-1:0] in_data,
    input logic                  out_ready,
    input logic                  watch,
    input logic [COUNT_BITS-1:0] watched_bit
);
  localparam int IN_SLOT_BITS = $clog2(RING / IN_BITS);
  localparam int OUT_SLOT_BITS = $clog2(RING / OUT_BITS);
  localparam int WIDE = 2 * COUNT_BITS;

  logic in_ready, out_valid;
  logic [OUT_BITS-1:0] out_data;
  gearbox #(
      .IN_BITS (IN_BITS),
      .OUT_BITS(OUT_BITS)
  ) dut (
      .clk,
      .clear,
      .in_valid,
      .in_ready,
      .in_data,
      .out_valid,
      .out_ready,
      .out_data
  );
  (* hierconn *) wire [RING-1:0] \dut.ring ;
  (* hierconn *) wire [COUNT_BITS-1:0] \dut.fill ;
  (* hierconn *) wire [IN_SLOT_BITS-1:0] \dut.in_slot ;
  (* hierconn *) wire [OUT_SLOT_BITS-1:0] \dut.out_slot ;

  logic begun = 1'b0;
  always_ff @(posedge clk) begun <= 1'b1;
  always_comb begin
    assume (begun || clear);
    assume (watched_bit < COUNT_BITS'(IN_BITS));
  end

  logic enters, leaves;
  logic [COUNT_BITS-1:0] entering, leaving;
  assign enters = in_valid && in_ready;
  assign leaves = out_valid && out_ready;
  assign entering = enters ? COUNT_BITS'(IN_BITS) : '0;
  assign leaving = leaves ? COUNT_BITS'(OUT_BITS) : '0;

  logic [COUNT_BITS-1:0] held;
  logic watching, expected;
  logic [COUNT_BITS-1:0] before;  // bits that leave before the watched one
  always_ff @(posedge clk)
    if (clear) begin
      held <= '0;
      watching <= 1'b0;
    end else begin
      held <= held + entering - leaving;
      if (!watching && watch && enters) begin
        watching <= 1'b1;
        before <= held - leaving + watched_bit;
        expected <= in_data[watched_bit];
      end else if (watching && leaves) begin
        watching <= before >= leaving;
        before <= before - leaving;
      end
    end

  // Places in the ring, with a turn added where they may be below another.
  logic [WIDE-1:0] first, last, place;
  assign first = WIDE'(\dut.out_slot ) * WIDE'(OUT_BITS);
  assign last = WIDE'(\dut.in_slot ) * WIDE'(IN_BITS);
  assign place = first + WIDE'(before) >= WIDE'(RING) ? first + WIDE'(before) - WIDE'(RING) : first + WIDE'(before);

  always_comb
    if (begun) begin
      assert (in_ready == (held <= COUNT_BITS'(RING - IN_BITS)));
      assert (out_valid == (held >= COUNT_BITS'(OUT_BITS)));
      assert (in_ready || out_valid);
      if (watching && before < COUNT_BITS'(OUT_BITS) && out_valid) assert (out_data[before] == expected);
      // What makes it inductive.
      assert (held <= COUNT_BITS'(RING) && \dut.fill == held);
      assert (first < WIDE'(RING) && last < WIDE'(RING));
      assert (first + WIDE'(held) == last || first + WIDE'(held) == last + WIDE'(RING));
      if (watching) assert (before < held && \dut.ring [place] == expected);
    end
endmodule
`default_nettype wire
