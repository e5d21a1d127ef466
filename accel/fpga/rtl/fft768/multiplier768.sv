// SPDX-License-Identifier: Apache-2.0
// Products of 786,432-bit integers by transforms of 65,536 points modulo p = 2^64 - 2^32 + 1.
//
//   reset                 to idle, whatever is under way; operands and product are forgotten
//   start                 one clock, heard when busy = 0, and with it:
//     full_load             0: operands of 2048 beats; 1: of 4096
//     skip_zero_beats       with full_load = 0: zeros above the operands are not loaded
//   in_valid, in_ready    beats of both operands: a_in and b_in, 16 digits of 24 bits each, the lowest
//                         first
//   out_valid, out_ready  4096 beats of the product: 16 digits of 24 bits, the lowest first
//   busy, done            done is one clock, after the last beat of the product
//   cycles                clocks from the first of the load to the last beat of the product
//
//   LAYERED               construction of the radix-16 units, see radix16
//   ROM_DIR               folder of the twiddle factors, with a slash at its end
//
// 41,146 clocks a product while no side stalls, 39,098 with skip_zero_beats = 1: the upper halves of
// the transforms' inputs are then blanked in the first stage in place of being loaded with zeros.
// Digits, columns: 2^15 (2^24 - 1)^2 < p, so no column overflows. With full_load = 1 columns are cyclic,
// 65,536 of them, and one of the operands must have at most 2^15 digits that are not 0. A carry out of
// the last digit is dropped then.
//
// Both operands are transformed in lockstep by one control and one set of factors; in the last forward
// stage processor A multiplies by the transform in B, and the inverse runs in A alone. For many products
// multiplier768_stream takes 24,576 clocks each.
// FFT paper, section IV-C and Fig. 8.
`default_nettype none
module multiplier768 #(
    parameter int LAYERED = 1,
    parameter ROM_DIR = ""
) (
    input  logic         clk,
    input  logic         reset,
    input  logic         start,
    input  logic         full_load,
    input  logic         skip_zero_beats,
    output logic         busy,
    output logic         done,
    output logic [ 31:0] cycles,
    input  logic         in_valid,
    output logic         in_ready,
    input  logic [383:0] a_in,
    input  logic [383:0] b_in,
    output logic         out_valid,
    input  logic         out_ready,
    output logic [383:0] product
);
  localparam int FACTOR_DELAY = 11;  // so that factors meet the results of the radix-16 unit
  localparam logic [2:0] LAST_FORWARD = 3'd3;
  localparam logic [2:0] LAST_INVERSE = 3'd7;
  localparam logic [63:0] POINTS_INVERSE = 64'hfffe_ffff_0001_0001;  // 1/65536 = 2^176 mod p

  logic load, load_zero, blank, issue, read, reading;
  logic [2:0] stage;
  logic [11:0] count;
  logic advance, inverse;
  logic [1:0] digit;

  assign advance = !out_valid || out_ready;
  assign inverse = stage[2];
  // Forward: 3, 2, 1, 0; inverse: 0, 1, 2, 3; the read-out is the pattern of digit 0.
  assign digit = reading ? 2'd0 : inverse ? stage[1:0] : ~stage[1:0];

  multiplier768_control control (
      .clk,
      .reset,
      .start,
      .full_load,
      .skip_zero_beats,
      .in_valid,
      .in_ready,
      .out_taken(advance),
      .busy,
      .done,
      .cycles,
      .load,
      .load_zero,
      .blank,
      .issue,
      .read,
      .reading,
      .stage,
      .count
  );

  // Factors: powers of the root, the other transform, or the constant of the inverse.
  logic [ 2:0] factor_stage;
  logic [11:0] factor_count;
  logic [1023:0] twiddles, factors_a, spectrum_a, spectrum_b, samples_a, samples_b;

  delay_line #(
      .WIDTH (15),
      .CLOCKS(FACTOR_DELAY)
  ) to_factors (
      .clk,
      .in ({stage, count}),
      .out({factor_stage, factor_count})
  );
  twiddle_factors #(
      .ROM_DIR(ROM_DIR)
  ) powers (
      .clk,
      .stage  (factor_stage),
      .count  (factor_count),
      .factors(twiddles)
  );
  assign factors_a = stage == LAST_FORWARD ? spectrum_b
                   : stage == LAST_INVERSE ? {16{POINTS_INVERSE}} : twiddles;

  // Operands: digits to samples.
  logic [1023:0] load_a, load_b;
  for (genvar i = 0; i < 16; i++) begin : g_digit
    assign load_a[64*i+:64] = {40'd0, load_zero ? 24'd0 : a_in[24*i+:24]};
    assign load_b[64*i+:64] = {40'd0, load_zero ? 24'd0 : b_in[24*i+:24]};
  end

  fft_processor #(
      .LAYERED(LAYERED)
  ) processor_a (
      .clk,
      .reset,
      .digit,
      .count,
      .store       (issue),
      .blank,
      .inverse,
      .read_advance(advance),
      .samples     (samples_a),
      .spectrum    (spectrum_a),
      .factors     (factors_a),
      .load,
      .load_count  (count),
      .load_data   (load_a)
  );
  fft_processor #(
      .LAYERED(LAYERED)
  ) processor_b (
      .clk,
      .reset,
      .digit,
      .count,
      .store       (issue && stage < LAST_FORWARD),
      .blank,
      .inverse     (1'b0),
      .read_advance(1'b1),
      .samples     (samples_b),
      .spectrum    (spectrum_b),
      .factors     (twiddles),
      .load,
      .load_count  (count),
      .load_data   (load_b)
  );
  logic unused;
  assign unused = &{1'b0, spectrum_a, samples_b};

  // Read-out: four clocks of the read path, then the carries.
  logic [3:0] read_valid, read_first;
  always_ff @(posedge clk)
    if (reset) read_valid <= 4'd0;
    else if (advance) read_valid <= {read_valid[2:0], read};
  always_ff @(posedge clk) if (advance) read_first <= {read_first[2:0], count == 12'd0};

  resolve_carries resolve (
      .clk,
      .reset,
      .advance,
      .in_valid (read_valid[3]),
      .in_first (read_first[3]),
      .columns  (samples_a),
      .out_valid,
      .digits   (product)
  );
endmodule
`default_nettype wire
