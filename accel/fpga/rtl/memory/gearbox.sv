// SPDX-License-Identifier: Apache-2.0
// The words of one stream as words of another width: the same bits in the same order, the lowest first.
//
//   clear                 empties it
//   in_valid, in_ready    in_data, IN_BITS
//   out_valid, out_ready  out_data, OUT_BITS, from the clock after its last bit came
//
// One word of the narrower side a clock while neither side stalls. Bits that do not fill an output word
// wait for more. No output depends on an input of its clock.
//
// The buffer is a ring whose length both widths divide, so that every register of it is written by one
// bit of the input only; all the selection is in the read-out.
`default_nettype none
module gearbox #(
    parameter int IN_BITS  = 512,
    parameter int OUT_BITS = 384
) (
    input  logic                clk,
    input  logic                clear,
    input  logic                in_valid,
    output logic                in_ready,
    input  logic [ IN_BITS-1:0] in_data,
    output logic                out_valid,
    input  logic                out_ready,
    output logic [OUT_BITS-1:0] out_data
);
  function automatic int common_divisor(input int width, input int other);
    common_divisor = width;
    for (int divisor = 1; divisor <= width; divisor++)
      if (width % divisor == 0 && other % divisor == 0) common_divisor = divisor;
  endfunction

  // Lengths in units that divide both widths. A ring that holds NEEDED units takes or gives a narrow word
  // in every clock: with a wide word missing there is a narrow one left, or room for one.
  localparam int UNIT = common_divisor(IN_BITS, OUT_BITS);
  localparam int IN = IN_BITS / UNIT;
  localparam int OUT = OUT_BITS / UNIT;
  localparam int NEEDED = IN + OUT + (IN < OUT ? IN : OUT) - 1;
  localparam int COMMON = IN * OUT;
  localparam int RING = COMMON >= NEEDED ? COMMON : 2 * COMMON;
  localparam int IN_SLOTS = RING / IN;
  localparam int OUT_SLOTS = RING / OUT;
  localparam int FILL_BITS = $clog2(RING + 1);
  localparam int IN_SLOT_BITS = $clog2(IN_SLOTS);
  localparam int OUT_SLOT_BITS = $clog2(OUT_SLOTS);

  logic [UNIT*RING-1:0] ring;
  logic [FILL_BITS-1:0] fill;
  logic [IN_SLOT_BITS-1:0] in_slot;
  logic [OUT_SLOT_BITS-1:0] out_slot;
  logic enters, leaves;

  assign in_ready = fill <= FILL_BITS'(RING - IN);
  assign out_valid = fill >= FILL_BITS'(OUT);
  assign enters = in_valid && in_ready;
  assign leaves = out_valid && out_ready;

  for (genvar i = 0; i < IN_SLOTS; i++) begin : g_slot
    always_ff @(posedge clk)
      if (enters && in_slot == IN_SLOT_BITS'(i)) ring[IN_BITS*i+:IN_BITS] <= in_data;
  end

  always_comb begin
    out_data = '0;
    for (int i = 0; i < OUT_SLOTS; i++)
      out_data |= ring[OUT_BITS*i+:OUT_BITS] & {OUT_BITS{out_slot == OUT_SLOT_BITS'(i)}};
  end

  always_ff @(posedge clk)
    if (clear) begin
      fill <= '0;
      in_slot <= '0;
      out_slot <= '0;
    end else begin
      fill <= fill + (enters ? FILL_BITS'(IN) : '0) - (leaves ? FILL_BITS'(OUT) : '0);
      if (enters)
        in_slot <= in_slot == IN_SLOT_BITS'(IN_SLOTS - 1) ? '0 : in_slot + IN_SLOT_BITS'(1);
      if (leaves)
        out_slot <= out_slot == OUT_SLOT_BITS'(OUT_SLOTS - 1) ? '0 : out_slot + OUT_SLOT_BITS'(1);
    end
endmodule
`default_nettype wire
