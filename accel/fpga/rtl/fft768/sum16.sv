// SPDX-License-Identifier: Apache-2.0
// One output of a 16-point transform, as the paper computes it: sixteen shifted inputs, carry-save.
//
//   points  sixteen residues x(n) of 64 bits, x(0) lowest
//   result  X(OUTPUT) = sum of x(n) 2^(12 n OUTPUT) mod p in [0, p), ten clocks later
//
// One sum per clock: shift 1, three levels of 4:2 adders 3, carry propagation around the end 3,
// normalization 3. FFT paper, eq. (8) and Fig. 3.
`default_nettype none
module sum16 #(
    parameter int OUTPUT = 0
) (
    input  logic          clk,
    input  logic [1023:0] points,
    output logic [  63:0] result
);
  logic [16*192-1:0] shifted;
  logic [ 8*192-1:0] eight, eight_next;
  logic [ 4*192-1:0] four, four_next;
  logic [ 2*192-1:0] two, two_next;
  logic [     191:0] wide;

  for (genvar n = 0; n < 16; n++) begin : g_shift
    localparam int SHIFT = (12 * n * OUTPUT) % 192;
    logic [191:0] point;
    assign point = {128'd0, points[64*n+:64]};
    always_ff @(posedge clk) shifted[192*n+:192] <= 192'({point, point} >> (192 - SHIFT));
  end

  for (genvar i = 0; i < 4; i++) begin : g_first
    four_to_two add (
        .terms(shifted[4*192*i+:4*192]),
        .pair (eight_next[2*192*i+:2*192])
    );
  end
  for (genvar i = 0; i < 2; i++) begin : g_second
    four_to_two add (
        .terms(eight[4*192*i+:4*192]),
        .pair (four_next[2*192*i+:2*192])
    );
  end
  four_to_two third (
      .terms(four),
      .pair (two_next)
  );
  always_ff @(posedge clk) begin
    eight <= eight_next;
    four <= four_next;
    two <= two_next;
  end

  end_around_add #(
      .REGISTER_CARRIES(1)
  ) propagate (
      .clk,
      .a  (two[191:0]),
      .b  (two[383:192]),
      .sum(wide)
  );
  goldilocks_normalize normalize (
      .clk,
      .value  (wide),
      .residue(result)
  );
endmodule
`default_nettype wire
