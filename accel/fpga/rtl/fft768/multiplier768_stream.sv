// SPDX-License-Identifier: Apache-2.0
// Products of 786,432-bit integers, one after the other: multiplier768 for throughput.
//
//   reset                 to idle, whatever is under way; operands and products are forgotten
//   full_load             0: operands of 2048 beats; 1: of 4096; changes only while busy = 0
//   a_valid, a_ready      beats of the first operands: a_in, 16 digits of 24 bits, the lowest first
//   b_valid, b_ready      b_in: of the second ones; the two streams need not keep step
//   out_valid, out_ready  4096 beats of each product, in the order of the operands
//   out_last              the last beat of a product
//   busy                  some beat of an operand or of a product is inside
//
//   LAYERED               construction of the radix-16 units, see radix16
//   ROM_DIR               folder of the twiddle factors, with a slash at its end
//
// 24,576 clocks a product while no side stalls: two processors, and each takes 12 passes of 4096
// butterflies for a product of its own: four for each operand, four for the inverse transform. With that
// both radix-16 units and all multipliers work in every clock, so these units cannot do better. In
// multiplier768 the inverse leaves the second processor idle, and passes wait for the stores of the one
// before, which stream_control shows to be needless.
// Products go to the processors in turn, operands and products of both through the same ports. The
// factors of both come from the two ports of the same memories. A clock in which an operand beat is
// missing, or a product beat is not taken, adds at most one.
// What multiplier768 says of columns, digits and full_load holds here too. FFT paper, section IV.
`default_nettype none
module multiplier768_stream #(
    parameter int LAYERED = 1,
    parameter ROM_DIR = ""
) (
    input  logic         clk,
    input  logic         reset,
    input  logic         full_load,
    input  logic         a_valid,
    output logic         a_ready,
    input  logic [383:0] a_in,
    input  logic         b_valid,
    output logic         b_ready,
    input  logic [383:0] b_in,
    output logic         out_valid,
    input  logic         out_ready,
    output logic [383:0] product,
    output logic         out_last,
    output logic         busy
);
  // One bit of each processor.
  logic [1:0] ready_a, ready_b, last_a, last_b, column_valid, column_first, last_out, works;
  logic [5:0] factor_stages;
  logic [23:0] factor_counts;
  logic [2047:0] twiddles, columns;

  // Whose turn it is.
  logic a_turn, b_turn, out_turn;
  logic advance;

  assign advance = !out_valid || out_ready;
  assign a_ready = ready_a[a_turn];
  assign b_ready = ready_b[b_turn];
  assign out_last = last_out[out_turn];
  assign busy = works != 2'd0;

  always_ff @(posedge clk)
    if (reset) begin
      a_turn <= 1'b0;
      b_turn <= 1'b0;
      out_turn <= 1'b0;
    end else begin
      if (a_valid && a_ready && last_a[a_turn]) a_turn <= !a_turn;
      if (b_valid && b_ready && last_b[b_turn]) b_turn <= !b_turn;
      if (out_last && advance) out_turn <= !out_turn;
    end

  for (genvar i = 0; i < 2; i++) begin : g_processor
    stream_processor #(
        .LAYERED(LAYERED)
    ) processor (
        .clk,
        .reset,
        .full_load,
        .a_valid     (a_valid && a_turn == 1'(i)),
        .a_ready     (ready_a[i]),
        .a_last      (last_a[i]),
        .a_in,
        .b_valid     (b_valid && b_turn == 1'(i)),
        .b_ready     (ready_b[i]),
        .b_last      (last_b[i]),
        .b_in,
        .factor_stage(factor_stages[3*i+:3]),
        .factor_count(factor_counts[12*i+:12]),
        .twiddles    (twiddles[1024*i+:1024]),
        .turn        (out_turn == 1'(i)),
        .out_taken   (advance),
        .column_valid(column_valid[i]),
        .column_first(column_first[i]),
        .columns     (columns[1024*i+:1024]),
        .out_last    (last_out[i]),
        .busy        (works[i])
    );
  end

  twiddle_factors #(
      .PORTS  (2),
      .ROM_DIR(ROM_DIR)
  ) powers (
      .clk,
      .stage  (factor_stages),
      .count  (factor_counts),
      .factors(twiddles)
  );

  resolve_carries resolve (
      .clk,
      .reset,
      .advance,
      .in_valid (column_valid[out_turn]),
      .in_first (column_first[out_turn]),
      .columns  (out_turn ? columns[2047:1024] : columns[1023:0]),
      .out_valid,
      .digits   (product)
  );
endmodule
`default_nettype wire
