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
  localparam int WRITE_BACK = 21;  // clocks from a command to the addresses of its store

  // Read path.
  logic [3:0] read_amount;
  logic [3:0] amount_addressed, amount_fetched, amount_read;
  logic blank_addressed, blank_fetched, blank_read;
  logic [1023:0] fetched, ordered;

  digit_sum read_rotation (
      .count,
      .amount(read_amount)
  );
  rotate_lanes from_banks (
      .amount (amount_read),
      .lanes  (fetched),
      .rotated(ordered)
  );
  always_ff @(posedge clk)
    if (read_advance) begin
      amount_addressed <= read_amount;
      amount_fetched <= amount_addressed;
      amount_read <= amount_fetched;
      blank_addressed <= blank;
      blank_fetched <= blank_addressed;
      blank_read <= blank_fetched;
      samples <= {blank_read ? 512'd0 : ordered[1023:512], ordered[511:0]};
    end

  // Arithmetic.
  logic [1023:0] products;

  radix16 #(
      .LAYERED(LAYERED)
  ) transform (
      .clk,
      .points(samples),
      .inverse,
      .spectrum
  );
  for (genvar k = 0; k < 16; k++) begin : g_lane
    goldilocks_multiply multiply (
        .clk,
        .advance(1'b1),
        .a      (spectrum[64*k+:64]),
        .b      (factors[64*k+:64]),
        .product(products[64*k+:64])
    );
  end

  // Write path: the command again, or the loader, which is the pattern of digit 0.
  logic [1:0] stored_digit, write_digit;
  logic [11:0] stored_count, write_count;
  logic [3:0] write_amount;
  logic [WRITE_BACK-1:0] stores;
  logic write_enable;
  logic [1023:0] banked, write_data;

  delay_line #(
      .WIDTH (14),
      .CLOCKS(WRITE_BACK)
  ) write_back (
      .clk,
      .in ({digit, count}),
      .out({stored_digit, stored_count})
  );
  assign write_digit = load ? 2'd0 : stored_digit;
  assign write_count = load ? load_count : stored_count;
  digit_sum write_rotation (
      .count (write_count),
      .amount(write_amount)
  );
  rotate_lanes #(
      .TO_BANKS(1)
  ) to_banks (
      .amount (write_amount),
      .lanes  (load ? load_data : products),
      .rotated(banked)
  );
  always_ff @(posedge clk) begin
    write_data <= banked;
    if (reset) begin
      stores <= '0;
      write_enable <= 1'b0;
    end else begin
      stores <= {stores[WRITE_BACK-2:0], store};
      write_enable <= load | stores[WRITE_BACK-1];
    end
  end

  for (genvar i = 0; i < 16; i++) begin : g_bank
    logic [11:0] read_address, read_next, write_address, write_next;
    bank_address #(
        .BANK(i)
    ) read_from (
        .digit,
        .count,
        .amount (read_amount),
        .address(read_next)
    );
    bank_address #(
        .BANK(i)
    ) write_to (
        .digit  (write_digit),
        .count  (write_count),
        .amount (write_amount),
        .address(write_next)
    );
    always_ff @(posedge clk) begin
      if (read_advance) read_address <= read_next;
      write_address <= write_next;
    end
    bank_ram bank (
        .clk,
        .read_enable  (read_advance),
        .read_address,
        .read_data    (fetched[64*i+:64]),
        .write_enable,
        .write_address,
        .write_data   (write_data[64*i+:64])
    );
  end
endmodule
`default_nettype wire
