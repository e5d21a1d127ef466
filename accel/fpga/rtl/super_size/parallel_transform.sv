// SPDX-License-Identifier: Apache-2.0
// The fully parallel transform of POINTS points and its inverse, a butterfly for each pair of each stage.
//
//   points    x(0) lowest, in [0, p)
//   spectrum  X(t) = sum of x(n) w^(n t), or (1 / POINTS) sum of x(n) w^(-n t), in [0, p);
//             8 log2(POINTS) clocks later
//
//   MODULUS  p, one of the four of modular_multiply
//   POINTS   power of two; at most 64 where p has 32 or 33 bits, 128 where it has 64 or 65
//   INVERSE  1: the inverse
//
// One transform per clock. Decimation in time, natural order on both sides: the reversal of the index
// bits is wiring. The root w of order POINTS is a power of 2 modulo 2^n + 1 (composite numbers, but
// w^(POINTS / 2) = -1 is all that is needed), of 7 modulo 2^64 - 2^32 + 1, of 17 modulo 2^32 - 2^20 + 1.
// The last inverse stage has 1 / POINTS in its factors. Super-size paper, section 3.2 and Fig. 2(i).
`default_nettype none
module parallel_transform #(
    parameter logic [64:0] MODULUS = 65'h0_ffff_ffff_0000_0001,
    parameter int POINTS = 16,
    parameter int INVERSE = 0,
    localparam int WIDTH = $clog2(MODULUS)
) (
    input  logic                    clk,
    input  logic [POINTS*WIDTH-1:0] points,
    output logic [POINTS*WIDTH-1:0] spectrum
);
  localparam int STAGES = $clog2(POINTS);
  localparam int BITS = WIDTH - 1;
  localparam bit FERMAT = MODULUS == (65'd1 << BITS) + 65'd1;
  localparam bit SOLINAS = MODULUS == 65'h0_ffff_ffff_0000_0001;

  // scale base^exponent modulo p.
  function automatic logic [129:0] power(input logic [129:0] scale, input logic [129:0] base,
                                         input logic [64:0] exponent);
    logic [129:0] square;
    power = scale;
    square = base;
    for (int i = 0; i < 65; i++) begin
      if (exponent[i]) power = power * square % 130'(MODULUS);
      square = square * square % 130'(MODULUS);
    end
  endfunction

  // Modulo 2^n + 1 these are exponents of two, of order 2 n; else residues.
  localparam int ORDER = 2 * BITS;
  localparam int TURN_BITS = ORDER / POINTS;
  localparam int SCALE_BITS = ORDER - STAGES;
  localparam logic [129:0] ROOT = FERMAT ? 130'(TURN_BITS)
      : power(130'd1, SOLINAS ? 130'd7 : 130'd17, (MODULUS - 65'd1) / 65'(POINTS));
  localparam logic [129:0] SCALE = FERMAT ? 130'(SCALE_BITS)
      : power(130'd1, (130'(MODULUS) + 130'd1) / 130'd2, 65'(STAGES));

  // The factor w^exponent, with 1 / POINTS if scaled.
  function automatic logic [WIDTH-1:0] factor(input int exponent, input int scaled);
    if (FERMAT) factor = WIDTH'(32'((exponent * TURN_BITS + scaled * SCALE_BITS) % ORDER));
    else factor = WIDTH'(power(scaled != 0 ? SCALE : 130'd1, ROOT, 65'(exponent)));
  endfunction

  function automatic int reversed(input int index);
    reversed = 0;
    for (int i = 0; i < STAGES; i++) reversed = 2 * reversed + (index >> i) % 2;
  endfunction

  if (!FERMAT && 130'(factor(POINTS / 2, 0)) + 130'd1 != 130'(MODULUS)) begin : g_check
    $error("no root of unity of this order");
  end
  if (FERMAT && ORDER % POINTS != 0) begin : g_check_fermat
    $error("2 has no root of this order");
  end

  // The points before stage s in slice s.
  logic [(STAGES+1)*POINTS*WIDTH-1:0] stages  /*verilator split_var*/;
  for (genvar n = 0; n < POINTS; n++) begin : g_in
    assign stages[WIDTH*n+:WIDTH] = points[WIDTH*reversed(n)+:WIDTH];
  end
  for (genvar s = 0; s < STAGES; s++) begin : g_stage
    localparam int SPAN = 1 << s;
    localparam int SCALED = INVERSE != 0 && s == STAGES - 1 ? 1 : 0;
    for (genvar i = 0; i < POINTS / 2; i++) begin : g_butterfly
      localparam int T = i % SPAN;
      localparam int UP = 2 * i - T;
      localparam int TURN = T * (POINTS / 2 / SPAN);
      localparam int EXPONENT = INVERSE != 0 ? (POINTS - TURN) % POINTS : TURN;
      localparam int FROM = WIDTH * (POINTS * s + UP);
      localparam int TO = FROM + WIDTH * POINTS;
      localparam logic [WIDTH-1:0] UP_FACTOR = factor(0, SCALED);
      localparam logic [WIDTH-1:0] DOWN_FACTOR = factor(EXPONENT, SCALED);
      modular_butterfly #(
          .MODULUS (MODULUS),
          .SCALED  (SCALED),
          .TWIDDLED(SCALED != 0 || TURN != 0 ? 1 : 0)
      ) butterfly (
          .clk,
          .up         (stages[FROM+:WIDTH]),
          .down       (stages[FROM+WIDTH*SPAN+:WIDTH]),
          .up_factor  (UP_FACTOR),
          .down_factor(DOWN_FACTOR),
          .sum        (stages[TO+:WIDTH]),
          .difference (stages[TO+WIDTH*SPAN+:WIDTH])
      );
    end
  end
  assign spectrum = stages[STAGES*POINTS*WIDTH+:POINTS*WIDTH];
endmodule
`default_nettype wire
