// SPDX-License-Identifier: Apache-2.0
// What one processor of multiplier768_stream does when: product after product, each in twelve passes of
// 4096 butterflies, with the operands of the next loaded and the product before read out beside them.
//
//   reset                 to idle; loaded operands are forgotten
//   full_load             operands of 4096 beats, not 2048; changes only while busy = 0
//   a_valid, a_ready      beats of a: a beat that is taken is samples 16 a_count .. 16 a_count + 15
//   a_last                it is the last one of its operand
//   b_valid .. b_last     the same of b
//   issue                 the butterfly `count` of `stage` is begun
//   in_b                  butterflies run in the samples of b, those of a are read beside; 0: the reverse
//   turn                  the product may leave; holds until out_last is taken
//   out_taken             the product beat that is shown, if any, leaves in this clock
//   reading               the path of the read-out may be held
//   read                  with reading: the samples of read_count are read out
//   out_last              the product beat that is shown is the last one
//   busy                  some beat of an operand or of a product is here
//
// passes   0 .. 3           4 .. 7                               8 .. 11
//          transform of a   transform of b, at last times that   inverse in place of b
//                           of a
// beside   the product before is read out of b,                  a is loaded
//          b is loaded behind it
//
// No pass waits for the stores of the one before. Digits come in the same order in all counts, so the
// sixteen commands whose results a command wants had a place in their pass that is at most 3840 = f00
// (hexadecimal) behind its own: they were given 256 clocks before it or more, and 22 are enough. Pass 0
// waits for a, pass 4 for b and for the end of the read-out; while neither is late, a product takes
// 12 * 4096 = 49,152 clocks.
`default_nettype none
module stream_control (
    input  logic        clk,
    input  logic        reset,
    input  logic        full_load,
    input  logic        a_valid,
    output logic        a_ready,
    output logic        a_last,
    output logic [11:0] a_count,
    input  logic        b_valid,
    output logic        b_ready,
    output logic        b_last,
    output logic [11:0] b_count,
    output logic        issue,
    output logic        in_b,
    output logic [ 2:0] stage,
    output logic [11:0] count,
    input  logic        turn,
    input  logic        out_taken,
    output logic        reading,
    output logic        read,
    output logic [11:0] read_count,
    output logic        out_last,
    output logic        busy
);
  localparam logic [12:0] BEATS = 13'd4096;
  localparam logic [12:0] OPERAND_BEATS = 13'd2048;
  localparam logic [12:0] READ_END = BEATS + 13'd6;  // a beat leaves 6 clocks after its command
  localparam logic [12:0] CHASE = 13'd2;  // commands from that of a beat to one at which it has been read
  localparam logic [4:0] SETTLE = 5'd24;  // clocks from a command to the end of all that it does
  localparam logic [1:0] FORWARD_A = 2'd0;
  localparam logic [1:0] FORWARD_B = 2'd1;
  localparam logic [1:0] INVERSE_B = 2'd2;

  // Passes: four steps of three phases.
  logic [1:0] phase, step;
  logic [4:0] settling;
  logic begins, ends, settled, a_used, stored;

  logic [12:0] operand_beats, a_filled, b_filled, read_step;
  logic a_loaded, b_loaded, read_out;

  assign in_b = phase != FORWARD_A && read_out;
  assign stage = {phase == INVERSE_B, step};
  assign begins = step != 2'd0 || phase == INVERSE_B ||
      (phase == FORWARD_A && a_loaded) || (phase == FORWARD_B && b_loaded && read_out);
  assign issue = count != 12'd0 || begins;
  assign ends = issue && (&count);
  assign settled = settling == 5'd1;
  assign a_used = settled && phase == INVERSE_B && step == 2'd0;
  assign stored = settled && phase == FORWARD_A && step == 2'd0;

  always_ff @(posedge clk)
    if (reset) begin
      phase <= FORWARD_A;
      step <= 2'd0;
      count <= 12'd0;
      settling <= 5'd0;
    end else begin
      if (issue) count <= count + 12'd1;
      if (ends) begin
        step <= step + 2'd1;
        if (step == 2'd3) phase <= phase == INVERSE_B ? FORWARD_A : phase + 2'd1;
        settling <= SETTLE;
      end else if (settling != 5'd0) settling <= settling - 5'd1;
    end

  // Operands: a as soon as its samples are used, b behind the read-out.
  assign operand_beats = full_load ? BEATS : OPERAND_BEATS;
  assign a_count = a_filled[11:0];
  assign b_count = b_filled[11:0];
  assign a_loaded = a_filled == operand_beats;
  assign b_loaded = b_filled == operand_beats;
  assign a_ready = !a_loaded;
  assign b_ready = !b_loaded && read_step >= b_filled + CHASE;
  assign a_last = a_filled == operand_beats - 13'd1;
  assign b_last = b_filled == operand_beats - 13'd1;

  always_ff @(posedge clk)
    if (reset) begin
      a_filled <= 13'd0;
      b_filled <= 13'd0;
    end else begin
      if (a_used) a_filled <= 13'd0;
      else if (a_valid && a_ready) a_filled <= a_filled + 13'd1;
      if (stored) b_filled <= 13'd0;
      else if (b_valid && b_ready) b_filled <= b_filled + 13'd1;
    end

  // Read-out.
  assign read_out = read_step == READ_END;
  assign reading = turn && !read_out;
  assign read = reading && read_step < BEATS;
  assign read_count = read_step[11:0];
  assign out_last = turn && read_step == READ_END - 13'd1;

  always_ff @(posedge clk)
    if (reset) read_step <= READ_END;
    else if (stored) read_step <= 13'd0;
    else if (reading && out_taken) read_step <= read_step + 13'd1;

  assign busy = a_filled != 13'd0 || b_filled != 13'd0 || in_b || !read_out;
endmodule
`default_nettype wire
