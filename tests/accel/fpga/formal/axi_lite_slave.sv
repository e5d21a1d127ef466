// SPDX-License-Identifier: Apache-2.0
// Accesses of registers over AXI-Lite, of a master that may do anything: every answer has its transaction and every
// transaction its answer; an answer stays as it is until it is taken; a write is done once, with its own address and
// data, and when it is whole; a read gets what the register says in the clock after it; no ready depends on an input
// of its clock, and each comes back without another transaction.
//
// modules: device/axi_lite_slave.sv
// proof: induction 2
// fault: device/axi_lite_slave.sv s/bvalid <= ends || (bvalid \&\& !bready)/bvalid <= ends/
// fault: device/axi_lite_slave.sv s/has_data \&\& !bvalid/has_data/
// fault: device/axi_lite_slave.sv s/if (wready) begin/if (wvalid) begin/
// fault: device/axi_lite_slave.sv s/assign write = ends \&\& is_whole/assign write = ends/
// fault: device/axi_lite_slave.sv s/!read \&\& !read_waits \&\& !rvalid/!read \&\& !rvalid/
// fault: device/axi_lite_slave.sv s/if (read_waits) rdata/if (read) rdata/
`default_nettype none
module axi_lite_slave_proof (
    input logic        clk,
    input logic        reset,
    input logic        awvalid,
    input logic [11:0] awaddr,
    input logic [ 2:0] awprot,
    input logic        wvalid,
    input logic [31:0] wdata,
    input logic [ 3:0] wstrb,
    input logic        bready,
    input logic        arvalid,
    input logic [11:0] araddr,
    input logic [ 2:0] arprot,
    input logic        rready,
    input logic [31:0] read_data
);
  logic awready, wready, bvalid, arready, rvalid, write, read;
  logic [1:0] bresp, rresp;
  logic [11:0] write_address, read_address;
  logic [31:0] rdata, write_data;
  axi_lite_slave dut (
      .clk,
      .reset,
      .awvalid,
      .awready,
      .awaddr,
      .awprot,
      .wvalid,
      .wready,
      .wdata,
      .wstrb,
      .bvalid,
      .bready,
      .bresp,
      .arvalid,
      .arready,
      .araddr,
      .arprot,
      .rvalid,
      .rready,
      .rdata,
      .rresp,
      .write,
      .write_address,
      .write_data,
      .read,
      .read_address,
      .read_data
  );
  (* hierconn *) wire \dut.is_whole ;
  (* hierconn *) wire \dut.read_waits ;

  logic begun = 1'b0;
  always_ff @(posedge clk) begun <= 1'b1;
  always_comb assume (begun || reset);

  // Of a write: the address and the data that were taken and not answered yet, and the answer that is due.
  logic has_address, has_data, ends, was_whole, answering;
  logic [11:0] address;
  logic [31:0] data;
  logic [ 3:0] bytes;
  assign ends = has_address && has_data && !answering;
  always_ff @(posedge clk)
    if (reset) {has_address, has_data, answering} <= 3'd0;
    else begin
      if (awvalid && awready) begin
        has_address <= 1'b1;
        address <= awaddr;
      end else if (ends) has_address <= 1'b0;
      if (wvalid && wready) begin
        has_data <= 1'b1;
        data <= wdata;
        bytes <= wstrb;
      end else if (ends) has_data <= 1'b0;
      if (ends) begin
        answering <= 1'b1;
        was_whole <= bytes == 4'b1111;
      end else if (bready) answering <= 1'b0;
    end

  always_comb
    if (begun) begin
      assert (awready == !has_address && wready == !has_data);
      assert (bvalid == answering);
      if (bvalid) assert (bresp == (was_whole ? 2'b00 : 2'b10));
      assert (write == (ends && bytes == 4'b1111));
      if (write) assert (write_address == {address[11:2], 2'b00} && write_data == data);
      // What makes it inductive.
      if (has_address) assert (write_address == {address[11:2], 2'b00});
      if (has_data) assert (write_data == data && \dut.is_whole == (bytes == 4'b1111));
    end

  // Of a read: the clocks since it was taken, up to three, when its answer is there.
  logic [1:0] since;  // 0: there is none
  logic [11:0] from;
  logic [31:0] value;
  always_ff @(posedge clk)
    if (reset) since <= 2'd0;
    else
      case (since)
        2'd0:
        if (arvalid && arready) begin
          since <= 2'd1;
          from <= araddr;
        end
        2'd1: since <= 2'd2;
        2'd2: begin
          since <= 2'd3;
          value <= read_data;
        end
        2'd3: if (rready) since <= 2'd0;
      endcase

  always_comb
    if (begun) begin
      assert (arready == (since == 2'd0));
      assert (read == (since == 2'd1));
      if (read) assert (read_address == {from[11:2], 2'b00});
      assert (rvalid == (since == 2'd3));
      if (rvalid) assert (rdata == value && rresp == 2'b00);
      // What makes it inductive.
      assert (\dut.read_waits == (since == 2'd2));
    end

  // The rule of the bus itself: what is offered stays.
  logic kept_b, kept_r;
  logic [ 1:0] offered_b;
  logic [31:0] offered_r;
  always_ff @(posedge clk) begin
    kept_b <= !reset && bvalid && !bready;
    kept_r <= !reset && rvalid && !rready;
    offered_b <= bresp;
    offered_r <= rdata;
  end
  always_comb
    if (begun) begin
      if (kept_b) assert (bvalid && bresp == offered_b);
      if (kept_r) assert (rvalid && rdata == offered_r);
    end
endmodule
`default_nettype wire
