// SPDX-License-Identifier: Apache-2.0
// The transform of blocks of 2^(LOG2_POINTS - 1) digits, padded with as many zeros: one digit in and two
// points out a clock.
//
//   advance       0 holds everything
//   index         which digit of its block comes in; blocks follow each other without a gap
//   digit         of 28 bits, the lowest first; taken in signed form
//   upper, lower  points 2 i and 2 i + 1, LATENCY clocks after digit i: the spectrum in the bit-reversed
//                 order of its index
//   LATENCY       2^(LOG2_POINTS - 1) + 17 (LOG2_POINTS - 1)
//
//   LOG2_POINTS   8..13
//   ROM_DIR       the folder of the files serial_forward_02.hex .. _13.hex, with a slash at its end
//
// Decimation in time with natural order in. The lower half of the points is zero and the factor of the
// first stage is one, so both of its results are the digit: this stage is one register. Stage s joins
// points at distance k / 2^s of k; all 2^(s-1) butterflies of a group share one factor.
// LHW paper, section 4.1 and Fig. 3.
`default_nettype none
module serial_fft #(
    parameter int LOG2_POINTS = 8,
    parameter ROM_DIR = ""
) (
    input  logic                   clk,
    input  logic                   advance,
    input  logic [LOG2_POINTS-2:0] index,
    input  logic [           27:0] digit,
    output logic [           63:0] upper,
    output logic [           63:0] lower
);
  localparam int INDEX_BITS = LOG2_POINTS - 1;

  // What comes out of stage s is at position s - 1 of these.
  logic [INDEX_BITS*LOG2_POINTS-1:0] indices;
  logic [64*LOG2_POINTS-1:0] uppers, lowers;
  logic [INDEX_BITS-1:0] first_index;
  logic [63:0] first_points;

  always_ff @(posedge clk) if (advance) first_index <= index;
  signed_digits first_stage (
      .clk,
      .advance,
      .first  (index == '0),
      .last   (&index),
      .digit,
      .residue(first_points)
  );
  assign indices[INDEX_BITS-1:0] = first_index;
  assign uppers[63:0] = first_points;
  assign lowers[63:0] = first_points;

  for (genvar s = 2; s <= LOG2_POINTS; s++) begin : g_stage
    localparam logic [7:0] TENS = 8'h30 + s / 10;
    localparam logic [7:0] ONES = 8'h30 + s % 10;
    mdc_stage #(
        .INDEX_BITS   (INDEX_BITS),
        .LOG2_DISTANCE(LOG2_POINTS - s),
        .FORWARD      (1),
        .FILE         ({ROM_DIR, "serial_forward_", TENS, ONES, ".hex"})
    ) stage (
        .clk,
        .advance,
        .index     (indices[INDEX_BITS*(s-2)+:INDEX_BITS]),
        .upper     (uppers[64*(s-2)+:64]),
        .lower     (lowers[64*(s-2)+:64]),
        .index_next(indices[INDEX_BITS*(s-1)+:INDEX_BITS]),
        .upper_next(uppers[64*(s-1)+:64]),
        .lower_next(lowers[64*(s-1)+:64])
    );
  end
  assign upper = uppers[64*INDEX_BITS+:64];
  assign lower = lowers[64*INDEX_BITS+:64];

  logic unused;
  assign unused = &{1'b0, indices[INDEX_BITS*INDEX_BITS+:INDEX_BITS]};
endmodule
`default_nettype wire
