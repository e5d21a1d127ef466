// SPDX-License-Identifier: Apache-2.0
// The sequence of a 786,432-bit product: load, eight stages, read out.
//
//   reset             to idle, whatever is under way
//   start             with full_load and skip_zero_beats; heard when busy = 0
//   in_valid          an operand beat is offered; it is taken when in_ready = 1
//   out_taken         the product beat that is shown, if any, leaves in this clock
//   busy              from the clock after start to the end of the last product beat
//   done              one clock, after the last product beat
//   cycles            clocks from the first of the load to the last product beat, of this product or
//                     the one before
//   load, load_count  sixteen samples are stored; load_zero: zeros, with no beat taken
//   issue             the processors get a command of `stage`, `count`
//   read              they get the command to read out the samples of `count`
//   reading           the read path may be held
//
// 4096 loads (2048 of operands, 2048 of zeros unless skipped; all of operands with full_load), 8 stages
// of 4096 + 23, 4098 to read out: 41,146 clocks, or 39,098 with the zeros skipped. The read-out of a beat
// takes 7 clocks from its command to its departure; it begins 4 clocks before the last stage drains,
// since the samples that are read first have long been written. FFT paper, section V.
`default_nettype none
module multiplier768_control (
    input  logic        clk,
    input  logic        reset,
    input  logic        start,
    input  logic        full_load,
    input  logic        skip_zero_beats,
    input  logic        in_valid,
    output logic        in_ready,
    input  logic        out_taken,
    output logic        busy,
    output logic        done,
    output logic [31:0] cycles,
    output logic        load,
    output logic        load_zero,
    output logic        blank,
    output logic        issue,
    output logic        read,
    output logic        reading,
    output logic [ 2:0] stage,
    output logic [11:0] count
);
  localparam logic [12:0] BEATS = 13'd4096;
  localparam logic [12:0] OPERAND_BEATS = 13'd2048;
  localparam logic [12:0] LATENCY = 13'd23;  // of a stage
  localparam logic [12:0] OVERLAP = 13'd4;   // of the last stage with the read-out
  localparam logic [12:0] READ_LATENCY = 13'd6;
  localparam logic [2:0] LAST_STAGE = 3'd7;

  typedef enum logic [1:0] {
    IDLE,
    LOAD,
    TRANSFORM,
    READ
  } state_t;

  state_t state;
  logic [12:0] step;
  logic full, skip;
  logic load_last, stage_last, read_last;

  assign busy = state != IDLE;
  assign count = step[11:0];

  assign in_ready = state == LOAD && (full || step < OPERAND_BEATS);
  assign load_zero = state == LOAD && !in_ready;
  assign load = load_zero || (in_ready && in_valid);
  assign load_last = load && step == (skip ? OPERAND_BEATS : BEATS) - 13'd1;

  assign issue = state == TRANSFORM && step < BEATS;
  assign blank = skip && stage == 3'd0;
  assign stage_last = state == TRANSFORM &&
      step == BEATS + LATENCY - 13'd1 - (stage == LAST_STAGE ? OVERLAP : 13'd0);

  assign reading = state == READ;
  assign read = reading && step < BEATS;
  assign read_last = reading && out_taken && step == BEATS + READ_LATENCY - 13'd1;

  always_ff @(posedge clk)
    if (reset) begin
      state <= IDLE;
      done <= 1'b0;
      cycles <= 32'd0;
      step <= 13'd0;
      stage <= 3'd0;
      full <= 1'b0;
      skip <= 1'b0;
    end else begin
      done <= read_last;
      if (busy) cycles <= cycles + 32'd1;
      case (state)
        IDLE:
        if (start) begin
          state <= LOAD;
          cycles <= 32'd0;
          step <= 13'd0;
          stage <= 3'd0;
          full <= full_load;
          skip <= skip_zero_beats && !full_load;
        end
        LOAD:
        if (load_last) begin
          state <= TRANSFORM;
          step <= 13'd0;
        end else if (load) step <= step + 13'd1;
        TRANSFORM:
        if (stage_last) begin
          step <= 13'd0;
          if (stage == LAST_STAGE) state <= READ;
          else stage <= stage + 3'd1;
        end else step <= step + 13'd1;
        READ:
        if (read_last) state <= IDLE;
        else if (out_taken) step <= step + 13'd1;
      endcase
    end
endmodule
`default_nettype wire
