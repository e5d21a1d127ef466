// SPDX-License-Identifier: Apache-2.0
// Single register accesses out of AXI-Lite transactions, one at a time.
//
//   write, write_address, write_data   one clock; the write is answered as done
//   read, read_address                 one clock; read_data is taken two clocks later
//
// 32-bit registers at multiples of 4 in 4 KiB: the lower two bits of addresses are not looked at, all
// bytes of a word are written, and every answer is OKAY. A write waits for its address and its data.
`default_nettype none
module axi_lite_slave (
    input  logic        clk,
    input  logic        reset,
    input  logic        awvalid,
    output logic        awready,
    input  logic [11:0] awaddr,
    input  logic        wvalid,
    output logic        wready,
    input  logic [31:0] wdata,
    output logic        bvalid,
    input  logic        bready,
    output logic [ 1:0] bresp,
    input  logic        arvalid,
    output logic        arready,
    input  logic [11:0] araddr,
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
  logic read_waits;

  assign bresp = 2'b00;
  assign rresp = 2'b00;
  assign write = awvalid && wvalid && !bvalid;
  assign awready = write;
  assign wready = write;
  assign write_address = {awaddr[11:2], 2'b00};
  assign write_data = wdata;
  assign arready = !read && !read_waits && !rvalid;

  always_ff @(posedge clk)
    if (reset) begin
      bvalid <= 1'b0;
      read <= 1'b0;
      read_waits <= 1'b0;
      rvalid <= 1'b0;
    end else begin
      bvalid <= write || (bvalid && !bready);
      read <= arvalid && arready;
      read_waits <= read;
      rvalid <= read_waits || (rvalid && !rready);
    end
  always_ff @(posedge clk) begin
    if (arready) read_address <= {araddr[11:2], 2'b00};
    if (read_waits) rdata <= read_data;
  end

  logic unused;
  assign unused = &{1'b0, awaddr[1:0], araddr[1:0]};
endmodule
`default_nettype wire
