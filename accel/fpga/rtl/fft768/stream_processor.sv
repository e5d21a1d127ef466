// SPDX-License-Identifier: Apache-2.0
// One processor of multiplier768_stream: whole products by itself, in two sets of banks, one for each
// operand. While the butterflies run in one set, the other is loaded, read out, or read as factors.
//
//   reset                   to idle, whatever is under way
//   full_load, a_*, b_*     operands, 16 digits of 24 bits a beat; of stream_control
//   factor_stage, factor_count   twiddle factors are wanted,
//   twiddles                they come three clocks later
//   turn, out_taken         of stream_control
//   column_valid            columns: sixteen columns of the product of 64 bits; held while out_taken = 0
//   column_first            they are the lowest sixteen
//   out_last, busy          of stream_control
//
//   LAYERED                 construction of the radix-16 unit, see radix16
//
// Of the last transform of b the products are those with the spectrum of a, read from the other set in
// step with it; of the last inverse one, those with 1/65536. Clocks of a command: address 1, RAM 2,
// interchange 1, radix-16 10, product 7, interchange 1, RAM 1.
`default_nettype none
module stream_processor #(
    parameter int LAYERED = 1
) (
    input  logic          clk,
    input  logic          reset,
    input  logic          full_load,
    input  logic          a_valid,
    output logic          a_ready,
    output logic          a_last,
    input  logic [ 383:0] a_in,
    input  logic          b_valid,
    output logic          b_ready,
    output logic          b_last,
    input  logic [ 383:0] b_in,
    output logic [   2:0] factor_stage,
    output logic [  11:0] factor_count,
    input  logic [1023:0] twiddles,
    input  logic          turn,
    input  logic          out_taken,
    output logic          column_valid,
    output logic          column_first,
    output logic [1023:0] columns,
    output logic          out_last,
    output logic          busy
);
  localparam int READ = 4;          // clocks from a command to its points
  localparam int SPECTRUM = 14;     // to their spectrum
  localparam int WRITE_BACK = 21;   // to their store
  localparam int TWIDDLE_DELAY = 3; // of twiddle_factors
  localparam logic [2:0] LAST_FORWARD = 3'd3;
  localparam logic [2:0] LAST_INVERSE = 3'd7;
  localparam logic [63:0] POINTS_INVERSE = 64'hfffe_ffff_0001_0001;  // 1/65536 = 2^176 mod p

  logic [11:0] a_count, b_count, count, read_count;
  logic issue, in_b, reading, read;
  logic [2:0] stage;

  stream_control control (
      .clk,
      .reset,
      .full_load,
      .a_valid,
      .a_ready,
      .a_last,
      .a_count,
      .b_valid,
      .b_ready,
      .b_last,
      .b_count,
      .issue,
      .in_b,
      .stage,
      .count,
      .turn,
      .out_taken,
      .reading,
      .read,
      .read_count,
      .out_last,
      .busy
  );

  // The command on its way: to the other set, the twiddle factors, the choice of factors, the store.
  logic [1:0] digit, stored_digit;
  logic in_b_beside, in_b_factor, in_b_spectrum, stored_in_b;
  logic [2:0] stage_beside, stage_spectrum;
  logic [11:0] count_beside, stored_count;
  logic [WRITE_BACK-1:0] stores;

  // Forward: 3, 2, 1, 0; inverse: 0, 1, 2, 3.
  assign digit = stage[2] ? stage[1:0] : ~stage[1:0];

  delay_line #(
      .WIDTH (16),
      .CLOCKS(SPECTRUM - READ)
  ) to_beside (
      .clk,
      .in ({in_b, stage, count}),
      .out({in_b_beside, stage_beside, count_beside})
  );
  delay_line #(
      .WIDTH (16),
      .CLOCKS(READ - TWIDDLE_DELAY)
  ) to_twiddles (
      .clk,
      .in ({in_b_beside, stage_beside, count_beside}),
      .out({in_b_factor, factor_stage, factor_count})
  );
  delay_line #(
      .WIDTH (4),
      .CLOCKS(TWIDDLE_DELAY)
  ) to_spectrum (
      .clk,
      .in ({in_b_factor, factor_stage}),
      .out({in_b_spectrum, stage_spectrum})
  );
  delay_line #(
      .WIDTH (15),
      .CLOCKS(WRITE_BACK)
  ) write_back (
      .clk,
      .in ({in_b, digit, count}),
      .out({stored_in_b, stored_digit, stored_count})
  );
  always_ff @(posedge clk)
    if (reset) stores <= '0;
    else stores <= {stores[WRITE_BACK-2:0], issue};

  // The two sets. What goes on beside the butterflies is always of digit 0.
  logic beside_advance, store_a, store_b;
  logic [11:0] beside_count;
  logic [1023:0] load_a, load_b, points_a, points_b, products;

  assign beside_advance = !reading || out_taken;
  assign beside_count = reading ? read_count : count_beside;
  assign store_a = a_valid && a_ready;
  assign store_b = b_valid && b_ready;
  for (genvar i = 0; i < 16; i++) begin : g_digit
    assign load_a[64*i+:64] = {40'd0, a_in[24*i+:24]};
    assign load_b[64*i+:64] = {40'd0, b_in[24*i+:24]};
  end

  sample_banks banks_a (
      .clk,
      .reset,
      .read_advance(!in_b || beside_advance),
      .read_digit  (in_b ? 2'd0 : digit),
      .read_count  (in_b ? beside_count : count),
      .points      (points_a),
      .store       (store_a || (stores[WRITE_BACK-1] && !stored_in_b)),
      .store_digit (store_a ? 2'd0 : stored_digit),
      .store_count (store_a ? a_count : stored_count),
      .store_points(store_a ? load_a : products)
  );
  sample_banks banks_b (
      .clk,
      .reset,
      .read_advance(in_b || beside_advance),
      .read_digit  (in_b ? digit : 2'd0),
      .read_count  (in_b ? count : beside_count),
      .points      (points_b),
      .store       (store_b || (stores[WRITE_BACK-1] && stored_in_b)),
      .store_digit (store_b ? 2'd0 : stored_digit),
      .store_count (store_b ? b_count : stored_count),
      .store_points(store_b ? load_b : products)
  );

  // Points of the butterflies, the upper ones blanked where they were not loaded; and those beside.
  logic blank, in_b_read, blank_read;
  logic [1023:0] points, samples, beside;

  assign blank = stage == 3'd0 && !full_load;
  delay_line #(
      .WIDTH (2),
      .CLOCKS(READ - 1)
  ) to_points (
      .clk,
      .in ({in_b, blank}),
      .out({in_b_read, blank_read})
  );
  assign points = in_b_read ? points_b : points_a;
  always_ff @(posedge clk) begin
    samples <= {blank_read ? 512'd0 : points[1023:512], points[511:0]};
    if (beside_advance) beside <= in_b ? points_a : points_b;
  end

  // Arithmetic.
  logic [1023:0] spectrum, factors;

  assign factors = stage_spectrum == LAST_INVERSE ? {16{POINTS_INVERSE}}
                 : stage_spectrum == LAST_FORWARD && in_b_spectrum ? beside : twiddles;
  radix16_products #(
      .LAYERED(LAYERED)
  ) butterfly (
      .clk,
      .points (samples),
      .inverse(stage_spectrum[2]),
      .spectrum,
      .factors,
      .products
  );
  logic unused;
  assign unused = &{1'b0, spectrum};

  // Columns: the points beside, of the commands to read out.
  logic [READ-1:0] read_valid, read_first;
  always_ff @(posedge clk)
    if (reset) read_valid <= '0;
    else if (beside_advance) read_valid <= {read_valid[READ-2:0], read};
  always_ff @(posedge clk)
    if (beside_advance) read_first <= {read_first[READ-2:0], read_count == 12'd0};
  assign column_valid = read_valid[READ-1];
  assign column_first = read_first[READ-1];
  assign columns = beside;
endmodule
`default_nettype wire
