// SPDX-License-Identifier: Apache-2.0
// Batches of 1024 words in another order.
//
//   reset                 empties it
//   in_valid, in_ready    in_data: the words of the batches, one after the other
//   index, place          the caller says which word of a batch, `place`, leaves as number `index`
//   out_valid, out_ready  out_data leaves, with its number out_index
//   frees                 room for a batch more: the last word of one has left the memory
//
// Two batches are inside: one comes while another leaves. A batch leaves when it is complete, its words then in every
// clock in which they are taken. `place` depends on `index` alone while words are inside.
`default_nettype none
module corner_turn #(
    parameter int WIDTH = 1024
) (
    input  logic             clk,
    input  logic             reset,
    input  logic             in_valid,
    output logic             in_ready,
    input  logic [WIDTH-1:0] in_data,
    output logic [      9:0] index,
    input  logic [      9:0] place,
    output logic             out_valid,
    input  logic             out_ready,
    output logic [      9:0] out_index,
    output logic [WIDTH-1:0] out_data,
    output logic             frees
);
  logic [WIDTH-1:0] words[2048];
  logic [1:0] full;
  logic [9:0] written;
  logic in_half, out_half, enters, completes, fetch;
  assign in_ready = !full[in_half];
  assign enters = in_valid && in_ready;
  assign completes = enters && written == 10'd1023;
  assign fetch = full[out_half] && (!out_valid || out_ready);
  assign frees = fetch && index == 10'd1023;

  always_ff @(posedge clk)
    if (reset) begin
      full <= 2'd0;
      written <= 10'd0;
      index <= 10'd0;
      in_half <= 1'b0;
      out_half <= 1'b0;
      out_valid <= 1'b0;
    end else begin
      full <= (full | {completes && in_half, completes && !in_half}) & ~{frees && out_half, frees && !out_half};
      in_half <= in_half ^ completes;
      out_half <= out_half ^ frees;
      written <= written + 10'(enters);
      index <= index + 10'(fetch);
      out_valid <= fetch || (out_valid && !out_ready);
    end
  always_ff @(posedge clk) begin
    if (enters) words[{in_half, written}] <= in_data;
    if (fetch) begin
      out_data <= words[{out_half, place}];
      out_index <= index;
    end
  end
endmodule
`default_nettype wire
