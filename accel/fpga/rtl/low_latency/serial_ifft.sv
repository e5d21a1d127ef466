// SPDX-License-Identifier: Apache-2.0
// The inverse of serial_fft, with its factor 1/k: two points in and two columns out a clock.
//
//   advance       0 holds everything
//   index         which pair of its block comes in; blocks follow each other without a gap
//   upper, lower  points 2 i and 2 i + 1 in bit-reversed order, in [0, p)
//   low, high     columns i and i + k/2, in [0, p), LATENCY clocks after pair i; k = 2^LOG2_POINTS
//   LATENCY       2^(LOG2_POINTS - 1) + 1 + 17 (LOG2_POINTS - 1)
//
//   LOG2_POINTS   8..13
//   ROM_DIR       the folder of the files serial_inverse_02.hex .. _12.hex and serial_divided_08.hex ..
//                 _13.hex, with a slash at its end
//
// Decimation in time with bit-reversed order in. Stage s joins points at distance 2^(s-1); the first one
// has no factors, the last one multiplies both points, so that 1/k costs two multipliers in all.
// LHW paper, section 4.1.
`default_nettype none
module serial_ifft #(
    parameter int LOG2_POINTS = 8,
    parameter ROM_DIR = ""
) (
    input  logic                   clk,
    input  logic                   advance,
    input  logic [LOG2_POINTS-2:0] index,
    input  logic [           63:0] upper,
    input  logic [           63:0] lower,
    output logic [           63:0] low,
    output logic [           63:0] high
);
  localparam int INDEX_BITS = LOG2_POINTS - 1;

  // What comes out of stage s is at position s - 1 of these.
  logic [INDEX_BITS*LOG2_POINTS-1:0] indices;
  logic [64*LOG2_POINTS-1:0] uppers, lowers;
  logic [INDEX_BITS-1:0] first_index;

  always_ff @(posedge clk) if (advance) first_index <= index - INDEX_BITS'(1);
  goldilocks_sum_difference first_stage (
      .clk,
      .advance,
      .a         (upper),
      .b         (lower),
      .sum       (uppers[63:0]),
      .difference(lowers[63:0])
  );
  assign indices[INDEX_BITS-1:0] = first_index;

  for (genvar s = 2; s <= LOG2_POINTS; s++) begin : g_stage
    localparam logic [7:0] TENS = 8'h30 + s / 10;
    localparam logic [7:0] ONES = 8'h30 + s % 10;
    localparam int LAST = s == LOG2_POINTS ? 1 : 0;
    mdc_stage #(
        .INDEX_BITS   (INDEX_BITS),
        .LOG2_DISTANCE(s - 2),
        .FORWARD      (0),
        .SCALE        (LAST),
        .FILE         ({ROM_DIR, LAST == 1 ? "serial_divided_" : "serial_inverse_", TENS, ONES, ".hex"})
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
  assign low = uppers[64*INDEX_BITS+:64];
  assign high = lowers[64*INDEX_BITS+:64];

  logic unused;
  assign unused = &{1'b0, indices[INDEX_BITS*INDEX_BITS+:INDEX_BITS]};
endmodule
`default_nettype wire
