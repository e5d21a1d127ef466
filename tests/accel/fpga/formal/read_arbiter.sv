// SPDX-License-Identifier: Apache-2.0
// Three readers at one port, with four answers waited for at most and a memory that answers in any time: what was
// asked of memory stays until memory takes it; one client is served at a time, its address is the one that memory
// sees, and it waits for at most one request of each other client; every answer goes to the client that asked, in the
// order of the requests; `outstanding` is what memory took and has not answered, over resets too; the first failure
// keeps its address, and that of the client that looks at its errors itself is not told. The solver chooses the client that waits and the request that is watched.
//
// Memory answers no more than it took, and `reset` is held until it has answered all, as the module demands.
//
// modules: parts/fifo.sv memory/read_arbiter.sv
// proof: induction 2
// fault: memory/read_arbiter.sv s/(!read_valid || read_ready) \&\& room/room/
// fault: memory/read_arbiter.sv s/above <= ~(choice | (choice - CLIENTS'(1)))/above <= above/
// fault: memory/read_arbiter.sv s/{choice, chosen_address}/{client_read_valid, chosen_address}/
// fault: memory/read_arbiter.sv s/if (power_reset) outstanding/if (reset) outstanding/
// fault: memory/read_arbiter.sv s/if (fails \&\& !error)/if (fails)/
// fault: memory/read_arbiter.sv s/(owner \& OWN_ERRORS) == '0/1'b1/
`default_nettype none
module read_arbiter_proof (
    input logic         clk,
    input logic         reset,
    input logic         power_reset,
    input logic         clear,
    input logic [  2:0] client_read_valid,
    input logic [191:0] client_read_address,
    input logic         read_ready,
    input logic         response_valid,
    input logic         response_error,
    input logic         watch
);
  logic [2:0] client_read_ready, client_response_valid;
  logic read_valid, error;
  logic [63:0] read_address, error_address;
  logic [31:0] outstanding;
  read_arbiter #(
      .CLIENTS   (3),
      .DEPTH     (4),
      .OWN_ERRORS(3'b100)
  ) dut (
      .clk,
      .reset,
      .power_reset,
      .clear,
      .client_read_valid,
      .client_read_ready,
      .client_read_address,
      .client_response_valid,
      .read_valid,
      .read_ready,
      .read_address,
      .response_valid,
      .response_error,
      .error,
      .error_address,
      .outstanding
  );
  (* hierconn *) wire [2:0] \dut.above ;
  (* hierconn *) wire [2:0] \dut.owners.written ;
  (* hierconn *) wire [2:0] \dut.owners.taken ;
  (* hierconn *) wire [66:0] \dut.owners.words[0] ;
  (* hierconn *) wire [66:0] \dut.owners.words[1] ;
  (* hierconn *) wire [66:0] \dut.owners.words[2] ;
  (* hierconn *) wire [66:0] \dut.owners.words[3] ;
  logic [2:0] owners;  // requests whose owner is known
  assign owners = \dut.owners.written - \dut.owners.taken ;

  // Memory, and the rules of a reset.
  logic begun = 1'b0, was_reset;
  logic [31:0] asked;
  always_ff @(posedge clk) begin
    begun <= 1'b1;
    was_reset <= reset;
    asked <= power_reset ? 32'd0 : asked + 32'(read_valid && read_ready) - 32'(response_valid);
  end
  always_comb begin
    assume (begun || power_reset);
    assume (!power_reset || (reset && !response_valid));
    if (begun && asked == 32'd0) assume (!response_valid);
    if (begun && was_reset && asked != 32'd0) assume (reset);
  end
  always_comb
    if (begun) begin
      assert (outstanding == asked);
      // What makes it inductive.
      assert (asked <= 32'd4);
      if (was_reset) assert (owners == 3'd0 && !read_valid);
      else assert (owners <= 3'd4 && 32'(owners) == asked + 32'(read_valid));
    end

  // What memory is asked: that of the client that was served, until memory takes it.
  logic served, kept;
  logic [ 2:0] grants;
  logic [63:0] granted, offered;  // addresses
  assign grants = client_read_valid & client_read_ready;
  assign granted = client_read_address[63:0] & {64{grants[0]}} | client_read_address[127:64] & {64{grants[1]}} |
                   client_read_address[191:128] & {64{grants[2]}};
  always_ff @(posedge clk) begin
    served <= !reset && grants != 3'd0;
    kept <= !reset && read_valid && !read_ready;
    if (grants != 3'd0) offered <= granted;
  end
  always_comb
    if (begun) begin
      assert (grants == 3'd0 || grants == 3'd1 || grants == 3'd2 || grants == 3'd4);
      assert ((client_read_ready & ~client_read_valid) == 3'd0);
      if (served || kept) assert (read_valid);
      if (read_valid) assert (read_address == offered);
      if (read_valid && !read_ready) assert (grants == 3'd0);
    end

  // A client that waits, and how often others were served meanwhile. In the round after the one that was served last
  // it is number `turn`.
  (* anyconst *) logic [1:0] client;
  logic [1:0] waited, last, turn;
  always_ff @(posedge clk)
    if (reset || !client_read_valid[client] || grants[client]) waited <= 2'd0;
    else if (grants != 3'd0) waited <= waited + 2'd1;
  assign last = \dut.above == 3'b110 ? 2'd0 : \dut.above == 3'b100 ? 2'd1 : 2'd2;
  assign turn = client > last ? client - last : client + 2'd3 - last;
  always_comb begin
    assume (client < 2'd3);
    if (begun) begin
      if (client_read_valid[client] && grants != 3'd0 && !grants[client]) assert (waited < 2'd2);
      // What makes it inductive.
      assert (\dut.above == 3'b110 || \dut.above == 3'b100 || \dut.above == 3'b000);
      assert (waited <= 2'd3 - turn);
    end
  end

  // A request, from the client to its answer.
  logic watching;
  logic [2:0] before;  // answers that come before its own
  logic [2:0] owner;
  logic [63:0] address;
  always_ff @(posedge clk)
    if (reset) watching <= 1'b0;
    else if (!watching && watch && grants != 3'd0) begin
      watching <= 1'b1;
      before <= owners - 3'(response_valid);
      owner <= grants;
      address <= granted;
    end else if (watching && response_valid) begin
      watching <= before != 3'd0;
      before <= before - 3'd1;
    end
  logic [267:0] words;
  logic [1:0] place;
  assign words = { \dut.owners.words[3] , \dut.owners.words[2] , \dut.owners.words[1] , \dut.owners.words[0] };
  assign place = 2'(\dut.owners.taken + before);
  logic answered;
  assign answered = watching && before == 3'd0 && response_valid && !reset;
  always_comb
    if (begun) begin
      if (answered) assert (client_response_valid == owner);
      if (!response_valid || reset) assert (client_response_valid == 3'd0);
      // What makes it inductive.
      if (watching && !was_reset) begin
        assert (before < owners && words[67*place+:67] == {owner, address});
        assert (before != owners - 3'd1 || !read_valid || address == read_address);
      end
    end

  // The first failure.
  logic failed, fails_unseen;
  logic [63:0] failed_address;
  always_ff @(posedge clk)
    if (reset || clear) failed <= 1'b0;
    else if (answered && response_error && !error && !owner[2]) begin
      failed <= 1'b1;
      failed_address <= address;
    end
  always_ff @(posedge clk) fails_unseen <= answered && response_error && !error && owner[2];
  always_comb begin
    if (begun && failed) assert (error && error_address == failed_address);
    if (begun && fails_unseen) assert (!error);
  end
endmodule
`default_nettype wire
