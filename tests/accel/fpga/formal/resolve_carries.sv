// SPDX-License-Identifier: Apache-2.0
// From columns to digits, for all columns, any number of beats and any stalls. With the column
// c(i) = low(i) + 2^24 middle(i) + 2^48 high(i), for every digit i of a beat
//   low(i) + middle(i - 1) + high(i - 2) + over(i - 1) = z(i) + 2^24 over(i)    in the first clock
//   z(i) + carry(i) = digit(i) + 2^24 carry(i + 1)                              in the second
// where the columns -1 and -2, over(-1) and carry(0) are the last ones of the beat before, and 0 in the first beat of a
// product. The sum of all these equations, each times 2^(24 i), says that the digits are the sum of the columns.
//
// modules: sums/carry_lookahead.sv fft768/resolve_carries.sv
// proof: induction 1
// fault: fft768/resolve_carries.sv s/carry_in(carry \& ~summed_first)/carry_in(carry)/
// fault: fft768/resolve_carries.sv s/in_first ? 2'd0 : over_before/2'd0/
`default_nettype none
module resolve_carries_proof (
    input logic          clk,
    input logic          reset,
    input logic          advance,
    input logic          in_valid,
    input logic          in_first,
    input logic [1023:0] columns
);
  logic out_valid;
  logic [383:0] digits;
  resolve_carries dut (
      .clk,
      .reset,
      .advance,
      .in_valid,
      .in_first,
      .columns,
      .out_valid,
      .digits
  );
  (* hierconn *) wire [399:0] \dut.digits_next ;
  (* hierconn *) wire [415:0] \dut.sums ;
  (* hierconn *) wire [399:0] \dut.z ;
  (* hierconn *) wire [23:0] \dut.middle_before ;
  (* hierconn *) wire [15:0] \dut.high_before ;
  (* hierconn *) wire [15:0] \dut.high_before_that ;
  (* hierconn *) wire [1:0] \dut.over_before ;
  (* hierconn *) wire \dut.carry ;
  (* hierconn *) wire \dut.summed ;
  (* hierconn *) wire \dut.summed_first ;
  (* hierconn *) wire [16:0] \dut.carries ;
  (* hierconn *) wire [383:0] \dut.resolved ;

  // What has come since the solver began.
  logic begun = 1'b0, first_here = 1'b0, second_here = 1'b0;

  // First clock. What reaches into the two lowest digits of a beat is of the beat before.
  logic [39:0] before;
  logic [15:0] before_that;
  logic [ 1:0] over;
  assign before = in_first ? 40'd0 : { \dut.high_before , \dut.middle_before };
  assign before_that = in_first ? 16'd0 : \dut.high_before_that ;
  assign over = in_first ? 2'd0 : \dut.over_before ;
  logic [64*18-1:0] extended;  // columns -2 to 15
  logic [   16*2+1:0] overs;     // of sums -1 to 15
  assign extended = {columns, before, 24'd0, before_that, 48'd0};
  assign overs[1:0] = over;
  for (genvar i = 0; i < 16; i++) begin : g_column
    assign overs[2*(i+1)+:2] = \dut.sums [26*i+24+:2];
    always_comb
      assert ({3'd0, columns[64*i+:24]} + {3'd0, extended[64*(i+1)+24+:24]} + {11'd0, extended[64*i+48+:16]} +
              {25'd0, overs[2*i+:2]} ==
              {2'd0, \dut.digits_next [25*i+:25]} + {1'b0, overs[2*(i+1)+:2], 24'd0});
  end

  // Second clock: the carries into the digits and out of them, of what the first clock can have left.
  always_comb assert (\dut.carries [0] == (\dut.carry && ! \dut.summed_first ));
  for (genvar i = 0; i < 16; i++) begin : g_digit
    always_comb begin
      assert (\dut.digits_next [25*i+:25] <= 25'h1000002);
      if (first_here) begin
        assert (\dut.z [25*i+:25] <= 25'h1000002);
        assert ({1'b0, \dut.z [25*i+:25]} + {25'd0, \dut.carries [i]} ==
                {1'b0, \dut.carries [i+1], \dut.resolved [24*i+:24]});
      end
    end
  end

  // What goes from clock to clock, with stalls anywhere.
  logic [399:0] expected_z;
  logic [ 57:0] expected_left_over, left_over;
  assign left_over = { \dut.high_before , \dut.middle_before , \dut.high_before_that , \dut.over_before };
  logic [383:0] expected_digits;
  logic expected_first, expected_carry, is_summed, is_out;
  always_ff @(posedge clk) begin
    begun <= 1'b1;
    if (reset) {is_summed, is_out} <= 2'b00;
    else if (advance) {is_summed, is_out} <= {in_valid, is_summed};
    if (begun && advance && in_valid) begin
      {expected_z, expected_first, expected_left_over} <= { \dut.digits_next , in_first, columns[1023-:40], columns[959-:16], overs[33:32]};
      first_here <= 1'b1;
    end
    if (begun && advance && is_summed) begin
      {expected_digits, expected_carry} <= { \dut.resolved , \dut.carries [16]};
      second_here <= 1'b1;
    end
  end
  always_comb begin
    assume (begun || reset);
    if (begun) assert (\dut.summed == is_summed && out_valid == is_out);
    else assert (!first_here && !second_here);
    if (first_here) assert (\dut.z == expected_z && \dut.summed_first == expected_first && left_over == expected_left_over);
    if (second_here) assert (digits == expected_digits && \dut.carry == expected_carry);
  end
endmodule
`default_nettype wire
