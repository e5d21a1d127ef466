// SPDX-License-Identifier: Apache-2.0
// The queue from one clock to another, of four words and with clocks of any relation: it takes no word that it has no
// room for, offers none that it has not, gives each word that entered as it was and in its turn, and what it offers
// stays as it is until it is taken. The solver chooses the word that is watched, and when either clock ticks.
//
// What each side knows of the other is one of its positions of before: in the order of time, taken as the input sees
// it, as it crosses, and as it is; then written as the output sees it, as it crosses, and as it is; from the first to the
// last the depth at most. The codes that cross change by one bit a clock, so that a crossing which meets a change reads
// the position before or after it, and both are in this order.
//
// modules: board/async_fifo.sv
// proof: induction 3
// clocks: several
// fault: board/async_fifo.sv s/next_written ^ (next_written >> 1)/next_written/
// fault: board/async_fifo.sv s/taken_seen ^ {2'b11/taken_seen ^ {2'b10/
// fault: board/async_fifo.sv s/if (in_valid \&\& in_ready) words/if (in_valid) words/
// fault: board/async_fifo.sv s/taken_crossing <= taken_gray/taken_crossing <= next_taken ^ (next_taken >> 1)/
`default_nettype none
module async_fifo_proof (
    input logic       in_clk,
    input logic       out_clk,
    input logic       in_valid,
    input logic [1:0] in_data,
    input logic       out_ready,
    input logic       watch
);
  logic in_ready, out_valid;
  logic [1:0] out_data;
  async_fifo #(
      .WIDTH(2),
      .DEPTH(4)
  ) dut (
      .in_clk,
      .in_reset (1'b0),
      .in_valid,
      .in_ready,
      .in_data,
      .out_clk,
      .out_reset(1'b0),
      .out_valid,
      .out_ready,
      .out_data
  );
  (* hierconn *) wire [2:0] \dut.written ;
  (* hierconn *) wire [2:0] \dut.taken ;
  (* hierconn *) wire [2:0] \dut.written_gray ;
  (* hierconn *) wire [2:0] \dut.taken_gray ;
  (* hierconn *) wire [2:0] \dut.written_crossing ;
  (* hierconn *) wire [2:0] \dut.taken_crossing ;
  (* hierconn *) wire [2:0] \dut.written_seen ;
  (* hierconn *) wire [2:0] \dut.taken_seen ;
  (* hierconn *) wire [1:0] \dut.words[0] ;
  (* hierconn *) wire [1:0] \dut.words[1] ;
  (* hierconn *) wire [1:0] \dut.words[2] ;
  (* hierconn *) wire [1:0] \dut.words[3] ;
  logic [7:0] words;
  assign words = { \dut.words[3] , \dut.words[2] , \dut.words[1] , \dut.words[0] };

  // Both resets leave this state, and no clock high.
  (* gclk *) logic step;
  logic begun = 1'b0;
  always_ff @(posedge step) begun <= 1'b1;
  always_comb
    if (!begun) begin
      assume ({in_clk, out_clk} == 2'b00);
      assume ({\dut.written , \dut.taken , \dut.written_gray , \dut.taken_gray } == 12'd0);
      assume ({\dut.written_crossing , \dut.taken_crossing , \dut.written_seen , \dut.taken_seen } == 12'd0);
    end

  // Of the step before, and whether a word leaves by this one.
  logic in_clk_before, out_clk_before, offered, asked, leaves;
  logic [1:0] offered_data;
  logic [2:0] written_before, taken_before;
  always_ff @(posedge step) begin
    {in_clk_before, out_clk_before} <= {in_clk, out_clk};
    {offered, asked, offered_data} <= {out_valid, out_ready, out_data};
    {written_before, taken_before} <= {\dut.written_gray , \dut.taken_gray };
  end
  assign leaves = out_clk && !out_clk_before && offered && asked;

  // What entered and left, and the watched word with its number.
  logic [2:0] entered = 3'd0, left = 3'd0, number;
  logic chosen = 1'b0;
  logic [1:0] expected;
  always_ff @(posedge in_clk)
    if (in_valid && in_ready) begin
      entered <= entered + 3'd1;
      if (watch && !chosen) begin
        chosen <= 1'b1;
        number <= entered;
        expected <= in_data;
      end
    end
  always_ff @(posedge out_clk) if (out_valid && out_ready) left <= left + 3'd1;
  logic gone = 1'b0;
  always_ff @(posedge out_clk) if (out_valid && out_ready && chosen && left == number) gone <= 1'b1;

  function automatic logic [2:0] gray(input logic [2:0] x);
    gray = x ^ (x >> 1);
  endfunction
  function automatic logic [2:0] position(input logic [2:0] x);
    position = {x[2], x[2] ^ x[1], ^x};
  endfunction
  function automatic logic one_bit(input logic [2:0] x);
    one_bit = (x & (x - 3'd1)) == 3'd0;
  endfunction
  logic [2:0] held, since, seen, crossing;  // after `taken` as the input sees it
  assign held = entered - left;
  assign since = position(\dut.taken_seen );
  assign crossing = position(\dut.written_crossing ) - since;
  assign seen = position(\dut.written_seen ) - since;

  always_comb
    if (begun) begin
      if (in_ready) assert (held < 3'd4);
      if (out_valid) assert (held != 3'd0);
      if (chosen && !gone && out_valid && left == number) assert (out_data == expected);
      if (offered && !leaves) assert (out_valid && out_data == offered_data);
      assert (one_bit(written_before ^ \dut.written_gray ) && one_bit(taken_before ^ \dut.taken_gray ));
      // What makes it inductive.
      assert (\dut.written == entered && \dut.written_gray == gray(entered));
      assert (\dut.taken == left && \dut.taken_gray == gray(left));
      assert (position(\dut.taken_crossing ) - since <= left - since);
      assert (left - since <= seen && seen <= crossing && crossing <= entered - since && entered - since <= 3'd4);
      if (chosen && !gone) assert (number - left < held && words[2*number[1:0]+:2] == expected);
      if (!chosen) assert (!gone);
    end
endmodule
`default_nettype wire
