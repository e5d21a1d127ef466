// SPDX-License-Identifier: Apache-2.0
// Single register accesses out of AXI-Lite transactions, one at a time.
//
//   write, write_address, write_data   one clock; the write is answered as done
//   read, read_address                 one clock; read_data is taken two clocks later
//
// 32-bit registers at multiples of 4 in 4 KiB: the lower two bits of addresses are not looked at. A
// write of less than all four bytes (wstrb) is answered with SLVERR and not done; every other answer is
// OKAY. Address and data of a write are taken in any order. The protection of an access (awprot,
// arprot) does not matter. No output depends on an input of its clock.
`default_nettype none
module axi_lite_slave (
    input  logic        clk,
    input  logic        reset,
    input  logic        awvalid,
    output logic        awready,
    input  logic [11:0] awaddr,
    input  logic [ 2:0] awprot,
    input  logic        wvalid,
    output logic        wready,
    input  logic [31:0] wdata,
    input  logic [ 3:0] wstrb,
    output logic        bvalid,
    input  logic        bready,
    output logic [ 1:0] bresp,
    input  logic        arvalid,
    output logic        arready,
    input  logic [11:0] araddr,
    input  logic [ 2:0] arprot,
    output logic        rvalid,
    input  logic        rready,
    output logic [31:0] rdata,
    output logic [ 1:0] rresp,
    output logic        write,
    output logic [11:0] write_address,
    output logic [31:0] write_data,
    output logic        read,
    output logic [11:0] read_address,
    input  logic [31:0] read_data
);
  localparam logic [1:0] OKAY = 2'b00, SLVERR = 2'b10;

  // Writes: address and data wait for each other, and for the answer to the one before.
  logic has_address, has_data, is_whole, ends;
  assign awready = !has_address;
  assign wready = !has_data;
  assign ends = has_address && has_data && !bvalid;
  assign write = ends && is_whole;

  always_ff @(posedge clk)
    if (reset) begin
      has_address <= 1'b0;
      has_data <= 1'b0;
      bvalid <= 1'b0;
    end else begin
      has_address <= has_address ? !ends : awvalid;
      has_data <= has_data ? !ends : wvalid;
      bvalid <= ends || (bvalid && !bready);
    end
  always_ff @(posedge clk) begin
    if (awready) write_address <= {awaddr[11:2], 2'b00};
    if (wready) begin
      write_data <= wdata;
      is_whole <= wstrb == 4'b1111;
    end
    if (ends) bresp <= is_whole ? OKAY : SLVERR;
  end

  // Reads.
  logic read_waits;
  assign rresp = OKAY;
  assign arready = !read && !read_waits && !rvalid;

  always_ff @(posedge clk)
    if (reset) begin
      read <= 1'b0;
      read_waits <= 1'b0;
      rvalid <= 1'b0;
    end else begin
      read <= arvalid && arready;
      read_waits <= read;
      rvalid <= read_waits || (rvalid && !rready);
    end
  always_ff @(posedge clk) begin
    if (arready) read_address <= {araddr[11:2], 2'b00};
    if (read_waits) rdata <= read_data;
  end

  logic unused;
  assign unused = &{1'b0, awaddr[1:0], araddr[1:0], awprot, arprot};
endmodule
`default_nettype wire
