// SPDX-License-Identifier: Apache-2.0
// The queue, of four words: it takes a word unless it holds four, offers one unless it is empty, and gives each word
// that entered as it was and in its turn. The solver chooses the word that is watched.
//
// modules: parts/fifo.sv
// proof: induction 2
// fault: parts/fifo.sv s/if (in_valid \&\& in_ready) words/if (in_valid) words/
// fault: parts/fifo.sv s/taken ^ (POSITION_BITS + 1)'(DEPTH)/taken/
// fault: parts/fifo.sv s/taken <= '0/taken <= taken/
`default_nettype none
module fifo_proof (
    input logic       clk,
    input logic       reset,
    input logic       in_valid,
    input logic [1:0] in_data,
    input logic       out_ready,
    input logic       watch
);
  logic in_ready, out_valid;
  logic [1:0] out_data;
  fifo #(
      .WIDTH(2),
      .DEPTH(4)
  ) dut (
      .clk,
      .reset,
      .in_valid,
      .in_ready,
      .in_data,
      .out_valid,
      .out_ready,
      .out_data
  );
  (* hierconn *) wire [2:0] \dut.written ;
  (* hierconn *) wire [2:0] \dut.taken ;
  (* hierconn *) wire [1:0] \dut.words[0] ;
  (* hierconn *) wire [1:0] \dut.words[1] ;
  (* hierconn *) wire [1:0] \dut.words[2] ;
  (* hierconn *) wire [1:0] \dut.words[3] ;
  logic [7:0] words;
  assign words = { \dut.words[3] , \dut.words[2] , \dut.words[1] , \dut.words[0] };

  logic begun = 1'b0;
  always_ff @(posedge clk) begun <= 1'b1;
  always_comb assume (begun || reset);

  logic enters, leaves;
  assign enters = in_valid && in_ready;
  assign leaves = out_valid && out_ready;

  logic [2:0] held;
  logic watching;
  logic [2:0] before;  // words that leave before the watched one
  logic [1:0] expected;
  always_ff @(posedge clk)
    if (reset) begin
      held <= 3'd0;
      watching <= 1'b0;
    end else begin
      held <= held + 3'(enters) - 3'(leaves);
      if (!watching && watch && enters) begin
        watching <= 1'b1;
        before <= held - 3'(leaves);
        expected <= in_data;
      end else if (watching && leaves) begin
        watching <= before != 3'd0;
        before <= before - 3'd1;
      end
    end

  logic [1:0] place;
  assign place = 2'(\dut.taken + before);
  always_comb
    if (begun) begin
      assert (in_ready == (held != 3'd4));
      assert (out_valid == (held != 3'd0));
      if (watching && before == 3'd0) assert (out_valid && out_data == expected);
      // What makes it inductive.
      assert (held <= 3'd4);
      assert (\dut.written - \dut.taken == held);
      if (watching) assert (before < held && words[2*place+:2] == expected);
    end
endmodule
`default_nettype wire
