// SPDX-License-Identifier: Apache-2.0
// The memory-based processor of 65,536-point transforms modulo p = 2^64 - 2^32 + 1: sixteen banks,
// interchange, radix-16 unit and sixteen modular multipliers. Each stage replaces, in place, the
// points of 4096 butterflies by their transforms times factors.
//
// A command, one per clock:
//   digit     the hexadecimal digit of the sample number over which the sixteen points run
//   count     the three other digits
//   store     1: the results replace the points, 23 clocks later; 0: only read
//   blank     1: points 8 to 15 are taken for zero
// Held during a stage:
//   inverse   the radix-16 transform is an inverse one
// Others:
//   reset         forgets the stores under way
//   read_advance  0 holds the read path, from the command to `samples`
//   samples       the points of the command of 4 clocks ago, point 0 lowest
//   spectrum      their transform, 14 clocks after the command
//   factors       sixteen factors; wanted with `spectrum`, multiplied to it
//   load          samples 16 load_count .. 16 load_count + 15 are load_data; not while stores are due
//
// Clocks: address 1, RAM 2, interchange 1, radix-16 10, product 7, interchange 1, RAM 1. A stage takes
// 4096 + 23, and must be over before the next begins. FFT paper, sections IV-B and IV-C, Fig. 6.
`default_nettype none
module fft_processor #(
    parameter int LAYERED = 1
) (
    input  logic          clk,
    input  logic          reset,
    input  logic [   1:0] digit,
    input  logic [  11:0] count,
    input  logic          store,
    input  logic          blank,
    input  logic          inverse,
    input  logic          read_advance,
    output logic [1023:0] samples,
    output logic [1023:0] spectrum,
    input  logic [1023:0] factors,
    input  logic          load,
    input  logic [  11:0] load_count,
    input  logic [1023:0] load_data
);
  localparam int WRITE_BACK = 21;  // clocks from a command to its store

  logic [1:0] stored_digit;
  logic [11:0] stored_count;
  logic [WRITE_BACK-1:0] stores;
  logic blank_addressed, blank_fetched, blank_read;
  logic [1023:0] points, products;

  delay_line #(
      .WIDTH (14),
      .CLOCKS(WRITE_BACK)
  ) write_back (
      .clk,
      .in ({digit, count}),
      .out({stored_digit, stored_count})
  );
  always_ff @(posedge clk)
    if (reset) stores <= '0;
    else stores <= {stores[WRITE_BACK-2:0], store};

  // The loader writes in the pattern of digit 0.
  sample_banks banks (
      .clk,
      .reset,
      .read_advance,
      .read_digit  (digit),
      .read_count  (count),
      .points,
      .store       (load || stores[WRITE_BACK-1]),
      .store_digit (load ? 2'd0 : stored_digit),
      .store_count (load ? load_count : stored_count),
      .store_points(load ? load_data : products)
  );
  always_ff @(posedge clk)
    if (read_advance) begin
      blank_addressed <= blank;
      blank_fetched <= blank_addressed;
      blank_read <= blank_fetched;
      samples <= {blank_read ? 512'd0 : points[1023:512], points[511:0]};
    end

  radix16_products #(
      .LAYERED(LAYERED)
  ) butterfly (
      .clk,
      .points(samples),
      .inverse,
      .spectrum,
      .factors,
      .products
  );
endmodule
`default_nettype wire
