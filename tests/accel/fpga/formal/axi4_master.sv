// SPDX-License-Identifier: Apache-2.0
// The AXI4 master, with clocks of any relation and its queues as async_fifo.sv proves them: whatever a master offers stands
// unchanged until it is taken, an address of a write and its data enter together, every access leaves once and in its
// turn with its address and its data, every answer comes back in its turn, and is an error if it is not OKAY; all bursts
// are one whole word. There is no port by which a reset of the device alone could take a request back. The solver
// chooses the accesses that are watched, and when either clock ticks.
//
// modules: board/axi4_master.sv
// proof: induction 2
// clocks: several
// fault: board/axi4_master.sv s/write_valid \&\& data_room/write_valid/
// fault: board/axi4_master.sv s/(write_address)/(read_address)/
// fault: board/axi4_master.sv s/m_axi_bresp != OKAY/m_axi_bresp == 2'b10/
// fault: board/axi4_master.sv s/{m_axi_rresp != OKAY, m_axi_rdata}/{1'b0, m_axi_rdata}/
// fault: board/axi4_master.sv s/{8'd0, BYTES_64, INCREMENTING};/{8'd1, BYTES_64, INCREMENTING};/
`default_nettype none
// A queue of which only this is known: a word that has entered leaves in its turn, and what is offered stands. Words are
// numbered; one is kept, and all others may be anything.
module async_fifo #(
    parameter int WIDTH = 1,
    parameter int DEPTH = 4
) (
    input  logic             in_clk,
    input  logic             in_reset,
    input  logic             in_valid,
    output logic             in_ready,
    input  logic [WIDTH-1:0] in_data,
    input  logic             out_clk,
    input  logic             out_reset,
    output logic             out_valid,
    input  logic             out_ready,
    output logic [WIDTH-1:0] out_data
);
  (* anyconst *) logic [15:0] number;
  (* anyseq *) logic room, offer;
  (* anyseq *) logic [WIDTH-1:0] other;
  logic [15:0] entered, left;
  logic [WIDTH-1:0] kept;
  assign in_ready = room && entered != 16'hffff;
  assign out_valid = offer;
  assign out_data = left == number ? kept : other;
  always_ff @(posedge in_clk)
    if (in_valid && in_ready) begin
      entered <= entered + 16'd1;
      if (entered == number) kept <= in_data;
    end
  always_ff @(posedge out_clk) if (out_valid && out_ready) left <= left + 16'd1;

  (* gclk *) logic step;
  logic out_clk_before, offered, asked;
  logic [WIDTH-1:0] offered_data;
  logic begun = 1'b0;
  always_ff @(posedge step) begin
    begun <= 1'b1;
    {out_clk_before, offered, asked, offered_data} <= {out_clk, out_valid, out_ready, out_data};
  end
  always_comb begin
    if (offer) assume (left < entered);
    if (begun && offered && !(asked && out_clk && !out_clk_before)) assume (offer && out_data == offered_data);
    assert (left <= entered);
  end
endmodule

module axi4_master_proof (
    input logic         clk,
    input logic         read_valid,
    input logic [ 63:0] read_address,
    input logic         write_valid,
    input logic [ 63:0] write_address,
    input logic [511:0] write_data,
    input logic         axi_clk,
    input logic         m_axi_arready,
    input logic         m_axi_rvalid,
    input logic [511:0] m_axi_rdata,
    input logic [  1:0] m_axi_rresp,
    input logic         m_axi_awready,
    input logic         m_axi_wready,
    input logic         m_axi_bvalid,
    input logic [  1:0] m_axi_bresp
);
  logic read_ready, response_valid, response_error, write_ready, written_valid, written_error;
  logic [511:0] response_data, m_axi_wdata;
  logic m_axi_arvalid, m_axi_rready, m_axi_awvalid, m_axi_wvalid, m_axi_bready, m_axi_wlast;
  logic [63:0] m_axi_araddr, m_axi_awaddr, m_axi_wstrb;
  logic [7:0] m_axi_arlen, m_axi_awlen;
  logic [2:0] m_axi_arsize, m_axi_awsize;
  logic [1:0] m_axi_arburst, m_axi_awburst;
  axi4_master dut (
      .clk,
      .reset(1'b0),
      .read_valid,
      .read_ready,
      .read_address,
      .response_valid,
      .response_data,
      .response_error,
      .write_valid,
      .write_ready,
      .write_address,
      .write_data,
      .written_valid,
      .written_error,
      .axi_clk,
      .axi_reset(1'b0),
      .m_axi_arvalid,
      .m_axi_arready,
      .m_axi_araddr,
      .m_axi_arlen,
      .m_axi_arsize,
      .m_axi_arburst,
      .m_axi_arcache(),
      .m_axi_arprot(),
      .m_axi_arid(),
      .m_axi_rvalid,
      .m_axi_rready,
      .m_axi_rdata,
      .m_axi_rresp,
      .m_axi_rlast(1'b1),
      .m_axi_rid(1'b0),
      .m_axi_awvalid,
      .m_axi_awready,
      .m_axi_awaddr,
      .m_axi_awlen,
      .m_axi_awsize,
      .m_axi_awburst,
      .m_axi_awcache(),
      .m_axi_awprot(),
      .m_axi_awid(),
      .m_axi_wvalid,
      .m_axi_wready,
      .m_axi_wdata,
      .m_axi_wstrb,
      .m_axi_wlast,
      .m_axi_bvalid,
      .m_axi_bready,
      .m_axi_bresp,
      .m_axi_bid(1'b0)
  );

  (* gclk *) logic step;
  logic begun = 1'b0;

  // Of each channel, by its transfers: how many there were, and what the watched one had.
  (* anyconst *) logic [15:0] number;
  (* hierconn *) wire [15:0] \dut.reads.number ;
  (* hierconn *) wire [15:0] \dut.answers.number ;
  (* hierconn *) wire [15:0] \dut.write_addresses.number ;
  (* hierconn *) wire [15:0] \dut.write_words.number ;
  (* hierconn *) wire [15:0] \dut.acknowledgements.number ;
  always_comb begin
    assume (\dut.reads.number == number && \dut.answers.number == number);
    assume (\dut.write_addresses.number == number && \dut.write_words.number == number);
    assume (\dut.acknowledgements.number == number);
  end
  (* hierconn *) wire [15:0] \dut.reads.entered ;
  (* hierconn *) wire [15:0] \dut.answers.entered ;
  (* hierconn *) wire [15:0] \dut.write_addresses.entered ;
  (* hierconn *) wire [15:0] \dut.write_words.entered ;
  (* hierconn *) wire [15:0] \dut.acknowledgements.entered ;
  (* hierconn *) wire [15:0] \dut.reads.left ;
  (* hierconn *) wire [15:0] \dut.answers.left ;
  (* hierconn *) wire [15:0] \dut.write_addresses.left ;
  (* hierconn *) wire [15:0] \dut.write_words.left ;
  (* hierconn *) wire [15:0] \dut.acknowledgements.left ;
  (* hierconn *) wire [63:0] \dut.reads.kept ;
  (* hierconn *) wire [512:0] \dut.answers.kept ;
  (* hierconn *) wire [63:0] \dut.write_addresses.kept ;
  (* hierconn *) wire [511:0] \dut.write_words.kept ;
  (* hierconn *) wire [0:0] \dut.acknowledgements.kept ;

  // Nothing has entered at the beginning, and no clock is high.
  always_comb
    if (!begun) begin
      assume ({clk, axi_clk} == 2'b00);
      assume ({\dut.reads.entered , \dut.answers.entered , \dut.write_addresses.entered } == 48'd0);
      assume ({\dut.write_words.entered , \dut.acknowledgements.entered } == 32'd0);
      assume ({\dut.reads.left , \dut.answers.left , \dut.write_addresses.left } == 48'd0);
      assume ({\dut.write_words.left , \dut.acknowledgements.left } == 32'd0);
    end

  logic [15:0] asked = 16'd0, answered = 16'd0, written = 16'd0, acknowledged = 16'd0;
  logic [15:0] ar = 16'd0, r = 16'd0, aw = 16'd0, w = 16'd0, b = 16'd0;
  logic [63:0] asked_address, written_address;
  logic [511:0] written_data, answer_data;
  logic answer_failed, acknowledgement_failed;
  always_ff @(posedge clk) begin
    if (read_valid && read_ready) begin
      asked <= asked + 16'd1;
      if (asked == number) asked_address <= read_address;
    end
    if (response_valid) answered <= answered + 16'd1;
    if (write_valid && write_ready) begin
      written <= written + 16'd1;
      if (written == number) {written_address, written_data} <= {write_address, write_data};
    end
    if (written_valid) acknowledged <= acknowledged + 16'd1;
  end
  always_ff @(posedge axi_clk) begin
    if (m_axi_arvalid && m_axi_arready) ar <= ar + 16'd1;
    if (m_axi_awvalid && m_axi_awready) aw <= aw + 16'd1;
    if (m_axi_wvalid && m_axi_wready) w <= w + 16'd1;
    if (m_axi_rvalid && m_axi_rready) begin
      r <= r + 16'd1;
      if (r == number) {answer_failed, answer_data} <= {m_axi_rresp != 2'b00, m_axi_rdata};
    end
    if (m_axi_bvalid && m_axi_bready) begin
      b <= b + 16'd1;
      if (b == number) acknowledgement_failed <= m_axi_bresp != 2'b00;
    end
  end

  // What was offered, and not taken, in the step before.
  logic ar_waits, aw_waits, w_waits;
  logic [63:0] ar_before, aw_before;
  logic [511:0] w_before;
  always_ff @(posedge step) begin
    begun <= 1'b1;
    {ar_waits, ar_before} <= {m_axi_arvalid && !m_axi_arready, m_axi_araddr};
    {aw_waits, aw_before} <= {m_axi_awvalid && !m_axi_awready, m_axi_awaddr};
    {w_waits, w_before} <= {m_axi_wvalid && !m_axi_wready, m_axi_wdata};
  end

  always_comb begin
    if (begun && ar_waits) assert (m_axi_arvalid && m_axi_araddr == ar_before);
    if (begun && aw_waits) assert (m_axi_awvalid && m_axi_awaddr == aw_before);
    if (begun && w_waits) assert (m_axi_wvalid && m_axi_wdata == w_before);
    assert (m_axi_arlen == 8'd0 && m_axi_arsize == 3'd6 && m_axi_arburst == 2'b01);
    assert (m_axi_awlen == 8'd0 && m_axi_awsize == 3'd6 && m_axi_awburst == 2'b01);
    assert (m_axi_wlast && (&m_axi_wstrb));
    if (m_axi_arvalid) assert (ar < asked);
    if (m_axi_awvalid) assert (aw < written);
    if (m_axi_wvalid) assert (w < written);
    if (response_valid) assert (answered < r);
    if (written_valid) assert (acknowledged < b);
    if (m_axi_arvalid && ar == number) assert (m_axi_araddr == asked_address);
    if (m_axi_awvalid && aw == number) assert (m_axi_awaddr == written_address);
    if (m_axi_wvalid && w == number) assert (m_axi_wdata == written_data);
    if (response_valid && answered == number) assert ({response_error, response_data} == {answer_failed, answer_data});
    if (written_valid && acknowledged == number) assert (written_error == acknowledgement_failed);
    // What makes it inductive.
    assert (asked == \dut.reads.entered && ar == \dut.reads.left );
    assert (r == \dut.answers.entered && answered == \dut.answers.left );
    assert (written == \dut.write_addresses.entered && aw == \dut.write_addresses.left );
    assert (written == \dut.write_words.entered && w == \dut.write_words.left );
    assert (b == \dut.acknowledgements.entered && acknowledged == \dut.acknowledgements.left );
    if (asked > number) assert (asked_address == \dut.reads.kept );
    if (r > number) assert ({answer_failed, answer_data} == \dut.answers.kept );
    if (written > number) assert (written_address == \dut.write_addresses.kept );
    if (written > number) assert (written_data == \dut.write_words.kept );
    if (b > number) assert (acknowledgement_failed == \dut.acknowledgements.kept );
  end

endmodule
`default_nettype wire
