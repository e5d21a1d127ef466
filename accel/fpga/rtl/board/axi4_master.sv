// SPDX-License-Identifier: Apache-2.0
// From the memory ports of fhe_device to AXI4: a master with words of 512 bits in the clock of the
// memory controller.
//
//   clk, reset                  of the device; `reset` with that of fhe_device, not with a soft reset
//   axi_clk, axi_reset          of the memory; both resets are held together for three clocks of the
//                               slower side or more
//   read_*, response_*          the read port of fhe_device
//   write_*, written_*          its write port
//   m_axi_*                     bursts of one beat, with the identifier 0: every one of them is a whole
//                               burst of a DDR4 channel of 64 bits
//
//   REQUESTS                    power of two, at least 4: room of each queue
//
// A request that has entered is kept until the memory takes it, also when a soft reset of the device
// withdraws what it has not handed over yet: AXI forbids to take one back. Answers come in the order of
// the requests, since all have one identifier. Whatever the memory answers but OKAY is an error of that
// request. Address and data of a write enter together, and leave in any order.
`default_nettype none
module axi4_master #(
    parameter int REQUESTS = 64
) (
    input  logic         clk,
    input  logic         reset,
    input  logic         read_valid,
    output logic         read_ready,
    input  logic [ 63:0] read_address,
    output logic         response_valid,
    output logic [511:0] response_data,
    output logic         response_error,
    input  logic         write_valid,
    output logic         write_ready,
    input  logic [ 63:0] write_address,
    input  logic [511:0] write_data,
    output logic         written_valid,
    output logic         written_error,
    input  logic         axi_clk,
    input  logic         axi_reset,
    output logic         m_axi_arvalid,
    input  logic         m_axi_arready,
    output logic [ 63:0] m_axi_araddr,
    output logic [  7:0] m_axi_arlen,
    output logic [  2:0] m_axi_arsize,
    output logic [  1:0] m_axi_arburst,
    output logic [  3:0] m_axi_arcache,
    output logic [  2:0] m_axi_arprot,
    output logic         m_axi_arid,
    input  logic         m_axi_rvalid,
    output logic         m_axi_rready,
    input  logic [511:0] m_axi_rdata,
    input  logic [  1:0] m_axi_rresp,
    input  logic         m_axi_rlast,
    input  logic         m_axi_rid,
    output logic         m_axi_awvalid,
    input  logic         m_axi_awready,
    output logic [ 63:0] m_axi_awaddr,
    output logic [  7:0] m_axi_awlen,
    output logic [  2:0] m_axi_awsize,
    output logic [  1:0] m_axi_awburst,
    output logic [  3:0] m_axi_awcache,
    output logic [  2:0] m_axi_awprot,
    output logic         m_axi_awid,
    output logic         m_axi_wvalid,
    input  logic         m_axi_wready,
    output logic [511:0] m_axi_wdata,
    output logic [ 63:0] m_axi_wstrb,
    output logic         m_axi_wlast,
    input  logic         m_axi_bvalid,
    output logic         m_axi_bready,
    input  logic [  1:0] m_axi_bresp,
    input  logic         m_axi_bid
);
  localparam logic [1:0] OKAY = 2'b00, INCREMENTING = 2'b01;
  localparam logic [2:0] BYTES_64 = 3'd6;
  localparam logic [3:0] BUFFERABLE = 4'b0011;  // and modifiable: the controller may merge accesses

  assign {m_axi_arlen, m_axi_arsize, m_axi_arburst} = {8'd0, BYTES_64, INCREMENTING};
  assign {m_axi_awlen, m_axi_awsize, m_axi_awburst} = {8'd0, BYTES_64, INCREMENTING};
  assign {m_axi_arcache, m_axi_arprot, m_axi_arid} = {BUFFERABLE, 3'b000, 1'b0};
  assign {m_axi_awcache, m_axi_awprot, m_axi_awid} = {BUFFERABLE, 3'b000, 1'b0};
  assign m_axi_wstrb = '1;
  assign m_axi_wlast = 1'b1;

  // Reads.
  async_fifo #(
      .WIDTH(64),
      .DEPTH(REQUESTS)
  ) reads (
      .in_clk   (clk),
      .in_reset (reset),
      .in_valid (read_valid),
      .in_ready (read_ready),
      .in_data  (read_address),
      .out_clk  (axi_clk),
      .out_reset(axi_reset),
      .out_valid(m_axi_arvalid),
      .out_ready(m_axi_arready),
      .out_data (m_axi_araddr)
  );
  async_fifo #(
      .WIDTH(513),
      .DEPTH(REQUESTS)
  ) answers (
      .in_clk   (axi_clk),
      .in_reset (axi_reset),
      .in_valid (m_axi_rvalid),
      .in_ready (m_axi_rready),
      .in_data  ({m_axi_rresp != OKAY, m_axi_rdata}),
      .out_clk  (clk),
      .out_reset(reset),
      .out_valid(response_valid),
      .out_ready(1'b1),
      .out_data ({response_error, response_data})
  );

  // Writes: an address and its data enter both queues, or neither.
  logic address_room, data_room;
  assign write_ready = address_room && data_room;
  async_fifo #(
      .WIDTH(64),
      .DEPTH(REQUESTS)
  ) write_addresses (
      .in_clk   (clk),
      .in_reset (reset),
      .in_valid (write_valid && data_room),
      .in_ready (address_room),
      .in_data  (write_address),
      .out_clk  (axi_clk),
      .out_reset(axi_reset),
      .out_valid(m_axi_awvalid),
      .out_ready(m_axi_awready),
      .out_data (m_axi_awaddr)
  );
  async_fifo #(
      .WIDTH(512),
      .DEPTH(REQUESTS)
  ) write_words (
      .in_clk   (clk),
      .in_reset (reset),
      .in_valid (write_valid && address_room),
      .in_ready (data_room),
      .in_data  (write_data),
      .out_clk  (axi_clk),
      .out_reset(axi_reset),
      .out_valid(m_axi_wvalid),
      .out_ready(m_axi_wready),
      .out_data (m_axi_wdata)
  );
  async_fifo #(
      .WIDTH(1),
      .DEPTH(REQUESTS)
  ) acknowledgements (
      .in_clk   (axi_clk),
      .in_reset (axi_reset),
      .in_valid (m_axi_bvalid),
      .in_ready (m_axi_bready),
      .in_data  (m_axi_bresp != OKAY),
      .out_clk  (clk),
      .out_reset(reset),
      .out_valid(written_valid),
      .out_ready(1'b1),
      .out_data (written_error)
  );

  logic unused;
  assign unused = &{1'b0, m_axi_rlast, m_axi_rid, m_axi_bid};
endmodule
`default_nettype wire
